#!/usr/bin/env python3
"""Builds the site, a folder of pages that needs no network: README, docs/, bench/, the C interface, the manual pages.

    site/build.py BUILD_DIR OUT

BUILD_DIR is a configured build (it holds the manual pages' further names). Pages are assembled in BUILD_DIR/site and
keep the places that they have in the source tree, so their links stay as they are; what else they name is taken along.
"""
import glob
import json
import os
import re
import shutil
import subprocess
import sys

sys.dont_write_bytecode = True
import api  # noqa: E402
import manual  # noqa: E402

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
# The order of the pages; those that are not named come after them.
GUIDES = """install blacs nodes python environment errors checking tracing threads reliability platforms performance
    words""".split()
INTERFACES = "core mlacs icc bsp picl".split()
INSIDE = "architecture trace-format simulation".split()


def pages_of(folder):
    return sorted(os.path.relpath(p, ROOT) for p in glob.glob(os.path.join(ROOT, folder, "*.md")))


def readme_first(folder):
    return sorted(pages_of(folder), key=lambda p: not p.endswith("README.md"))


def outside_code(text, change):
    """The text with all lines but those of code changed."""
    def part(found):
        return found.group() if "```" in found.group() else change(found.group())
    return re.sub(r"^( *```).*?^\1 *$|[^\n]*\n?", part, text, flags=re.S | re.M)


def fence(found):
    """The words behind ``` are for the tests; a file's name is shown."""
    indent, word, rest = found.groups()
    name = re.search(r"\bfile=(\S+)", rest)
    return indent + "```" + word + (' title="%s"' % name.group(1) if name else "")


class Scratch:
    def __init__(self, folder, manuals):
        self.folder, self.manuals = folder, manuals
        shutil.rmtree(folder, ignore_errors=True)
        self.shown = set()  # source files that pages link to

    def write(self, path, text):
        path = os.path.join(self.folder, path)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "w") as out:
            out.write(text)

    def page(self, path):
        """A page of the source tree, and the files that it names."""
        here = os.path.dirname(path)
        text = open(os.path.join(ROOT, path)).read()

        def link(found):
            target, _, anchor = found.group(1).partition("#")
            there = os.path.normpath(os.path.join(here, target))
            if re.match(r"[a-z]+:", target) or not target or target.endswith(".md"):
                return found.group()
            if os.path.isdir(os.path.join(ROOT, there)):
                if not os.path.exists(os.path.join(ROOT, there, "README.md")):
                    sys.exit("site: %s links to the folder %s, which has no page" % (path, there))
                return "](%s/README.md%s)" % (target, anchor and "#" + anchor)
            if re.search(r"\.(svg|png|jpg|gif|html|pdf)$", target):
                os.makedirs(os.path.join(self.folder, os.path.dirname(there)), exist_ok=True)
                shutil.copy(os.path.join(ROOT, there), os.path.join(self.folder, there))
                return found.group()
            self.source(there)
            return "](%s.md)" % target

        def man(found):
            name = found.group(1)
            there = next((self.manuals[name + "." + s] for s in "1753" if name + "." + s in self.manuals), None)
            if not there:
                return found.group()
            return "[%s](%s.md)" % (found.group(), os.path.relpath("man/" + there, here or "."))

        def titled(found):
            title = re.search(r"^# (.*)", open(os.path.join(ROOT, here, found.group(1))).read(), re.M).group(1)
            return "[%s](%s)" % (title, found.group(1))

        def change(line):
            line = re.sub(r"(?<!\[)`man (\S+)`(?!\])", man, line)
            line = line.replace("<details>", '<details markdown="1">')  # else what it folds away is no Markdown
            line = re.sub(r"\[[\w./-]+\.md\]\(([^)#\s]+\.md)\)", titled, line)
            return re.sub(r"\]\(([^)\s]+)\)", link, line)
        text = outside_code(text, change)
        text = re.sub(r"^( *)```([\w+-]+)([^\n`]*)$", fence, text, flags=re.M)
        self.write(path, text)

    def source(self, path):
        """A file that is no page becomes one."""
        if path not in self.shown:
            self.shown.add(path)
            kinds = {"c": "c", "h": "c", "py": "python", "f90": "fortran", "sh": "sh", "cmake": "cmake"}
            kind = kinds.get(path.rpartition(".")[2], "text")
            with open(os.path.join(ROOT, path)) as file:
                self.write(path + ".md", "# %s\n\n````%s\n%s\n````\n" % (path, kind, file.read()))


def navigation(headers, sections):
    docs = pages_of("docs")
    known = ["docs/%s.md" % n for n in GUIDES + INTERFACES + INSIDE]
    learn = readme_first("docs/learn")

    def those(names):
        return [p for p in ("docs/%s.md" % n for n in names) if p in docs]
    nav = [{"Home": "README.md"}]
    if learn:
        nav.append({"Lessons": learn})
    nav += [{"Guides": those(GUIDES) + [p for p in docs if p not in known]},
            {"Interfaces": those(INTERFACES)},
            {"C reference": ["api/index.md"] + [{h + ".h": "api/%s.md" % h} for h in headers]},
            {"Manual": ["man/index.md"] + [{title: [{"%s(%s)" % tuple(n.rsplit(".", 1)): "man/%s.md" % n}
                                                    for n in names]} for title, names in sections]},
            {"Measurements": readme_first("bench") + [{"Simulated machines": readme_first("bench/sim")}]},
            {"Inside": those(INSIDE) + ["CONTRIBUTING.md"]},
            {"Project": ["CHANGELOG.md", "SECURITY.md", {"Licence": "LICENSE.md"}]}]
    return nav


def missing():
    """What the site needs and this machine lacks, with Debian's names."""
    absent = [tool for tool in ("mkdocs", "doxygen", "mandoc") if not shutil.which(tool)]
    if not absent:
        # mkdocs has a Python of its own choice.
        python = open(shutil.which("mkdocs")).readline()[2:].split()
        look = "import pymdownx, mkdocs.utils as u; 'material' in u.get_theme_names() or exit(1)"
        if subprocess.run(python + ["-c", look], stderr=subprocess.DEVNULL).returncode:
            absent = ["mkdocs-material"]
    return absent


def main():
    if len(sys.argv) != 3:
        sys.exit("usage: site/build.py BUILD_DIR OUT")
    build, out = map(os.path.abspath, sys.argv[1:])
    if missing():
        sys.exit("docs: the site needs %s, missing here (Debian: apt-get install mkdocs-material doxygen mandoc)"
                 % ", ".join(missing()))
    work = os.path.join(build, "site")
    manuals = manual.names_of_pages(ROOT, build)
    scratch = Scratch(os.path.join(work, "pages"), manuals)
    pages = [p for folder in ("", "docs", "docs/learn", "bench", "bench/sim") for p in pages_of(folder)]
    for path in pages:
        scratch.page(path)
    headers = api.build(ROOT, os.path.join(work, "doxygen"), os.path.join(scratch.folder, "api"),
                        {name[:-2]: page for name, page in manuals.items() if name.endswith(".3")})
    sections = manual.build(ROOT, os.path.join(scratch.folder, "man"), manuals, headers)
    for name in ("extra.css", "file.js"):
        shutil.copy(os.path.join(ROOT, "site", name), scratch.folder)
    theme = os.path.join(work, "theme")
    os.makedirs(theme, exist_ok=True)
    shutil.copy(os.path.join(ROOT, "site/main.html"), theme)
    with open(os.path.join(work, "mkdocs.yml"), "w") as config:
        json.dump({"INHERIT": os.path.join(ROOT, "site/mkdocs.yml"), "docs_dir": scratch.folder, "site_dir": out,
                   "theme": {"custom_dir": theme}, "nav": navigation(headers, sections)}, config, indent=1)
    # The same pages give the same folder, byte for byte.
    env = dict(os.environ, SOURCE_DATE_EPOCH=os.environ.get("SOURCE_DATE_EPOCH", "0"), PYTHONHASHSEED="0")
    command = ["mkdocs", "build", "--quiet", "--strict", "--clean", "-f", config.name]
    if subprocess.run(command, env=env).returncode != 0:
        sys.exit("site: mkdocs failed; its lines are above")
    for name in ("sitemap.xml", "sitemap.xml.gz", "404.html"):
        os.remove(os.path.join(out, name))
    with open(os.path.join(out, "search/search_index.json")) as index:
        text = index.read()
    with open(os.path.join(out, "search/search_index.js"), "w") as script:
        script.write("var __search = {index: Promise.resolve(%s)};\n" % text)
    print("site: %d pages: %s/index.html" % (len(glob.glob(out + "/**/*.html", recursive=True)), out))


if __name__ == "__main__":
    main()

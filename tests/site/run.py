#!/usr/bin/env python3
"""The site is built (cmake --build BUILD --target docs) and whole: every link, anchor and picture leads somewhere,
every page can be reached, every public function and manual page is there, nothing is loaded from a network, a browser
searches it, opened as files and over HTTP, and a telephone shows it. Then mistakes are planted, and each of them must
be found.

    tests/site/run.py BUILD_DIR

The site is built in BUILD_DIR/site-check. tests/site/run.py --links FOLDER looks at the links of a folder alone.
"""
import collections
import functools
import glob
import html.parser
import http.server
import os
import re
import shutil
import subprocess
import sys
import tempfile
import threading
import urllib.parse

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(ROOT, "tests/obtrace"))
from browser import SLOW, Browser  # noqa: E402

# What a search shows, as soon as it shows something.
FOUND = """const done = arguments[0], end = Date.now() + 20000 * %d;
(function look() {
    const links = [...document.querySelectorAll('.md-search-result__link')].map(a => a.href);
    if (links.length || Date.now() > end) done(links); else setTimeout(look, 50);
})()""" % SLOW
PAGES = """index docs/performance docs/blacs docs/environment api/blacs api/icc man/obinfo.1 man/gesd2d.3
    bench/collectives"""
# Each is planted behind a page's text; the words are in the line that must name it.
MISTAKES = (('<a href="nowhere.html">', "nowhere.html leads nowhere"),
            ('<a href="blacs.html#nothing">', "has no such anchor"),
            ('<a href="#nothing">', "has no such anchor"),
            ('<a href="../man/nothing.3.html">', "leads nowhere"),
            ('<img src="figures/nothing.svg">', "leads nowhere"),
            ('<script src="https://example.org/a.js"></script>', "from a network"),
            ('<link rel="stylesheet" href="//example.org/a.css">', "from a network"),
            ("<style>@import 'https://example.org/a.css';</style>", "from a network"))
Target = collections.namedtuple("Target", "tag url")
passed = failed = 0


def check(good, name, why=()):
    global passed, failed
    passed, failed = passed + bool(good), failed + (not good)
    if not good:
        print("FAILED  " + name)
        for line in list(why)[:25]:
            print("    | " + str(line))
        sys.stdout.flush()


class Page(html.parser.HTMLParser):
    """The anchors of a page, what it links to, and what a browser loads for it."""

    def __init__(self, text):
        super().__init__()
        self.anchors, self.links, self.loads, self.style = set(), [], [], ""
        self.inside = ""
        self.feed(text)

    def handle_starttag(self, tag, attributes):
        self.inside = tag
        for name, value in attributes:
            value = value or ""
            if name == "id" or tag == "a" and name == "name":
                self.anchors.add(value)
            elif name == "style":
                self.style += value + "\n"
            elif name == "srcset":
                self.loads += [Target(tag, part.split()[0]) for part in value.split(",")]
            elif name in ("href", "src", "data", "poster", "xlink:href"):
                (self.links if tag == "a" else self.loads).append(Target(tag, value))

    def handle_data(self, data):
        if self.inside == "style":
            self.style += data

    def handle_endtag(self, tag):
        self.inside = ""


def style_loads(style):
    pairs = re.findall(r"url\(\s*['\"]?([^'\")]+)|@import\s+['\"]([^'\"]+)", style)
    return [Target("style", url) for pair in pairs for url in pair if url]


def bad_links(folder):
    """What is wrong with the links and loads of a folder of pages, one line each."""
    pages = {}
    for path in glob.glob(folder + "/**/*.html", recursive=True):
        with open(path) as text:
            pages[os.path.relpath(path, folder)] = Page(text.read())
    bad, reached = [], {"index.html"}
    for name, page in sorted(pages.items()):
        for target in page.links + page.loads + style_loads(page.style):
            url = urllib.parse.urlsplit(target.url)
            if url.scheme in ("http", "https") or url.netloc:
                if target.tag != "a":
                    bad.append("%s loads %s from a network" % (name, target.url))
                continue
            if url.scheme:
                continue
            path = name
            if url.path:
                path = os.path.normpath(os.path.join(os.path.dirname(name), urllib.parse.unquote(url.path)))
            if os.path.isdir(os.path.join(folder, path)):
                path = os.path.normpath(os.path.join(path, "index.html"))
            if path != name:
                reached.add(path)
            if not os.path.exists(os.path.join(folder, path)):
                bad.append("%s: %s leads nowhere" % (name, target.url))
            elif url.fragment and path in pages and urllib.parse.unquote(url.fragment) not in pages[path].anchors:
                bad.append("%s: %s has no such anchor" % (name, target.url))
    bad += ["%s is reached from no page" % name for name in sorted(set(pages) - reached)]
    for path in glob.glob(folder + "/**/*.css", recursive=True) + glob.glob(folder + "/**/*.svg", recursive=True):
        with open(path) as file:
            text = re.sub(r"/\*.*?\*/", "", file.read(), flags=re.S)
        for target in style_loads(text):
            url = urllib.parse.urlsplit(target.url)
            here = not url.scheme and os.path.exists(os.path.join(os.path.dirname(path), url.path))
            if url.netloc or not here and url.scheme != "data":
                bad.append("%s loads %s" % (os.path.relpath(path, folder), target.url))
    return bad


def build(folder):
    """A configured build that makes nothing but the site."""
    without = ["-DOPENBLACS_%s=OFF" % part for part in "MPI FORTRAN TESTS BENCH EXAMPLES".split()]
    for command in (["cmake", "-S", ROOT, "-B", folder] + without, ["cmake", "--build", folder, "--target", "docs"]):
        done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        check(done.returncode == 0, " ".join(command), done.stdout.splitlines()[-25:])
        if done.returncode:
            return None
    return os.path.join(folder, "html")


def is_whole(site):
    """Nothing of what the source tree has is missing in the site."""
    wanted = [p[:-3] + ".html" for p in glob.glob("docs/**/*.md", root_dir=ROOT, recursive=True) + ["CHANGELOG.md"]]
    wanted += ["man/%s.html" % os.path.basename(p) for p in glob.glob(ROOT + "/man/*.[1-9]")] + ["index.html"]
    wanted = [re.sub(r"README\.html$", "index.html", p) for p in wanted]
    missing = [p for p in wanted if not os.path.exists(os.path.join(site, p))]
    check(not missing and len(wanted) > 90, "pages of the source tree are missing", missing)
    missing, functions = [], 0
    for header in glob.glob(ROOT + "/include/openblacs/*.h"):
        text = re.sub(r"/\*.*?\*/", "", open(header).read(), flags=re.S)
        text = re.sub(r"OB_C\((\w+)\)", r"C\1", re.sub(r"OB_F\((\w+)\)", r"\1_", re.sub(r"OB_T\((\w+)\)", r"\1", text)))
        names = re.findall(r"^(?:OB_API|static inline) [\w* ]*?\b(\w+)\(", text, re.M)
        page = os.path.join(site, "api", os.path.basename(header)[:-2] + ".html")
        anchors = Page(open(page).read()).anchors if os.path.exists(page) else set()
        missing += ["%s of %s" % (n, os.path.basename(header)) for n in names if n not in anchors]
        functions += len(names)
    check(not missing and functions > 300, "%d functions; not in the C reference are" % functions, missing)


def served(site):
    """The site over HTTP; gives its address."""
    class Quiet(http.server.SimpleHTTPRequestHandler):
        def log_message(self, *_):
            pass
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(Quiet, directory=site))
    threading.Thread(target=server.serve_forever, daemon=True).start()
    return "http://127.0.0.1:%d" % server.server_port


def look(site):
    """What a browser makes of it."""
    browser = Browser(width=500, height=900, hosts="MAP * ~NOTFOUND, EXCLUDE 127.0.0.1")
    try:
        for start in ("file://" + site, served(site)):
            browser.call("POST", "/url", {"url": start + "/docs/performance.html?q=Cdgesd2d"})
            found = browser.call("POST", "/execute/async", {"args": [], "script": FOUND})
            check(any("man/gesd2d.3.html" in link for link in found), "a search from %s finds gesd2d(3)" % start, found)
        # Of files a browser gives no such list.
        loads = browser.run("return performance.getEntriesByType('resource').map(e => e.name)")
        alone = all(url.startswith((start, "data:")) for url in loads)
        check(alone and len(loads) > 3, "a page loads from elsewhere", loads)
        for page in PAGES.split():
            browser.call("POST", "/url", {"url": "file://%s/%s.html" % (site, page)})
            width = browser.run("return [document.documentElement.scrollWidth, innerWidth]")
            check(width[0] <= width[1], "%s is wider than a telephone" % page, [width])
        bad = [entry["message"] for entry in browser.log() if entry["level"] == "SEVERE"]
        check(not bad, "the browser complains", bad)
    finally:
        browser.close()


def plant(site):
    """Mistakes of each kind are found: in a copy, one at a time."""
    page = "docs/performance.html"
    with tempfile.TemporaryDirectory() as work:
        copy = os.path.join(work, "site")
        shutil.copytree(site, copy)
        path = os.path.join(copy, page)
        with open(path) as file:
            text = file.read()
        for planted, line in MISTAKES:
            with open(path, "w") as file:
                file.write(text.replace("</article>", planted + "</article>"))
            found = bad_links(copy)
            good = len(found) == 1 and found[0].startswith(page) and line in found[0]
            check(good, "planted and not found: " + planted, found)
        with open(path, "w") as file:
            file.write(text)
        shutil.copy(path, os.path.join(copy, "alone.html"))
        check("alone.html is reached from no page" in bad_links(copy), "a page that no other leads to is not found")
        os.remove(os.path.join(copy, "alone.html"))
        with open(os.path.join(copy, "extra.css"), "a") as file:
            file.write("body { background: url(https://example.org/a.png); }\n")
        found = bad_links(copy)
        check("extra.css loads https://example.org/a.png" in found, "a style that loads from a network is not found", found)


def lacks():
    """Where a tool is missing, one line says which."""
    with tempfile.TemporaryDirectory() as work:
        for name in ("mkdocs", "mandoc"):
            os.symlink(shutil.which(name), os.path.join(work, name))
        command = [sys.executable, ROOT + "/site/build.py", work, work + "/html"]
        done = subprocess.run(command, capture_output=True, text=True, env={"PATH": work})
        good = done.returncode != 0 and done.stderr.count("\n") == 1 and "needs doxygen" in done.stderr
        check(good, "no line names the missing tool", [done.stderr])


def main():
    if sys.argv[1:2] == ["--links"]:
        bad = bad_links(sys.argv[2])
        print("\n".join(bad))
        sys.exit(bool(bad))
    site = build(os.path.abspath(os.path.join(sys.argv[1], "site-check")))
    if site:
        bad = bad_links(site)
        check(not bad, "%d links" % len(bad), bad)
        is_whole(site)
        look(site)
        plant(site)
    lacks()
    print("%d passed, %d failed" % (passed, failed))
    sys.exit(failed != 0 or passed == 0)


if __name__ == "__main__":
    main()

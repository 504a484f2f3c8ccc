#!/usr/bin/env python3
"""Runs every code block of README.md, docs/**/*.md, bench/**/*.md and man/* as it is printed.

    tests/docs/run.py BUILD_DIR [--long] [PAGE ...]

A page's blocks run in the order they stand in, in a scratch folder that holds the source tree
and, as build/, the build that is tested. The library is installed in a scratch
prefix; /usr/local and PREFIX in a block stand for it. What a page takes for granted (./program,
host.c) is made before its first block by tests/docs/PAGE.sh (not for the pages of bench/).

In Markdown the words behind ``` say what a block holds; in a manual page a comment line
before .Bd or .Dl does (.\\" sh):
    sh                run; every command must succeed
    sh long           run with --long alone; else its grammar is looked at
    c file=NAME       written to NAME (also fortran, cmake, or any other word); a later block uses it
    console           lines "$ COMMAND", each with what it prints; numbers may differ
    text              output, tables, formulas: not run
    WORD fragment     not run; the line before it in the text calls it a fragment
A manual page's SYNOPSIS holds prototypes and is not run. Links between the pages
must lead somewhere, in the source tree and installed.
"""
import glob
import os
import re
import shutil
import subprocess
import sys
import tempfile

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
SLOW = int(os.environ.get("OB_SLOW", "1"))  # ./check says so
LIMIT = 600 * SLOW  # seconds; a block builds the library, perhaps beside other work
# An input that is empty and has no end, as ob_launch's: MPICH's mpirun may die of SIGPIPE at the end of its input.
NOTHING, _ITS_WRITER = os.pipe()


class Block:
    def __init__(self, page, line, words, lines):
        self.page, self.line = page, line
        self.kind = words[0] if words else ""
        self.marks = words[1:]
        self.text = "\n".join(lines) + "\n"

    def file(self):
        for mark in self.marks:
            if mark.startswith("file="):
                return mark[5:]
        return None

    def name(self):
        return "%s:%d (%s)" % (self.page, self.line, " ".join([self.kind] + self.marks))


class Tally:
    def __init__(self):
        self.passed = self.failed = 0

    def ok(self):
        self.passed += 1

    def fail(self, name, why):
        self.failed += 1
        print("FAILED  %s" % name)
        for line in why.rstrip().splitlines()[-25:]:
            print("    | " + line)
        sys.stdout.flush()


def markdown_blocks(page, tally):
    """The fenced blocks of a Markdown page; an indented one is refused."""
    blocks, inside, before, blank = [], None, "", True
    for number, line in enumerate(open(os.path.join(ROOT, page)), 1):
        line = line.rstrip("\n")
        if inside is not None:
            if line == "```":
                blocks.append(Block(page, *inside))
                inside = None
            else:
                inside[2].append(line)
        elif line.startswith("```"):
            inside = (number, line[3:].split(), [])
            if "fragment" in inside[1] and "fragment" not in before.lower():
                tally.fail("%s:%d" % (page, number), "the line before the block does not call it a fragment")
        elif line.startswith("    ") and blank and not re.match(r" |[-*] |\d+\. ", before):
            tally.fail("%s:%d" % (page, number), "an indented block: fence it and say what it holds")
        blank = not line
        if line and not line.startswith("```"):
            before = line
    return blocks


def plain(line):
    """A line of a manual page's display as the reader sees it."""
    line = re.sub(r"^\\&", "", line)
    for mark, shown in (("\\&", ""), ("\\e", "\\"), ("\\-", "-"), ("\\(aq", "'"), ("\\(dq", '"'), ("\\(ti", "~")):
        line = line.replace(mark, shown)
    return line


def manual_blocks(page, tally):
    """The displays of a manual page (.Bd -literal, .Dl, .nf) outside its synopsis."""
    blocks, words, section, inside, ends = [], None, "", None, ""
    for number, line in enumerate(open(os.path.join(ROOT, page)), 1):
        line = line.rstrip("\n")
        if inside is not None:
            if line.startswith(ends):
                if section != "SYNOPSIS":
                    blocks.append(Block(page, *inside))
                inside = None
            else:
                inside[2].append(plain(line))
        elif line[:4].lower() == ".sh ":
            section = line[4:].strip('"')
        elif re.match(r'\.\\" (sh|c|fortran|cmake|console|text|prototypes)\b', line):
            words = line[4:].split()
        elif re.match(r"\.(Bd -literal|nf)", line):
            ends = ".Ed" if line.startswith(".Bd") else ".fi"
            inside, words = (number, words or [], []), None
        elif line.startswith(".Dl "):
            if blocks and words is None and blocks[-1].line == -(number - 1):
                blocks[-1].text += plain(line[4:]) + "\n"
                blocks[-1].line = -number
            else:
                blocks.append(Block(page, -number, words or [], [plain(line[4:])]))
                words = None
    for block in blocks:
        block.line = abs(block.line)
    return blocks


def script(text, prefix):
    return re.sub(r"\bPREFIX\b", prefix, text.replace("/usr/local", prefix))


def run(text, folder, env, limit=LIMIT):
    """Status and output of a shell script in a folder; all of what it started ends with it."""
    with tempfile.TemporaryFile("w+") as log:
        child = subprocess.Popen(["bash", "-e", "-o", "pipefail", "-c", text], cwd=folder, env=env, stdin=NOTHING,
                                 stdout=log, stderr=subprocess.STDOUT, start_new_session=True)
        try:
            status = child.wait(limit)
        except subprocess.TimeoutExpired:
            status = 124
        try:
            os.killpg(child.pid, 9)
        except ProcessLookupError:
            pass
        child.wait()
        log.seek(0)
        output = log.read()
    return status, output if status != 124 else output + "\nnot done within %d s" % limit


def leveled(text):
    """What a comparison of printed output looks at: words, and that a number stands somewhere."""
    return [re.sub(r"\s+", " ", re.sub(r"\d+(\.\d+)?", "#", line)).strip() for line in text.splitlines() if line.strip()]


def try_console(block, folder, env, prefix):
    """None, or what a command printed that the page does not."""
    command, expected = None, []
    for line in block.text.splitlines() + ["$ "]:
        if line.startswith("$ "):
            if command:
                said = run(script(command, prefix), folder, env)[1]
                missing = [l for l in leveled("\n".join(expected)) if l not in leveled(said)]
                if missing:
                    return "%s\nprinted:\n%s\nand not:\n%s" % (command, said, "\n".join(missing))
            command, expected = line[2:], []
        else:
            expected.append(line)
    return None


def try_block(block, folder, env, prefix, take_long):
    """None when a block does what the page says, else what is wrong."""
    if block.kind == "text" or "fragment" in block.marks:
        return None
    if block.file():
        path = os.path.join(folder, block.file())
        os.makedirs(os.path.dirname(path), exist_ok=True)
        if os.path.exists(path):
            os.remove(path)  # it may be a link to the tree's
        with open(path, "w") as out:
            out.write(script(block.text, prefix))
        return None
    if block.kind == "console":
        return try_console(block, folder, env, prefix)
    if block.kind != "sh":
        return "the block does not say what it holds: sh, console, text, or LANGUAGE file=NAME"
    if "long" in block.marks and not take_long:
        status, output = run("bash -n <<'END_OF_BLOCK'\n%sEND_OF_BLOCK" % block.text, folder, env)
    else:
        status, output = run(script(block.text, prefix), folder, env, 7200 * SLOW if "long" in block.marks else LIMIT)
    return None if status == 0 else "%s\nstatus %d" % (output, status)


def heading_anchors(path):
    """The anchors of a Markdown page's headings, as the usual viewers make them."""
    titles = re.findall(r"^#+ (.*)$", open(path).read(), re.M)
    return [re.sub(r"[^\w\- ]", "", t.lower()).replace(" ", "-") for t in titles]


def try_links(top, pages, what, tally):
    """Every relative link of the pages below top leads to a file, and to a heading where it names one."""
    for page in pages:
        path = os.path.join(top, page)
        for target in re.findall(r"\]\(([^)\s]+)\)", open(path).read()):
            if re.match(r"[a-z]+:", target):
                continue
            name, _, anchor = target.partition("#")
            there = os.path.normpath(os.path.join(os.path.dirname(path), name)) if name else path
            if not os.path.exists(there):
                tally.fail("%s, %s" % (page, what), "its link to %s leads nowhere" % target)
            elif anchor and anchor not in heading_anchors(there):
                tally.fail("%s, %s" % (page, what), "no heading of %s is called #%s" % (name or page, anchor))
            else:
                tally.ok()


def unused_files(blocks):
    """Blocks written to a file that no command of the page names."""
    commands = "".join(b.text for b in blocks if b.kind in ("sh", "console"))
    return [b for b in blocks if b.file() and os.path.basename(b.file()) not in commands and b.kind != "cmake"]


def try_page(page, work, build, env, prefix, take_long, tally):
    blocks = manual_blocks(page, tally) if page.startswith("man/") else markdown_blocks(page, tally)
    if not blocks:
        return
    folder = os.path.join(work, page.replace("/", "-"))
    # Its files are links: a tenth of the processor time of copies, for each of 75 pages. Long blocks write into some.
    tree = os.path.join(work, "tree")
    before = written(tree)
    subprocess.run(["cp", "-R" if take_long else "-Rl", tree, folder], check=True)
    if page != "README.md":
        os.symlink(build, os.path.join(folder, "build"))
    name = os.path.splitext(os.path.basename(page))[0]
    given = os.path.join(ROOT, "tests/docs", name + ".sh")
    if os.path.exists(given) and not page.startswith("bench/"):
        status, output = run(open(given).read(), folder, env)
        if status != 0:
            tally.fail("tests/docs/%s.sh" % name, output)
            return
    for block in unused_files(blocks):
        tally.fail(block.name(), "no command of the page uses %s" % block.file())
    for block in blocks:
        wrong = try_block(block, folder, env, prefix, take_long)
        if wrong is None:
            tally.ok()
        else:
            tally.fail(block.name(), wrong)
    if page == "README.md":
        with open(os.path.join(folder, "build/CMakeCache.txt")) as cache:
            if "CMAKE_INSTALL_PREFIX:PATH=%s\n" % prefix in cache.read():
                tally.ok()
            else:
                tally.fail(page, "its commands install outside the scratch prefix")
    subprocess.run(["rm", "-rf", folder], check=True)
    if written(tree) != before:
        tally.fail(page, "its commands write into files of the source tree, which the pages have in common")


def written(tree):
    """When each file below was last written, and its size."""
    found = {}
    for folder, _, names in os.walk(tree):
        for name in names:
            state = os.lstat(os.path.join(folder, name))
            found[os.path.join(folder, name)] = (state.st_mtime_ns, state.st_size)
    return found


def copy_tree(work):
    """The tracked files, since blocks run as in a fresh clone."""
    tree = os.path.join(work, "tree")
    try:
        names = subprocess.check_output(["git", "-C", ROOT, "ls-files", "-z", "-co", "--exclude-standard"]).decode()
    except (subprocess.CalledProcessError, FileNotFoundError):
        shutil.copytree(ROOT, tree, ignore=shutil.ignore_patterns("build*", ".git"))
        return
    for name in filter(None, names.split("\0")):
        if os.path.exists(os.path.join(ROOT, name)):
            os.makedirs(os.path.dirname(os.path.join(tree, name)), exist_ok=True)
            shutil.copy(os.path.join(ROOT, name), os.path.join(tree, name))


def environment(work, build, prefix):
    shims = os.path.join(work, "shims")
    os.makedirs(shims)
    # Root's own commands, for who is not root and for a prefix that is not the system's.
    for name, text in (("sudo", 'exec "$@"'), ("ldconfig", "exit 0"),
                       # Debian's, which has Debian's numpy.
                       ("python3", 'exec /usr/bin/python3 "$@"')):
        with open(os.path.join(shims, name), "w") as out:
            out.write("#!/bin/sh\n%s\n" % text)
        os.chmod(os.path.join(shims, name), 0o755)
    lib = next(os.path.dirname(p) for p in glob.glob(prefix + "/**/libopenblacs.so", recursive=True))
    package = next(glob.iglob(prefix + "/**/openblacs/__init__.py", recursive=True))
    env = {k: v for k, v in os.environ.items() if not k.startswith("OPENBLACS_") and k != "LD_PRELOAD"}
    env.update({"PATH": ":".join([shims, prefix + "/bin", env["PATH"]]),
                "PKG_CONFIG_PATH": lib + "/pkgconfig", "LD_LIBRARY_PATH": lib, "LIBRARY_PATH": lib,
                "CPATH": prefix + "/include", "PYTHONPATH": os.path.dirname(os.path.dirname(package)), "CMAKE_PREFIX_PATH": prefix,
                "CMAKE_BUILD_TYPE": "None",  # no options: nobody runs it for long or debugs it
                "OB_PREFIX": prefix, "OB_LIB": lib, "HOME": work, "LC_ALL": "C.UTF-8",
                "OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1",
                "OMPI_MCA_rmaps_base_oversubscribe": "1", "OMPI_MCA_btl_base_warn_component_unused": "0",
                "OPENBLAS_NUM_THREADS": "1"})
    return env


def main():
    words = [w for w in sys.argv[1:] if w != "--long"]
    if not words:
        sys.exit("usage: tests/docs/run.py BUILD_DIR [--long] [PAGE ...]")
    build = os.path.abspath(words[0])
    pages = words[1:]
    if not pages:
        os.chdir(ROOT)
        # The README last, since it ends with the removal of what is installed.
        pages = sorted(glob.glob("docs/**/*.md", recursive=True) + glob.glob("bench/**/*.md", recursive=True))
        pages += sorted(glob.glob("man/*.[1-9]")) + ["README.md"]
    tally = Tally()
    with tempfile.TemporaryDirectory() as work:
        copy_tree(work)
        prefix = os.path.join(work, "prefix")
        subprocess.run(["cmake", "--install", build, "--prefix", prefix], check=True, stdout=subprocess.DEVNULL)
        env = environment(work, build, prefix)
        texts = [p for p in pages if p.endswith(".md")]
        try_links(os.path.join(work, "tree"), texts, "in the source", tally)
        try_links(os.path.join(prefix, "share/doc/openblacs"), texts, "installed", tally)
        for page in pages:
            try_page(page, work, build, env, prefix, "--long" in sys.argv, tally)
    print("%d passed, %d failed" % (tally.passed, tally.failed))
    sys.exit(tally.failed != 0 or tally.passed == 0)


if __name__ == "__main__":
    main()

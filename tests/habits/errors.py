#!/usr/bin/env python3
"""The codes of error lines: every line has one, and docs/errors.md explains each, and no others.

    tests/habits/errors.py BUILD_DIR

In the source a code stands at the beginning of a line's format ("OB-1042 the size ..."), or in brackets at its
end where the line is printed as it is. A section of the page has the lines of its code, with ... for values: each
text of the source is one of those of its code, and each of those is somewhere in the source. So no code can mean
two things unless the page says so. The built obinfo has the same codes and titles.
In Python each exception that the package makes, and each line that it prints, has its code at the end of the first line.
"""
import ast
import os
import re
import subprocess
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
SLOW = int(os.environ.get("OB_SLOW", "1"))  # ./check says so
# Functions that make a line, and which argument is its format.
MAKERS = {"ob_fail": 1, "obl_fault": 1, "obl_warn": 1, "bspm_fault": 2, "icc_fault": 1, "nx_fault": 1, "picl_fault": 1,
          "picl_warn": 1, "obm_fail": 2, "shim_fault": 0, "oblu_say": 0, "obrd_say": 1, "obt_die": 0, "obt_warn": 0,
          "obb_die": 0, "obb_warn": 0}
# The same, in one file: its names are common words.
OWN_MAKERS = {"src/collective/planner/profile_text.c": {"bad": 1},
              "interfaces/blacs94/blacs94.c": {"fault": 1}, "tools/obrun/obrun.c": {"say": 1}}
# Formats without a code: what they hand on has one, ob_error_text() in most cases.
HAND_ON = {
    "%s", "%s: %s", "process %d: %s", "%s %s: %s", "line %d: %s%s",
    "request %d: %s", "the profile %.200s: %s", "comm is no communicator: %s", "libicc-mpi: %s",
    "libicc-mpi: a communicator of %d processes has no group: %s",
    "libicc-mpi: the members of a communicator cannot ask each other: %s",
    "%s argument %d (%.*s) %s (info %d)", "%s entry %d (%s) of argument %d (%.*s) %s (info %d)",
    "%s argument %d (%.*s) %s", "%s entry %d (%s) of argument %d (%.*s) %s"}
# The same in Python: their parts have codes, or are exceptions of the caller's own.
PYTHON_HAND_ON = {"%s: %s"}
# What obrun says when it is asked to (-v), and no errors.
NOTES = {"process %d is pid %d", "process %d (pid %d) has ended: %s %d"}
# Lines that are printed as they are begin so.
SPEAKERS = "OpenBLACS: ", "obtrace: ", "obbench: ", "obrun: ", "obinfo: "
# Lines that are no errors, and those whose end, with the code, comes later.
PRINTED = {
    "OpenBLACS: network between", "OpenBLACS: libicc-mpi, calls of all", "OpenBLACS:   %", "OpenBLACS: %s%s: %s%s",
    "OpenBLACS: %s%s\\n", "OpenBLACS: %s: %s; rank %d of %d%s\\n", "OpenBLACS: %s; it is ignored%s\\n",
    "OpenBLACS: hang: \0",
    # What obbench does, and has made.
    "obbench: %.0f ", "obbench: %s/%s.svg", "obbench: the profile is ", "obbench: the picture is ",
    "obbench: %d processes under ",
    # What ends with a code already, and obrun's own sink.
    "obinfo: %s\\n\0", "obrun: %s%s\\n\0"}
# Words that fit any line, and a line whose words are those of its setting.
COMMON = set("argument arguments are and at but has is line must not of or the there to".split())
GENERAL = {"... is '...', must be ..."}
TOKEN = re.compile(r"""/\*.*?\*/|//[^\n]*|"(?:\\.|[^"\\])*"|'(?:\\.|[^'\\])*'|[A-Za-z_]\w*|\s+|.""", re.S)
CONVERSION = re.compile(r"%[-+ #0-9.*]*(?:ll|z|t|l)?[a-zA-Z]")


class Tally:
    passed = failed = 0

    def judge(self, good, what):
        if good:
            self.passed += 1
        else:
            self.failed += 1
            print("FAILED  " + what)


def tokens(text):
    """The words of C, without space and comments; neighbouring strings, and the macros between them, are one."""
    words = []
    for word in TOKEN.findall(text):
        if word.isspace() or word.startswith(("/*", "//")):
            continue
        if words and words[-1][0] == '"' and re.match(r"PRI[dux]|OBL_D$", word):
            words[-1] = words[-1][:-1] + 'd"'
        elif words and words[-1][0] == '"' and word[0] == '"':
            words[-1] = words[-1][:-1] + word[1:]
        elif re.match(r"PRI[dux]\d", word):
            words.append('"d"')
        else:
            words.append(word)
    return words


def calls(words, makers):
    """The format arguments, as lists of words."""
    for i, word in enumerate(words):
        if word not in makers or words[i + 1:i + 2] != ["("]:
            continue
        depth, arguments = 0, [[]]
        for inner in words[i + 1:]:
            depth += inner in "([{" and len(inner) == 1
            depth -= inner in ")]}" and len(inner) == 1
            if depth == 0:
                break
            if inner == "," and depth == 1:
                arguments.append([])
            else:
                arguments[-1].append(inner)
        if makers[word] < len(arguments) and "const" not in arguments[makers[word]]:
            yield word, arguments[makers[word]]


def strings(words):
    return [word[1:-1] for word in words if word[0] == '"']


def shown(text):
    """A text of the source as the page shows it, its code being taken off."""
    text = re.sub(r"^OB-\d{4} | \[OB-\d{4}\](\\n)?$", "", text)
    text = re.sub(r"^OpenBLACS: (?:warning: |hang: )?", "", CONVERSION.sub("...", text))
    return re.sub(r"(?:\.\.\.)+", "...", text)


def codes_of(text):
    return re.findall(r"^OB-(\d{4}) ", text) + re.findall(r" \[OB-(\d{4})\](?:\\n)?$", text)


def sources():
    for folder in "src", "interfaces", "lu", "redist", "tools", "include":
        for where, _, names in os.walk(os.path.join(ROOT, folder)):
            for name in names:
                path = os.path.relpath(os.path.join(where, name), ROOT)
                if re.search(r"(?<!_test)\.[ch]$", name) and not re.search(r"thread_team", path):
                    with open(os.path.join(ROOT, path)) as file:
                        yield path, tokens(file.read())


def lacking(path, words):
    """The lines of a file that should have a code and have none."""
    makers = dict(MAKERS, **OWN_MAKERS.get(path, {}))
    for name, argument in calls(words, makers):
        formats = strings(argument)
        if not formats and argument not in (["."] * 3, ["__VA_ARGS__"]):
            yield "%s: %s whose format is no text: %s" % (path, name, " ".join(argument))
        for text in formats:
            if not codes_of(text) and text not in HAND_ON and not (name == "say" and text in NOTES):
                yield "%s: %s without a code: %s" % (path, name, text)
    for text in strings(words):
        if text.startswith(SPEAKERS) and not codes_of(text) and not (text + "\0").startswith(tuple(PRINTED)):
            yield "%s: a line without a code: %s" % (path, text)


def python_formats(node, constants):
    """The formats that an expression of Python may stand for; none where it is no text."""
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        return [node.value]
    if isinstance(node, ast.BinOp) and isinstance(node.op, (ast.Mod, ast.Add)):  # FORMAT % values; other text + FORMAT
        return python_formats(node.left if isinstance(node.op, ast.Mod) else node.right, constants)
    return [constants[node.id]] if isinstance(node, ast.Name) and node.id in constants else []


def python_lines(text):
    """(format, the call) of each exception that a file makes and each line that it prints; None for the format: there is none."""
    tree = ast.parse(text)
    constants = {node.targets[0].id: node.value.value for node in tree.body
                 if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name) and isinstance(node.value, ast.Constant)}
    for node in ast.walk(tree):
        raised = node.exc if isinstance(node, ast.Raise) else None
        if isinstance(raised, ast.Name) and raised.id[0].islower():
            continue  # one that was caught
        if raised is not None and not isinstance(raised, ast.Call):
            yield None, ast.unparse(node)
        name = ast.unparse(node.func) if isinstance(node, ast.Call) else ""
        if name.endswith("Error") or name == "sys.stderr.write":
            said = ast.unparse(node)
            if not said.startswith("Error(lib.ob_error_text()"):  # whose line has its code
                formats = python_formats(node.args[0], constants) if node.args else []
                yield formats[0].split("\n")[0] if formats else None, said


def lacking_in_python(text):
    for line, said in python_lines(text):
        if line not in PYTHON_HAND_ON and not re.search(r" \[OB-\d{4}\]$", line or ""):
            yield "without a code: " + said


def python_sources():
    folder = os.path.join(ROOT, "python", "openblacs")
    for name in sorted(name for name in os.listdir(folder) if name.endswith(".py")):
        with open(os.path.join(folder, name)) as file:
            yield "python/openblacs/" + name, file.read()


def sections(page):
    """code -> (title, lines, the whole text)"""
    parts = re.split(r"^### OB-(\d{4})\n", page, flags=re.M)
    found = {}
    for code, text in zip(parts[1::2], parts[2::2]):
        text = re.split(r"^## ", text, flags=re.M)[0]
        title = re.match(r"\n\*\*(.*)\*\*\n\n```text\n(.*?)\n```\n", text, re.S)
        found[code] = (title.group(1), title.group(2).split("\n"), text) if title else ("", [], text)
    return found


def pattern(line):
    return re.compile(".*".join(re.escape(part) for part in line.split("...")), re.S)


def misfits(texts, every, found):
    """What does not fit between the source (code -> texts; all texts) and the page."""
    for code in sorted(set(texts) - set(found)):
        yield "OB-%s is not on the page: %s" % (code, min(texts[code]))
    for code in sorted(set(found) - set(texts)):
        yield "OB-%s is on the page and not in the source" % code
    for code in sorted(set(found) & set(texts)):
        lines = found[code][1]
        patterns = [pattern(line) for line in lines]
        for text in sorted(texts[code]):
            if text and not any(one.fullmatch(text) for one in patterns):
                yield "OB-%s on the page has no line '%s'" % (code, text)
        for line, one in zip(lines, patterns):
            if not any(one.fullmatch(text) for text in (texts[code] if "" not in texts[code] else every)):
                yield "OB-%s on the page has a line that is not in the source: %s" % (code, line)


def says_nothing(line):
    """A line that fits anything: it has no word of its own."""
    words = re.findall(r"[A-Za-z_]{3,}", line)
    return line not in GENERAL and set(word.lower() for word in words) <= COMMON


def incomplete(found):
    for code, (title, lines, text) in found.items():
        for line in filter(says_nothing, lines):
            yield "OB-%s: a line without a word of its own: %s" % (code, line)
        example = re.search(r"\nExample:\n\n```text\n(.*)\n```\n", text)
        if not title or not title.endswith(".") or "\n" in title or not re.search(r"^What to do: \S", text, re.M):
            yield "OB-%s: not a title of one sentence, or not what to do" % code
        if not example or not example.group(1).endswith(" [OB-%s]" % code):
            yield "OB-%s: no example with this code" % code
        elif not any(re.search(one, example.group(1)) for one in map(pattern, lines)):
            yield "OB-%s: the example is none of its lines" % code


def spoken(title):
    return re.sub(r"[*`]|\[(.*?)\]\(.*?\)", r"\1", title)


def obinfo(build, *words):
    done = subprocess.run([os.path.join(build, "obinfo"), "--error", *words], stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, stdin=subprocess.DEVNULL, timeout=60 * SLOW)
    return done.returncode, done.stdout.decode()


def check_obinfo(tally, build, found):
    status, listed = obinfo(build)
    tally.judge(status == 0 and listed == "".join("OB-%s  %s\n" % (code, spoken(found[code][0])) for code in found),
                "obinfo --error: not the codes and titles of the page")
    for code, (title, lines, text) in found.items():
        status, said = obinfo(build, "OB-" + code)
        tally.judge(status == 0 and said.startswith("OB-%s: %s\n" % (code, spoken(title))) and "](" not in said and
                    all("\n    %s\n" % line in said for line in lines) and "\nWhat to do: " in said and
                    said.endswith(" [OB-%s]\n" % code), "obinfo --error OB-%s: %s" % (code, said))
    first = next(iter(found))
    for word in first, "ob-" + first, "[OB-%s]" % first:
        tally.judge(obinfo(build, word) == obinfo(build, "OB-" + first), "obinfo --error " + word)
    for word in "OB-0000", "1", "OB-10420", "", "OB-" + first + "x", "[" + first, "ob-" + first + "]":
        tally.judge(obinfo(build, word) == (2, "obinfo: there is no code '%s'; obinfo --error lists all [OB-9601]\n" % word),
                    "obinfo --error '%s'" % word)
    for words in [], [first]:
        with open("/dev/full", "w") as full:
            done = subprocess.run([os.path.join(build, "obinfo"), "--error", *words], stdout=full,
                                  stderr=subprocess.PIPE, stdin=subprocess.DEVNULL, timeout=60 * SLOW)
        tally.judge((done.returncode, done.stderr) ==
                    (1, b"obinfo: the output cannot be written: No space left on device [OB-9603]\n"), "obinfo --error >/dev/full")
    tally.judge(obinfo(build, first, first)[0] == 2, "obinfo --error with two codes")


def check_itself(tally):
    """Each rule finds what is planted for it."""
    for text in ('ob_fail(OB_EARG, "a size")', 'ob_fail(s, f ? "OB-1001 x" : "a size")', 'ob_fail(s, format)',
                 'picl_warn("x", /* " */ "OB-101 a size")', 'fprintf(stderr, "OpenBLACS: a " "size\\n")',
                 'obt_die("%s: a size", path)', 'obb_warn("a size")', 'fprintf(stderr, "obtrace: a size %d\\n", n)'):
        tally.judge(len(list(lacking("x.c", tokens(text)))) == 1, "not found: " + text)
    for text in ('ob_fail(OB_EARG, "OB-1001 a size %" PRId64, n)', 'ob_fail(s, "%s", ob_error_text())',
                 'fprintf(stderr, "OpenBLACS: a size" " [OB-1001]\\n")'):
        tally.judge(not list(lacking("x.c", tokens(text))), "not right: " + text)
    for text in ('raise ValueError("a size %d" % n)', 'raise TypeError', 'raise m.OwnError()', 'raise KeyError(name)',
                 'TEXT = "a size"\nraise Error(TEXT % n)', 'x = Error("a size")', 'raise ValueError("OB-9610 a size")',
                 'sys.stderr.write(where + "OpenBLACS: a size\\n")', 'raise ValueError("a size\\nof text [OB-9610]")'):
        tally.judge(len(list(lacking_in_python(text))) == 1, "not found: " + text)
    for text in ('raise ValueError("a size %d [OB-9610]" % n)', 'raise', 'raise error', 'Error("%s: %s" % (a, b))',
                 'raise Error(lib.ob_error_text().decode())', 'TEXT = "a size [OB-9610]"\nraise Error(TEXT)',
                 'raise Error("a size [OB-9610]\\n%s" % text)', 'def f(): raise caught'):
        tally.judge(not list(lacking_in_python(text)), "not right: " + text)
    page = "### OB-1001\n\n**A size.**\n\n```text\nthe size is ...\n```\n\nWhat to do: x\n\nExample:\n\n" \
        "```text\nthe size is 3 [OB-1001]\n```\n"
    found = sections(page)
    tally.judge(not list(incomplete(found)) and not list(misfits({"1001": {"the size is ..."}}, [], found)), "a right page")
    right = "the size is ..."
    for texts in {"1001": {right}, "1002": {"x"}}, {}, {"1001": {right, "all is lost"}}, {"1001": set()}:
        tally.judge(len(list(misfits(texts, [], found))) == 1, "not found: %s" % texts)
    for line in "...", "...: ...", "line ...: ...", "argument ... (...) is ..., must be ...":
        tally.judge(says_nothing(line), "not found: " + line)
    tally.judge(not says_nothing("... is NULL"), "... is NULL has a word of its own")
    for right, wrong in ("1001]", "1002]"), ("to do: x", "to do: "), ("A size.", "A size"), ("the size is 3", "3"):
        tally.judge(len(list(incomplete(sections(page.replace(right, wrong))))) == 1, "not found: %s" % wrong)


def main(build):
    tally, texts, every = Tally(), {}, []
    check_itself(tally)
    for path, words in sources():
        wrong = list(lacking(path, words))
        tally.judge(not wrong, "\n        ".join(wrong))
        for text in strings(words):
            every.append(shown(text))
            for code in codes_of(text):
                texts.setdefault(code, set()).add(shown(text))
            if re.fullmatch(r"OB-\d{4}", text):
                texts.setdefault(text[3:], set()).add("")
    for path, text in python_sources():
        wrong = list(lacking_in_python(text))
        tally.judge(not wrong, path + ": " + "\n        ".join(wrong))
        for line in filter(None, (line for line, _ in python_lines(text))):
            every.append(shown(line.replace("%%", "\0")).replace("\0", "%"))
            for code in codes_of(line):
                texts.setdefault(code, set()).add(every[-1])
    with open(os.path.join(ROOT, "docs", "errors.md")) as file:
        page = file.read()
    found = sections(page)
    headings = re.findall(r"^### OB-(\d{4})$", page, re.M)
    tally.judge(headings == sorted(set(headings)), "the codes of the page do not grow, or one is there twice")
    for wrong in list(misfits(texts, every, found)) + list(incomplete(found)):
        tally.judge(False, wrong)
    tally.judge(len(found) > 0, "no codes")
    check_obinfo(tally, build, found)
    print("%d passed, %d failed" % (tally.passed, tally.failed))
    return tally.failed > 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))

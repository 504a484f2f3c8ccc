"""Where a source file can be changed by a small rule, one place at a time.

The sources are formatted by clang-format: operators have a space on each side, a statement begins its own line,
and a function's braces stand in the first column. So lines are enough, and no parser is needed.
"""
import collections
import hashlib
import re

# One change: in `path`, the lines `old` (counted `nth` of those that read the same) become `new`.
Mutant = collections.namedtuple("Mutant", "path old nth new why")

COMPARE = {"<": "<=", "<=": "<", ">": ">=", ">=": ">", "==": "!=", "!=": "=="}
DECLARES = re.compile(r"\s*(const |static |struct |unsigned |([A-Za-z_]\w* +)+\*{0,2}[A-Za-z_]\w*( =|;|,|\[))")
LEAVES = re.compile(r"\s*([:?&|})]|(return|goto|break|continue|case|default|else|do|for|while|if|switch)\b)")


def key(mutant):
    """What names a mutant, also after other lines of its file have changed."""
    return mutant.path, mutant.old.strip(), mutant.nth, mutant.new.strip()


def blank(text):
    """The same text with spaces for comments and for what strings and characters hold."""
    def spaces(found):
        return re.sub(r"[^\n]", " ", found.group(0))
    return re.sub(r'/\*.*?\*/|//[^\n]*|"(\\.|[^"\\\n])*"|\'(\\.|[^\'\\\n])*\'', spaces, text, flags=re.S)


def in_functions(lines):
    inside = False
    for number, line in enumerate(lines):
        if line == "{":
            inside = True
        elif line == "}":
            inside = False
        elif inside and line.strip() and not line.endswith("\\") and not line.startswith("#"):
            yield number


def balanced(text):
    return text.count("(") == text.count(")") and text.count("[") == text.count("]")


def begins_statement(lines, number):
    before = next((line.strip() for line in reversed(lines[:number]) if line.strip()), "{")
    return before.endswith((";", "{", "}", ")", ":")) or before == "else"


def swaps(line):
    """(rule, begin, end, text) for each operator or number that becomes another."""
    for found in re.finditer(r"(?<= )(<=|>=|==|!=|<|>)(?= )", line):
        yield "compare", found.start(), found.end(), COMPARE[found.group()]
    for found in re.finditer(r"(?<= )(&&|\|\|)(?= |$)", line):
        yield "and, or", found.start(), found.end(), "||" if found.group() == "&&" else "&&"
    for found in re.finditer(r"(?<= )([+-]=?)(?= )", line):
        yield "sum", found.start(), found.end(), found.group().translate(str.maketrans("+-", "-+"))
    for found in re.finditer(r" [+-] 1\b(?!\.)", line):
        yield "one off", found.start(), found.end(), ""
    for found in re.finditer(r"(?: = |return | < | == )([01])(?=[;,) ])", line):
        yield "0, 1", found.start(1), found.end(1), str(1 - int(found.group(1)))
    for found in re.finditer(r"(?: = |return )(true|false)\b", line):
        yield "true, false", found.start(1), found.end(1), "false" if found.group(1) == "true" else "true"


def changes(lines, bare, number):
    """(rule, the new line) for each change of a line. bare: the lines without comments and strings."""
    line, plain = lines[number], bare[number]
    for rule, begin, end, text in swaps(plain):
        yield rule, line[:begin] + text + line[end:]
    found = re.match(r"(.*\bif \()(.*)(\).*)$", plain)
    if found and balanced(plain):
        begin, end = found.span(2)
        yield "negate", f"{line[:begin]}!({line[begin:end]}){line[end:]}"
    if plain.rstrip().endswith(";") and balanced(plain) and not LEAVES.match(plain) and not DECLARES.match(plain) \
            and plain.strip() != ";" and begins_statement(bare, number):
        yield "drop", re.match(r"\s*", line).group() + ";"


def of_file(path, text):
    """Each change of the file as (what it is ordered by when some are chosen, mutant)."""
    lines, bare = text.split("\n"), blank(text).split("\n")
    seen = collections.Counter()
    nth = [seen.update([line.strip()]) or seen[line.strip()] for line in lines]
    for number in in_functions(bare):
        for rule, new in changes(lines, bare, number):
            mutant = Mutant(path, lines[number], nth[number], new, rule)
            yield hashlib.sha256("\0".join(map(str, key(mutant))).encode()).hexdigest(), mutant


def choose(root, paths, count):
    """The same `count` mutants each time, at most one a line, in the files' order."""
    every = sorted(found for path in paths for found in of_file(path, (root / path).read_text()))
    chosen = {}
    for _, mutant in every:
        if len(chosen) < count:
            chosen.setdefault((mutant.path, mutant.old.strip(), mutant.nth), mutant)
    return sorted(chosen.values())


def read_list(path):
    """Mutants written by hand: `FILE: why`, or `FILE #2: why` where the second such place is meant, then old
    lines behind `-`, new ones behind `+`. How far a line is indented does not count."""
    mutants, header = [], None
    for line in [*path.read_text().splitlines(), ""]:
        if line.startswith(("-", "+")):
            (old if line[0] == "-" else new).append(line[1:].strip())
        elif header is not None and old:
            mutants.append(Mutant(header[1], "\n".join(old), int(header[2] or 1), "\n".join(new), header[3]))
            header = None
        if header is None:
            header, old, new = re.match(r"(\S+?)(?: #(\d+))?: (.*)", line), [], []
    return mutants


def as_text(mutant):
    """As read_list reads it."""
    nth = f" #{mutant.nth}" if mutant.nth > 1 else ""
    old, new = ("".join(f"\n{sign} {line.strip()}" for line in text.split("\n"))
                for sign, text in (("-", mutant.old), ("+", mutant.new)))
    return f"{mutant.path}{nth}: {mutant.why}{old}{new}"


def apply(mutant, text):
    """The changed text, or None where the file does not hold the old lines."""
    lines, old = text.split("\n"), [line.strip() for line in mutant.old.split("\n")]
    bare = [line.strip() for line in lines]
    places = [i for i in range(len(lines)) if bare[i : i + len(old)] == old]
    if len(places) < mutant.nth:
        return None
    at = places[mutant.nth - 1]
    return "\n".join(lines[:at] + mutant.new.split("\n") + lines[at + len(old) :])

"""The API reference: a page for each public header, from what doxygen finds in it.

Doxygen reads the headers through this file as its filter (`api.py HEADER`), which makes their comments doxygen's,
line by line. Its XML names the declarations; a page shows them with the comment in front of them, as in the header.
"""
import glob
import html
import os
import re
import subprocess
import sys
import xml.etree.ElementTree as ElementTree

DOXYFILE = """
INPUT={headers}
STRIP_FROM_PATH={include}
OUTPUT_DIRECTORY={work}
GENERATE_HTML=NO
GENERATE_LATEX=NO
GENERATE_XML=YES
XML_PROGRAMLISTING=NO
FILTER_PATTERNS=*.h="{python} {filter}"
OPTIMIZE_OUTPUT_FOR_C=YES
EXTRACT_ALL=YES
EXTRACT_STATIC=YES
SORT_MEMBER_DOCS=NO
SEARCH_INCLUDES=NO
MACRO_EXPANSION=YES
MARKDOWN_SUPPORT=NO
WARN_IF_UNDOCUMENTED=NO
QUIET=YES
PREDEFINED=OB_API= BSP_NO_RETURN= BSP_FORMAT= OB_INTEGER=int OB_IN=const OB_BLACS_COMM=MPI_Comm \\
    "OB_C(name)=C##name" "OB_F(name)=name##_" "OB_T(name)=name" \\
    "OB_BLACS_TYPES(F)=F(d, double)" "ICC_COMBINES(X)=X(dsum, double)"
"""
LETTERS = "A routine of several types is shown once, for double, with the letter `d` in its name. " \
          "The letters `i`, `s`, `c` and `z` stand for the others " \
          "(int, float, and complex numbers of two floats or doubles).\n"
RULE = re.compile(r"/\* ?-{5,} ?(.*?)(?: -{5,})? ?(\*/)?$")


# ------------------------------------------------------------- the filter

def without_stamps(text):
    """Without what stamps the routines of other types than double, and without the macros that doxygen is told."""
    stamps = set(re.findall(r"^(\w+)\(d, \w+(.*)\)$", text, re.M))

    def stamp(found):
        return "" if found.group(1, 3) in stamps else found.group()
    text = re.sub(r"^(\w+)\(([isc z]), [\w]+(.*)\)$", stamp, text, flags=re.M)
    return re.sub(r"^#define (OB_BLACS_TYPES|ICC_COMBINES|OB_COMPLEX8|OB_IN|OB_BLACS_COMM)\b(.*\\\n)*.*$",
                  lambda found: "\n" * found.group().count("\n"), text, flags=re.M)


def filtered(text):
    """The header with its comments in front of declarations as doxygen's, each line where it was."""
    def comment(found):
        indent, body = found.group(1), found.group(2)
        if RULE.match("/*" + body.split("\n")[0]):
            body = body.partition("\n")[2] and "\n" + body.partition("\n")[2]
        body = re.sub(r"^[ \t]*\* ?", "", body, flags=re.M)
        if not body.strip():
            return indent + "\n" * body.count("\n")
        return indent + "/** @verbatim " + body.replace("*/", "").rstrip(" ") + " @endverbatim */"
    head = text.index("*/") + 2
    rest = re.sub(r"^( *)/\*(.*?)\*/", comment, text[head:], flags=re.M | re.S)
    return "\n" * text[:head].count("\n") + without_stamps(rest)


# --------------------------------------------------------- text of comments

def sentence(text, names):
    """Prose in HTML; names that have a place in the reference lead there."""
    def name(found):
        word = found.group()
        return '<a href="%s">%s</a>' % (names[word], word) if word in names else word
    text = html.escape(re.sub(r"\s+", " ", text.strip()), quote=False)
    return re.sub(r"`([^`]+)`", r"<code>\1</code>", re.sub(r"\b[A-Za-z_]\w+\b", name, text))


def items(lines):
    """[term, text] of lines such as "R1  text", with what continues them; None when they are none."""
    indent = min(len(line) - len(line.lstrip()) for line in lines)
    found = []
    for line in lines:
        term = re.match(r" {%d}(- |(?:\S| (?! ))+  +)(?=\S)" % indent, line)
        if term:
            found.append([term.group(1).strip(" -"), line[term.end():]])
        elif found and len(line) - len(line.lstrip()) > indent:
            found[-1][1] += "\n" + line
        else:
            return None
    return found


def indented(lines, names):
    entries = items(lines)
    if any(line.rstrip().endswith((";", "{")) for line in lines):
        return "<pre>%s</pre>" % html.escape("\n".join(lines), quote=False)
    if not entries:
        return "<p>%s</p>" % sentence(" ".join(lines), names)
    if not any(term for term, _ in entries):
        return "<ul>%s</ul>" % "".join("<li>%s</li>" % sentence(text, names) for _, text in entries)
    return "<table><tbody>%s</tbody></table>" % "".join(
        "<tr><td>%s</td><td>%s</td></tr>" % (sentence(term, names), sentence(text, names)) for term, text in entries)


def prose(text, names):
    """A comment in HTML: paragraphs; a line of few words above an indented text is its heading; tables; lists; code."""
    out = []
    for block in re.split(r"\n\s*\n", text.strip()):
        lines = block.split("\n")
        while lines:
            inside = lines[0].startswith(" ")
            count = next((i for i, line in enumerate(lines) if line.startswith(" ") != inside), len(lines))
            part, lines = lines[:count], lines[count:]
            if inside:
                out.append(indented(part, names))
            elif lines and len(part) == 1 and re.match(r"[\w -]+:?$", part[0]):
                out.append("<p><b>%s</b></p>" % sentence(part[0].rstrip(":"), names))
            else:
                out.append("<p>%s</p>" % sentence(" ".join(part), names))
    return '<div class="comment">\n%s\n</div>\n' % "\n".join(out)


# ------------------------------------------------------------------- pages

class Member:
    """A declaration: its line, its name, its comment, and what the page shows of it."""

    def __init__(self, node, lines):
        place = node.find("location")
        self.line, self.name, self.kind = int(place.get("line")), node.findtext("name"), node.get("kind")
        if self.name.startswith("@"):
            self.name = ""
        self.comment = "\n".join("".join(v.itertext()) for v in node.iter("verbatim"))
        self.values = [v.findtext("name") for v in node.iter("enumvalue")]
        if self.kind == "function":
            whole = node.findtext("argsstring")
            if "(*" in whole or "..." in whole:
                arguments = [whole[1:-1]]
            else:
                arguments = [self.argument(p) for p in node.findall("param")] or ["void"]
            self.text = self.wrapped(node.findtext("definition"), arguments)
        else:
            self.text = self.source(lines, place)

    @staticmethod
    def argument(node):
        kind = " ".join("".join(node.find("type").itertext()).split())
        return re.sub(r"\* ", "*", kind + " " + node.findtext("declname", "") + node.findtext("array", "")).strip()

    @staticmethod
    def wrapped(start, arguments):
        """A prototype in lines of at most 86 characters."""
        start = re.sub(r"\* ", "*", start.replace("static ", "").replace("inline ", "")) + "("
        text, column = start, len(start)
        for i, argument in enumerate(arguments):
            piece = argument + (", " if i + 1 < len(arguments) else ");")
            if column + len(piece) > 87 and i:
                text, column = text.rstrip() + "\n        ", 8
            text += piece
            column += len(piece)
        return text

    def source(self, lines, place):
        """As the header has it; a body of a function-like macro stays there."""
        first = int(place.get("bodystart") or self.line)
        last = max(int(place.get("bodyend") or first), first)
        if self.kind in ("enum", "typedef", "struct"):
            while last < len(lines) and ";" not in lines[last - 1].split("/*")[0]:
                last += 1
        return "\n".join(lines[min(first, self.line) - 1:last])


def members_of(header, xml):
    """The declarations of a header in their order; its structures are in files of their own."""
    lines = open(header).read().split("\n")
    name = os.path.basename(header).replace("_", "__").replace(".", "_8")
    unit = ElementTree.parse(os.path.join(xml, name + ".xml")).find("compounddef")
    found = [Member(node, lines) for node in unit.iter("memberdef")]
    for inner in unit.findall("innerclass"):
        node = ElementTree.parse(os.path.join(xml, inner.get("refid") + ".xml")).find("compounddef")
        node.insert(0, ElementTree.Element("name"))
        node[0].text = inner.text
        member = Member(node, lines)
        member.comment = "\n".join("".join(v.itertext()) for v in node.findall("detaileddescription//verbatim"))
        found.append(member)
    return sorted(found, key=lambda member: member.line)


def parts(header, members):
    """[title, [comment, [declaration]]] of a header's sections."""
    text = open(header).read()
    undefined = set(re.findall(r"^#undef (\w+)", text, re.M)) | set(re.findall(r"^#define (\w+_H)$", text, re.M))
    rules = [(n, RULE.match(line).group(1)) for n, line in enumerate(text.split("\n"), 1) if RULE.match(line)]
    sections, seen = [["", []]], set()
    for member in members:
        while rules and rules[0][0] < member.line:
            title = rules.pop(0)[1].strip(" -")
            if sections[-1][1]:
                sections.append([title[:1].upper() + title[1:], []])
            else:
                sections[-1][0] = title[:1].upper() + title[1:]
        if member.text.startswith("}"):
            continue  # the name behind a structure that is here already
        hidden = member.name in undefined
        groups = sections[-1][1]
        if member.comment or not groups:
            groups.append([member.comment, []])
        if not hidden and member.text not in seen:
            groups[-1][1].append(member)
            seen.add(member.text)
    return sections


def page(header, sections, names, manual):
    name = os.path.basename(header)
    own = [n for _, groups in sections for _, members in groups for m in members for n in [m.name] + m.values if n]
    names = {**names, **{n: "#" + n for n in own}}
    head = re.match(r"/\*\n(.*?)\*/", open(header).read(), re.S).group(1)
    out = ["# openblacs/%s\n" % name, prose(re.sub(r"^ \* ?", "", head, flags=re.M), names)]
    if re.search(r"^(OB_BLACS_TYPES|OB_BSP_LU|OB_REDIST|ICC_COMBINES|OB_BLACS94)\(", open(header).read(), re.M):
        out.append(LETTERS)
    for title, groups in sections:
        if title:
            out.append("## %s\n" % title)
        for comment, members in groups:
            anchors = [n for m in members for n in [m.name] + m.values if n]
            pages = sorted({manual[n] for n in anchors if n in manual})
            places = "".join('<a id="%s"></a>' % a for a in dict.fromkeys(anchors))
            out.append('<div class="anchors">%s</div>\n' % places)
            if members:
                out.append("```c\n%s\n```\n" % "\n".join(m.text for m in members))
            if comment.strip():
                out.append(prose(comment, names))
            if pages:
                links = ['<a href="../man/%s.html">%s(3)</a>' % (p, p[:-2]) for p in pages]
                out.append("Manual: %s\n{: .manual }\n" % ", ".join(links))
    return "\n".join(out)


def build(root, work, out, manual):
    """Writes the pages; gives their names. manual: which manual page a routine has."""
    include = os.path.join(root, "include")
    headers = [h for h in sorted(glob.glob(include + "/openblacs/*.h")) if not h.endswith(("/api.h", "/integers.h"))]
    os.makedirs(work, exist_ok=True)
    with open(os.path.join(work, "Doxyfile"), "w") as config:
        config.write(DOXYFILE.format(headers=" ".join('"%s"' % h for h in headers), include=include, work=work,
                                     python=sys.executable, filter=os.path.abspath(__file__)))
    said = subprocess.run(["doxygen", config.name], check=True, capture_output=True, text=True).stderr.strip()
    if said:
        sys.exit("site: doxygen says:\n" + said)
    found = {h: parts(h, members_of(h, os.path.join(work, "xml"))) for h in headers}
    names = {}
    for header, sections in found.items():
        for member in [m for _, groups in sections for _, members in groups for m in members]:
            for name in filter(None, [member.name] + member.values):
                names.setdefault(name, "%s.html#%s" % (os.path.basename(header)[:-2], name))
    os.makedirs(out, exist_ok=True)
    rows = []
    for header, sections in found.items():
        base = os.path.basename(header)[:-2]
        with open(os.path.join(out, base + ".md"), "w") as file:
            file.write(page(header, sections, names, manual))
        first = re.match(r"/\*\n \* (.*?)(?:\n \*\n|\*/)", open(header).read(), re.S).group(1)
        first = re.match(r".*?[.:](?= |$)|.*", re.sub(r"\s*\n \* ?", " ", first)).group().rstrip(":.")
        rows.append("| [openblacs/%s.h](%s.md) | %s |" % (base, base, first.replace("|", "\\|")))
    with open(os.path.join(out, "index.md"), "w") as file:
        file.write("# C interface\n\nThe public headers, as they are installed.\n\n")
        file.write("| header | |\n|---|---|\n%s\n" % "\n".join(rows))
    return [os.path.basename(h)[:-2] for h in headers]


if __name__ == "__main__":
    sys.stdout.write(filtered(open(sys.argv[1]).read()))

"""The manual pages in HTML, by mandoc, as pages of the site."""
import glob
import html
import os
import re
import subprocess

SECTIONS = (("1", "Programs"), ("3", "Routines"), ("5", "Files"), ("7", "Libraries and more"))


def names_of_pages(root, build):
    """NAME.SECTION of each page of man/, and of each other name it answers to, and the page."""
    pages = {os.path.basename(p): os.path.basename(p) for p in glob.glob(os.path.join(root, "man", "*.[1-9]"))}
    for alias in glob.glob(os.path.join(build, "man3", "*.3")):
        pages[os.path.basename(alias)] = open(alias).read().split("man3/")[1].strip()
    return pages


def convert(root, name, pages, headers):
    """A page in Markdown: its headings, and between them mandoc's HTML."""
    text = subprocess.run(["mandoc", "-Thtml", "-Ofragment,man=%N.%S,includes=%I", os.path.join(root, "man", name)],
                          check=True, capture_output=True, text=True).stdout
    text = text[text.index('<div class="manual-text">'):text.rindex('<table class="foot">')]
    text = re.sub(r"</?section[^>]*>|</div>\s*$", "", text.replace('<div class="manual-text">', ""))

    def reference(found):
        there = pages.get(found.group(1))
        return '<a href="%s.html">%s</a>' % (there, found.group(2)) if there else found.group(2)

    def header(found):
        base = os.path.basename(found.group(1))[:-2]
        return '<a href="../api/%s.html">%s</a>' % (base, found.group(2)) if base in headers else found.group(2)
    text = re.sub(r'<a class="Xr" href="([^"]+)">(.*?)</a>', reference, text, flags=re.S)
    text = re.sub(r'<a class="In" href="([^"]+)">(.*?)</a>', header, text, flags=re.S)
    # Headings are the site's, for its table of contents.
    pieces = re.split(r'<h([12])[^>]*?(?: id="([^"]*)")?><a class="permalink"[^>]*>(.*?)</a></h\1>', text, flags=re.S)
    out = ["# %s(%s)\n" % tuple(name.rsplit(".", 1))]
    for i in range(1, len(pieces), 4):
        title = re.sub(r"<[^>]*>|\s+", " ", pieces[i + 2]).strip()
        title = title.capitalize() if title.isupper() and title != "OPENMPI" else title
        out.append("%s %s {: #%s }\n" % ("#" * (int(pieces[i]) + 1), title, pieces[i + 1]))
        out.append('<div class="man">\n%s\n</div>\n' % pieces[i + 3].strip())
    others = sorted(alias for alias, page in pages.items() if page == name and alias != name)
    if others:
        out.append('<details class="names"><summary>All names of this page</summary>\n%s\n</details>\n'
                   % html.escape(" ".join(alias[:-2] for alias in others)))
    return "\n".join(out)


def summary(root, name):
    """What a page is about, from its NAME section."""
    text = open(os.path.join(root, "man", name)).read()
    found = re.search(r"^\.Nd (.*)", text, re.M) or re.search(r"^\.SH NAME\n.*? \\?- (.*)", text, re.M)
    return re.sub(r"\\[&e]", "", found.group(1)).replace("\\-", "-").replace("|", "\\|")


def build(root, out, pages, headers):
    """Writes the pages and their list; gives [title, [page]] of the sections."""
    os.makedirs(out, exist_ok=True)
    files = sorted(set(pages.values()))
    for name in files:
        with open(os.path.join(out, name + ".md"), "w") as file:
            file.write(convert(root, name, pages, headers))
    sections = [[title, [n for n in files if n.endswith("." + number)]] for number, title in SECTIONS]
    with open(os.path.join(out, "index.md"), "w") as file:
        file.write("# Manual pages\n\nAs `man` shows them where OpenBLACS is installed. "
                   "A search finds each routine's page by its name.\n")
        for title, names in sections:
            file.write("\n## %s\n\n| page | |\n|---|---|\n" % title)
            file.writelines("| [%s(%s)](%s.md) | %s |\n" % (*n.rsplit(".", 1), n, summary(root, n)) for n in names)
    return sections

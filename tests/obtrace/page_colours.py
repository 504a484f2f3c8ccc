"""Colours of legends: told apart by all readers, and each for one thing."""
import itertools
import math

from page_common import check, equal

# What readers without one kind of cone see, of linear red, green and blue (Machado, Oliveira and Fernandes 2009).
EYES = {"all cones": ((1, 0, 0), (0, 1, 0), (0, 0, 1)),
        "no long cones": ((0.152286, 1.052583, -0.204868), (0.114503, 0.786281, 0.099216), (-0.003882, -0.048116, 1.051998)),
        "no middle cones": ((0.367322, 0.860646, -0.227968), (0.280085, 0.672501, 0.047413), (-0.011820, 0.042940, 0.968881))}
LEAST = 15  # distance in CIELAB: some 2 can be seen side by side, thin lines and small squares need more


def lab(colour, eye):
    """CIELAB, D65, of three numbers 0 to 255 as this eye sees them."""
    linear = [v / 255 / 12.92 if v / 255 <= 0.04045 else ((v / 255 + 0.055) / 1.055) ** 2.4 for v in colour]
    red, green, blue = (min(1, max(0, sum(m * v for m, v in zip(row, linear)))) for row in EYES[eye])
    x, y, z = (f ** (1 / 3) if f > 0.008856 else 7.787 * f + 16 / 116 for f in (
        (0.4124 * red + 0.3576 * green + 0.1805 * blue) / 0.95047, 0.2126 * red + 0.7152 * green + 0.0722 * blue,
        (0.0193 * red + 0.1192 * green + 0.9505 * blue) / 1.08883))
    return 116 * y - 16, 500 * (x - y), 200 * (y - z)


def check_colours(b):
    """In both themes; the program's own parts are many, and have colours of their own."""
    before = b.run("return document.documentElement.dataset.theme")
    for theme in ("light", "dark"):
        b.run("setTheme(arguments[0])", theme)
        legends = b.run("""const rgbOf = c => c.match(/\\d+/g).slice(0, 3).map(Number);
            return [...document.querySelectorAll('.legend:not(.parts)')].map(l => [l.closest('section').id,
                [...l.children].map(s => [s.textContent, rgbOf(getComputedStyle(s.firstChild).backgroundColor)])])""")
        # The critical path, and marks, lie over all states.
        path, states = b.run("return [rgb(theme.path), d.states.slice(1).map((s, i) => [s, theme.parts[i + 1]])]")
        legends.append(["all states", states + [["path", path]]])
        for place, entries in legends:
            for (name, one), (other, two) in itertools.combinations(entries, 2):
                least = min((math.dist(lab(one, eye), lab(two, eye)), eye) for eye in EYES)
                check(least[0] >= LEAST, f"{place} in {theme}: {name} and {other} are {least[0]:.1f} apart with {least[1]}")
        meaning = {}
        for _, entries in legends[:-1]:
            for name, colour in entries:
                meaning.setdefault(tuple(colour), set()).add(name.split(":")[0 if "waiting:" not in name else 1].strip())
        both = {names for names in map(frozenset, meaning.values()) if len(names) > 1}
        equal(sorted(map(sorted, both)), [], f"colours that stand for two things in {theme}")
    b.run("setTheme(arguments[0])", before)

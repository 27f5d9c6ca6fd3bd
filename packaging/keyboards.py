#!/usr/bin/env python3
"""Writes the keyboards whose lines, walks and shapes are patterns: layouts.txt and layouts.rs.

Usage: packaging/keyboards.py FOLDER [--check]

FOLDER has the unpacked packages xkb-data and x11proto-dev (apt-get download, dpkg -x). With --check the files
are only compared. People and tests read layouts.txt; the module has the same in layouts.rs.
"""

import re
import string
import sys
import unicodedata
from pathlib import Path
from textwrap import indent, wrap

FOLDER = Path(__file__).parent.parent / "crates/policy/src/policy/pattern"
HEAD = """\
# The keys of keyboards, by packaging/keyboards.py from xkb-data 2.35.1-1 and x11proto-dev 2022.1-1 (MIT/X11).
# A line: the name, then rows from the digits down, without Shift and with it, each character as a filter sees
# it; a dot for a key without a character, or with one that the layout has before. Signs beyond ASCII are left
# out, and what Arabic and Thai have with Shift. Dubeolsik (kr), of Korean input methods, has a third group,
# for consonants at the end of a syllable. The last line is the alphabet, in a row far from the digits.
"""
PACKED = """\
//! The keys of the keyboards in layouts.txt, packed by packaging/keyboards.py.

/// The sets of several layouts that have a character on the same key, from number 64: bit *n* for line *n* of
/// layouts.txt. Set *n* below 64 is layout *n* alone.
#[allow(clippy::unreadable_literal, reason = "written by a script")]
#[rustfmt::skip]
pub(super) static SETS: [u64; {sets}] = [
{sets_text}
];

/// The characters in ascending order, once for each key that some layout has them on; the key, which is
/// 32 × row + column, both counted from 1; and the number of the set of layouts.
#[rustfmt::skip]
pub(super) static KEYS: [(u16, u8, u8); {keys}] = [
{keys_text}
];
"""

NONE = "·"
ROWS = (
    ["TLDE", *(f"AE{column:02}" for column in range(1, 14))],
    ["", *(f"AD{column:02}" for column in range(1, 13)), "BKSL"],
    ["", *(f"AC{column:02}" for column in range(1, 12)), "BKSL"],
    ["LSGT", *(f"AB{column:02}" for column in range(1, 12))],
)
LAYOUTS = """
us gb de fr es latam it pt br be ch ca se dk pl(qwertz) cz sk hu hr tr ro(std) jp lt ee is
tr(f) us(dvorak) us(colemak) us(colemak_dh) us(workman) us(dvp) fr(bepo) de(neo) se(svdvorak)
ru ru(phonetic) ru(typewriter) ua by bg bg(phonetic) rs mk kz mn gr il ara ir am ge th
""".split()
# With the key of the backslash above Enter, not beside it.
ANSI = re.compile(r"us|ru|ua|by|bg|kz|mn|gr|il|ara|ir|am|ge|th|ro|lt")

# The keys of consonants at the beginning of a syllable, of vowels, and of consonants at its end, in Unicode's
# order; × where it takes two keys.
DUBEOLSIK = {
    0x1100: "rRseEfaqQtTdwWczxvg",
    0x1161: "koiOjpuPh×××yn×××bm×l",
    0x11A8: "rR×s××ef×××××××aq×tTdwczxvg",
}

# What a dead key shows when it is struck before a blank.
DEAD = {"grave": "`", "circumflex": "^", "tilde": "~", "acute": "´", "diaeresis": "¨"}


def keysyms(header):
    """Characters by name of keysym."""
    pattern = re.compile(r"#define XK_(\w+)\s+0x\w+\s*/\*[ (]*U\+([0-9A-F]+)")
    return {match[1]: chr(int(match[2], 16)) for match in map(pattern.match, header.splitlines()) if match}


class Symbols:
    """The files of symbols, whose sections include others."""

    def __init__(self, root):
        self.folder = root / "usr/share/X11/xkb/symbols"
        self.names = keysyms((root / "usr/include/X11/keysymdef.h").read_text("utf-8"))

    def section(self, file, name):
        """The text of a section, or of the default one."""
        text = re.sub(r"//.*|#.*", "", (self.folder / file).read_text("utf-8"))
        # Its keys have braces, too.
        found = re.findall(r'((?:\w+\s+)*)xkb_symbols\s+"([^"]+)"\s*\{((?:[^{}]|\{[^{}]*\})*)\}', text)
        named = {title: body for _, title, body in found}
        return named[name] if name else next(body for marks, _, body in found if "default" in marks)

    def read(self, file, name, keys):
        """Adds the symbols of a section to each key's."""
        statement = r'(?:include|augment|override|replace)\s+"([^"]+)"|key\s*<(\w+)>\s*\{(.*?)\}\s*;'
        for included, key, body in re.findall(statement, self.section(file, name), re.S):
            for part in re.split(r"[+|]", included) if included else ():
                self.read(*split(part), keys)
            other = r'(type|actions|virtualMods)\s*(\[\w+\])?\s*=\s*("[^"]*"|\[[^\]]*\]|\w+)\s*,?'
            symbols = re.search(r"\[([^\]=]*)\]\s*,?\s*$", re.sub(other, "", body).strip())
            if key and symbols:
                new = [symbol.strip() for symbol in symbols[1].split(",")]
                key = place(key)
                old = keys.get(key, [])
                pairs = zip(new, old + [""] * len(new))
                kept = [before if now in ("NoSymbol", "any", "") else now for now, before in pairs]
                keys[key] = kept + old[len(new) :]

    def character(self, symbol):
        """The one character that a filter sees of a symbol, if there is one."""
        if match := re.fullmatch(r"U([0-9A-Fa-f]{3,6})|0x100([0-9A-Fa-f]{4})|0x([0-9A-Fa-f]{2})", symbol):
            typed = chr(int(match[1] or match[2] or match[3], 16))
        else:
            typed = symbol if len(symbol) == 1 else self.names.get(symbol) or DEAD.get(symbol[5:], "")
        seen = unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", typed).lower())
        if len(seen) != 1 or seen.isspace():
            return NONE
        is_plain = typed.isascii() and seen.isprintable()
        # ª is a, ² is 2: these have keys of their own.
        is_letter = not seen.isascii() and unicodedata.category(seen)[0] in "LMN"
        return seen if is_plain or is_letter else NONE

    def levels(self, layout):
        """The rows of a layout, without Shift and with it."""
        keys = {}
        self.read(*split(layout), keys)
        above = bool(ANSI.match(layout))
        rows = [[key for key in row if key != "BKSL" or above == (at == 1)] for at, row in enumerate(ROWS)]
        levels = (0,) if layout in ("ara", "ir", "th") else (0, 1)
        return [
            ["".join(self.character((keys.get(key, []) + ["", ""])[level]) for key in row) for row in rows]
            for level in levels
        ]


def split(part):
    """File and section of a name like de(neo) or latin(type4):1."""
    return re.fullmatch(r"([\w/]+)(?:\(([^)]+)\))?(?::\d)?", part.strip()).groups()


def place(key):
    """The place of a key that is named by its letter on QWERTY."""
    if match := re.fullmatch(r"Lat([A-Z])", key):
        for row, letters in (("AD", "QWERTYUIOP"), ("AC", "ASDFGHJKL"), ("AB", "ZXCVBNM")):
            if match[1] in letters:
                return f"{row}{letters.index(match[1]) + 1:02}"
    return key


def korean(english):
    """Dubeolsik: the English layout with consonants and vowels in the place of letters."""
    base, shift = english
    either = lambda key, other: key.upper() if key.isalpha() else other
    capitals = ["".join(map(either, *rows)) for rows in zip(base, shift)]
    tables = [dict(zip(keys, map(chr, range(first, 0xFFFF)))) for first, keys in DUBEOLSIK.items()]
    syllable, final = tables[0] | tables[1], tables[2]
    put = lambda rows, of: ["".join(map(of, row)) for row in rows]
    plain = lambda key: syllable.get(key, NONE if key.isalpha() else key)
    return [put(base, plain), put(capitals, plain), put(base, lambda key: final.get(key, NONE))]


def written(name, levels):
    """A line of the table."""
    seen = set()
    groups = []
    for level in levels:
        rows = []
        for row in level:
            kept = "".join(NONE if c in seen or seen.add(c) else c for c in row)
            rows.append(kept.rstrip(NONE) or NONE)
        groups.append(" ".join(rows))
    return f"{name} {' '.join(groups)}\n"


def packed(lines):
    """The text of layouts.rs."""
    places = {}
    for layout, line in enumerate(lines):
        for at, row in enumerate(line.split()[1:]):
            for column, character in enumerate(row):
                if character != NONE:
                    key = ord(character), 32 * (at % len(ROWS) + 1) + column + 1
                    places[key] = places.get(key, 0) | 1 << layout
    sets = sorted(layouts for layouts in set(places.values()) if layouts.bit_count() > 1)
    numbers = {1 << layout: layout for layout in range(64)}
    numbers |= {layouts: at for at, layouts in enumerate(sets, 64)}
    keys = [(character, key, numbers[layouts]) for (character, key), layouts in sorted(places.items())]
    text = lambda items, form: "\n".join(wrap(", ".join(map(form, items)) + ",", 106))
    return PACKED.format(
        sets=len(sets),
        sets_text=indent(text(sets, hex), "    "),
        keys=len(keys),
        keys_text=indent(text(keys, lambda key: "({},{},{})".format(*key)), "    "),
    )


def main():
    """Writes the tables or compares them."""
    symbols = Symbols(Path(sys.argv[1]))
    table = {name: symbols.levels(name) for name in LAYOUTS}
    table["kr"] = korean(table["us"])
    lines = [written(name, levels) for name, levels in table.items()]
    lines.append(f"alphabet 1234567890 {NONE} {NONE} {string.ascii_lowercase}\n")
    for name, text in (("layouts.txt", HEAD + "".join(lines)), ("layouts.rs", packed(lines))):
        if "--check" not in sys.argv:
            (FOLDER / name).write_text(text, "utf-8")
        elif (FOLDER / name).read_text("utf-8") != text:
            sys.exit(f"{FOLDER / name} differs from what the packages give")


if __name__ == "__main__":
    main()

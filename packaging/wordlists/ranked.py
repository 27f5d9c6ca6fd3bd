"""Makes the list of further common passwords from rankings; see PROVENANCE.

Usage: ranked.py COMMON EVERYDAY OUTPUT RANKING..., where COMMON and EVERYDAY are the built-in lists, unpacked,
whose words are left out, and a RANKING has one password a line, the most common first. Digits that the rule
for digits rejects are left out, and what a wrong decoding made of a password.
"""

import sys
import unicodedata

LEAST, MOST = 5, 32
# Rejected by the rule digits_max as it is set by default.
DIGITS = 10


def clean(word):
    lower = unicodedata.normalize("NFKC", word).lower()
    return unicodedata.normalize("NFKC", lower)


def is_misread(word):
    """True for UTF-8 that was read as Latin-1 or Windows-1252, and for what is no text."""
    if not word.isprintable() or word != word.strip() or "\ufffd" in word or word.startswith("$hex["):
        return True
    for charset in "latin-1", "windows-1252":
        try:
            return word != word.encode(charset).decode("utf-8")
        except UnicodeError:
            continue
    return any(c in "âãðñÐÑ" for c in word) and any(unicodedata.category(c)[0] in "SPC" for c in word if c > "\x7f")


def main():
    common, everyday, output, *rankings = sys.argv[1:]
    known = set()
    for path in common, everyday:
        with open(path, encoding="utf-8") as lines:
            known.update(clean(line.rstrip("\n")) for line in lines)
    taken = set()
    for path in rankings:
        with open(path, encoding="utf-8") as lines:
            words = {clean(line.rstrip("\n")) for line in lines}
        is_short = lambda word: word.isdigit() and len(word) <= DIGITS
        taken.update(w for w in words - known if LEAST <= len(w) <= MOST and not is_short(w) and not is_misread(w))
    with open(output, "w", encoding="utf-8", newline="\n") as out:
        out.writelines(word + "\n" for word in sorted(taken))
    print(f"{len(taken)} passwords")


main()

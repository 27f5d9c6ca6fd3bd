"""Makes the list of further common passwords from rankings; see PROVENANCE.

Usage: ranked.py COMMON EVERYDAY OUTPUT RANKING..., where COMMON and EVERYDAY are the built-in lists,
unpacked, whose words are left out, and a RANKING has one password a line, the most common first. Digits that
the rule for digits rejects are left out, and what a wrong decoding made of a password.
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
    has_signs = any(unicodedata.category(c)[0] in "SPC" for c in word if c > "\x7f")
    return has_signs and any(c in "âãðñÐÑ" for c in word)


def is_taken(word):
    is_short_number = word.isdigit() and len(word) <= DIGITS
    return LEAST <= len(word) <= MOST and not is_short_number and not is_misread(word)


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
        taken.update(word for word in words - known if is_taken(word))
    with open(output, "w", encoding="utf-8", newline="\n") as out:
        out.writelines(word + "\n" for word in sorted(taken))
    print(f"{len(taken)} passwords")


main()

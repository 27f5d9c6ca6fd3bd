"""Makes the list of everyday words and names from the unpacked packages; see PROVENANCE.

Usage: everyday.py FOLDER COMMON OUTPUT [PART...], where FOLDER holds the packages as everyday.sh unpacks
them and COMMON is the built-in list of common words, unpacked, whose words are left out. With names of parts
only these are taken, to measure what each buys.
"""

import ast
import json
import pathlib
import re
import sys
import unicodedata

from typed import typed

# Letters of at least this number make a word: two shorter ones make many a pronounceable password.
LEAST, MOST = 5, 40
LANGUAGES = "de es fr it ja nl pl pt ru zh cs da en fi no sv".split()
WORD = re.compile(r"[^\W\d_]+(?:['’-][^\W\d_]+)*")


def joined(text):
    """A name or phrase without spaces and signs, as it is in passwords."""
    return "".join(c for c in text if c.isalnum() or unicodedata.category(c).startswith("M"))


def words(text):
    """The words of a text, those with signs also joined."""
    for match in WORD.finditer(text):
        yield from re.split(r"['’-]", match.group())
        yield joined(match.group())


def load(path):
    return json.loads(path.read_text(encoding="utf-8"))


def strings(value):
    """All strings of a JSON value."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for one in value.values():
            yield from strings(one)
    elif isinstance(value, list):
        for one in value:
            yield from strings(one)


def dates(folder):
    """Months and weekdays of the Gregorian calendar in every language of CLDR."""
    for path in sorted((folder / "cldr-dates-full/main").glob("*/ca-gregorian.json")):
        (main,) = load(path)["main"].values()
        calendar = main["dates"]["calendars"]["gregorian"]
        for kind in "months", "days":
            for form in calendar[kind].values():
                for text in strings(form.get("wide", {})):
                    yield joined(text)
                    yield from words(text)


def annotations(folder):
    """Keywords of emoji: everyday things in the languages of the catalogues and a few more."""
    for language in LANGUAGES:
        path = folder / f"cldr-annotations-full/annotations/{language}/annotations.json"
        characters = load(path)["annotations"].get("annotations", {})
        for text in strings([one.get("default", []) for one in characters.values()]):
            yield from words(text)


def people(folder):
    """First and last names of Faker's locales."""
    for path in sorted((folder / "faker/faker/providers/person").glob("*/__init__.py")):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Constant) and isinstance(node.value, str) and "{{" not in node.value:
                if len(node.value) <= MOST:
                    yield joined(node.value)
                    yield from words(node.value)


def texts(folder):
    """Words of the sample texts of Faker's locales."""
    for path in sorted((folder / "faker/faker/providers/lorem").glob("*/__init__.py")):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Constant) and isinstance(node.value, str) and len(node.value) <= MOST:
                yield from words(node.value)


def mnemonics(folder):
    """Common words that were chosen to be remembered, of twelve and of ten languages."""
    for path in sorted((folder / "mnemonic/mnemonic/wordlist").glob("*.txt")):
        yield from path.read_text(encoding="utf-8").split()
    for path in sorted((folder / "monero/monero/wordlists").glob("*.py")):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Constant) and isinstance(node.value, str) and len(node.value) <= MOST:
                yield from words(node.value)


def subtitles(folder):
    """The most common words of films in five languages."""
    for language in "fr", "es-es", "pt-br", "id", "en":
        yield from load(folder / f"language-{language}/src/commonWords.json")


def names(folder):
    """First and last names of twelve languages: those that the list of common words does not take."""
    for path in sorted(folder.glob("language-*/src/*.json")):
        if path.stem.lower().endswith("names"):
            yield from (joined(name) for name in load(path)[:20000])


def phrases(_):
    """Phrases, greetings and seasons."""
    for line in (pathlib.Path(__file__).parent / "phrases.txt").read_text(encoding="utf-8").splitlines():
        if not line.startswith("# ") and line != "#":
            yield from ("".join(phrase.split()) for phrase in line.split(","))


PARTS = [phrases, dates, mnemonics, texts, people, names, annotations, subtitles]

# The least number of keys of a word that is typed on another layout.
LEAST_KEYS = 6


def typed_words(words):
    """Words in other scripts as the keys of a Latin keyboard."""
    for word in words:
        yield from (keys for keys in typed(word) if len(keys) >= LEAST_KEYS)


def clean(word):
    lower = unicodedata.normalize("NFKC", word).lower()
    return unicodedata.normalize("NFKC", lower)


def is_word(word, part):
    letters = all(c.isalpha() or unicodedata.category(c).startswith("M") for c in word)
    return LEAST <= len(word) <= MOST and (part is phrases or letters)


def main():
    folder, common, output, *chosen = sys.argv[1:]
    with open(common, encoding="utf-8") as lines:
        known = {clean(line.rstrip("\n")) for line in lines}
    taken, seen = [], []
    for part in PARTS:
        if chosen and part.__name__ not in chosen:
            continue
        before = len(taken)
        for word in map(clean, part(pathlib.Path(folder))):
            seen.append(word)
            if is_word(word, part) and word not in known:
                known.add(word)
                taken.append(word)
        print(f"{part.__name__:<12} {len(taken) - before:>8}")
    if not chosen or "typed" in chosen:
        before = len(taken)
        for word in typed_words(seen):
            if word not in known:
                known.add(word)
                taken.append(word)
        print(f"{'typed':<12} {len(taken) - before:>8}")
    taken.sort()
    with open(output, "w", encoding="utf-8", newline="\n") as out:
        out.writelines(word + "\n" for word in taken)
    print(f"{'words':<12} {len(taken):>8}")


main()

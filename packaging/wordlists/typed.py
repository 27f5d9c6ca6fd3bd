"""Words as the keys of a Latin keyboard, for those who type them with that layout: ghbdtn for привет.

The layouts come from xkeyboard-config 2.35; dubeolsik is the standard of Korean input methods.
"""

import unicodedata

KEYS = "`1234567890-=qwertyuiop[]\\asdfghjkl;'zxcvbnm,./"
LAYOUTS = {
    "ru": "ё1234567890-=йцукенгшщзхъ\\фывапролджэячсмитьбю.",
    "ua": "'1234567890-=йцукенгшщзхїґфівапролджєячсмитьбю.",
    "gr": "`1234567890-=;ςερτυθιοπ[]\\ασδφγηξκλ΄'ζχψωβνμ,./",
    "il": ";1234567890-=/'קראטוןםפ][\\שדגכעיחלךף,זסבהנמצתץ.",
    "ara": "ذ1234567890-=ضصثقفغعهخحجد\\شسيبلاتنمكطئءؤر\ufefbىةوزظ",
    "th": "_ๅ/-ภถุึคตจขชๆไำพะัีรนยบลฃฟหกดเ้่าสวงผปแอิืทมใฝ",
}
TABLES = [dict(zip(layout, KEYS)) for layout in LAYOUTS.values()]

# Vowels and consonants of Hangul, as Unicode decomposes syllables, and their keys without Shift: filters know
# no capital letters.
INITIALS = "r rr s e ee f a q qq t tt d w ww c z x v g".split()
MEDIALS = "k o i o j p u p h hk ho hl y n nj np nl b m ml l".split()
FINALS = " r rr rt s sw sg e f fr fa fq ft fx fv fg a q qt t tt d w c z x v g".split(" ")
FIRST_SYLLABLE, LAST_SYLLABLE = 0xAC00, 0xD7A3
# Doubled consonants are one key with Shift.
SHIFTED = {"rr": "r", "ee": "e", "qq": "q", "tt": "t", "ww": "w"}


def of_hangul(word):
    """The keys of a word in Hangul."""
    keys = ""
    for syllable in word:
        if not FIRST_SYLLABLE <= ord(syllable) <= LAST_SYLLABLE:
            return None
        rest, final = divmod(ord(syllable) - FIRST_SYLLABLE, len(FINALS))
        initial, medial = divmod(rest, len(MEDIALS))
        keys += SHIFTED.get(INITIALS[initial], INITIALS[initial]) + MEDIALS[medial]
        keys += SHIFTED.get(FINALS[final], FINALS[final])
    return keys


def without_accent(c):
    """A Greek vowel behind its accent, as it is typed; any other character as it is."""
    parts = unicodedata.normalize("NFD", c) if "\u0386" <= c <= "\u03ce" else c
    return "\u0384" + parts[0] if parts[1:] == "\u0301" else c


def typed(word):
    """The keys of a word in each layout that has all of its characters and no Latin letter."""
    word = unicodedata.normalize("NFC", word)
    if not any(c.isalpha() and c > "\u036f" for c in word):
        return
    if keys := of_hangul(word):
        yield keys
    spelt = "".join(map(without_accent, word)).replace("\u0644\u0627", "\ufefb")
    for table in TABLES:
        if all(c in table for c in spelt):
            yield "".join(table[c] for c in spelt)

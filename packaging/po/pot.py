#!/usr/bin/env python3
"""pot.py: write packaging/po/nearmiss.pot, the sentences of the module (`sentence` of each reason, and
`phrase!` in its sources), and bring the catalogues beside it up to date with msgmerge. A sentence that is
new or has changed is left without a translation there, or marked fuzzy, and the tests fail until it is
translated."""

import pathlib
import re
import subprocess

PO = pathlib.Path(__file__).resolve().parent
ROOT = PO.parents[1]
SOURCES = ["crates/policy/src/policy/reason.rs", "pam-module/src/messages/sentences.rs"]
HEADER = """\
# The sentences of pam_nearmiss. A word in braces is a hole that the program fills; keep it as it is.
# No control characters, line breaks or quotation of the password: the program breaks lines. A reason has at
# most 79 columns up to its semicolon or full stop, so that it stands in one line, the advice in the next. The
# first line of a catalogue says whether a native speaker has reviewed it.
msgid ""
msgstr ""
"Project-Id-Version: nearmiss\\n"
"Language: \\n"
"MIME-Version: 1.0\\n"
"Content-Type: text/plain; charset=UTF-8\\n"
"Content-Transfer-Encoding: 8bit\\n"
"""


def sentences():
    """Every sentence with its file and line, in the order of the sources."""
    for file in SOURCES:
        code = (ROOT / file).read_text(encoding="utf-8").split("#[cfg(test)]")[0]
        for found in re.finditer(r'(?:phrase!\(|sentence:)\s*"((?:[^"\\]|\\.|\\\n)*)"', code):
            yield file, re.sub(r"\\\n\s*", "", found[1])


def main():
    """Writes the template, then merges it into each catalogue."""
    seen, entries = set(), [HEADER]
    for file, text in sentences():
        if text not in seen:
            seen.add(text)
            entries.append(f'#: {file}\nmsgid "{text}"\nmsgstr ""\n')
    template = PO / "nearmiss.pot"
    template.write_text("\n".join(entries), encoding="utf-8")
    for catalogue in sorted(PO.glob("*.po")):
        merge = ["msgmerge", "--quiet", "--update", "--backup=none", "--previous", "--no-wrap"]
        subprocess.run([*merge, catalogue, template], check=True)
        print(catalogue.name, end=": ", flush=True)
        check = ["msgfmt", "--check-format", "--check-domain", "--statistics", "-o", "/dev/null"]
        subprocess.run([*check, catalogue], check=True)


if __name__ == "__main__":
    main()

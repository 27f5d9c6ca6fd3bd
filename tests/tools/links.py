#!/usr/bin/env python3
"""links.py [FOLDER]: every link in the libraries' pages that documents.sh has written leads to a page.

rustdoc warns of a link to an unknown item, and says nothing of a link to one that the documentation leaves
out: the brackets are on the page, as `[`hidden`]`. FOLDER is target/doc; only links inside of it are looked
at. Prints each fault, and exits 1 if there is one.
"""

import os
import re
import sys
from pathlib import Path

TREE = Path(__file__).resolve().parents[2]

# The libraries whose pages are a reference for other programs. The other crates' pages are for those who read
# the source anyway, and contain texts of clap with links into its own pages.
LIBRARIES = ["nearmiss_filters", "nearmiss_policy", "nearmiss_checker"]
LINK = re.compile(r'href="([^"#?]+)')
# Outside of examples, where brackets are code.
EXAMPLE = re.compile(r"<pre.*?</pre>", re.DOTALL)
UNRESOLVED = re.compile(r"\[<code>[^<]*</code>\]|\[<code>(?:<a [^>]*>)?mod@")


def is_outside(link):
    """Whether a link leads to another site or to a script's template."""
    return "://" in link or link.startswith("data:") or "${" in link


def faults(pages):
    """Each fault with its page, in the order of the pages."""
    folders = [pages / name for name in LIBRARIES]
    for folder in (folder for folder in folders if not folder.is_dir()):
        yield f"{folder}: no pages; run make doc"
    for page in (page for folder in folders for page in sorted(folder.rglob("*.html"))):
        text = EXAMPLE.sub("", page.read_text(encoding="utf-8"))
        for found in UNRESOLVED.findall(text):
            yield f"{page.relative_to(pages)}: no link: {re.sub('<[^>]*>', '`', found)}"
        for link in LINK.findall(text):
            if not is_outside(link) and not Path(os.path.normpath(page.parent / link)).exists():
                yield f"{page.relative_to(pages)}: leads nowhere: {link}"


def main():
    pages = Path(sys.argv[1]) if len(sys.argv) > 1 else TREE / "target/doc"
    found = list(dict.fromkeys(faults(pages)))
    print("\n".join(found), end="\n" if found else "")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())

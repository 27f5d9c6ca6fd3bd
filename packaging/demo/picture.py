#!/usr/bin/env python3
"""picture.py < RECORDING > PICTURE.svg: the session of `make demo` as a picture for the README, light or dark
as the reader's screen is. RECORDING is what packaging/demo/demo.sh printed; the picture begins where the
verdicts begin."""

import sys
import textwrap
from xml.sax.saxutils import escape

BEGINS = "The system's libpam"
COLUMNS = 92
# In pixels: the advance of a character, the distance of lines, the margin.
ADVANCE, LEADING, MARGIN = 8.43, 20, 20

STYLE = """\
  rect { fill: #ffffff; stroke: #d0d7de; }
  text { font: 14px ui-monospace, SFMono-Regular, Menlo, Consolas, "DejaVu Sans Mono", monospace;
         fill: #1f2328; white-space: pre; }
  .rejected { fill: #b3261e; }
  .accepted { fill: #1a7f37; }
  .quiet { fill: #59636e; }
  @media (prefers-color-scheme: dark) {
    rect { fill: #0d1117; stroke: #3d444d; }
    text { fill: #e6edf3; }
    .rejected { fill: #ff7b72; }
    .accepted { fill: #56d364; }
    .quiet { fill: #9198a1; }
  }
"""


def spans(line):
    """The parts of a line with their classes."""
    words = line.split()
    if words[:1] == ["rejected"]:
        reason_ends = line.index(words[1]) + len(words[1])
        yield "rejected", line[: line.index("rejected") + len("rejected")]
        yield "quiet", line[line.index("rejected") + len("rejected") : reason_ends]
        yield "", line[reason_ends:]
    elif words[:1] == ["accepted"]:
        ends = line.index("accepted") + len("accepted")
        yield "accepted", line[:ends]
        yield "", line[ends:]
    else:
        yield "", line


def lines_of(recording):
    shown = [line.rstrip() for line in recording.splitlines()]
    starts = [at for at, line in enumerate(shown) if line.startswith(BEGINS)]
    if not starts:
        sys.exit(f"picture.py: the recording has no line that begins with “{BEGINS}”")
    yield "$ make demo"
    for line in shown[starts[0] :]:
        yield from textwrap.wrap(line, COLUMNS, subsequent_indent="      ") or [""]


def picture(recording):
    lines = list(lines_of(recording))
    width = round(2 * MARGIN + ADVANCE * COLUMNS)
    height = 2 * MARGIN + LEADING * len(lines)
    yield (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" '
        f'viewBox="0 0 {width} {height}" role="img">'
    )
    yield "<title>make demo: bad passwords are rejected, two good ones are accepted</title>"
    yield f"<style>\n{STYLE}</style>"
    yield f'<rect x="0.5" y="0.5" width="{width - 1}" height="{height - 1}" rx="8"/>'
    for number, line in enumerate(lines, 1):
        parts = "".join(
            f'<tspan class="{kind}">{escape(text)}</tspan>' if kind else escape(text)
            for kind, text in spans(line)
        )
        yield f'<text x="{MARGIN}" y="{MARGIN + LEADING * number - 6}" xml:space="preserve">{parts}</text>'
    yield "</svg>"


def main():
    print("\n".join(picture(sys.stdin.read())))


if __name__ == "__main__":
    main()

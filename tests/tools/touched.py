#!/usr/bin/env python3
"""touched.py FILTERCTL FILTER: which of a filter's pages and cache lines a check of one password reads.

Runs `FILTERCTL check --filter FILTER` under valgrind's lackey, which prints every access to memory, with the
password on standard input. Prints the pages that were read, of how many, and the lines of each; and how much
the set of pages says to who sees it and has the key: log2 of the number of sets there are.
"""

import collections
import math
import os
import re
import subprocess
import sys

MAPPED = re.compile(r"mmap2? ?\( 0x[0-9a-f]+, (\d+),.*Success\((0x[0-9a-f]+)\)")
READ = re.compile(r" [LM] ([0-9a-f]+),\d+")
PAGE, LINE = 4096, 64


def lines_read(filterctl, filter_, password):
    """How often each line of the file was read, by its number."""
    size = os.path.getsize(filter_)
    tool = ["valgrind", "--tool=lackey", "--trace-mem=yes", "--trace-syscalls=yes", "--log-fd=1"]
    run = subprocess.Popen(tool + [filterctl, "check", "--filter", filter_], text=True, errors="replace",
                           stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
    run.stdin.write(password + "\n")
    run.stdin.close()
    start, read = None, collections.Counter()
    for text in run.stdout:
        mapped = MAPPED.search(text)
        if mapped and int(mapped[1]) == size:
            start = int(mapped[2], 16)
        access = READ.match(text) if start is not None else None
        if access and start <= int(access[1], 16) < start + size:
            read[(int(access[1], 16) - start) // LINE] += 1
    return read


def main():
    filterctl, filter_ = sys.argv[1:]
    read = lines_read(filterctl, filter_, sys.stdin.readline().rstrip("\n"))
    # The first page is the header.
    pages = collections.Counter(line // (PAGE // LINE) for line in read)
    pages.pop(0, None)
    all_pages = os.path.getsize(filter_) // PAGE - 1
    bits = math.log2(math.comb(all_pages, len(pages)))
    print(f"{len(pages)} of {all_pages} pages, {min(pages.values(), default=0)} to "
          f"{max(pages.values(), default=0)} of {PAGE // LINE} lines in each, {bits:.1f} bits")


main()

#!/usr/bin/env python3
"""Passwords from standard input, one per line, as another checker judges them: a line for each, OK if it
accepts the password.

verdicts.py pwquality DICTIONARY  libpwquality's settings of its own, with this dictionary of cracklib
verdicts.py zxcvbn                a score of 3 or more is accepted, which its authors recommend
"""

import ctypes
import sys


def pwquality(dictionary):
    library = ctypes.CDLL("libpwquality.so.1")
    library.pwquality_default_settings.restype = ctypes.c_void_p
    settings = ctypes.c_void_p(library.pwquality_default_settings())
    if library.pwquality_set_option(settings, f"dictpath={dictionary}".encode()):
        sys.exit("pwquality does not take the dictionary")
    reason = ctypes.c_void_p()
    return lambda password: library.pwquality_check(settings, password, None, None, ctypes.byref(reason)) >= 0


def zxcvbn():
    from zxcvbn_rs_py import zxcvbn as estimate

    return lambda password: int(estimate(password.decode("utf-8", "replace")).score) >= 3


def main(checker, *arguments):
    accepts = {"pwquality": pwquality, "zxcvbn": zxcvbn}[checker](*arguments)
    for line in sys.stdin.buffer:
        print("OK" if accepts(line.rstrip(b"\n")) else "rejected")


main(*sys.argv[1:])

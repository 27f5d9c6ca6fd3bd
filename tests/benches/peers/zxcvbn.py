"""zxcvbn.py FILTERCTL CONF WORDS PASSWORDS: a check of guesses by filterctl beside zxcvbn's, in one run.

Two sets of guesses, each of different strings of 8 characters and more: what crackers' rules make of the
words, and the passwords as they are. Prints for each set the microseconds of a guess: zxcvbn's, of one
process; filterctl's, which uses all processors, by the clock and as processor time. The least of several
runs, without starting the program and opening its filters.
"""

import resource
import subprocess
import sys
import tempfile
import time

from zxcvbn_rs_py import zxcvbn

RUNS = 7
LEET = str.maketrans("aeios", "@3!0$")
# What the commonest rules of rule files do.
RULES = [
    str,
    str.capitalize,
    str.upper,
    *(lambda word, end=end: word + end for end in ["1", "12", "123", "!", "2", "7", "99", "2024", "2025!"]),
    *(lambda word, end=end: word.capitalize() + end for end in ["1", "123", "!", "2024", "01"]),
    lambda word: "1" + word,
    lambda word: word[::-1],
    lambda word: word + word,
    lambda word: word + word[::-1],
    lambda word: word.translate(LEET),
    lambda word: word.capitalize().translate(LEET) + "1",
    lambda word: word[:-1],
    lambda word: word[1:],
    lambda word: word[:4] + "_" + word[4:],
]


def lines(path):
    with open(path, encoding="utf-8", errors="replace") as file:
        return [line.rstrip("\n") for line in file]


def guesses(made):
    return [guess for guess in dict.fromkeys(made) if len(guess) >= 8 and guess.isprintable()]


def least(measure):
    """The least of each of the numbers that several runs give."""
    return [min(numbers) for numbers in zip(*(measure() for _ in range(RUNS)))]


def of_zxcvbn(asked):
    begin = time.process_time()
    for guess in asked:
        zxcvbn(guess)
    return (time.process_time() - begin,)


def processor_time():
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def of_program(command, asked):
    """Seconds by the clock and of processors."""
    with tempfile.TemporaryFile() as typed:
        typed.write("".join(guess + "\n" for guess in asked).encode())
        typed.seek(0)
        begin, before = time.perf_counter(), processor_time()
        status = subprocess.run(command, stdin=typed, stdout=subprocess.DEVNULL).returncode
        took = time.perf_counter() - begin
    if status not in (0, 1):
        sys.exit(f"{command[0]} ended with {status}")
    return took, processor_time() - before


def main(filterctl, conf, words, passwords):
    command = [filterctl, "check", "--conf", conf, "--no-ladder"]
    sets = {
        "rules": guesses(rule(word) for word in lines(words) for rule in RULES),
        "passwords": guesses(lines(passwords)),
    }
    print(f"{'guesses':<10}{'number':>8}{'zxcvbn':>9}{'clock':>8}{'processor':>11}")
    for name, asked in sets.items():
        (other,) = least(lambda: of_zxcvbn(asked))
        start = least(lambda: of_program(command, asked[:1]))
        ours = least(lambda: of_program(command, asked))
        clock, ran = (whole - of_start for whole, of_start in zip(ours, start))
        figures = [1e6 * seconds / len(asked) for seconds in (other, clock, ran)]
        print(f"{name:<10}{len(asked):>8}{figures[0]:>9.1f}{figures[1]:>8.1f}{figures[2]:>11.1f}")


main(*sys.argv[1:])

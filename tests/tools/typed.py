#!/usr/bin/env python3
"""typed.py: fails unless everything public in the Python package is typed and described; prints the number of
public names. Type checkers read the types in the source (PEP 561); whether they are right is for mypy
(crates/python/build.sh).
"""

import inspect
from pathlib import Path

import nearmiss


def functions():
    """The public functions and the methods of public classes, with their names."""
    for name in nearmiss.__all__:
        what = getattr(nearmiss, name)
        members = vars(what) if inspect.isclass(what) else {name: what}
        for own, member in members.items():
            if inspect.isfunction(member):
                yield f"{name}.{own}", member
        if inspect.isclass(what):
            assert what.__doc__, name


def main():
    assert Path(nearmiss.__file__).with_name("py.typed").exists(), "py.typed"
    for name, function in functions():
        wanted = {"return", *inspect.signature(function).parameters} - {"self"}
        assert function.__annotations__.keys() == wanted, f"{name} is not typed"
        assert function.__doc__ or "__" in name, f"{name} is not described"
    print(len(nearmiss.__all__))


if __name__ == "__main__":
    main()

#!/usr/bin/env python3
"""What is known to fail today: Tests/known-faults.txt. Run by itself, it checks that each line is of a test that is there.

A name is that of a Swift test, as it stands in `demand("…")` (with \\(…) for any text), or of a command of a guide: `PAGE: $ COMMAND`."""

import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parents[1]
LIST = ROOT / "Tests/known-faults.txt"


class Fault:
    """A line: what fails, the piece of work that will mend it, and why it fails."""

    def __init__(self, number, name, title, reason):
        self.number, self.name, self.title, self.reason = number, name, title, reason


def read():
    """The lines by their names."""
    found = {}
    for number, line in enumerate(LIST.read_text(encoding="utf-8").splitlines(), 1):
        if line.strip() and not line.startswith("#"):
            parts = line.split(" · ")
            if len(parts) != 3 or parts[0] in found:
                raise ValueError(f"{LIST.relative_to(ROOT)}:{number}: a line is NAME · TITLE · REASON, each name once")
            found[parts[0]] = Fault(number, *parts)
    return found


def demanded():
    """The names that Swift tests demand, as patterns."""
    for path in ROOT.glob("Tests/Keyfob*Tests/**/*.swift"):
        for text in re.findall(r'demand\(\s*"((?:[^"\\]|\\.)+)"', path.read_text(encoding="utf-8")):
            parts = re.split(r"\\\((?:[^()]|\([^()]*\))*\)", text)
            yield re.compile(".+".join(re.escape(part) for part in parts))


def strays():
    """What is wrong with the list."""
    try:
        faults = read()
    except ValueError as error:
        return [str(error)]
    patterns, wrong = list(demanded()), []
    for fault in faults.values():
        page, _, command = fault.name.partition(": $ ")
        if command:
            path = ROOT / page
            is_there = path.exists() and f"\n$ {command}\n" in path.read_text(encoding="utf-8")
        else:
            is_there = any(pattern.fullmatch(fault.name) for pattern in patterns)
        if not is_there:
            wrong.append(f"{LIST.relative_to(ROOT)}:{fault.number}: there is no test or command '{fault.name}'")
    return wrong


if __name__ == "__main__":
    sys.exit("\n".join(strays()) or None)

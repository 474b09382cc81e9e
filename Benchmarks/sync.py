#!/usr/bin/env python3
"""What a synchronisation costs: the first one, one with nothing new, and one with one change.

usage: sync.py KEYFOB [ACCOUNTS] [ROUNDS]

Two homes meet at a folder on this machine; of the rounds, the median is printed, in milliseconds and in bytes that are written for
others. One round of a first synchronisation is all there is."""

import json
import os
import pathlib
import statistics
import subprocess
import sys
import tempfile
import time


class Home:
    """A vault of its own, in a folder."""

    def __init__(self, keyfob, place, name):
        self.keyfob, self.name, self.place = keyfob, name, place / name
        (self.place / "run").mkdir(parents=True, mode=0o700)
        key = self.place / "key"
        key.touch(mode=0o600)
        key.write_bytes(os.urandom(32))
        self.environment = os.environ | {
            "HOME": str(self.place), "XDG_DATA_HOME": str(self.place / "data"), "XDG_STATE_HOME": str(self.place / "state"),
            "XDG_RUNTIME_DIR": str(self.place / "run"), "KEYFOB_KEY_FILE": str(key)}
        self.run("init", "--quiet", "--recovery-file", str(self.place / "recovery"))

    def run(self, *arguments, text=None):
        """Runs a command; what it prints."""
        return subprocess.run(
            [self.keyfob, *arguments], env=self.environment, input=text, check=True, capture_output=True, text=True).stdout

    def sync(self):
        """Synchronises; milliseconds, and what was reported."""
        begin = time.monotonic()
        report = json.loads(self.run("sync", "--json"))
        return (time.monotonic() - begin) * 1_000, report


def cache(count):
    """A cache of MSAL's with so many accounts."""
    accounts = {}
    for number in range(count):
        accounts[f"uid-{number}.t-login.microsoftonline.com-t"] = {
            "home_account_id": f"uid-{number}.t", "environment": "login.microsoftonline.com", "realm": "t",
            "local_account_id": f"uid-{number}", "username": f"user-{number}@contoso.example", "authority_type": "MSSTS"}
    return {"Account": accounts}


def main():
    """Prints the figures."""
    keyfob = os.path.abspath(sys.argv[1])
    count = int(sys.argv[2]) if len(sys.argv) > 2 else 10_000
    rounds = int(sys.argv[3]) if len(sys.argv) > 3 else 5
    with tempfile.TemporaryDirectory() as folder:
        place = pathlib.Path(folder)
        one, two = Home(keyfob, place, "one"), Home(keyfob, place, "two")
        remote = str(place / "remote")
        words = one.run("sync", "init", "--quiet", remote, "--name", "one").strip()
        own = two.run("sync", "join", "--quiet", remote, words, "--name", "two").strip()
        one.run("sync", "approve", "--quiet", own)
        two.sync()
        one.sync()
        (place / "cache.json").write_text(json.dumps(cache(count)))
        one.run("import", "--quiet", str(place / "cache.json"))
        figures = {}

        def note(what, outcome):
            figures.setdefault(what, []).append((outcome[0], outcome[1]["bytes"], outcome[1]["changed"]))

        note("first, written", one.sync())
        note("first, taken in", two.sync())
        two.sync()
        one.sync()
        for number in range(rounds):
            note("nothing new", one.sync())
            one.run("account", "label", "--quiet", "uid-7.t", f"label-{number}")
            note("one change, written", one.sync())
            note("one change, taken in", two.sync())
            one.sync()
            two.sync()
    print(f"{count} accounts" + " " * 8 + "milliseconds      bytes  changes")
    for what, values in figures.items():
        milliseconds, size, changes = (statistics.median(column) for column in zip(*values))
        print(f"{what:24}{milliseconds:9.0f}{size:13.0f}{changes:9.0f}")


main()

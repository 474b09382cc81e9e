#!/usr/bin/env python3
"""Backup, restore, export and import of whole vaults, beside age and SQLite's own insert of the same bytes, in one run.

usage: bundles.py KEYFOB [--quick] [--json] [--sizes N,…] [--rounds N]

KEYFOB is the command; age and age-keygen are Debian's. Each figure is of a whole process: its time and its peak memory
(ru_maxrss, which is never below this program's own 17 MiB), medians of the rounds. A vault has N accounts with a refresh token of about 1 KB each. age encrypts and decrypts
the text of the export; SQLite (Python's sqlite3, as durable as Keyfob: synchronous = EXTRA) inserts its lines in one
transaction, with a unique key of 16 random bytes each, into a new file. What comes out is checked: nothing may be missing."""

import argparse
import json
import os
import shutil
import sqlite3
import statistics
import subprocess
import sys
import tempfile
import time

LIMIT = 100  # MiB


def insert(text, database):
    """What SQLite alone takes."""
    connection = sqlite3.connect(database, isolation_level=None)
    connection.executescript(
        "PRAGMA page_size = 8192; PRAGMA synchronous = EXTRA; PRAGMA secure_delete = ON;"
        "CREATE TABLE lines (id INTEGER PRIMARY KEY, key BLOB NOT NULL UNIQUE, line BLOB NOT NULL);")
    connection.execute("BEGIN IMMEDIATE")
    with open(text, "rb") as lines:
        connection.executemany(
            "INSERT INTO lines (key, line) VALUES (?, ?)", ((os.urandom(16), line) for line in lines))
    connection.execute("COMMIT")
    connection.close()


def cache(count):
    """An MSAL cache, piece by piece."""
    def members(make):
        for number in range(count):
            yield ("," if number else "") + json.dumps(str(number)) + ":" + json.dumps(make(number))

    def person(number):
        return {"home_account_id": f"person{number}.tenant", "environment": "login.microsoftonline.com"}

    yield '{"Account":{'
    yield from members(lambda number: person(number) | {
        "realm": "tenant", "local_account_id": f"person{number}", "username": f"person{number}@contoso.example",
        "authority_type": "MSSTS"})
    yield '},"RefreshToken":{'
    yield from members(lambda number: person(number) | {
        "credential_type": "RefreshToken", "client_id": "tool", "secret": "0123456789abcdef" * 60 + str(number)})
    yield "}}"


class Run:
    """The figures of one number of accounts."""

    def __init__(self, keyfob, folder, accounts):
        self.keyfob, self.folder, self.accounts = keyfob, folder, accounts
        self.figures = {}
        self.env = {"PATH": os.environ["PATH"], "HOME": folder, "LANG": "C.UTF-8", "KEYFOB_KEY_FILE": f"{folder}/key"}
        descriptor = os.open(f"{folder}/key", os.O_CREAT | os.O_WRONLY, 0o600)
        os.write(descriptor, os.urandom(64))
        os.close(descriptor)

    def run(self, *arguments, name=None, output=subprocess.DEVNULL):
        """Runs a program, and notes what it takes under a name."""
        begin = time.monotonic()
        process = subprocess.Popen(arguments, cwd=self.folder, env=self.env, stdout=output, stdin=subprocess.DEVNULL)
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        seconds = time.monotonic() - begin
        if process.returncode != 0:
            sys.exit(f"bundles.py: {' '.join(arguments)} ended with {process.returncode}")
        if name:
            self.figures.setdefault(name, []).append((seconds, usage.ru_maxrss / 1024))

    def command(self, *arguments, vault="vault", name=None):
        self.run(self.keyfob, *arguments, "--quiet", "--vault", f"{self.folder}/{vault}", name=name)

    def text(self, *arguments):
        return subprocess.run(
            arguments, cwd=self.folder, env=self.env, check=True, capture_output=True, text=True).stdout

    def remove(self, *names):
        for name in names:
            path = f"{self.folder}/{name}"
            shutil.rmtree(path) if os.path.isdir(path) else os.path.exists(path) and os.unlink(path)

    def records(self, name, identity):
        """How many records a bundle holds, read to its end by the command."""
        document = json.loads(self.text(
            self.keyfob, "backup", "--vault", f"{self.folder}/vault", "--verify", name, "--bundle-identity", identity,
            "--json"))
        return document["bundle"]["records"]

    def fill(self):
        self.command("init", "--recovery-file", f"{self.folder}/recovery")
        with open(os.open(f"{self.folder}/cache.json", os.O_CREAT | os.O_WRONLY, 0o600), "w") as file:
            file.writelines(cache(self.accounts))
        self.command("import", "cache.json", name="import of an MSAL cache")
        self.remove("cache.json")
        # Debian's age knows no post-quantum keys.
        subprocess.run(["age-keygen", "-o", f"{self.folder}/identity"], check=True, capture_output=True)
        os.chmod(f"{self.folder}/identity", 0o600)
        self.recipient = self.text("age-keygen", "-y", "identity").strip()

    def round(self):
        self.remove("out.age", "kept.age", "plain", "again.age", "lines.db", "other", "recovery2", "new", "recovery3")
        self.command("export", "--to", self.recipient, "out.age", name="export")
        self.run("age", "-d", "-i", "identity", "-o", "plain", "out.age", name="age -d")
        self.run("age", "-r", self.recipient, "-o", "again.age", "plain", name="age -r")
        self.run(sys.executable, __file__, "--insert", "plain", "lines.db", name="SQLite")
        self.command("backup", "--to", f"{self.folder}/kept.age", name="backup")
        self.command("init", "--recovery-file", f"{self.folder}/recovery2", vault="other")
        given = ("--bundle-identity", "identity")
        self.command("import", "out.age", *given, vault="other", name="import")
        self.command("import", "out.age", *given, vault="other", name="import again")
        opened = ("--bundle-identity", "recovery")
        self.command(
            "restore", "kept.age", *opened, "--recovery-file", "recovery3", vault="new", name="restore")
        self.command("restore", "kept.age", *opened, "--force", name="restore over")
        self.command("group", "rotate", "default", name="new key")
        # What came out holds everything again.
        for vault in ("other", "new", "vault"):
            self.remove("check.age")
            self.command("export", "--to", self.recipient, "check.age", vault=vault)
            if self.records("check.age", "identity") != 2 * self.accounts:
                sys.exit(f"bundles.py: not everything is in {vault}")
        self.size = os.path.getsize(f"{self.folder}/out.age") / 1048576


PEERS = {
    "export": "age -r", "backup": "age -r", "import": "SQLite", "import again": "SQLite", "restore": "SQLite",
    "restore over": "SQLite", "new key": "SQLite", "import of an MSAL cache": "SQLite"}


def medians(run):
    return {name: [statistics.median(column) for column in zip(*values)] for name, values in run.figures.items()}


def table(run, figures):
    yield f"{run.accounts} accounts, {run.accounts * 2} records, a bundle of {run.size:.1f} MiB"
    for name, (seconds, memory) in figures.items():
        peer = PEERS.get(name)
        ratio = f"   {peer}: {figures[peer][0] / seconds:.2f} x" if peer else ""
        yield f"  {name:<26}{seconds:>9.2f} s{memory:>8.0f} MiB{ratio}"
    yield ""


def main():
    if sys.argv[1:2] == ["--insert"]:
        return insert(*sys.argv[2:4])
    parser = argparse.ArgumentParser(usage=__doc__.split("\n")[2].removeprefix("usage: "))
    parser.add_argument("keyfob")
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--sizes")
    parser.add_argument("--rounds", type=int, default=3)
    options = parser.parse_args()
    sizes = options.sizes or ("1000,10000" if options.quick else "1000,10000,100000")
    documents, lines, peak = [], [], 0
    for accounts in map(int, sizes.split(",")):
        print(f"bundles.py: {accounts} accounts", file=sys.stderr)
        with tempfile.TemporaryDirectory() as folder:
            run = Run(os.path.abspath(options.keyfob), folder, accounts)
            run.fill()
            for _ in range(options.rounds):
                run.round()
            figures = medians(run)
        lines += table(run, figures)
        peak = max([peak] + [memory for name, (_, memory) in figures.items()
                             if name in PEERS and name != "import of an MSAL cache"])
        documents.append({"accounts": accounts, "mebibytes": run.size, "figures": {
            name: {"seconds": seconds, "peakMebibytes": memory} for name, (seconds, memory) in figures.items()}})
    if options.json:
        print(json.dumps({"formatVersion": 1, "sizes": documents, "isWithinMemory": peak < LIMIT}, indent=2))
    else:
        print("\n".join(lines))
        print(f"{'met' if peak < LIMIT else 'not met'}: Keyfob's peak memory, but for an MSAL cache: below {LIMIT} MiB ({peak:.0f})")


if __name__ == "__main__":
    main()

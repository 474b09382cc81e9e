#!/usr/bin/env python3
"""What a synchronisation costs whom, beside pass over git.

usage: sync.py KEYFOB [--members 2,8] [--accounts 100,10000,50000] [--rounds 5] [--no-pass]

The members meet at a folder of this machine. Of each act the table has, for the one who does it (`maker`) and for each of the others on
average, the processor's milliseconds, the bytes that it writes for others and the bytes of others that it reads; and the maker's
against pass, whose store holds as many entries. Of the rounds the median counts. pass takes a program for each entry: where it would seal
all of more than 200 again, it is left out."""

import argparse
import json
import os
import pathlib
import resource
import shutil
import statistics
import subprocess
import tempfile

RESEALED = 200


def processor():
    """The processor time of all programs that have ended, in milliseconds."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return (used.ru_utime + used.ru_stime) * 1_000


class Member:
    """A vault of its own, in a folder."""

    def __init__(self, keyfob, place, name, remote):
        self.keyfob, self.name, self.place, self.remote = keyfob, name, place / name, remote
        (self.place / "run").mkdir(parents=True, mode=0o700)
        key = self.place / "key"
        key.touch(mode=0o600)
        key.write_bytes(os.urandom(32))
        self.environment = os.environ | {
            "HOME": str(self.place), "XDG_DATA_HOME": str(self.place / "data"), "XDG_STATE_HOME": str(self.place / "state"),
            "XDG_RUNTIME_DIR": str(self.place / "run"), "KEYFOB_KEY_FILE": str(key)}
        self.run("init", "--quiet", "--recovery-file", str(self.place / "recovery"))
        self.words = self.folder = ""

    def begin(self, body):
        """Takes note of which folder of the place is new, and so this one's."""
        devices = self.remote / "devices"
        before = set(devices.iterdir()) if devices.exists() else set()
        body()
        self.folder = next(iter(set(devices.iterdir()) - before), devices).name

    def run(self, *arguments):
        """Runs a command; what it prints."""
        return subprocess.run(
            [self.keyfob, *arguments], env=self.environment, check=True, capture_output=True, text=True).stdout

    def join(self, first):
        """Is let in."""
        def ask():
            self.words = self.run("sync", "join", "--quiet", str(self.remote), first.words, "--name", self.name).strip()
        self.begin(ask)
        first.run("sync", "approve", "--quiet", self.words)

    def sync(self):
        """Synchronises; the processor's milliseconds, and bytes written and read."""
        others = [path for path in self.remote.rglob("*.age") if path.parent.name != self.folder]
        for path in others:
            # A time of access before that of the writing is renewed by the next reading, as file systems are mounted now.
            os.utime(path, ns=(0, path.stat().st_mtime_ns))
        before, written = processor(), {path: path.stat().st_mtime_ns for path in self.remote.rglob("*.age")}
        self.run("sync", "--quiet")
        used = processor() - before
        new = [path for path in self.remote.rglob("*.age") if written.get(path) != path.stat().st_mtime_ns]
        read = sum(path.stat().st_size for path in others if path.exists() and path not in new and path.stat().st_atime_ns > 0)
        return used, sum(path.stat().st_size for path in new), read


def cache(count):
    """A cache of MSAL's with so many accounts."""
    accounts = {}
    for number in range(count):
        accounts[f"uid-{number}.t-login.microsoftonline.com-t"] = {
            "home_account_id": f"uid-{number}.t", "environment": "login.microsoftonline.com", "realm": "t",
            "local_account_id": f"uid-{number}", "username": f"user-{number}@contoso.example", "authority_type": "MSSTS"}
    return {"Account": accounts}


def settle(members):
    """Has all hear of all."""
    for _ in range(2):
        for member in members:
            member.sync()


def round_of(members, maker, act):
    """One act, and what it costs the maker and the others."""
    act()
    figures = {"maker": maker.sync()}
    others = [member.sync() for member in members if member is not maker]
    figures["others"] = tuple(statistics.mean(column) for column in zip(*others)) if others else (0, 0, 0)
    settle(members)
    return figures


def keyfob_figures(keyfob, place, size, count, rounds):
    """What each act costs with so many members and accounts."""
    remote = place / "remote"
    members = [Member(keyfob, place, f"member-{number}", remote) for number in range(size)]
    first = members[0]

    def begin():
        first.words = first.run("sync", "init", "--quiet", str(remote), "--name", first.name).strip()
        first.run("sync", "--quiet")
    first.begin(begin)
    for member in members[1:]:
        member.join(first)
    settle(members)
    (place / "cache.json").write_text(json.dumps(cache(count)))
    serial = iter(range(1_000_000))

    def label(number):
        first.run("account", "label", "--quiet", f"uid-{number}.t", f"label-{next(serial)}")

    found = {"first": [round_of(members, first, lambda: first.run("import", "--quiet", str(place / "cache.json")))]}
    for _ in range(rounds):
        found.setdefault("nothing", []).append(round_of(members, first, lambda: None))
        found.setdefault("one", []).append(round_of(members, first, lambda: label(7)))
    found["hundred"] = [round_of(members, first, lambda: [label(number % count) for number in range(100)])]
    new = Member(keyfob, place, "new", remote)
    new.join(first)
    first.sync()
    joined = new.sync()
    found["join"] = [{"maker": joined, "others": tuple(
        statistics.mean(column) for column in zip(*(member.sync() for member in members)))}]
    settle(members + [new])
    found["revoke"] = [round_of(members, first, lambda: first.run("sync", "revoke", "--quiet", "new"))]
    return {act: {who: tuple(statistics.median(column) for column in zip(*(figures[who] for figures in all_of)))
                  for who in ("maker", "others")} for act, all_of in found.items()}


class Store:
    """A store of pass, in a clone of a repository."""

    def __init__(self, place, remote, home):
        self.place, self.remote, self.number = place, remote, 0
        self.environment = os.environ | {
            "GNUPGHOME": str(home), "PASSWORD_STORE_DIR": str(place), "HOME": str(home), "GIT_AUTHOR_NAME": "a",
            "GIT_AUTHOR_EMAIL": "a@example", "GIT_COMMITTER_NAME": "a", "GIT_COMMITTER_EMAIL": "a@example"}

    def run(self, *arguments, text=None):
        """Runs a program; what it prints."""
        return subprocess.run(arguments, env=self.environment, input=text, check=True, capture_output=True, text=True).stdout

    def git(self, *arguments):
        """Runs git in the store."""
        return self.run("git", "-C", str(self.place), *arguments)

    def size(self, place):
        """How many bytes of objects a repository has."""
        return sum(path.stat().st_size for path in (place / "objects").rglob("*") if path.is_file())

    def change(self, name):
        """Puts something else into an entry."""
        self.number += 1
        self.run("pass", "insert", "-m", "-f", name, text=f"label {self.number}\n")

    def push(self):
        """Gives what is new to the others; bytes."""
        before = self.size(self.remote)
        self.git("push", "-q", "origin", "HEAD:main")
        return self.size(self.remote) - before

    def pull(self):
        """Takes what is new; bytes."""
        before = self.size(self.place / ".git")
        self.git("pull", "-q", "--ff-only", "origin", "main")
        return self.size(self.place / ".git") - before


def pass_figures(place, count, rounds):
    """The same acts with pass, of which one clone does something and another one takes it in."""
    home, remote = place / "gnupg", place / "remote.git"
    home.mkdir(mode=0o700)
    maker, other = Store(place / "store", remote, home), Store(place / "other", remote, home)
    maker.run("gpg", "--batch", "--quiet", "--passphrase", "", "--quick-generate-key", "a@example", "future-default")
    maker.run("git", "init", "-q", "--bare", "-b", "main", str(remote))
    maker.run("pass", "init", "a@example")
    maker.run("pass", "git", "init")
    maker.git("remote", "add", "origin", str(remote))
    maker.run("pass", "insert", "-m", "-f", "entry-0", text="user: user-0@contoso.example\nenvironment: login.example\n")
    for number in range(1, count):
        shutil.copy(maker.place / "entry-0.gpg", maker.place / f"entry-{number}.gpg")

    def measured(act, carry):
        before = processor()
        act()
        written = maker.push()
        made, before = processor() - before, processor()
        read = carry()
        return {"maker": (made, written, 0), "others": (processor() - before, 0, read)}

    def clone():
        other.run("git", "clone", "-q", "--no-local", "-b", "main", str(remote), str(other.place))
        return other.size(other.place / ".git")

    found = {"first": [measured(lambda: (maker.git("add", "."), maker.git("commit", "-q", "-m", "first")), clone)]}
    for _ in range(rounds):
        found.setdefault("nothing", []).append(measured(lambda: None, other.pull))
        found.setdefault("one", []).append(measured(lambda: maker.change("entry-7"), other.pull))
    found["hundred"] = [
        measured(lambda: [maker.change(f"entry-{number % count}") for number in range(100)], other.pull)]
    if count <= RESEALED:
        maker.run("gpg", "--batch", "--quiet", "--passphrase", "", "--quick-generate-key", "b@example", "future-default")
        found["join"] = [measured(lambda: maker.run("pass", "init", "a@example", "b@example"), other.pull)]
        found["revoke"] = [measured(lambda: maker.run("pass", "init", "a@example"), other.pull)]
    maker.run("gpgconf", "--kill", "all")
    return {act: {who: tuple(statistics.median(column) for column in zip(*(figures[who] for figures in all_of)))
                  for who in ("maker", "others")} for act, all_of in found.items()}


def ratio(value, other):
    """How often one goes into the other."""
    return f"{value / other:9.2f}" if other else "        -"


def main():
    """Prints the figures."""
    parser = argparse.ArgumentParser()
    parser.add_argument("keyfob")
    parser.add_argument("--members", default="2,8")
    parser.add_argument("--accounts", default="100,10000,50000")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--no-pass", action="store_true")
    options = parser.parse_args()
    keyfob = os.path.abspath(options.keyfob)
    with_pass = not options.no_pass and shutil.which("pass") and shutil.which("gpg")
    print("members accounts act      who        ms CPU   written      read   CPU/pass  bytes/pass")
    for count in map(int, options.accounts.split(",")):
        beside = {}
        if with_pass:
            with tempfile.TemporaryDirectory() as folder:
                beside = pass_figures(pathlib.Path(folder), count, options.rounds)
        for size in map(int, options.members.split(",")):
            with tempfile.TemporaryDirectory() as folder:
                figures = keyfob_figures(keyfob, pathlib.Path(folder), size, count, options.rounds)
            for act, people in figures.items():
                for who, (used, written, read) in people.items():
                    line = f"{size:7} {count:8} {act:8} {who:6} {used:10.0f} {written:9.0f} {read:9.0f}"
                    if act in beside:
                        other = beside[act][who]
                        line += f"  {ratio(used, other[0])}   {ratio(written + read, other[1] + other[2])}"
                    print(line, flush=True)


main()

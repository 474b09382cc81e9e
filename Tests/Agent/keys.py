"""Clients while the owner gives vault and group other keys, restores backups and stores other tokens.

A key file is at hand all the while: each call is answered, soon and with the token of the moment, and nobody is told of an alteration.
Then the header is altered by a byte, and each kind tells it at once."""

import collections
import contextlib
import hashlib
import json
import sqlite3
import time

from clients import KINDS, OF_A_KIND, soon
from programs import front, name

#: Seconds that somebody who has a key waits at most.
SOON = 1
#: What nobody is told who has a key.
ALARMS = ["alter", "restore", "damage", "earlier state", "other keys"]
PERSONS, PAUSE = 10, 2


class Owner:
    """Gives the vault and its group other keys, one way after the other."""

    def __init__(self, trial):
        self.trial, self.count, self.recovery, self.done = trial, 0, trial.home.folder / "recovery", []
        # Of each account its tokens, with when each was to be stored.
        self.tokens = [[] for _ in range(trial.persons)]
        self.backups = trial.folder / "backups"
        self.backups.mkdir()

    def run(self, *words):
        return self.trial.home.run(*words)

    def store(self, person):
        token = f"token-{person}-{len(self.tokens[person])}"
        self.tokens[person].append((time.time(), token))
        self.trial.home.run("add", "-q", name(person), given=token)

    def tokens_at(self, person, begin, end):
        """What may be given to a call: what was stored last before it, and meanwhile."""
        all_of = self.tokens[person]
        # While one is being stored, the one before it is there.
        earlier = [token for since, token in all_of if since + 1 <= begin][-1:]
        return {token for since, token in all_of if begin < since + 1 and since <= end}.union(earlier)

    def new_recovery(self):
        self.count += 1
        return self.trial.folder / f"recovery-{self.count}"

    def rekey(self):
        recovery = self.new_recovery()
        self.run("rekey", "-q", "--force", "--recovery-file", str(recovery))
        self.recovery = recovery

    def rotate(self):
        self.run("group", "rotate", "-q", "default")

    def revoke(self):
        key = self.new_recovery()
        self.run("group", "grant", "-q", "default", "key-file", str(key), "--new")
        slots = json.loads(self.run("slot", "list", "--json"))["slots"]
        for slot in slots:
            if slot.get("group"):
                self.run("group", "revoke", "-q", "default", slot["id"], "--force")

    def backup(self):
        return self.run("backup", "-q", "--to", str(self.backups / f"{self.new_recovery().name}.age")).strip()

    def restore(self):
        self.run("restore", "-q", self.backup(), "--bundle-identity", str(self.recovery), "--force")

    def restore_anew(self):
        backup, recovery = self.backup(), self.new_recovery()
        self.run("restore", "-q", backup, "--bundle-identity", str(self.recovery), "--put-aside", "--recovery-file", str(recovery))
        self.recovery = recovery

    def change(self):
        ways = [self.rekey, self.rotate, self.revoke, self.restore, self.restore_anew]
        way, begin = ways[len(self.done) % len(ways)], time.time()
        try:
            way()
        except front.Trouble as trouble:
            self.trial.fail("change", trouble)
        self.done.append((way.__name__, begin, time.time()))
        self.store(len(self.done) % self.trial.persons)


def run(trial, seconds):
    owner = Owner(trial)
    for person in range(trial.persons):
        owner.store(person)
    trial.begin()
    begin, every = time.time(), min(20, seconds / 6)
    # Until each has had its first token.
    time.sleep(every / 2)
    while time.time() < begin + seconds:
        owner.change()
        time.sleep(max(begin + (len(owner.done) + 0.5) * every - time.time(), 0))
    judged = time.time()
    for words in [["log"], ["verify"]]:
        try:
            trial.home.run(*words)
        except front.Trouble as trouble:
            trial.fail(words[0], trouble)
    since = alter(trial.home.vault)
    time.sleep(max(3, 2 * trial.pause))
    trial.end()
    calls = trial.calls()
    judge(trial, [call for call in calls if call.end < judged], owner)
    judge_alteration(trial, [call for call in calls if call.begin > since])
    return trial.told("clients by the keys of the vault")


def judge(trial, calls, owner):
    kinds = collections.Counter(call.kind for call in calls)
    for call in calls:
        during = [way for way, since, until in owner.done if since <= call.end and call.begin <= until]
        if "token" not in call.answer:
            trial.fail("refused", f"{call} while {during}")
        elif call.answer["token"] not in (current := owner.tokens_at(call.person, call.begin, call.end)):
            trial.fail("not the token of the moment", f"{call} while {during}, and not one of {current}")
        if any(alarm in call.said().lower() for alarm in ALARMS):
            trial.fail("alarm", f"{call} while {during}")
        if call.end - call.begin > SOON:
            trial.fail("late", f"{call.kind} within {call.end - call.begin:.2f} s while {during}")
    if min(kinds[kind] for kind in KINDS) < 2 * OF_A_KIND:
        trial.fail("too little", f"{dict(kinds)}: nothing is shown")
    print(f"agent: clients: {len(calls)} calls, {dict(kinds)}; {soon(calls)}")
    for kind in KINDS:
        print(f"agent: clients: {kind}: {soon([call for call in calls if call.kind == kind])}")
    ways = collections.Counter(way for way, _, _ in owner.done)
    print(f"agent: clients: {len(owner.done)} changes of keys: {dict(ways)}, the longest "
          f"{max((until - since for _, since, until in owner.done), default=0):.1f} s")


def altered(header):
    """A header of which a byte is another, so that only who has a key can tell: its sequence, by which each sees that it changed."""
    # Behind the checksum are a signature and a MAC.
    content = bytearray(header[:-112])
    content[28] ^= 0x40
    return bytes(content) + hashlib.blake2b(content, digest_size=16).digest() + header[-96:]


def alter(vault):
    """Alters the header wherever there is one; when it was done."""
    copy = vault / "header.copy"
    copy.write_bytes(altered(copy.read_bytes()))
    with contextlib.closing(sqlite3.connect(vault / "keyring.db", timeout=10)) as connection, connection:
        for table in ["header", "second_header"]:
            for row, header in connection.execute(f"SELECT id, bytes FROM {table}").fetchall():
                connection.execute(f"UPDATE {table} SET bytes = ? WHERE id = ?", (altered(header), row))
    return time.time()


def judge_alteration(trial, calls):
    told = collections.Counter()
    for call in calls:
        if call.answer.get("code") == "damaged" and "header" in call.said():
            told[call.kind] += 1
        else:
            trial.fail("an alteration not told", call)
    for kind in KINDS:
        if not told[kind]:
            trial.fail("an alteration not told", f"nobody of the kind {kind} has asked")
    print(f"agent: clients: told of a header that was altered: {dict(told)}")

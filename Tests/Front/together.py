"""Lets writers change a vault while readers ask the front, and checks from their logs that each answer was true at some
moment of its call."""

import bisect
import collections
import json
import multiprocessing
import os
import pathlib
import random
import signal
import subprocess
import tempfile
import time

from place import SCOPE, Home, Runner, Trouble, cache
from provider import Provider

WRITERS, READERS = 4, 8
# The first sign in at a provider that gives them new tokens; the others have a token that somebody stored.
PEOPLE, OTHERS = 24, 12
# One command in so many is killed, most when it is about to end.
KILLED = 12
# Seconds between two changes of a writer, at most: the front answers when nobody is writing.
PAUSE = 0.2
SIGNED_OUT, ABSENT, BUSY = 10, 13, 75
# A reader waits longer than SQLite does for a lock, which the front never does.
PATIENCE = 60


def name(account):
    return f"person{account}@t.example" if account < PEOPLE else f"other{account}"


class Writer:
    """Changes the accounts that are its own: nobody else does, so that its log tells what each was when."""

    def __init__(self, number, seed, home, programs, host, end):
        self.number, self.home, self.programs, self.host, self.end = number, home, programs, host, end
        self.chance = random.Random(f"{seed} writer {number}")
        self.accounts = list(range(number, PEOPLE + OTHERS, WRITERS))
        self.groups = dict.fromkeys(self.accounts, "default")
        self.states = {account: f"first-{account}" for account in self.accounts}
        self.log, self.count, self.usual = [], 0, 0.05

    def start(self, words, given):
        process = subprocess.Popen([self.programs.installed, *words], env=self.home.environment, cwd=self.home.folder,
                                   stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        is_killed = self.chance.randrange(KILLED) == 0
        if is_killed:
            try:
                process.communicate(given, timeout=self.usual * self.chance.uniform(0.4, 1.1))
            except subprocess.TimeoutExpired:
                process.kill()
        output, errors = process.communicate() if is_killed else process.communicate(given)
        return process.returncode, output.decode(), errors.decode(errors="replace")

    def ask(self, account, *words):
        """What an account is now."""
        done = None
        while done is None or done.returncode == BUSY:
            done = subprocess.run([self.programs.full, "token", "-a", name(account), *words], env=self.home.environment,
                                  cwd=self.home.folder, capture_output=True, text=True)
        return done.stdout.strip() if done.returncode == 0 else done.returncode

    @staticmethod
    def has_grant(account):
        """Whether it is refreshed; others are signed out, after which no imported refresh token is taken any more."""
        return account < PEOPLE * 2 // 3

    def command(self, account):
        """What is done next: its name, its words, what it reads, and what the account is then."""
        state, group, chance = self.states[account], self.groups[account], self.chance
        fresh, place = f"written-{account}-{self.count}-" + "w" * chance.choice([10, 1500, 9000]), ["--group", group]
        if account < PEOPLE:
            store = ("import", ["import", "-q", *place, "--bring-back", "-"],
                     cache([fresh], account, self.host, refresh=True), fresh)
        else:
            store = ("add", ["add", "-q", "-a", name(account), "--host", "git.example", *place], fresh, fresh)
        if isinstance(state, int):
            return store
        other = "default" if group == "work" else "work"
        refresh = ("refresh", ["token", "-q", "-a", name(account), "--force-refresh"], "", None)
        sign_out = ("sign out", ["logout", "-q", "--offline", name(account)], "", SIGNED_OUT)
        return chance.choice([
            store, store,
            refresh if self.has_grant(account) else sign_out,
            ("label", ["account", "label", "-q", name(account), f"label{account}-{self.count}"], "", state),
            ("move", ["account", "move", "-q", name(account), "--to", other], "", state),
            ("remove", ["account", "remove", "-q", "--force", "--forever", name(account)], "", ABSENT),
            *([("rotate", ["group", "rotate", "-q", "--no-backup", "work"], "", state)] if self.number == 0 else [])])

    def run(self):
        while time.monotonic() < self.end:
            account = self.chance.choice(self.accounts)
            self.count += 1
            what, words, given, wanted = self.command(account)
            before, start = self.states[account], time.monotonic()
            status, output, errors = self.start(words, given.encode())
            if status == 0 and what == "refresh":
                wanted = output.strip()
            after = wanted
            if status == 0:
                self.usual += (time.monotonic() - start - self.usual) / 8
            else:
                # It was done or it was not.
                after = self.ask(account)
            if what == "move" and after == before:
                old = self.groups[account]
                new = "default" if old == "work" else "work"
                self.groups[account] = new if status == 0 or isinstance(self.ask(account, "--group", new), str) else old
            self.states[account] = after
            self.log.append([account, what, start, time.monotonic(), before, wanted, after, status, errors[:300]])
            time.sleep(self.chance.random() * PAUSE)
        return self.log


class Reader:
    """Asks for tokens of accounts at random: the front with nothing beside it, or as it is installed."""

    def __init__(self, number, seed, home, programs, host, end):
        self.home, self.programs, self.end, self.is_alone = home, programs, end, number % 2 == 0
        self.chance = random.Random(f"{seed} reader {number}")

    def run(self):
        runner, log = Runner(), []
        program = self.programs.alone if self.is_alone else self.programs.installed
        os.chdir(self.home.folder)
        while time.monotonic() < self.end:
            account = self.chance.randrange(PEOPLE + OTHERS)
            scope = ["--scope", SCOPE] if account < PEOPLE and self.chance.random() < 0.5 else []
            start = time.monotonic()
            answer = runner.run(program, ["token", "-a", name(account), *scope], self.home.environment, PATIENCE)
            end = time.monotonic()
            if self.is_alone and answer == self.programs.handed_on:
                said = "handed on"
            elif answer.status == 0 and answer.output.endswith(b"\n") and not answer.errors:
                said = answer.output.decode()[:-1]
            elif answer.status in (SIGNED_OUT, ABSENT) and not self.is_alone and not answer.output:
                said = answer.status
            else:
                output, errors = (text.decode(errors="replace")[:300] for text in answer[1:])
                said = [answer.status, output, errors]
            log.append([account, start, end, self.is_alone, said])
        return log


def work(kind, path, *given):
    pathlib.Path(path).write_text(json.dumps(kind(*given).run()))


def check_writers(log, issued):
    """What each account was, and from when till when; and what a command did that it should not."""
    wrong, lines = [], collections.defaultdict(list)
    for account, what, start, end, before, wanted, after, status, errors in sorted(log, key=lambda line: line[2]):
        states = lines[account]
        if not states:
            states.append([float("-inf"), float("inf"), f"first-{account}"])
        possible = [before, wanted] if wanted is not None else [
            before, *(token for moment, token in issued.get(str(account), []) if start <= moment <= end)]
        if after not in possible:
            wrong.append(f"{what} of {name(account)} ended with {status}, and left {after!r} of {possible} {errors!r}"[:500])
        if status not in (0, -signal.SIGKILL, BUSY):
            wrong.append(f"{what} of {name(account)} ends with {status}: {errors}")
        states[-1][1] = end
        states.append([start, float("inf"), after])
    return lines, wrong


def check_readers(log, lines):
    """What became of each answer, and what was wrong."""
    counts, wrong = collections.Counter(), []
    by_account = collections.defaultdict(list)
    for line in log:
        by_account[line[0]].append(line)
    for account, asked in by_account.items():
        states = lines.get(account) or [[float("-inf"), float("inf"), f"first-{account}"]]
        # The newest state that somebody must have seen by the end of a call: nobody sees an older one who asks later.
        ends, newest = [], []
        seen = []
        for _, start, end, is_alone, said in sorted(asked, key=lambda line: line[1]):
            who = "alone" if is_alone else "installed"
            if said == "handed on" or isinstance(said, list) and not is_alone and said[0] == BUSY:
                counts["handed on" if said == "handed on" else "busy"] += 1
                continue
            fitting = [index for index, (first, last, state) in enumerate(states)
                       if state == said and first <= end and last >= start]
            if not fitting:
                counts["wrong"] += 1
                wrong.append(f"{name(account)}, {who}: {str(said)[:300]!r} was never true from {start:.4f} to {end:.4f}")
                continue
            counts[f"right, {who}"] += 1
            seen.append((start, end, fitting[0], fitting[-1], who, said))
        for _, end, oldest, _, _, _ in sorted(seen, key=lambda each: each[1]):
            ends.append(end)
            newest.append(max(oldest, newest[-1] if newest else 0))
        for start, end, _, last, who, said in seen:
            index = bisect.bisect_left(ends, start)
            if index and newest[index - 1] > last:
                counts["wrong"] += 1
                wrong.append(f"{name(account)}, {who}: {str(said)[:60]!r}, at {start:.4f} to {end:.4f}, had been replaced")
    return counts, wrong


def run(options, base, programs):
    """Half the time on a disk, where a change takes long, and half in memory, where there are many."""
    places = [base] if options.sample else [None, base]
    return sum(attempt(place, programs, options.seconds / len(places), options.seed) for place in places)


def attempt(place, programs, seconds, seed):
    with tempfile.TemporaryDirectory(prefix="keyfob-front-", dir=place) as folder:
        home, provider = Home(f"{folder}/home", programs.full), Provider()
        home.folder.mkdir()
        home.make()
        home.run("group", "create", "-q", "work")
        for group in ["default", "work"]:
            home.run("provider", "add", "-q", "--issuer", provider.issuer, "--name", "local", "--group", group)
            home.run("client", "add", "-q", "client", "--provider", "local", "--group", group)
        first = [f"first-{number}" for number in range(PEOPLE)]
        home.run("import", "-q", "-", given=cache(first, 0, provider.host, refresh=True))
        for number in range(PEOPLE, PEOPLE + OTHERS):
            home.run("add", "-q", "-a", name(number), "--host", "git.example", given=f"first-{number}")
        end = time.monotonic() + seconds
        parts = [(Writer, number) for number in range(WRITERS)] + [(Reader, number) for number in range(READERS)]
        context = multiprocessing.get_context("fork")
        given = (seed, home, programs, provider.host, end)
        started = [context.Process(target=work, args=(kind, f"{folder}/{index}", number, *given))
                   for index, (kind, number) in enumerate(parts)]
        for process in started:
            process.start()
        for process in started:
            process.join()
            if process.exitcode:
                raise Trouble("a writer or a reader has failed")
        logs = [json.loads(pathlib.Path(f"{folder}/{index}").read_text()) for index in range(len(parts))]
        written, asked = sum(logs[:WRITERS], []), sum(logs[WRITERS:], [])
        lines, wrong = check_writers(written, provider.issued)
        counts, more = check_readers(asked, lines)
        wrong += more
        home.run("verify")
        runner = Runner()
        for account, states in lines.items():
            last = runner.run(programs.full, ["token", "-a", name(account)], home.environment, PATIENCE)
            if (last.output.decode()[:-1] if last.status == 0 else last.status) != states[-1][2]:
                wrong.append(f"{name(account)} is in the end {last}, and not {states[-1][2]!r}")
        # An empty one is of a writer that was killed before it wrote there: for SQLite nothing is to be done.
        wrong += [f"left behind: {path.name}" for path in home.vault.glob("*-journal") if path.stat().st_size]
    changes = collections.Counter(line[1] for line in written)
    killed = sum(line[7] == -signal.SIGKILL for line in written)
    half = sum(line[7] == -signal.SIGKILL and line[6] == line[5] != line[4] for line in written)
    where = "in memory" if str(place).startswith("/dev/shm") else "on a disk"
    kinds = ", ".join(f"{count} {what}" for what, count in changes.most_common())
    print(f"together, {where}: {len(written)} changes ({kinds}), {killed} of them killed, {half} of which were done; "
          f"{sum(line[7] == BUSY for line in written)} had to wait too long")
    print(f"together, {where}: {len(asked)} answers in {seconds:.0f} s: {counts['right, alone']} right by the front alone, "
          f"{counts['handed on']} handed on, {counts['right, installed']} right as installed, {counts['busy']} busy, "
          f"{counts['wrong']} wrong; {len(wrong)} failed")
    for line in wrong[:20]:
        print(f"    {line}")
    return len(wrong)

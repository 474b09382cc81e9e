#!/usr/bin/env python3
"""Measures `keyfob token` and `keyfob add` with records in the desktop's keyring beside secret-tool and Python's keyring.

    desktop.py KEYFOB [--sizes N,…] [--large] [--rounds N] [--json]

Each has a gnome-keyring of its own on a private bus, with as many credentials as the others: 10, 300 and 1,000, with --large
10,000 too. They take turns, every answer is checked, and each time is that of a whole process. The messages are the calls
that one process sends over the bus. It ends with 1 where a lookup takes more than 1.2 times as long as that of
secret-tool, or a store more than 1.5 times.
"""

import argparse
import contextlib
import json
import os
import random
import shlex
import shutil
import signal
import statistics
import sys
import tempfile
import time

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, f"{HERE}/peers")

from secret_service_bus import Service  # noqa: E402
from secret_service_figures import Failure, checked_output  # noqa: E402
from secret_service_file import copies  # noqa: E402
from secret_service_vaults import (  # noqa: E402
    Command, Delegated, Program, SecretTool, fresh_names, local_name, user_name)

COUNTING = f"{HERE}/../Tests/KeyfobCLITests/Support/Python/counted_bus.py"
LIMITS = {"lookup": 1.2, "store": 1.5}
# The bus's own, which come and go with the connection.
NOT_THE_SERVICES = {"Hello", "AddMatch", "RemoveMatch", "GetNameOwner", "NameHasOwner", "StartServiceByName"}


class Contender:
    """A program, and a service that nobody else uses."""

    def __init__(self, name, folder, stack, make):
        self.name, self.service = name, Service(folder)
        stack.callback(self.service.end)
        self.service.start()
        self.place = make(self.service)

    def fill(self, size):
        """Makes the first credential as the program does, and as many like it as there are to be."""
        if isinstance(self.place, Delegated):
            self.place.make()
        else:
            self.place.store(user_name(0))
        names, items = [local_name(number) for number in range(size)], []
        for item in self.service.items():
            is_header = item[1].get("xdg:schema") == "io.keyfob.Vault"
            items += [item] if is_header else copies(item, local_name(0), names)
        self.service.fill(items)

    def time(self, action):
        """Milliseconds."""
        self.service.settle()
        start = time.perf_counter()
        action()
        return 1e3 * (time.perf_counter() - start)

    def messages(self, action):
        """How many calls of the service the program makes when it does this."""
        commands, run = [], self.place.run

        def note(*words, content=None, limit=600):
            commands.append((words, content))
            return b""

        self.place.run = note
        # Without an answer nothing fits what is expected.
        with contextlib.suppress(Failure):
            action()
        self.place.run = run
        words, content = commands[0]
        if isinstance(self.place, Delegated):
            words = [self.place.program, *words, *self.place.options]
        counted = checked_output(
            [sys.executable, COUNTING, shlex.join(words)], self.service.environment, content).decode()
        calls = dict(line.split() for line in counted.splitlines())
        return {name: int(count) for name, count in calls.items() if name not in NOT_THE_SERVICES}


class StoringProgram(Program, Command):
    """Looks up as a program with the library does, and stores with the library's command."""

    look_up = Program.look_up
    store = Command.store


def measure(size, folder, keyfob, rounds, stack):
    makers = [("keyfob", lambda service: Delegated(keyfob, service)), ("secret-tool", SecretTool),
              ("python keyring", StoringProgram)]
    contenders = [Contender(name, f"{folder}/{number}", stack, make) for number, (name, make) in enumerate(makers)]
    for contender in contenders:
        contender.fill(size)
    chosen, new = random.Random(42), fresh_names()
    times = {(figure, name): [] for figure in LIMITS for name, _ in makers}
    # The first time each is not counted: files come from the disk.
    for number in range(rounds + 1):
        user, order = chosen.randrange(size), random.sample(contenders, len(contenders))
        for contender in order:
            taken = contender.time(lambda: contender.place.look_up(user))
            times["lookup", contender.name] += [taken] if number else []
    for number in range(max(rounds // 3, 3)):
        name, order = next(new), random.sample(contenders, len(contenders))
        for contender in order:
            times["store", contender.name].append(contender.time(lambda: contender.place.store(name)))
            contender.place.look_up(name)
    rows = []
    for (figure, name), taken in times.items():
        contender = next(contender for contender in contenders if contender.name == name)
        action = {"lookup": lambda: contender.place.look_up(0), "store": lambda: contender.place.store(next(new))}
        median, base = statistics.median(taken), statistics.median(times[figure, "secret-tool"])
        rows.append({"credentials": size, "figure": figure, "who": name, "median": median, "ratio": median / base,
                     "rounds": len(taken), "messages": contender.messages(action[figure])})
    return rows


def text(row):
    limit = LIMITS[row["figure"]] if row["who"] == "keyfob" else None
    verdict = "" if limit is None else f"  at most {limit} x: {'yes' if row['ratio'] <= limit else 'NO'}"
    calls = ", ".join(f"{name} {count}" for name, count in sorted(row["messages"].items()))
    return (f"{row['credentials']:6} {row['figure']:8}{row['who']:16}{row['median']:9.1f} ms{row['ratio']:7.2f} x"
            f"{sum(row['messages'].values()):4} messages ({calls}){verdict}")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("keyfob", type=os.path.abspath)
    parser.add_argument("--sizes", default="10,300,1000")
    parser.add_argument("--large", action="store_true")
    parser.add_argument("--rounds", type=int, default=31)
    parser.add_argument("--json", action="store_true")
    arguments = parser.parse_args()
    # So that nothing is left running when this is ended.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    sizes = [int(size) for size in arguments.sizes.split(",")] + ([10_000] if arguments.large else [])
    rows = []
    for size in sizes:
        folder = tempfile.mkdtemp(prefix="keyfob-bench-")
        try:
            with contextlib.ExitStack() as stack:
                rows += measure(size, folder, arguments.keyfob, arguments.rounds, stack)
        finally:
            shutil.rmtree(folder, ignore_errors=True)
        if not arguments.json:
            print("\n".join(text(row) for row in rows if row["credentials"] == size), flush=True)
    if arguments.json:
        print(json.dumps({"formatVersion": 1, "load": os.getloadavg()[0], "figures": rows}, indent=2))
    return any(row["who"] == "keyfob" and row["ratio"] > LIMITS[row["figure"]] for row in rows)


sys.exit(main())

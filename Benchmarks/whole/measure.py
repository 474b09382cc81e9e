"""Runs programs as whole processes, and tells what they and the services that work for them take."""

import contextlib
import dataclasses
import glob
import os
import select
import signal
import statistics
import time

# The size of an ordinary access token, the same in every run; each begins with the name of its account.
REST = ("0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ-_" * 24)[:1500]


def name_of(number):
    return f"person{number:06d}@contoso.example"


def token_of(name, version=0):
    return f"{name.split('@')[0]}.{version}.{REST}"


class Failure(Exception):
    """A program did not do what it was asked for."""


class NotPossible(Exception):
    """A program cannot do this, and why."""


@dataclasses.dataclass
class Command:
    """What to run, what it reads, and what it must print so many times."""

    words: list
    content: str = ""
    wanted: str = ""
    times: int = 1
    # Not measured: what comes before each run, and what is looked at after the first.
    before: callable = None
    verify: callable = None


@dataclasses.dataclass
class Taken:
    """Seconds on the clock and of processors, and how each process ended and what it printed."""

    wall: float
    cpu: float
    statuses: list
    outputs: list


def processor_time(pids):
    """Seconds of processor time of running processes, all their threads together."""
    total = 0
    for pid in pids:
        for path in glob.glob(f"/proc/{pid}/task/*/schedstat"):
            with contextlib.suppress(FileNotFoundError, ProcessLookupError):  # A thread that has ended meanwhile.
                with open(path, encoding="ascii") as file:
                    total += int(file.read().split()[0])
    return total / 1e9


# What a pipe holds.
PIPE = 65_536


def spawn(words, environment, files, content):
    """Starts a program in a session of its own, with files as its output and messages, and a pipe as its input, as tools
    call it; what a pipe does not hold comes from a file."""
    flags = os.O_WRONLY | os.O_CREAT | os.O_TRUNC
    actions = [(os.POSIX_SPAWN_OPEN, 1, files[1], flags, 0o600), (os.POSIX_SPAWN_OPEN, 2, files[2], flags, 0o600)]
    if len(content) > PIPE:
        actions.append((os.POSIX_SPAWN_OPEN, 0, files[0], os.O_RDONLY, 0))
        return os.posix_spawnp(words[0], words, environment, file_actions=actions, setsid=True)
    reader, writer = os.pipe()
    os.write(writer, content)
    os.close(writer)
    actions.append((os.POSIX_SPAWN_DUP2, reader, 0))
    pid = os.posix_spawnp(words[0], words, environment, file_actions=actions, setsid=True)
    os.close(reader)
    return pid


def run(store, commands, limit):
    """Runs these commands of a store at once, until the last has ended."""
    prepared = []
    for index, command in enumerate(commands):
        files = [f"{store.folder}/{part}{index}" for part in ("input", "output", "messages")]
        content = command.content.encode()
        with open(files[0], "wb") as file:
            file.write(content)
        if command.before:
            command.before()
        prepared.append((command.words, store.environment, files, content))
    daemons = store.daemons()
    cpu = -processor_time(daemons)
    begin = time.perf_counter()
    pids = [spawn(*each) for each in prepared]
    statuses = []
    for pid in pids:
        status, used = wait(pid, begin + limit)
        statuses.append(status)
        cpu += used
    wall = time.perf_counter() - begin
    if daemons:
        time.sleep(0.003)
        store.settle()
        cpu += processor_time(daemons)
    outputs = []
    for _, _, files, _ in prepared:
        with open(files[1], "rb") as file:
            outputs.append(file.read())
    return Taken(wall, max(cpu, 0), statuses, outputs)


def wait(pid, end):
    """How a process ended, None where it was stopped at the end of its time, and the processor time of it and its children."""
    descriptor = os.pidfd_open(pid)
    poll = select.poll()
    poll.register(descriptor, select.POLLIN)
    in_time = poll.poll(max(0, end - time.perf_counter()) * 1000)
    if not in_time:
        os.killpg(pid, signal.SIGKILL)
    _, status, usage = os.wait4(pid, 0)
    os.close(descriptor)
    return os.waitstatus_to_exitcode(status) if in_time else None, usage.ru_utime + usage.ru_stime


def run_checked(store, command, limit):
    """The same for one command, which must do what it was asked for."""
    taken = run(store, [command], limit)
    if taken.statuses[0] is None:
        raise Failure(f"has not ended in {limit:.0f} s")
    if taken.statuses[0] != 0:
        with open(f"{store.folder}/messages0", encoding="utf-8", errors="replace") as file:
            lines = file.read().strip().splitlines() or ["no message"]
        raise Failure(f"ended with {taken.statuses[0]}: {lines[-1][:200].replace(store.folder, '…')}")
    if command.wanted and taken.outputs[0].count(command.wanted.encode()) < command.times:
        raise Failure("did not print what it was asked for")
    return taken


class Cell:
    """What was measured of one figure of one program with one number of accounts."""

    def __init__(self):
        self.own, self.floor, self.failures, self.remarks, self.reason = [], [], [], {}, None

    def add(self, own, floor):
        self.own.append((own.wall, own.cpu))
        self.floor.append((floor.wall, floor.cpu))

    def remark(self, what, count):
        """Counts something beside the times, such as processes that failed."""
        self.remarks[what] = self.remarks.get(what, 0) + count

    def document(self):
        document = {"rounds": len(self.own)}
        if self.own:
            ratios = [[a / b for a, b in zip(own, floor)] for own, floor in zip(self.own, self.floor) if min(floor) > 0]
            for index, part in enumerate(("wall", "cpu")):
                document[part + "Milliseconds"] = 1e3 * statistics.median(own[index] for own in self.own)
                if ratios:
                    document[part + "Ratio"] = statistics.median(ratio[index] for ratio in ratios)
        if self.failures:
            document["failures"] = self.failures
        if self.remarks:
            document["remarks"] = self.remarks
        if self.reason:
            document["notPossible"] = self.reason
        return document

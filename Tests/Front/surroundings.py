"""Asks in odd surroundings: as installed the front ends as the full program does, and alone it does so or hands on."""

import collections
import ctypes
import multiprocessing
import os
import pathlib
import random
import shutil
import time

import cases
import installations
import questions
from place import NOTED, Answer, Home, Trouble, cache, ended

# Those who wait for a lock wait five seconds.
PATIENCE = 30
LIBRARY = ctypes.CDLL(None, use_errno=True)
# Shared with those who work, which are forked.
chosen, places, programs = [], {}, None


def become(program, words, environment):
    """Executes a program with just these bytes, whatever they are."""
    def strings(values):
        return (ctypes.c_char_p * (len(values) + 1))(*values, None)

    LIBRARY.execve(os.fsencode(program), strings(words), strings(environment))
    os.write(2, f"cannot be started: {os.strerror(ctypes.get_errno())}\n".encode())
    os._exit(126)


class Place:
    """A home that is made anew for each time that something is asked."""

    def __init__(self, base, ready, number):
        self.ready, self.home = ready, Home(base / f"around-{number}", ready.full)
        self.base = base

    def ask(self, case, program):
        """Makes the home ready, asks, and says how it ended."""
        shutil.rmtree(self.home.folder, ignore_errors=True)
        self.home.environment = Home(self.home.folder, self.home.full).environment
        self.home.take(self.ready)
        os.chdir(self.home.folder)
        files = [os.memfd_create("file") for _ in range(2)]
        ending = case.before(self.home) if case.before else None
        environment = [f"{name}={value}".encode() for name, value in self.home.environment.items()] + [
            text if isinstance(text, bytes) else text.format(home=self.home.folder).encode() for text in case.environment]
        if not case.repeats:
            environment = list({text.partition(b"=")[0]: text for text in environment}.values())
        words = [word if isinstance(word, bytes) else word.format(home=self.home.folder).encode()
                 for word in [case.called, *case.words]]
        child = os.fork()
        if child == 0:
            try:
                os.setpgid(0, 0)
                os.dup2(os.open("/dev/null", os.O_RDWR), 0)
                os.dup2(files[0], 1)
                os.dup2(files[1], 2)
                other = case.within(self, program) if case.within else None
                program = other if isinstance(other, str) else program
                become(program, words, environment)
            except BaseException as error:  # noqa: BLE001
                os.write(files[1], f"skipped: {error}".encode())
            os._exit(77)
        status = ended(child, PATIENCE)
        output, errors = (os.pread(file, os.fstat(file).st_size, 0) for file in files)
        for file in files:
            os.close(file)
        if ending:
            output += ending() or b""
        return Answer(status, output, NOTED.sub(b"TIME", errors))

    def leaks(self):
        """The files that hold a token as it is."""
        return [str(path.relative_to(self.home.folder)) for path in self.home.folder.rglob("*")
                if path.is_file() and not path.is_symlink() and cases.TOKEN in path.read_bytes() and path.name != "output"]


def trouble(place, case):
    """What is wrong in one case; None where nothing is, or where it cannot be tried, which is said."""
    full = place.ask(case, programs.full)
    if full.errors.startswith(b"skipped: "):
        return None, full.errors.decode()
    pair = place.ask(case, programs.installed)
    leaks = place.leaks()
    alone = place.ask(case, programs.alone)
    leaks += place.leaks()
    handed_on = alone.status == 69 and alone.output == case.stands and (
        alone.errors.startswith(b"keyfob: the rest of keyfob") or case.is_silent and not alone.errors)
    found = []
    if leaks:
        found.append(f"the token stands in {', '.join(leaks)}")
    if pair != full and pair not in case.allowed:
        found.append(f"as installed {shown(pair)}; the full program {shown(full)}")
    if not handed_on and alone != full and alone not in case.allowed:
        found.append(f"alone {shown(alone)}; the full program {shown(full)}")
    return "; ".join(found) or None, "handed on" if handed_on else "answered"


def shown(answer):
    return f"{answer.status} {answer.output[:60]!r} {answer.errors[:160]!r}"


def work(index):
    number = multiprocessing.current_process()._identity[0]
    if number not in places:
        places[number] = Place(places["base"], places["ready"], number)
    case = chosen[index]
    try:
        return index, *trouble(places[number], case)
    except Trouble as error:
        return index, str(error), ""


def run(options, base, given):
    global programs
    programs = given
    ready = Home(base / "ready", programs.full)
    ready.folder.mkdir()
    ready.make()
    ready.run("add", "-q", "-a", "ada", "--host", "git.example", given=cases.TOKEN.decode())
    ready.run("add", "-q", "-a", "long", "--host", "git.example", given="l" * 200_000)
    ready.run("import", "-q", "-", given=cache(["first", "second"]))
    chosen[:] = [*cases.every(base, programs), *questions.every()]
    if options.sample:
        chosen[:] = [case for case in chosen if not case.is_slow]
        chosen[:] = random.Random(options.seed).sample(chosen, min(40, len(chosen)))
    places.update(base=base, ready=ready)
    start, counts, wrong = time.monotonic(), collections.Counter(), []
    with multiprocessing.get_context("fork").Pool(options.jobs) as pool:
        for index, what, how in pool.imap_unordered(work, range(len(chosen))):
            skipped = how.startswith("skipped: ")
            counts["failed" if what else "skipped" if skipped else how] += 1
            if what or skipped:
                wrong.append(f"{chosen[index].name}: {what or how}")
    for name, what in installations.every(base, ready, programs):
        counts["failed" if what else "answered"] += 1
        if what:
            wrong.append(f"installation, {name}: {what}")
    failed = counts["failed"]
    print(f"surroundings: {counts.total()} cases in {time.monotonic() - start:.0f} s: {counts['answered']} answered as by "
          f"the full program, {counts['handed on']} handed on, {counts['skipped']} not possible here, {failed} failed")
    for line in sorted(wrong):
        print(f"    {line}")
    return failed

#!/usr/bin/env python3
"""What it costs that a refresh by libkeyfob runs in a process of its own, which survives its caller.

usage: refresh.py KEYFOB LIBRARY [--rounds N]

LIBRARY (libKeyfobC.so) is used twice: beside KEYFOB, so that it starts it for the refresh, and in a folder without it, where it
refreshes by itself. A program in C asks for one new token, and for twenty, in turn with the one and the other. Told is the median of
the differences of such pairs, in milliseconds of processor time of all processes, with its 95 % interval (bootstrap)."""

import argparse
import os
import pathlib
import random
import shutil
import statistics
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))

from whole import refresh  # pylint: disable=wrong-import-position

HEADER = HERE.parent / "Sources/KeyfobC/include"
# Runs a program, takes the processes that it leaves as its own, and tells what all of them took.
WATCH = """
import ctypes, os, resource, sys
ctypes.CDLL(None).prctl(36, 1, 0, 0, 0)  # PR_SET_CHILD_SUBREAPER
pid, failed = os.posix_spawn(sys.argv[1], sys.argv[1:], os.environ), 0
while True:
    try:
        ended, status = os.wait()
    except ChildProcessError:
        break
    failed = failed or ended == pid and status
used = resource.getrusage(resource.RUSAGE_CHILDREN)
print(1000 * (used.ru_utime + used.ru_stime))
sys.exit(failed != 0)
"""


def prepared(folder, keyfob, library):
    """The program in C, and the two folders with the library."""
    places = {"beside": folder / "beside", "alone": folder / "alone"}
    for place in places.values():
        place.mkdir()
        shutil.copy(library, place / "libkeyfob.so.1")
    shutil.copy(keyfob, places["beside"] / "keyfob")
    program = folder / "library_refresh"
    subprocess.run(["cc", "-O2", f"-I{HEADER}", HERE / "peers/library_refresh.c", places["alone"] / "libkeyfob.so.1", "-o", program],
                   check=True)
    return program, places


def taken(store, program, place, calls):
    words = ["env", f"LD_LIBRARY_PATH={place}", sys.executable, "-S", "-c", WATCH, program, refresh.NAME, str(calls)]
    return float(store.call(*words))


def main():
    arguments = argparse.ArgumentParser(usage=__doc__.split("usage: ")[1].split("\n")[0])
    arguments.add_argument("keyfob", type=pathlib.Path)
    arguments.add_argument("library", type=pathlib.Path)
    arguments.add_argument("--rounds", type=int, default=40)
    options = arguments.parse_args()
    os.umask(0o077)
    chance = random.Random(7)
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        program, places = prepared(folder, options.keyfob, options.library)
        store = refresh.KeyfobSignedIn("keyfob", f"{folder}/store", 1, str(options.keyfob))
        store.fill(600)
        try:
            for calls, rounds in ((1, options.rounds), (20, max(3, options.rounds // 3))):
                differences = []
                for _ in range(rounds):
                    both = {name: None for name in chance.sample(sorted(places), 2)}
                    for name in both:
                        both[name] = taken(store, program, places[name], calls)
                    differences.append((both["beside"] - both["alone"]) / calls)
                medians = sorted(statistics.median(chance.choices(differences, k=rounds)) for _ in range(2000))
                print(f"{calls} in one process: {statistics.median(differences):.1f} ms more for each, "
                      f"95 % {medians[50]:.1f} to {medians[1949]:.1f} ({rounds} pairs)")
        finally:
            store.stop()


if __name__ == "__main__":
    main()

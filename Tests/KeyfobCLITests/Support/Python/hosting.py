"""Refreshes within programs of many kinds, which hear nothing of the process that does it.

usage: hosting.py CASE…   each in a program of its own; KEYFOB_LIBRARY lies beside a `keyfob` that adds a line to `started`."""

import asyncio
import ctypes
import os
import pathlib
import platform
import signal
import struct
import subprocess
import sys
import threading
import traceback

import keyfob

children = []


def starts():
    return pathlib.Path("started").read_text(encoding="ascii").count("\n")


def ask():
    found = keyfob.token(force_refresh=True)
    assert found
    return found


def count(*_):
    children.append(1)


def hear():
    signal.signal(signal.SIGCHLD, count)


def ignore():
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)


def block():
    hear()
    signal.pthread_sigmask(signal.SIG_SETMASK, signal.valid_signals())


def close():
    for descriptor in range(3):
        os.close(descriptor)


def hide():
    os.umask(0o777)


def inherit():
    assert ctypes.CDLL(None).prctl(36, 1, 0, 0, 0) == 0  # PR_SET_CHILD_SUBREAPER


def forbid():
    """Filters calls, so that no other program can be started."""
    calls = {"x86_64": (59, 322), "aarch64": (221, 281)}[platform.machine()]
    lines = [(0x20, 0, 0, 0), (0x15, 1, 0, calls[0]), (0x15, 0, 1, calls[1]), (0x06, 0, 0, 0x50001), (0x06, 0, 0, 0x7FFF0000)]
    code = b"".join(struct.pack("HBBI", *line) for line in lines)
    place = ctypes.create_string_buffer(code)
    program = struct.pack("HxxxxxxP", len(lines), ctypes.addressof(place))
    library = ctypes.CDLL(None, use_errno=True)
    assert library.prctl(38, 1, 0, 0, 0) == 0 and library.prctl(22, 2, program, 0, 0) == 0


def wait():
    asyncio.run(keyfob.token_async(force_refresh=True))


def share():
    """Many threads ask at once: it is one refresh, by one process."""
    found, before = [], starts()
    threads = [threading.Thread(target=lambda: found.append(keyfob.token(force_refresh=True))) for _ in range(16)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(found) == 16 and len(set(found)) == 1 and starts() == before + 1, (set(found), starts() - before)


def fork():
    """Another thread forks meanwhile."""
    def other():
        process = os.fork()
        if process == 0:
            os._exit(0 if ask() else 1)
        assert os.waitpid(process, 0)[1] == 0
        forked.append(process)

    forked = []
    threads = [threading.Thread(target=ask), threading.Thread(target=other), threading.Thread(target=other)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(forked) == 2


#: What a program does before, how it asks, and how many processes that takes.
CASES = {
    "plain": (hear, ask, 1), "ignoring": (ignore, ask, 1), "blocking": (block, ask, 1), "closed": (close, ask, 1),
    "hiding": (hide, ask, 1), "inheriting": (inherit, ask, 1), "forbidding": (forbid, ask, 0),
    "waiting": (hear, wait, 1), "sharing": (hear, share, 1), "forking": (lambda: None, fork, None),
}


def run(name):
    prepare, work, expected = CASES[name]
    keyfob.accounts()
    ask()
    prepare()
    if expected == 0:
        # What refreshes by itself has the vault open to write from then on.
        ask()
    before, mask = len(os.listdir("/proc/self/fd")), signal.pthread_sigmask(signal.SIG_BLOCK, [])
    first = starts()
    work()
    assert expected is None or starts() - first == expected, starts() - first
    assert not children, children
    assert len(os.listdir("/proc/self/fd")) <= before, (before, os.listdir("/proc/self/fd"))
    assert signal.pthread_sigmask(signal.SIG_BLOCK, []) == mask
    try:
        raise AssertionError(f"there is a child: {os.waitpid(-1, os.WNOHANG)}")
    except ChildProcessError:
        pass


if sys.argv[1:2] == ["--alone"]:
    report = os.fdopen(os.dup(2), "w")
    try:
        run(sys.argv[2])
    except BaseException:
        traceback.print_exc(file=report)
        report.flush()
        os._exit(1)
else:
    for case in sys.argv[1:] or CASES:
        if subprocess.run([sys.executable, __file__, "--alone", case], timeout=120).returncode != 0:
            sys.exit(f"{case} failed")

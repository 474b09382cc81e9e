"""Refreshes within programs of many kinds, which hear nothing of the process that does it. It is there for the next one too.

usage: hosting.py CASE…   each in a program of its own; KEYFOB_LIBRARY lies beside a `keyfob` that adds a line to `started`."""

import asyncio
import contextlib
import ctypes
import os
import pathlib
import platform
import signal
import socket
import struct
import subprocess
import sys
import threading
import time
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


def calm():
    pass


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
    found = []
    threads = [threading.Thread(target=lambda: found.append(keyfob.token(force_refresh=True))) for _ in range(16)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(found) == 16 and len(set(found)) == 1, len(set(found))


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


def process():
    """The process that refreshes, which is nobody's child; None where there is none."""
    found = subprocess.run(["pgrep", "-f", f"^{os.getcwd()}/lib/keyfob ---refresh"], stdout=subprocess.PIPE, check=False).stdout
    return int(found) if found else None


def end():
    while process():
        time.sleep(0.01)


def memory(number):
    """What a process has in memory that is no file's; nothing where one may not look."""
    found = []
    with contextlib.suppress(OSError), open(f"/proc/{number}/mem", "rb", 0) as file:
        for line in pathlib.Path(f"/proc/{number}/maps").read_text(encoding="ascii").splitlines():
            place, kind, _, _, inode, *_ = line.split()
            if kind.startswith("rw") and inode == "0":
                start, stop = (int(each, 16) for each in place.split("-"))
                file.seek(start)
                with contextlib.suppress(OSError):
                    found.append(file.read(stop - start))
    return b"".join(found)


def rest():
    """Between two questions the process has neither the vault nor a token; it ends with the keyring."""
    token = ask().encode()
    number = process()
    with contextlib.suppress(PermissionError):
        while len(os.listdir(f"/proc/{number}/fd")) > 3:
            time.sleep(0.01)
    assert token not in memory(number)
    copy = os.fork()
    if copy == 0:
        signal.pause()
    keyfob._keyring.usual.close()
    end()
    os.kill(copy, signal.SIGKILL)
    os.waitpid(copy, 0)


def kill():
    """A process that is gone is not missed."""
    ask()
    os.kill(process(), signal.SIGKILL)
    end()


def lines():
    return {int(name) for name in os.listdir("/proc/self/fd") if name.isdigit() and os.path.lexists(f"/proc/self/fd/{name}")
            and os.readlink(f"/proc/self/fd/{name}").startswith("socket:")}


def steal():
    """Where the line's descriptor is a file of others' by now, they get neither a question nor an end."""
    before = lines()
    ask()
    line, = lines() - before
    mine, other = socket.socketpair()
    os.dup2(other.fileno(), line)
    other.close()
    end()
    ask()
    keyfob._keyring.usual.close()
    mine.setblocking(False)
    try:
        raise AssertionError(f"somebody else got {len(mine.recv(9))} bytes")
    except BlockingIOError:
        os.close(line)


def move():
    """What the process takes from the program's surroundings is to be as it is now."""
    ask()
    os.chdir("lib")
    ask()
    os.chdir("..")
    assert pathlib.Path("lib/started").read_text(encoding="ascii") == "\n"
    os.unlink("lib/started")


#: What a program does before, how it asks, and how many processes that takes: from the start, and where there is one.
CASES = {
    "plain": (hear, ask, 1, 0), "ignoring": (ignore, ask, 1, 0), "blocking": (block, ask, 1, 0), "closed": (close, ask, 1, 0),
    "hiding": (hide, ask, 1, 0), "inheriting": (inherit, ask, 1, 1), "forbidding": (forbid, ask, 0, 0),
    "waiting": (hear, wait, 1, 0), "sharing": (hear, share, 1, 0), "forking": (calm, fork, None, None),
    "resting": (calm, rest, 1, 1), "killing": (calm, kill, 1, 1), "stealing": (calm, steal, 2, 2), "moving": (calm, move, 1, 1),
}


def run(name):
    prepare, work, *expected = CASES[name]
    keyfob.accounts()
    ask()
    before = len(os.listdir("/proc/self/fd"))
    keyfob._keyring.usual.close()
    prepare()
    mask = signal.pthread_sigmask(signal.SIG_BLOCK, [])
    for count in expected:
        first = starts()
        work()
        assert count is None or starts() - first == count, starts() - first
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

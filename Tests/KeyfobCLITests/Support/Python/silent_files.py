"""Programs with a file system of their own that does not answer (FUSE) ask an agent, while others use it.

usage: silent_files.py living|becoming PROCESSES CONNECTIONS SECONDS
       silent_files.py possible

living: their root is there; becoming: they become another program, which has to wait until a file there is closed.
It prints `here` once they have asked. `possible` fails where this user can mount no such file system."""

import ctypes
import json
import os
import resource
import signal
import socket
import struct
import sys
import tempfile
import threading
import time

SOCKET = os.environ.get("XDG_RUNTIME_DIR", "") + "/keyfob/agent"
NEW_USER, NEW_MOUNTS = 0x10000000, 0x20000
LIBC = ctypes.CDLL(None, use_errno=True)


def checked(result):
    if result != 0:
        raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))


def alone():
    """Takes this process to users and mounts of its own, in which it may mount what it likes."""
    user, group = os.getuid(), os.getgid()
    checked(LIBC.unshare(NEW_USER | NEW_MOUNTS))
    for name, text in ("setgroups", "deny"), ("uid_map", f"0 {user} 1"), ("gid_map", f"0 {group} 1"):
        with open(f"/proc/self/{name}", "w") as file:
            file.write(text)


def mount(folder, has_file=False):
    """Mounts a file system whose root is a folder, and that answers nothing else, unless a file is there: it never closes."""
    line = os.open("/dev/fuse", os.O_RDWR)
    options = f"fd={line},rootmode=40000,user_id=0,group_id=0"
    checked(LIBC.mount(b"silent", folder.encode(), b"fuse", 0, options.encode()))
    threading.Thread(target=answer, args=(line, has_file), daemon=True).start()
    return line


def status(number, mode):
    return struct.pack("<QQQQQQIIIIIIIIII", number, 0, 0, 0, 0, 0, 0, 0, 0, mode, 1, 0, 0, 0, 4_096, 0)


def answer(line, has_file):
    """Answers the kernel's questions, as include/uapi/linux/fuse.h has them."""
    lookup, attributes, opening, initialise, access = 1, 3, 14, 26, 34
    answers = {
        initialise: struct.pack("<IIIIHHIIHHII", 7, 31, 0, 0, 0, 0, 65_536, 1, 0, 0, 0, 0) + bytes(24),
        attributes: struct.pack("<QII", 0, 0, 0) + status(1, 0o40755),
    }
    if has_file:
        answers |= {lookup: struct.pack("<QQQQII", 2, 0, 60, 60, 0, 0) + status(2, 0o100644), opening: bytes(16)}
    while True:
        question = os.read(line, 1 << 17)
        _, kind, number, _ = struct.unpack("<IIQQ", question[:24])
        if kind in answers:
            os.write(line, struct.pack("<IiQ", 16 + len(answers[kind]), 0, number) + answers[kind])
        elif kind == access:
            # It is not looked at (ENOSYS): the root can be entered.
            os.write(line, struct.pack("<IiQ", 16, -38, number))


def connected(count):
    lines = []
    for _ in range(count):
        line = socket.socket(socket.AF_UNIX)
        line.connect(SOCKET)
        lines.append(line)
    return lines


def call(lines):
    question = json.dumps({"method": "io.keyfob.Agent.Accounts", "parameters": {}}).encode() + b"\0"
    for line in lines:
        try:
            line.sendall(question)
        except OSError:
            pass


def ask(folder, count, end):
    """Asks on some connections once its root is the silent folder, says so at an end of a pipe, and waits."""
    lines = connected(count)
    os.makedirs(folder, exist_ok=True)
    alone()
    # It ends with the process that made it.
    checked(LIBC.prctl(1, signal.SIGKILL))
    mount(folder)
    checked(LIBC.chroot(folder.encode()))
    call(lines)
    os.write(end, b".")
    signal.pause()


def become(folder, count, end):
    """Asks on some connections from children that are held up while they become another program."""
    os.makedirs(folder, exist_ok=True)
    alone()
    checked(LIBC.prctl(1, signal.SIGKILL))
    line = mount(folder, has_file=True)
    if os.fork() == 0:
        # The file system is gone with the process that made it.
        os.close(line)
        lines = connected(count)
        # It is closed in the middle of the exec.
        os.open(f"{folder}/file", os.O_RDONLY)
        call(lines)
        for line in lines:
            line.set_inheritable(True)
        os.write(end, b".")
        os.execv("/bin/true", ["true"])
    signal.pause()


def main(kind, processes, connections, seconds):
    ends = []
    for number in range(processes):
        own, other = os.pipe()
        process = os.fork()
        if process == 0:
            work = ask if kind == "living" else become
            work(f"{tempfile.gettempdir()}/silent{number}", max(1, connections // processes), other)
        os.close(other)
        ends.append(own)
    for end in ends:
        assert os.read(end, 1) == b"."
    print("here", flush=True)
    time.sleep(seconds)


if __name__ == "__main__":
    if sys.argv[1] == "possible":
        alone()
        mount(tempfile.gettempdir())
        sys.exit()
    resource.setrlimit(resource.RLIMIT_NOFILE, (resource.getrlimit(resource.RLIMIT_NOFILE)[1],) * 2)
    main(sys.argv[1], int(sys.argv[2]), int(sys.argv[3]), float(sys.argv[4]))

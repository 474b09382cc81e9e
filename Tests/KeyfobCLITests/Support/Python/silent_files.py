"""Programs that live on a file system that never answers (FUSE) ask an agent, while others use it.

usage: silent_files.py PROCESSES CONNECTIONS SECONDS
       silent_files.py possible

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


def mount(folder):
    """Mounts a file system whose root is a folder, and that answers nothing else."""
    line = os.open("/dev/fuse", os.O_RDWR)
    options = f"fd={line},rootmode=40000,user_id=0,group_id=0"
    checked(LIBC.mount(b"silent", folder.encode(), b"fuse", 0, options.encode()))
    threading.Thread(target=answer, args=(line,), daemon=True).start()


def answer(line):
    attributes, initialise, access = 3, 26, 34
    while True:
        question = os.read(line, 1 << 17)
        _, kind, number, _ = struct.unpack("<IIQQ", question[:24])
        if kind == initialise:
            body = struct.pack("<IIIIHHIIHHII", 7, 31, 0, 0, 0, 0, 65_536, 1, 0, 0, 0, 0) + bytes(24)
        elif kind == attributes:
            status = struct.pack("<QQQQQQIIIIIIIIII", 1, 0, 0, 0, 0, 0, 0, 0, 0, 0o40755, 2, 0, 0, 0, 4_096, 0)
            body = struct.pack("<QII", 0, 0, 0) + status
        elif kind == access:
            # It is not looked at (ENOSYS): the root can be entered.
            os.write(line, struct.pack("<IiQ", 16, -38, number))
            continue
        else:
            continue
        os.write(line, struct.pack("<IiQ", 16 + len(body), 0, number) + body)


def ask(folder, count):
    """Asks on some connections once its root is the silent folder."""
    lines = []
    for _ in range(count):
        line = socket.socket(socket.AF_UNIX)
        line.connect(SOCKET)
        lines.append(line)
    os.makedirs(folder, exist_ok=True)
    alone()
    # It ends with the process that made it.
    checked(LIBC.prctl(1, signal.SIGKILL))
    mount(folder)
    checked(LIBC.chroot(folder.encode()))
    call = json.dumps({"method": "io.keyfob.Agent.Accounts", "parameters": {}}).encode() + b"\0"
    for line in lines:
        try:
            line.sendall(call)
        except OSError:
            pass
    return lines


def main(processes, connections, seconds):
    ends = []
    for number in range(processes):
        own, other = os.pipe()
        process = os.fork()
        if process == 0:
            lines = ask(f"{tempfile.gettempdir()}/silent{number}", max(1, connections // processes))
            os.write(other, b".")
            time.sleep(seconds)
            os._exit(0)
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
    main(int(sys.argv[1]), int(sys.argv[2]), float(sys.argv[3]))

"""Runs a command among processes, sockets and files with secrets, for ways_to_a_token.py.

usage: surrounded.py COMMAND…   prints what COMMAND prints, JSON, with whether a process of COMMAND's has outlived it
       surrounded.py --victim   a process with secrets

HOME has `work`, the current folder. Standard input of COMMAND is HOME, standard error one of a pair of sockets, and the file `key` is open as descriptor 9."""

import ctypes
import json
import os
import pathlib
import platform
import pty
import signal
import socket
import subprocess
import sys
import threading
import time

MARK = b"MARK" + b"ED"
home = pathlib.Path(os.environ["HOME"])
work = home / "work"
notes = home / "surroundings.json"
libc = ctypes.CDLL(None, use_errno=True)
is_intel = platform.machine() == "x86_64"
numbers = {
    "ptrace": (101, 117), "process_vm_readv": (310, 270), "add_key": (248, 217), "keyctl": (250, 219), "mount": (165, 40),
    "pidfd_open": (434, 434), "pidfd_getfd": (438, 438), "io_uring_setup": (425, 425), "unshare": (272, 97), "setns": (308, 268),
    "open_tree": (428, 428), "bpf": (321, 280), "perf_event_open": (298, 241), "userfaultfd": (323, 282),
}


def call(name, *words):
    """A system call; an error is an OSError."""
    words = [ctypes.c_long(word) if isinstance(word, int) else word for word in words]
    result = libc.syscall(ctypes.c_long(numbers[name][0 if is_intel else 1]), *words)
    if result < 0:
        raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))
    return result


def appears(name):
    """Whether a file of `work` is there within two seconds, or soon; it goes."""
    for _ in range(100):
        if (work / name).exists():
            (work / name).unlink()
            return True
        time.sleep(0.02)
    return False


def serve(path, kind=socket.SOCK_STREAM):
    """Gives out the secret at a unix socket, or writes it to where a datagram says."""
    server = socket.socket(socket.AF_UNIX, kind)
    server.bind(path)

    def run():
        while True:
            if kind == socket.SOCK_DGRAM:
                pathlib.Path(server.recv(4096).decode()).write_bytes(MARK)
            else:
                connection, _ = server.accept()
                connection.sendall(MARK)
                connection.close()

    if kind == socket.SOCK_STREAM:
        server.listen()
    threading.Thread(target=run, daemon=True).start()


def obey(path):
    """Does what a pipe's lines say: writes the secret to a file."""
    os.mkfifo(path)

    def run():
        while True:
            with open(path) as pipe:
                for line in pipe:
                    pathlib.Path(line.strip()).write_bytes(MARK)

    threading.Thread(target=run, daemon=True).start()


def victim():
    name = f"keyfob-ways-{os.getpid()}"
    temporary = pathlib.Path("/tmp") / name
    temporary.mkdir(0o700)
    (temporary / "token").write_bytes(MARK)
    shared = pathlib.Path("/dev/shm") / name
    shared.write_bytes(MARK)
    runtime = os.environ["XDG_RUNTIME_DIR"]
    (pathlib.Path(runtime) / "token").write_bytes(MARK)
    for path in (str(home / "socket"), runtime + "/socket", str(temporary / "socket"), "\0" + name):
        serve(path)
    serve(str(home / "datagrams"), socket.SOCK_DGRAM)
    obey(temporary / "pipe")
    held = os.open(temporary / "held", os.O_RDWR | os.O_CREAT, 0o600)
    os.write(held, MARK)
    (temporary / "held").unlink()
    memory = ctypes.create_string_buffer(MARK)
    signal.signal(signal.SIGUSR1, lambda *_: (work / "signalled").write_bytes(MARK))
    master, slave = pty.openpty()
    os.write(master, MARK + b"\n")
    libc.prctl(0x59616D61, ctypes.c_ulong(2**64 - 1), 0, 0, 0)
    libc.shmat.restype = ctypes.c_void_p
    segment = libc.shmget(0, 4096, 0o1600)
    ctypes.memmove(libc.shmat(segment, None, 0), MARK, len(MARK))
    queue = libc.mq_open(f"/{name}".encode(), os.O_CREAT | os.O_RDWR, 0o600, None)
    for _ in range(2):
        libc.mq_send(queue, MARK, len(MARK), 0)
    key = call("add_key", b"user", name.encode(), MARK, len(MARK), -4)
    call("keyctl", 5, key, 0x3F3F0000)
    print(json.dumps({
        "process": os.getpid(), "name": name, "temporary": str(temporary), "shared": str(shared), "held": held,
        "memory": ctypes.addressof(memory), "terminal": os.ttyname(slave), "segment": segment, "key": key, "cwd": os.getcwd(),
        "bus": os.environ.get("DBUS_SESSION_BUS_ADDRESS"), "agent": os.environ.get("AGENT"),
    }), flush=True)
    sys.stdin.read()
    libc.shmctl(segment, 0, None)
    libc.mq_unlink(f"/{name}".encode())
    call("keyctl", 9, key, -4)
    shared.unlink()
    subprocess.run(["rm", "-rf", temporary, home / "socket", home / "datagrams", runtime + "/socket"])
    os._exit(0)


def surround(command):
    with subprocess.Popen(
        [sys.executable, __file__, "--victim"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, start_new_session=True,
        env={**os.environ, "MARK": MARK.decode()},
    ) as process:
        notes.write_bytes(process.stdout.readline())
        # An open folder as standard input, and an open file that the program is not told of.
        os.dup2(os.open(home / "key", os.O_RDONLY), 9)
        errors, _other_end = socket.socketpair(socket.AF_UNIX, socket.SOCK_DGRAM)
        done = subprocess.run(
            command, stdout=subprocess.PIPE, stdin=os.open(home, os.O_RDONLY), stderr=errors, pass_fds=(9,),
            env={**os.environ, "GH_TOKEN": MARK.decode()})
        (work / "over").write_text("")
        found = json.loads(done.stdout or b"{}")
        found["a process that stays"] = appears("late")
        (work / "over").unlink()
        process.stdin.close()
        process.wait()
    print(json.dumps(found))
    sys.exit(done.returncode)


if __name__ == "__main__":
    victim() if sys.argv[1:] == ["--victim"] else surround(sys.argv[1:])

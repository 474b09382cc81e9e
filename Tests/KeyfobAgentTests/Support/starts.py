"""Records what the kernel starts for files, in the form of /proc; none of the programs runs.

    starts.py FOLDER        reads words, each ended by a zero byte, and writes FOLDER/1, FOLDER/2, ...

Each word is started as a shell starts it: by the PATH of this process where it holds no slash, from the folder that this process is
in, and by /bin/sh where the kernel knows no way. The process is stopped by ptrace(2) before its first instruction. Only what
becomes another program goes on until then: env, and what is called keyfob. A word with which nothing starts has FOLDER/N/error,
and no exe."""

import ctypes
import errno
import os
import shutil
import signal
import sys
import time

LIBC = ctypes.CDLL(None, use_errno=True)
TRACEME, CONT, SETOPTIONS = 0, 7, 0x4200
EXITKILL, TRACEEXEC = 0x100000, 0x10
EXEC_STOP = signal.SIGTRAP | (4 << 8)
GOING_ON = {"env", "keyfob"}
PATIENCE = 20


def ptrace(request, process, data=0):
    if LIBC.ptrace(ctypes.c_long(request), ctypes.c_long(process), ctypes.c_void_p(0), ctypes.c_void_p(data)) == -1:
        raise OSError(ctypes.get_errno(), "ptrace")


def start(word):
    """Becomes the program; returns an error number where nothing starts."""
    path = word if "/" in word else shutil.which(word)
    if path is None:
        return errno.ENOENT
    try:
        os.execve(path, [word], os.environ)
    except OSError as error:
        if error.errno != errno.ENOEXEC:
            return error.errno
    try:
        os.execve("/bin/sh", ["/bin/sh", path], os.environ)
    except OSError as error:
        return error.errno


def record(process, folder):
    for name in ("exe", "cwd"):
        path = f"{folder}/{name}"
        if os.path.lexists(path):
            os.unlink(path)
        os.symlink(os.readlink(f"/proc/{process}/{name}"), path)
    with open(f"/proc/{process}/cmdline", "rb") as source, open(f"{folder}/cmdline", "wb") as target:
        target.write(source.read())
    return os.path.basename(os.readlink(f"{folder}/exe"))


def wait(process, end):
    while time.monotonic() < end:
        number, status = os.waitpid(process, os.WNOHANG)
        if number:
            return status
        time.sleep(0.001)
    os.kill(process, signal.SIGKILL)
    os.waitpid(process, 0)
    return None


def look(word, folder):
    os.makedirs(folder)
    os.symlink("/", f"{folder}/root")
    reading, writing = os.pipe()
    process = os.fork()
    if process == 0:
        os.dup2(os.open(os.devnull, os.O_RDWR), 0)
        os.dup2(0, 1)
        os.dup2(0, 2)
        ptrace(TRACEME, 0)
        # Until the options are set.
        os.kill(os.getpid(), signal.SIGSTOP)
        os.write(writing, str(start(word)).encode())
        os._exit(0)
    os.close(writing)
    end = time.monotonic() + PATIENCE
    wait(process, end)
    ptrace(SETOPTIONS, process, EXITKILL | TRACEEXEC)
    ptrace(CONT, process)
    seen = None
    while (status := wait(process, end)) is not None and os.WIFSTOPPED(status):
        if status >> 8 == EXEC_STOP:
            seen = record(process, folder)
            if seen not in GOING_ON:
                os.kill(process, signal.SIGKILL)
                os.waitpid(process, 0)
                break
        ptrace(CONT, process)
    if seen in (None, "env"):
        if seen:
            os.unlink(f"{folder}/exe")
        with open(f"{folder}/error", "wb") as file:
            file.write(os.read(reading, 100))
    os.close(reading)


def main():
    words = sys.stdin.buffer.read().split(b"\0")[:-1]
    for number, word in enumerate(words, 1):
        look(os.fsdecode(word), f"{sys.argv[1]}/{number}")


main()

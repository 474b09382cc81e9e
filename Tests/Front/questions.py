"""What git and docker ask, in pipes: whole, cut at every byte, in parts, held open, and more than a pipe holds."""

import ctypes
import fcntl
import os
import signal
import time

from cases import TOKEN, Case

LIBRARY = ctypes.CDLL(None, use_errno=True)
PR_SET_PDEATHSIG, F_SETPIPE_SZ = 1, 1031
GIT = b"protocol=https\nhost=git.example\nusername=ada\n"
# What an answer to the first part of these would be: the token, for a question that goes on to another host.
TURNED = GIT + b"".join(b"note%d=x\n" % number for number in range(20)) + b"host=evil.example\n"
# For as long as this, in seconds, whoever asks has not ended.
HELD = 2.5


def asked(*parts, size=None, flags=0):
    """Standard input from a pipe: bytes that are written, and seconds that pass in between."""
    def within(*_):
        reader, writer = os.pipe2(os.O_CLOEXEC | flags)
        if size:
            fcntl.fcntl(writer, F_SETPIPE_SZ, size)
        if all(isinstance(part, bytes) for part in parts):
            write(writer, parts)
        else:
            if os.fork() == 0:
                # It ends with whom it asks.
                LIBRARY.prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
                os.close(reader)
                write(writer, parts)
                os._exit(0)
            os.close(writer)
        os.dup2(reader, 0)
    return within


def write(writer, parts):
    for part in parts:
        if isinstance(part, bytes):
            os.write(writer, part)
        else:
            time.sleep(part)
    os.close(writer)


def git(name, *parts, **pipe):
    return Case(f"git asks: {name}", within=asked(*parts, **pipe), words=["helper", "git", "get"])


def told(operation, name, *parts, **pipe):
    return Case(f"git tells, {operation}: {name}", within=asked(*parts, **pipe), words=["helper", "git", operation])


def docker(name, *parts, **pipe):
    return Case(f"docker asks: {name}", within=asked(*parts, **pipe), words=["helper", "docker", "get", "--account", "ada"])


def every():
    for count in range(len(GIT) + 1):
        yield git(f"{count} bytes", GIT[:count])
    for name, text in [
            ("with an empty line", GIT + b"\n"), ("more behind an empty line", GIT + b"\nhost=evil.example\n"),
            ("an empty line in the middle", GIT.replace(b"user", b"\nuser")), ("an empty line alone", b"\n"),
            ("line ends of another system", GIT.replace(b"\n", b"\r\n")), ("a NUL", GIT + b"\0"), ("no text", GIT + b"\xff=\xff\n"),
            ("no user", GIT[:GIT.index(b"user")]), ("two hosts", GIT + b"host=evil.example\n"),
            ("another one's name", GIT + b"username=nobody"), ("challenges", GIT + b"wwwauth[]=Negotiate\nwwwauth[]=basic realm=x"),
            ("challenges of no use", GIT + b"wwwauth[]=Negotiate"), ("what it can", b"capability[]=authtype\ncapability[]=state\n" + GIT),
            ("a line that is too long", GIT + b"path=" + b"x" * 65_000), ("60 KB", GIT + b"x=" + b"y" * 60_000 + b"\n")]:
        yield git(name, text)
    for name, text in [("with an empty line", GIT + b"\n"), ("without", GIT)]:
        for middle in [1, len(GIT) // 2, len(GIT) - 1, len(GIT)]:
            yield git(f"in parts, {middle}, {name}", 0.1, text[:middle], 0.3, text[middle:])
        yield git(f"held open, {name}", text, HELD)
        yield git(f"held open and cut, {name}", text[:-2], HELD, text[-2:])
    yield git("nothing, held open", HELD)
    for name, text in [
            ("of nobody", GIT.replace(b"git.", b"other.")), ("of nobody, without a user", b"protocol=https\nhost=other.example\n"),
            ("without a scheme", b"host=git.example\n"), ("not on this machine", b"protocol=http\nhost=git.example\n"),
            ("of another provider", b"protocol=https\nhost=graph.microsoft.com\n"),
            ("with a port", b"protocol=https\nhost=git.example:8443\n")]:
        yield git(f"a host {name}", text)
    for operation in ["store", "erase", "capability", "later"]:
        for name, text in [
                ("what Keyfob gave", GIT + b"password=" + TOKEN + b"\n"), ("another password", GIT + b"password=x\n"),
                ("with an empty line", GIT + b"password=x\n\n"), ("no password", GIT), ("nothing", b""), ("no text", b"\xff\n"),
                ("a host of nobody", b"protocol=https\nhost=other.example\npassword=x\n"),
                ("whose it was", b"protocol=https\nhost=git.example\npassword=x\nstate[]=keyfob:ada.git.example\n"),
                ("whose it was, who is nobody", b"protocol=https\nhost=git.example\npassword=x\nstate[]=keyfob:eve.git.example\n"),
                ("another one's name", GIT + b"username=nobody\npassword=x\n"), ("a token with a line end", GIT + b"password=x\r\n")]:
            yield told(operation, name, text)
        yield told(operation, "in parts", 0.1, GIT[:9], 0.3, GIT[9:] + b"password=x\n")
        yield told(operation, "held open", GIT + b"password=x\n", HELD)
        yield told(operation, "100,000 bytes", GIT + b"x=y\n" * 25_000 + b"password=x\n", size=1 << 20)
    for flags, kind in [(0, "bytes"), (os.O_DIRECT, "pieces")]:
        # A copy of a pipe has room for 16 pieces.
        yield git(f"{kind} that turn elsewhere", *TURNED.splitlines(keepends=True), flags=flags, size=1 << 18)
    for count in [65_535, 65_536, 65_537, 100_000]:
        room = count - len(GIT) - len(b"host=evil.example\n") - 2
        lines = b"".join(b"x=" + b"y" * min(50_000, room - start) + b"\n" for start in range(0, room, 50_003))
        yield git(f"{count} bytes that turn elsewhere", GIT + lines + b"host=evil.example\n", size=1 << 20)
    for name, text in [
            ("a server", b"https://git.example/v1/\n"), ("a name", b"git.example"), ("nothing", b""), ("a line end", b"\n"),
            ("two lines", b"git.example\nevil.example\n"), ("no text", b"git.example\xff"), ("another server", b"evil.example")]:
        yield docker(name, text)
    for count in range(len(b"git.example")):
        yield docker(f"{count} bytes", b"git.example"[:count])
    yield docker("in parts", 0.1, b"git.", 0.3, b"example")
    yield docker("held open", b"git.example", HELD, b"\n")
    yield docker("pieces that turn elsewhere", b"git.example", *[b"/x"] * 16, b"\nevil", flags=os.O_DIRECT, size=1 << 18)
    yield docker("100,000 bytes", b"git.example" + b"/x" * 50_000, size=1 << 20)

"""Installations that are not as `make install` leaves them: cached tokens come, and the rest is told in one line."""

import os
import pathlib
import shutil
import subprocess

from cases import ANSWER, ASK
from place import Answer, Home

# What is in the place of the full program tells what reached it.
STUB = """#!/bin/sh
printf '<%s>' "$0" "$@"
env -0 | sort -z
cat
pwd
umask
ls /proc/self/fd
exit 37
"""


def run(program, words, environment, folder, given=b"", called="keyfob", file=None):
    done = subprocess.run([called, *words], executable=program, env=environment, cwd=folder, input=given,
                          capture_output=True, pass_fds=[file] if file else [])
    return Answer(done.returncode, done.stdout, done.stderr)


def is_told(answer):
    """Whether one line says that the full program is not to be had."""
    return answer.status == 69 and not answer.output and answer.errors.count(b"\n") == 1 and (
        answer.errors.startswith(b"keyfob: the rest of keyfob") and answer.errors.endswith(b"; install it again\n"))


def broken(full, front):
    """What may be found in the place of the full program."""
    def script(text):
        return lambda: (full.write_text(text), full.chmod(0o755))

    yield "nothing", lambda: None
    yield "not executable", lambda: (shutil.copy(front, full), full.chmod(0o644))
    yield "a folder", full.mkdir
    yield "a link to nowhere", lambda: full.symlink_to("nowhere")
    yield "a link to itself", lambda: full.symlink_to("keyfob")
    yield "a link to the front", lambda: full.symlink_to(front)
    yield "a second name of the front", lambda: os.link(front, full)
    yield "a copy of the front", lambda: shutil.copy(front, full)
    yield "a pipe", lambda: os.mkfifo(full)
    yield "an empty file", script("")
    yield "text", script("something\n")
    yield "a script without an interpreter", script("#!/nowhere/sh\n")
    yield "no folder", full.parent.rmdir
    yield "a file where the folder should be", lambda: (full.parent.rmdir(), full.parent.write_text(""))


def every(base, ready, programs):
    """Each installation and what is wrong with it; None where nothing is."""
    home = Home(base / "install-home", programs.full)
    home.take(ready)
    environment, folder = home.environment, home.folder

    def installed(name, is_whole):
        prefix = base / name
        (prefix / "bin").mkdir(parents=True)
        (prefix / "libexec/keyfob").mkdir(parents=True)
        shutil.copy(programs.installed, prefix / "bin/keyfob")
        if is_whole:
            (prefix / "libexec/keyfob/keyfob").symlink_to(programs.full)
        return prefix / "bin/keyfob", prefix / "libexec/keyfob/keyfob"

    wanted = run(programs.full, ["status", "--json"], environment, folder)

    def asked(program, file=None, is_whole=False):
        token, status = (run(program, words, environment, folder, file=file) for words in [ASK, ["status", "--json"]])
        if token != ANSWER:
            return f"a cached token: {token}"
        if not (status == wanted or not is_whole and is_told(status)):
            return f"the rest: {status}, the full program {wanted}"
        return None

    front, full = installed("broken", False)
    for name, make in broken(full, front):
        make()
        yield name, asked(front)
        for path in [full, full.parent]:
            if path.is_symlink() or path.is_file() or path.is_fifo():
                path.unlink()
            elif path.is_dir():
                shutil.rmtree(path)
        full.parent.mkdir()

    # What reaches the full program, older or newer, is what the front was given.
    full.write_text(STUB)
    full.chmod(0o755)
    big = environment | {f"BIG{number}": "x" * 100_000 for number in range(18)}
    for name, words, variables, given in [
            ("plain", ["status", "--json"], environment, b"in"),
            ("1,000 words", ["token", *map(str, range(1000))], environment, b""),
            ("words that are no text", [b"token", b"\xff", b"", b"a\nb"], environment, b""),
            ("an environment of nearly 2 MB", ["x"], big, b""), ("no environment", ["x"], {}, b"in"),
            ("one word", ["status"], environment, b""),
            ("much to read", ["add"], environment, os.urandom(1 << 20))]:
        direct, through = (run(program, words, variables, folder, given) for program in [full, front])
        yield f"a stranger, {name}", None if direct == through and direct.status == 37 else f"{through} instead of {direct}"

    for name in ["with space", "with\nline", "with ü", "/".join(["long" * 50] * 15)]:
        front, full = installed(f"prefix {name}", True)
        yield f"prefix {name[:20]!r}", asked(front, is_whole=True)
    front, full = installed("linked", True)
    links = base / "linked-bin"
    links.symlink_to(front.parent)
    yield "a folder that is a link", asked(links / "keyfob", is_whole=True)
    (base / "stow").mkdir()
    (base / "stow/keyfob").symlink_to(os.path.relpath(front, base / "stow"))
    yield "a link in another folder", asked(base / "stow/keyfob", is_whole=True)
    (base / "stow/second").hardlink_to(front)
    yield "a second name in another folder", asked(base / "stow/second")

    file = os.open(front, os.O_RDONLY)
    yield "by its descriptor", asked(f"/proc/self/fd/{file}", file, is_whole=True)
    front.unlink()
    yield "removed while it starts", asked(f"/proc/self/fd/{file}", file)
    shutil.copy(programs.full, front)
    yield "replaced while it starts", asked(f"/proc/self/fd/{file}", file)
    shutil.rmtree(front.parents[1])
    yield "its folder removed while it starts", asked(f"/proc/self/fd/{file}", file)
    os.close(file)
    file = os.memfd_create("keyfob", 0)
    os.write(file, pathlib.Path(programs.installed).read_bytes())
    yield "in memory alone", asked(f"/proc/self/fd/{file}", file)
    os.close(file)

"""A home with a vault, and the programs asked in it: the front alone, the full program, and both as installed."""

import json
import os
import pathlib
import re
import select
import shutil
import signal
import socket
import subprocess
import time
import typing
import urllib.parse

# Seconds that a program may take; nobody writes, so that it waits for nothing.
PATIENCE = 5
# The same of an agent, which may ask a provider.
AGENT_PATIENCE = 60
SCOPE = "mail.read"
# When something was noted, and under which name an undo is, which differ where it is noted twice.
NOTED = re.compile(rb"\d{4}-\d\d-\d\d[T ]\d\d:\d\d(:\d\dZ?)?|\b\d{10}\b|(?<=keyfob undo )[0-9a-f]{8}\b")


class Trouble(Exception):
    """What is not as it should be."""


class Answer(typing.NamedTuple):
    """How a program ended and what it wrote; the status is that of a signal, below 0, or None where it went on for ever."""

    status: int | None
    output: bytes
    errors: bytes


class Programs:
    """The installed front, the full program beside it, and a copy of the front with none beside it.

    Where a full program is named, both are installed below `folder` first."""

    def __init__(self, front, full, folder):
        front = front.resolve()
        if full:
            prefix = folder / "installed"
            for part in ["bin", "libexec/keyfob"]:
                (prefix / part).mkdir(parents=True)
            shutil.copy(front, prefix / "bin/keyfob")
            (prefix / "libexec/keyfob/keyfob").symlink_to(full.resolve())
            front = prefix / "bin/keyfob"
        self.installed = str(front)
        self.full = str(front.parents[1] / "libexec/keyfob/keyfob")
        alone = folder / "alone/bin/keyfob"
        alone.parent.mkdir(parents=True)
        shutil.copy(self.installed, alone)
        # Other users start them too.
        for part in [folder, *folder.glob("alone/**"), *folder.glob("installed/**")]:
            part.chmod(0o755)
        self.alone = str(alone)
        # The one line with which it says that it would hand on.
        missing = folder / "alone/libexec/keyfob/keyfob"
        line = f"keyfob: the rest of keyfob, {missing}, is missing or cannot be started; install it again\n"
        self.handed_on = Answer(69, b"", line.encode())


def ended(child, patience=PATIENCE):
    """The status of a child that leads its group, once it has ended; None where it had to be killed."""
    watched = os.pidfd_open(child)
    has_ended = select.select([watched], [], [], patience)[0]
    os.close(watched)
    if not has_ended:
        os.killpg(child, signal.SIGKILL)
    status = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    return status if has_ended else None


class Runner:
    """Starts one program after the other, quickly."""

    def __init__(self):
        self.nothing = os.open("/dev/null", os.O_RDWR | os.O_CLOEXEC)
        self.output, self.errors = (os.memfd_create(name, os.MFD_CLOEXEC) for name in ["output", "errors"])

    def run(self, program, words, environment, patience=PATIENCE):
        for file in [self.output, self.errors]:
            os.lseek(file, 0, os.SEEK_SET)
            os.ftruncate(file, 0)
        actions = [(os.POSIX_SPAWN_DUP2, self.nothing, 0), (os.POSIX_SPAWN_DUP2, self.output, 1),
                   (os.POSIX_SPAWN_DUP2, self.errors, 2)]
        child = os.posix_spawn(program, ["keyfob", *words], environment, file_actions=actions, setpgroup=0)
        status = ended(child, patience)
        return Answer(status, *(os.pread(file, os.fstat(file).st_size, 0) for file in [self.output, self.errors]))


def ask_agent(path, **parameters):
    """What an agent answers to a question for a token: the parameters of its reply, or of its error."""
    with socket.socket(socket.AF_UNIX) as connection:
        connection.settimeout(AGENT_PATIENCE)
        connection.connect(str(path))
        connection.sendall(json.dumps({"method": "io.keyfob.Agent.Token", "parameters": parameters}).encode() + b"\0")
        answer = b""
        while not answer.endswith(b"\0"):
            answer += connection.recv(1 << 16) or b"\0"
    return json.loads(answer[:-1] or b"{}").get("parameters", {})


class Home:
    """A folder with a vault, its state and its key file."""

    def __init__(self, folder, full):
        self.folder, self.full = pathlib.Path(folder), full
        self.vault, self.state = self.folder / "data/keyfob", self.folder / "state/keyfob"
        self.environment = {
            "PATH": "/usr/bin:/bin", "HOME": str(self.folder), "XDG_DATA_HOME": f"{self.folder}/data",
            "XDG_STATE_HOME": f"{self.folder}/state", "XDG_RUNTIME_DIR": f"{self.folder}/run", "LC_ALL": "C.UTF-8",
            "KEYFOB_KEY_FILE": f"{self.folder}/key"}

    def make(self):
        """An empty vault."""
        for name in ["", "data", "state", "run"]:
            (self.folder / name).mkdir(mode=0o700, exist_ok=True)
        (self.folder / "key").write_bytes(os.urandom(32))
        self.run("init", "-q", "--recovery-file", str(self.folder / "recovery"))

    def run(self, *words, given="", cwd=None):
        done = subprocess.run([self.full, *words], env=self.environment, cwd=cwd or self.folder, input=given.encode(),
                              capture_output=True)
        if done.returncode:
            raise Trouble(f"nothing can be tried: keyfob {' '.join(words)}: {done.stderr.decode(errors='replace')}")
        return done.stdout.decode()

    def take(self, other):
        """Becomes a copy of another home, with the vault known at its new place."""
        shutil.copytree(other.folder, self.folder, symlinks=True)
        places = self.state / "places"
        old, new = (urllib.parse.quote(str(home.folder), safe="") for home in [other, self])
        places.write_text(places.read_text().replace(old, new))


def cache(tokens, start=0, environment="login.microsoftonline.com", refresh=False):
    """A token cache of MSAL: an account for each token, `person{start}@t.example` and on."""
    now = int(time.time())
    sections = {"AccessToken": {}, "RefreshToken": {}, "IdToken": {}, "Account": {}, "AppMetadata": {}}
    for number, token in enumerate(tokens, start):
        owner = {"home_account_id": f"u{number}.t", "environment": environment, "client_id": "client"}
        sections["AccessToken"][f"a{number}"] = owner | {
            "credential_type": "AccessToken", "secret": token, "realm": "t", "target": SCOPE, "token_type": "Bearer",
            "cached_at": str(now), "expires_on": str(now + 30 * 86_400)}
        sections["Account"][f"c{number}"] = {
            "home_account_id": f"u{number}.t", "environment": environment, "realm": "t", "local_account_id": f"u{number}",
            "username": f"person{number}@t.example", "authority_type": "MSSTS"}
        if refresh:
            sections["RefreshToken"][f"r{number}"] = owner | {
                "credential_type": "RefreshToken", "secret": f"refresh-{number}-{token[:24]}", "target": SCOPE}
    return json.dumps(sections)

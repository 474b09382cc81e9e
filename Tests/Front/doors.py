"""Ways to a stored token besides the command: helpers of tools, the agent, the library. Each says what it gives, or the status
that the command would end with and why."""

import json
import os
import pathlib
import signal
import subprocess
import sys
import time

from place import PATIENCE, Answer, Trouble, ask_agent

ROOT = pathlib.Path(__file__).resolve().parents[2]
GIT = b"protocol=https\nhost=git.example\nusername=%s\n\n"
DAMAGED = 65
# What the agent says where the command ends with that status.
WORDS = {"damaged", "rolledBack"}


class Agent:
    """One that is open by the key file; Python may ask it for all accounts."""

    def __init__(self, home):
        # As what the agent sees it depends on how it was started.
        for program in [f"executable:{pathlib.Path(sys.executable).resolve()}", f"script:{pathlib.Path(sys.argv[0]).resolve()}"]:
            home.run("program", "allow", "-q", "--group", "default", "--all-accounts", program)
        folder = home.folder / "run/keyfob"
        folder.mkdir(mode=0o700, exist_ok=True)
        self.path = str(folder / "agent")
        # Of the login that this process is of: it believes no Python whose home is another one.
        environment = home.environment | {"HOME": os.environ.get("HOME", "/")}
        self.process = subprocess.Popen([home.full, "agent"], env=environment, stdout=subprocess.DEVNULL,
                                        stderr=subprocess.DEVNULL)
        deadline = time.monotonic() + PATIENCE
        while not os.path.exists(self.path):
            if time.monotonic() > deadline:
                raise Trouble("the agent does not listen")
            time.sleep(0.01)

    def ask(self, account):
        found = ask_agent(self.path, account=account)
        if "token" in found:
            return Answer(0, found["token"].encode(), b"")
        return Answer(DAMAGED if found.get("code") in WORDS else 1, b"", json.dumps(found).encode())

    def end(self):
        self.process.send_signal(signal.SIGTERM)
        self.process.wait(PATIENCE)


class Library:
    """The library for C, by the module for Python, which opens the vault each time."""

    def __init__(self, home, file):
        os.environ["KEYFOB_LIBRARY"] = str(file)
        os.environ["XDG_STATE_HOME"] = str(home.state.parent)
        sys.path.insert(0, str(ROOT / "Packaging/python"))
        import keyfob
        self.keyfob, self.home = keyfob, home

    def ask(self, account):
        try:
            with self.keyfob.Keyring(vault=self.home.vault, key_file=self.home.environment["KEYFOB_KEY_FILE"]) as keyring:
                return Answer(0, keyring.token(account=account).token.encode(), b"")
        except self.keyfob.Error as error:
            return Answer(error.status, b"", str(error).encode())


def helpers(program, environment):
    """What git and docker ask for an account, at a program."""
    def run(words, question):
        done = subprocess.run([program, *words], input=question, env=environment, capture_output=True, timeout=60)
        return Answer(done.returncode, done.stdout, done.stderr)

    return {"git": lambda account: run(["helper", "git", "get"], GIT % account.encode()),
            "docker": lambda account: run(["helper", "docker", "get", "--account", account], b"git.example\n")}

"""A home with a vault, an agent in it, programs of their own, and rows that say what held."""

import json
import os
import pathlib
import resource
import shutil
import signal
import socket
import subprocess
import sys
import threading
import time

INST = pathlib.Path(os.environ["INST"]).resolve()
KEYFOB = str(INST / "bin/keyfob")
FOLDER = pathlib.Path(os.environ["ATTACK_FOLDER"])
PYTHON = os.environ.get("KEYFOB_PYTHON", sys.executable)
NAME = "io.keyfob.Agent"
PATH = f"{INST}/bin:/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin"
TOKEN = "TOKEN-OF-ADA"

# Programs of others' do what these lines say: each copy is a program of its own.
ASKER = """#!/usr/bin/python3
import json, os, socket, sys, time
path, method, parameters, count, pause = sys.argv[1], sys.argv[2], json.loads(sys.argv[3]), int(sys.argv[4]), float(sys.argv[5])
line = None
for number in range(count):
    start = time.time()
    try:
        if line is None:
            line = socket.socket(socket.AF_UNIX)
            # Without a time limit it waits for its turn; with one it would not (connect(2): EAGAIN).
            line.connect(path)
            line.settimeout(180)
        line.sendall(json.dumps({"method": "io.keyfob.Agent." + method, "parameters": parameters}).encode() + b"\\0")
        answer = b""
        while not answer.endswith(b"\\0"):
            part = line.recv(65536)
            if not part:
                raise OSError("closed")
            answer += part
        said = json.loads(answer[:-1])
        what = said.get("error", "").rpartition(".")[2] or said["parameters"].get("token", "answered")
    except OSError as error:
        line, what = None, f"line: {error}"
    print(json.dumps([start, time.time(), what]), flush=True)
    time.sleep(pause)
"""


class Rows:
    """What held and what did not."""

    def __init__(self, title):
        self.failed, self.count = 0, 0
        print(f"== {title} (uid {os.getuid()})", flush=True)

    def row(self, name, holds, detail=""):
        self.count += 1
        self.failed += not holds
        print(f"{'HELD  ' if holds else 'FAILED'} {name}{': ' + str(detail) if detail != '' else ''}", flush=True)
        return holds

    def skip(self, name, why):
        print(f"LEFT   {name}: {why}", flush=True)

    def end(self):
        print(f"== {self.count - self.failed} of {self.count} held", flush=True)
        sys.exit(1 if self.failed else 0)


class Home:
    """A folder with a vault that a key file opens, whose account ada has a token."""

    def __init__(self, name="home"):
        self.path = FOLDER / name
        for part in ("", "run", "io"):
            (self.path / part).mkdir(mode=0o700, parents=True, exist_ok=True)
        self.environment = {
            "HOME": str(self.path), "PATH": PATH, "XDG_DATA_HOME": f"{self.path}/data", "XDG_STATE_HOME": f"{self.path}/state",
            "XDG_RUNTIME_DIR": f"{self.path}/run", "LC_ALL": "C.UTF-8", "KEYFOB_PAGER": ""}
        self.vault = f"{self.path}/data/keyfob"
        self.key = f"{self.path}/key"
        self.socket = f"{self.path}/run/keyfob/agent"
        self.agent = None
        pathlib.Path(self.key).write_bytes(os.urandom(32))
        os.chmod(self.key, 0o600)
        self.run("init", "-q", "--key-file", self.key, "--recovery-file", f"{self.path}/recovery", check=True)
        self.run("add", "-q", "--key-file", self.key, "--account", "ada", "--host", "git.example", "--scope", "repo",
                 text=TOKEN, check=True)

    def run(self, *words, text="", check=False, environment=None, timeout=60, before=None, command=()):
        """Types a command; what came out of it, with how long it took."""
        start = time.monotonic()
        done = subprocess.run([*command, KEYFOB, *words], input=text, env=environment or self.environment, cwd=self.path,
                              capture_output=True, text=True, errors="replace", timeout=timeout, preexec_fn=before,
                              start_new_session=True)
        done.took = time.monotonic() - start
        if check and done.returncode:
            raise SystemExit(f"keyfob {' '.join(words)}: status {done.returncode}: {done.stderr}")
        return done

    def shell(self, line, environment=None, timeout=60):
        return subprocess.run(["/bin/sh", "-c", line], env=environment or self.environment, cwd=self.path, capture_output=True,
                              text=True, errors="replace", timeout=timeout, start_new_session=True)

    def start(self, *options, environment=None, before=None):
        """Starts an agent, and waits until it listens, or has ended."""
        told = open(self.path / "io/told", "w+", encoding="utf8")
        self.agent = subprocess.Popen([KEYFOB, "agent", *options], env={**self.environment, **(environment or {})}, cwd=self.path,
                                      stdin=subprocess.DEVNULL, stdout=told, stderr=told, preexec_fn=before, start_new_session=True)
        for _ in range(600):
            if self.agent.poll() is not None or "listening" in self.told():
                break
            time.sleep(0.02)
        return self.agent

    def told(self):
        return (self.path / "io/told").read_text(encoding="utf8", errors="replace")

    def stop(self):
        """Ends the agent; in how many seconds it did."""
        if self.agent is None:
            return 0
        start = time.monotonic()
        self.agent.terminate()
        try:
            self.agent.wait(60)
        except subprocess.TimeoutExpired:
            self.agent.kill()
            self.agent.wait()
        self.agent = None
        return time.monotonic() - start

    def program(self, name, *, permitted=True):
        """A program of its own; it is older than any process of it."""
        path = self.path / f"{name}.py"
        path.write_text(ASKER, encoding="utf8")
        path.chmod(0o700)
        time.sleep(0.05)
        if permitted:
            self.run("program", "allow", "-q", str(path), "--account", "ada", "--key-file", self.key, check=True)
        return str(path)

    def ask(self, program, method="Token", parameters=None, count=1, pause=0.0):
        """Has a program ask, in a process of its own, which goes on."""
        words = [program, self.socket, method, json.dumps({"account": "ada"} if parameters is None else parameters), str(count),
                 str(pause)]
        return subprocess.Popen(words, env=self.environment, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                stderr=subprocess.DEVNULL, text=True)

    def asked(self, program, **options):
        """What a program is answered: when it began, when it ended, and what."""
        return answers(self.ask(program, **options).communicate(timeout=600)[0])

    def unlock_agent(self):
        self.run("unlock", "-q", "--agent", "--for", "8h", "--key-file", self.key, check=True)


def answers(text):
    return [json.loads(line) for line in text.splitlines()]


def limit(kind, soft, hard=None):
    """For preexec_fn: a limit of the process."""
    return lambda: resource.setrlimit(kind, (soft, hard or soft))


def more_files():
    hard = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    resource.setrlimit(resource.RLIMIT_NOFILE, (min(hard, 65_536), hard))


def call(path, method, parameters=None, timeout=20):
    """One call of this very program."""
    with socket.socket(socket.AF_UNIX) as line:
        line.connect(path)
        line.settimeout(timeout)
        line.sendall(json.dumps({"method": f"{NAME}.{method}", "parameters": parameters or {}}).encode() + b"\0")
        answer = b""
        while not answer.endswith(b"\0"):
            part = line.recv(65_536)
            if not part:
                return None
            answer += part
    return json.loads(answer[:-1])


class Crowd:
    """Processes that connect, and say nothing, or ask, or connect again and again."""

    def __init__(self, path, processes, connections, *, again=False):
        self.children = []
        for _ in range(processes):
            reader, writer = os.pipe()
            child = os.fork()
            if child == 0:
                try:
                    self.connect(path, connections, again, writer)
                finally:
                    os._exit(0)
            os.close(writer)
            self.children.append((child, reader))
        for _, reader in self.children:
            os.read(reader, 1)

    @staticmethod
    def connect(path, connections, again, writer):
        more_files()
        lines, said = [], False
        while True:
            try:
                line = socket.socket(socket.AF_UNIX)
                line.connect(path)
                lines.append(line)
            except OSError:
                time.sleep(0.01)
            if len(lines) >= connections:
                if not said:
                    os.write(writer, b".")
                    said = True
                if not again:
                    signal.pause()
                lines.pop(0).close()

    def end(self):
        for child, reader in self.children:
            os.kill(child, signal.SIGKILL)
            os.waitpid(child, 0)
            os.close(reader)
        self.children = []


def milliseconds(seconds):
    return f"{seconds * 1000:.0f} ms"

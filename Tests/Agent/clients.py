"""Forty clients of four kinds: the command, the agent by varlink, libkeyfob from C and the module for Python.

What happens to them is in lives.py and keys.py."""

import collections
import json
import os
import pathlib
import random
import signal
import subprocess
import sys
import threading
import time
import typing

from programs import PYTHON, REPOSITORY, front, name, noted

KINDS = ["command", "agent", "library", "module"]
#: Clients of each kind.
OF_A_KIND = 10
# The vault, with what is written beside it.
DISK = "16m"


class Client:
    """One of the clients: its process, and what it has written down."""

    def __init__(self, trial, kind, number, persons, pause):
        self.kind, self.persons = kind, persons
        self.log = trial.folder / "logs" / f"{kind}-{number}"
        names = [name(person) for person in persons]
        if kind == "library":
            words = [trial.folder / "client", self.log, str(pause), str(number), *names]
        else:
            texts = [json.dumps({"method": "io.keyfob.Agent.Token", "parameters": {"account": each}}) for each in names]
            plan = trial.folder / "plans" / f"{kind}-{number}"
            plan.write_text(json.dumps({"pause": pause, "requests": texts if kind == "agent" else names}))
            door = {"agent": "socket"}.get(kind, kind)
            address = trial.home.full if kind == "command" else f"{trial.home.folder}/run/keyfob/agent"
            words = [PYTHON, "-B", trial.script, door, address, self.log, plan, str(number)]
        self.process = subprocess.Popen(words, env=trial.environment, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                                        stderr=open(trial.folder / "clients.log", "ab"))

    def calls(self):
        """What was asked and answered, without what was cut off at the end."""
        asked = None
        for line in noted(self.log):
            if "request" in line:
                asked = line
            elif asked:
                answer = line["answer"]
                if "parameters" in answer:
                    answer = answer["parameters"] | ({"code": answer["parameters"].get("code", answer["error"])}
                                                     if "error" in answer else {})
                yield Call(self.kind, self.persons[asked["request"]], asked["begin"], line["end"], answer)
                asked = None

    def end(self):
        if self.process.poll() is not None:
            raise front.Trouble(f"a client of the kind {self.kind} has ended by itself: see clients.log")
        self.process.kill()
        self.process.wait()


class Call(typing.NamedTuple):
    kind: str
    person: int
    begin: float
    end: float
    answer: dict

    def said(self):
        """All words that somebody reads."""
        return " ".join(str(self.answer.get(part) or "") for part in ["code", "message", "hint", "warnings", "failure"])

    def __str__(self):
        return f"{self.kind}, for {name(self.person)} at {self.begin:.2f} within {self.end - self.begin:.2f} s: {self.answer}"


class Trial:
    """A vault, an agent and the clients."""

    def __init__(self, folder, program, persons, pause):
        self.folder, self.persons, self.pause = folder, persons, pause
        # What is beside the vault is there when its disk is full.
        for part in ["logs", "plans", "disk"]:
            (folder / part).mkdir()
        self.disk = folder / "disk"
        self.wrong, self.clients, self.agent, self.counts = [], [], None, collections.Counter()

        self.has_disk = with_mounts() and not subprocess.run(
            ["mount", "-t", "tmpfs", "-o", f"size={DISK},mode=700", "none", self.disk]).returncode
        self.home = front.Home(self.disk / "home", str(program))
        self.home.make()
        self.script = folder / "client.py"
        self.script.write_text((REPOSITORY / "Tests/Agent/program.py").read_text())
        # Where the command was built with the rest, or is installed, the library is elsewhere.
        places = [program.parent / "libKeyfobC.so", REPOSITORY / ".build/debug/libKeyfobC.so"]
        library = pathlib.Path(os.environ.get("KEYFOB_LIBRARY") or next((each for each in places if each.exists()), places[-1]))
        self.environment = self.home.environment | {
            "KEYFOB_LIBRARY": str(library), "PYTHONPATH": str(REPOSITORY / "Packaging/python"), "PYTHONDONTWRITEBYTECODE": "1"}
        for link in ["libkeyfob.so", "libkeyfob.so.1"]:
            (folder / link).symlink_to(library)
        subprocess.run(["cc", "-std=c11", "-O", "-Wall", "-Wextra", "-Werror", "-I", REPOSITORY / "Sources/KeyfobC/include",
                        REPOSITORY / "Tests/Agent/client.c", "-o", folder / "client", "-L", folder, "-lkeyfob", f"-Wl,-rpath,{folder}"],
                       check=True)

    def begin(self):
        self.home.run("program", "allow", "-q", str(self.script), "--all-accounts")
        (self.home.folder / "run/keyfob").mkdir(mode=0o700, exist_ok=True)
        self.agent = subprocess.Popen([self.home.full, "agent"], env=self.home.environment, stderr=subprocess.PIPE, text=True)
        if "listening" not in (line := self.agent.stderr.readline()):
            raise front.Trouble(f"the agent says {line!r}")
        threading.Thread(target=self.agent.stderr.read, daemon=True).start()
        chance = random.Random("clients")
        for number in range(OF_A_KIND):
            for kind in KINDS:
                persons = chance.sample(range(self.persons), min(self.persons, 5))
                self.clients.append(Client(self, kind, number, persons, self.pause))

    def fail(self, kind, words):
        self.counts[kind] += 1
        if self.counts[kind] <= 10:
            self.wrong.append(f"{kind}: {words}"[:600])

    def calls(self):
        return sorted((call for client in self.clients for call in client.calls()), key=lambda call: call.begin)

    def end(self):
        for client in self.clients:
            client.end()
        self.agent.send_signal(signal.SIGTERM)
        if status := self.agent.wait(60):
            self.fail("the agent", f"ended with {status}")

    def close(self):
        for process in [client.process for client in self.clients] + [self.agent]:
            if process and process.poll() is None:
                process.kill()
                process.wait()
        if self.has_disk:
            subprocess.run(["umount", "-l", self.disk])

    def told(self, what):
        total = sum(self.counts.values())
        print(f"agent: {what}: {total} wrong{': ' + str(dict(self.counts)) if total else ''}")
        for line in self.wrong:
            print(f"    {line}")
        return total


def with_mounts():
    """Whether this program may mount file systems that nobody else sees; it begins anew where it can have that."""
    if "KEYFOB_OWN_MOUNTS" in os.environ:
        return True
    words = ["unshare", "--mount", "--propagation", "private", *([] if os.geteuid() == 0 else ["--map-root-user"])]
    if subprocess.run([*words, "true"], capture_output=True).returncode:
        return False
    os.environ["KEYFOB_OWN_MOUNTS"] = "1"
    os.execvp("unshare", [*words, sys.executable, *sys.argv])


def run(folder, program, way, seconds):
    """Tries one way, a module, with as many accounts as it has; how much is wrong."""
    trial = Trial(folder, program, way.PERSONS, way.PAUSE)
    try:
        return way.run(trial, seconds)
    finally:
        trial.close()


def soon(calls):
    took = sorted(call.end - call.begin for call in calls) or [0]
    return f"half within {took[len(took) // 2] * 1000:.0f} ms, 99 % within {took[len(took) * 99 // 100] * 1000:.0f} ms, all within {took[-1] * 1000:.0f} ms"

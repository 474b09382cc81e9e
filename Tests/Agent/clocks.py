"""A clock that is set while an agent runs, and a machine that sleeps: what is handed out then, and how long a key is kept."""

import os
import pathlib
import shutil
import signal
import subprocess
import sys
import time

from programs import SCOPE, Home, front, group, name

LIFE, HOUR = 3_600, 3_600
PERSON = 0
# What has happened at the latest when something is asked that takes a refresh.
PATIENCE = 60


class Clock:
    """The clock of the agent alone, by a file that says by how much it differs."""

    def __init__(self, home, also_uptime=False):
        # The agent may read there when it is confined too.
        self.file = home.vault / "clock"
        self.set(0)
        self.environment = {"FAKETIME_TIMESTAMP_FILE": str(self.file), "FAKETIME_NO_CACHE": "1",
                            "FAKETIME_DONT_FAKE_MONOTONIC": "0" if also_uptime else "1"}
        # faketime itself prepares what its library otherwise adds to the environment of the program that has begun: Swift finds
        # the arguments of a program no more where that has moved. The file counts where FAKETIME is not set.
        self.command = ["faketime", "-m", "-f", "+0s", "env", "-u", "FAKETIME"]

    def set(self, seconds):
        written = self.file.with_suffix(".new")
        written.write_text(f"{seconds:+d}s\n")
        written.rename(self.file)


class Agent:
    def __init__(self, home, clock, environment):
        self.home, self.path = home, f"{home.folder}/run/keyfob/agent"
        self.process = subprocess.Popen([*clock.command, home.full, "agent"], env=environment | clock.environment, cwd=home.folder,
                                        stderr=subprocess.PIPE, text=True)
        line = self.process.stderr.readline()
        if "listening" not in line:
            raise front.Trouble(f"the agent says {line!r}")
        # faketime waits for it.
        process = self.process.pid
        self.number = int(pathlib.Path(f"/proc/{process}/task/{process}/children").read_text().split()[0])

    def token(self):
        """What is answered, a token or an error, to this script."""
        return front.ask_agent(self.path, scopes=[SCOPE], account=name(PERSON))

    def end(self):
        os.kill(self.number, signal.SIGTERM)
        return self.process.wait(PATIENCE)


def run(folder, program):
    if not shutil.which("faketime"):
        raise front.Trouble("there is no faketime: Scripts/install-dependencies --test installs it")
    home, wrong = Home(folder, program, LIFE), []
    try:
        script = pathlib.Path(sys.argv[0]).resolve()
        home.run("program", "allow", "-q", str(script), "--account", name(PERSON), "--group", group(PERSON))
        (home.folder / "run/keyfob").mkdir(mode=0o700, exist_ok=True)
        wrong += jumps(home) + keys(home)
    finally:
        home.close()
    print(f"agent: clocks: {len(wrong)} wrong")
    for line in wrong:
        print(f"    {line}")
    return len(wrong)


def jumps(home):
    clock = Clock(home)
    agent = Agent(home, clock, home.environment)
    wrong, said = [], []

    def ask(what, offset):
        answer = agent.token()
        said.append(answer.get("token"))
        left = answer.get("expiresOn", 0) - time.time() - offset
        print(f"agent: {what}: {answer.get('token', answer)}, from {answer.get('source')}, {left:.0f} s left", flush=True)
        if not 0 < left <= LIFE + 1:
            wrong.append(f"{what}: a token with {left:.0f} s left")

    try:
        ask("at first", 0)
        ask("again", 0)
        clock.set(2 * HOUR)
        ask("two hours forward", 2 * HOUR)
        ask("again", 2 * HOUR)
        clock.set(0)
        ask("back", 0)
        ask("again", 0)
        first, second, third, fourth, fifth, sixth = said
        if first != second or third != fourth or fifth != sixth:
            wrong.append("a token was not kept where the clock stood still")
        if first == third:
            wrong.append("an expired token was handed out after the clock was set forward")
        if third == fifth:
            wrong.append("a token of the future was handed out after the clock was set back")
    finally:
        if status := agent.end():
            wrong.append(f"the agent ended with {status}")
    return wrong


def keys(home):
    """A key that was handed over for an hour: a machine that sleeps for two lets it end, and a clock that is set does not."""
    environment = {key: value for key, value in home.environment.items() if key != "KEYFOB_KEY_FILE"}
    wrong = []
    for what, sleeps, expected in [("a clock that is set two hours forward", False, "a token"), ("a sleep of two hours", True, "locked")]:
        clock = Clock(home, also_uptime=sleeps)
        agent = Agent(home, clock, environment)
        try:
            subprocess.run([home.full, "unlock", "-q", "--agent", "--for", "1h", "--key-file", home.environment["KEYFOB_KEY_FILE"]],
                           env=environment, check=True)
            if "token" not in (answer := agent.token()):
                wrong.append(f"before {what}: {answer}")
            os.kill(agent.number, signal.SIGSTOP)
            clock.set(2 * HOUR)
            os.kill(agent.number, signal.SIGCONT)
            answer = agent.token()
            told = "a token" if "token" in answer else answer.get("code")
            print(f"agent: a key for one hour, after {what}: {told}", flush=True)
            if told != expected:
                wrong.append(f"after {what}: {told}")
        finally:
            if status := agent.end():
                wrong.append(f"the agent ended with {status}")
    return wrong

"""Programs that are killed while a provider which takes each refresh token once is asked, 0.1 s away.

A program of each kind asks for the token of an account of its own and is killed at a random moment: by itself, with its process group,
or as its terminal is closed. Afterwards each account has a token, and no refresh token was used twice."""

import collections
import fcntl
import os
import pty
import random
import signal
import subprocess
import sys
import termios
import time

from lives import Provider
from programs import CLIENT, cache, front, name

PERSONS, PAUSE = 1, 0
#: Seconds that the provider takes, and that are left beyond what a call takes by itself.
TAKES, REST = 0.1, 0.1
MODULE = "import sys, keyfob; keyfob.Keyring().token(account=sys.argv[1])"


class Victim:
    """A program that asks for a token, and how it is killed."""

    def __init__(self, trial, kind, person, way=None):
        self.way, self.terminal = way, None
        words = {"command": [trial.home.full, "token", "--quiet", "--account"],
                 "library": [trial.folder / "client", trial.folder / "logs/library", "1000", "1"],
                 "module": [sys.executable, "-S", "-c", MODULE]}[kind]
        streams = {"stdin": subprocess.DEVNULL, "stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
        if way == "terminal":
            self.terminal, other = pty.openpty()
            streams = dict.fromkeys(streams, other)
        self.process = subprocess.Popen([*words, name(person)], env=trial.environment, start_new_session=True,
                                        preexec_fn=take_terminal if way == "terminal" else None, **streams)
        if way == "terminal":
            os.close(other)

    def kill(self):
        if self.way == "terminal":
            os.close(self.terminal)
        elif self.way == "group":
            os.killpg(self.process.pid, signal.SIGKILL)
        else:
            self.process.kill()
        self.process.wait(10)


def take_terminal():
    # Whoever started the trial may have told it to outlive its own terminal.
    signal.signal(signal.SIGHUP, signal.SIG_DFL)
    fcntl.ioctl(0, termios.TIOCSCTTY, 0)


def run(trial, count):
    kinds, ways, count = ["command", "library", "module"], ["caller", "group", "terminal"], int(count)
    trial.provider = provider = Provider([3_600] * (count + len(kinds)), TAKES)
    trial.home.run("provider", "add", "-q", "--issuer", provider.issuer, "--name", "local")
    trial.home.run("client", "add", "-q", CLIENT, "--provider", "local")
    trial.home.run("import", "-q", "-", given=cache(range(count + len(kinds)), provider.host, CLIENT))
    took = {kind: alone(trial, kind, count + number) for number, kind in enumerate(kinds)}
    chance, killed, moments = random.Random("kills"), {}, collections.Counter()
    for person in range(count):
        kind, way = kinds[person % 3], ways[person // 3 % 3]
        begin = time.time()
        victim = Victim(trial, kind, person, way)
        time.sleep(chance.uniform(0, took[kind] + REST))
        victim.kill()
        killed[person] = (kind, way, time.time() - begin)
        asked = [each for each in provider.refreshes if each.person == person]
        moments["before it was asked" if not asked else "while it was asked"
                if time.time() < asked[0].begin + TAKES else "after its answer"] += 1
    for person, (kind, way, moment) in killed.items():
        try:
            token = trial.home.run("token", "-q", "--account", name(person)).strip()
        except front.Trouble as trouble:
            trial.fail("lost", f"{kind} killed by its {way} after {moment:.3f} s: {trouble}")
            continue
        given = [each.token for each in provider.refreshes if each.person == person]
        if token != given[-1]:
            trial.fail("not the newest token", f"{kind} killed by its {way}: {token} of {given}")
    for at, person, old in provider.reused:
        trial.fail("used twice", f"{old} by {killed.get(person)}")
    if moments["while it was asked"] < count / 10:
        trial.fail("too little", f"{dict(moments)}: nothing is shown")
    print(f"agent: kills: {count} of {', '.join(f'{kind} ({time * 1000:.0f} ms by itself)' for kind, time in took.items())}; "
          f"the provider: {dict(moments)}; {len(provider.refreshes)} refreshes")
    return trial.told("programs killed while a token is refreshed")


def alone(trial, kind, person):
    """How long a program takes until the provider has answered, where nobody kills it."""
    begin = time.time()
    victim = Victim(trial, kind, person)
    while not any(each.person == person for each in trial.provider.refreshes):
        if time.time() > begin + 20:
            raise front.Trouble(f"the {kind} asks for no token")
        time.sleep(0.002)
    time.sleep(TAKES)
    took = time.time() - begin
    victim.kill()
    return took

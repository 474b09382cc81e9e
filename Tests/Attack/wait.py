"""Fifty programs that nobody has decided about ask at once. Nobody is there: all are answered within 125 s and no window is left.
Somebody is there: one window at a time, whoever comes first.

usage: wait.py [PROGRAMS]"""

import os
import pathlib
import sys
import time

import attack
from attack import Home, Rows, answers

COUNT = int(sys.argv[1]) if len(sys.argv) > 1 else 50
rows = Rows(f"{COUNT} programs that ask")
# In the place of zenity: it notes when it is shown and when it goes, and waits, or answers after a moment.
WINDOW = """#!/usr/bin/python3
import os, signal, sys, time
here = os.path.dirname(os.path.dirname(os.path.abspath(sys.argv[0])))
def note(word):
    with open(here + "/windows", "a") as file:
        file.write(f"{word} {os.getpid()} {time.time()}\\n")
note("shown")
signal.signal(signal.SIGTERM, lambda *_: (note("gone"), os._exit(1)))
if os.path.exists(here + "/nobody"):
    time.sleep(3600)
time.sleep(0.2)
note("gone")
if "--list" in sys.argv:
    print(0)
elif not os.path.exists(here + "/once"):
    print("Until I log out")
    sys.exit(1)
"""


def prepare(name):
    home = Home(name)
    (home.path / "bin").mkdir()
    window = home.path / "bin/zenity"
    window.write_text(WINDOW, encoding="utf8")
    window.chmod(0o700)
    (home.path / "windows").write_text("", encoding="utf8")
    programs = [home.program(f"program{number}", permitted=False) for number in range(COUNT)]
    environment = {"DISPLAY": ":99", "PATH": f"{home.path}/bin:{attack.PATH}", "KEYFOB_KEY_FILE": home.key}
    return home, programs, environment


def windows(home):
    """Those that are shown still, and the most that were at once."""
    open_windows, most = set(), 0
    for line in (home.path / "windows").read_text(encoding="utf8").splitlines():
        word, process, _ = line.split()
        (open_windows.add if word == "shown" else open_windows.discard)(int(process))
        # One that was killed has noted nothing.
        open_windows = {each for each in open_windows if word == "gone" or each == int(process) or os.path.exists(f"/proc/{each}")}
        most = max(most, len(open_windows))
    return {each for each in open_windows if os.path.exists(f"/proc/{each}")}, most


def ask_all(home, programs, environment):
    home.start(environment=environment)
    begin = time.time()
    running = [home.ask(program) for program in programs]
    said = [answers(each.communicate(timeout=900)[0]) for each in running]
    return [(each[0][2], each[0][1] - begin) if each else ("nothing", 900.0) for each in said]


home, programs, environment = prepare("nobody")
(home.path / "nobody").touch()
told = ask_all(home, programs, environment)
last = max(when for _, when in told)
words = sorted({word for word, _ in told})
rows.row("nobody there: all are answered within 125 s", last <= 125 and "nothing" not in words, f"the last after {last:.0f} s: {words}")
rows.row("nobody there: none has a token", attack.TOKEN not in words)
time.sleep(1)
left, most = windows(home)
rows.row("nobody there: no window is left", not left, left or "none")
rows.row("nobody there: one window at a time", most <= 1, most)
running = [home.ask(program) for program in programs[:10]]
time.sleep(2)
home.run("lock", environment={**home.environment, "KEYFOB_KEY_FILE": home.key})
time.sleep(1)
rows.row("lock takes the window away", not windows(home)[0])
for each in running:
    each.kill()
    each.communicate()
running = home.ask(programs[0])
time.sleep(2)
home.agent.kill()
home.stop()
time.sleep(1)
rows.row("the agent's end, by SIGKILL too, takes the window away", not windows(home)[0])
running.kill()
running.communicate()

home, programs, environment = prepare("somebody")
told = ask_all(home, programs, environment)
words = [word for word, _ in told]
good = words.count(attack.TOKEN)
rows.row("somebody there: all have what they were allowed", good == len(words), f"{good} of {len(words)}: {sorted(set(words))}")
left, most = windows(home)
rows.row("somebody there: one window at a time, and none is left", most <= 1 and not left, most)
home.stop()
rows.end()

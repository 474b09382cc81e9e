"""A logind that says that the person leaves: no token later than a second after it has.

usage: leave.py [TIMES]     KEYFOB_PYTHON names an interpreter with jeepney"""

import os
import subprocess
import sys
import threading
import time

import attack
from attack import Home, Rows, answers

TIMES = int(sys.argv[1]) if len(sys.argv) > 1 else 5
rows = Rows("logind says that the person leaves")
if subprocess.run([attack.PYTHON, "-c", "import jeepney"], capture_output=True).returncode:
    rows.row("a mocked logind", False, f"{attack.PYTHON} has no jeepney: set KEYFOB_PYTHON")
    rows.end()
home = Home()
program = home.program("program")
for name in ("say", "answers"):
    os.mkfifo(home.path / name)
logind = subprocess.Popen([attack.PYTHON, str(attack.FOLDER / "logind.py"), "say", "answers"], cwd=home.path, env=home.environment,
                          stderr=subprocess.DEVNULL)
address = home.path / "bus-address"
while not (address.exists() and address.stat().st_size):
    time.sleep(0.02)


def say(words):
    (home.path / "say").write_text(words + "\n", encoding="ascii")
    return (home.path / "answers").read_text(encoding="ascii").strip()


home.start(environment={"DBUS_SYSTEM_BUS_ADDRESS": address.read_text(encoding="ascii").strip()})
time.sleep(1)
try:
    for words in ("lock _31", "hint _31", "sleep"):
        latest, given, heard = -1e9, 0, set()
        for _ in range(TIMES):
            home.unlock_agent()
            running = [home.ask(program, count=60, pause=0.03) for _ in range(4)]
            time.sleep(0.7)
            moment = time.time()
            heard.add(say(words))
            said = [answer for each in running for answer in answers(each.communicate()[0])]
            tokens = [end for _, end, what in said if what == attack.TOKEN]
            given += len(tokens)
            latest = max([latest, *(end - moment for end in tokens)])
            if words == "sleep":
                say("wake")
        rows.row(f"{words}: no token later than 1 s after", given > 0 and latest < 1,
                 f"the last {latest * 1000:+.0f} ms; {given} before; logind: {', '.join(sorted(heard))}")
    home.unlock_agent()
    say("lock _32")
    time.sleep(1)
    rows.row("another user's session is nothing to it", home.asked(program)[0][2] == attack.TOKEN)
finally:
    logind.terminate()
    home.stop()
rows.end()

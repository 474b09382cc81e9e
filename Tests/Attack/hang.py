"""Calls that hang on a file system which does not answer, and thousands of connections: lock in under 200 ms, tokens of other
programs in under a second, and an end in under two.

usage: hang.py [CALLS [CONNECTIONS]]"""

import subprocess
import sys
import time

import attack
from attack import Crowd, Home, Rows, milliseconds

CALLS = int(sys.argv[1]) if len(sys.argv) > 1 else 50
CONNECTIONS = int(sys.argv[2]) if len(sys.argv) > 2 else 10_000
rows = Rows(f"{CALLS} calls that hang, {CONNECTIONS} connections")
home = Home()
program = home.program("program")
# What starting the command takes without any of that.
alone = min(home.run("lock", "-q").took for _ in range(5))
print(f"       keyfob lock with nobody there takes {milliseconds(alone)}")
silent = [attack.PYTHON, str(attack.FOLDER / "silent_files.py")]
can_hang = subprocess.run([*silent, "possible"], env=home.environment, capture_output=True).returncode == 0


def trial(name, kind, again):
    home.start()
    home.unlock_agent()
    hanging = None
    if kind and can_hang:
        hanging = subprocess.Popen([*silent, kind, str(CALLS), str(CALLS), "3600"], env=home.environment, stdout=subprocess.PIPE,
                                   stderr=subprocess.DEVNULL, text=True, start_new_session=True)
        if hanging.stdout.readline() != "here\n":
            rows.row(f"{name}: the calls hang", False)
    crowd = Crowd(home.socket, 10, CONNECTIONS // 10, again=again)
    try:
        time.sleep(1)
        answered = home.asked(program, count=20, pause=0.05)
        good = [each for each in answered if each[2] == attack.TOKEN]
        slowest = max(end - start for start, end, _ in answered)
        rows.row(f"{name}: another program has its tokens, each in under 1 s", len(good) == 20 and slowest < 1,
                 f"{len(good)} of 20, the slowest {milliseconds(slowest)}; others {[a[2] for a in answered if a not in good][:3]}")
        locks = []
        for _ in range(10):
            done = home.run("lock")
            locks.append(done)
            home.run("unlock", "-q", "--agent", "--for", "8h", "--key-file", home.key)
        bad = [done for done in locks if done.returncode or "locked" not in done.stderr]
        slowest = max(done.took for done in locks)
        rows.row(f"{name}: lock in under 200 ms, ten times", not bad and slowest < 0.2,
                 f"the slowest {milliseconds(slowest)}; {[done.stderr for done in bad][:1] or 'all well'}")
        refused = home.run("lock").returncode or home.asked(program)[0][2]
        rows.row(f"{name}: no token afterwards", refused == "Locked", refused)
        took = home.stop()
        rows.row(f"{name}: it ends in under 2 s", took < 2, milliseconds(took))
    finally:
        crowd.end()
        if hanging:
            subprocess.run(["kill", "-KILL", "--", f"-{hanging.pid}"], check=False)
            hanging.wait()
        home.stop()


if not can_hang:
    rows.skip("silent file systems", "this user mounts none")
trial("roots that hang", "living", False)
trial("programs that hang while they become others", "becoming", False)
trial("connections without end", None, True)
trial("both", "living", True)
rows.end()

"""Kills callers of `keyfob token --force-refresh`, or of a program that asks the library so, at random moments, and asks each time
whether the sign-in is still there.

usage: killing.py ROUNDS [PROGRAM WORD…] < /dev/null      PROGRAM says with a byte that it begins

In turn it kills the caller, its process group, and closes its terminal, while the caller runs. The next call has to give a token,
without a word; it waits for what the killed one has begun. Prints {"killed": how many, of each kind, "lost": [what was said]}."""

import json
import os
import pty
import random
import signal
import subprocess
import sys
import time

COMMAND = ["keyfob", "token", "--force-refresh"]
PROGRAM = sys.argv[2:]
CALLER = PROGRAM or COMMAND
NOWHERE = {"stdin": subprocess.DEVNULL, "stdout": subprocess.PIPE, "stderr": subprocess.DEVNULL}


def begin(output):
    """Waits until the caller begins."""
    if PROGRAM and os.read(output, 1) == b"":
        sys.exit(f"{PROGRAM} does not begin")


def kill_caller(patience):
    with subprocess.Popen(CALLER, **NOWHERE) as caller:
        begin(caller.stdout.fileno())
        time.sleep(patience)
        caller.kill()
        return caller.wait() == -signal.SIGKILL


def kill_group(patience):
    with subprocess.Popen(["sh", "-c", '"$@"; :', "sh", *CALLER], process_group=0, **NOWHERE) as caller:
        begin(caller.stdout.fileno())
        time.sleep(patience)
        os.killpg(caller.pid, signal.SIGKILL)
        return caller.wait() == -signal.SIGKILL


def close_terminal(patience):
    caller, terminal = pty.fork()
    if caller == 0:
        os.execvp(CALLER[0], CALLER)
    begin(terminal)
    time.sleep(patience)
    os.close(terminal)
    return os.waitstatus_to_exitcode(os.waitpid(caller, 0)[1]) == -signal.SIGHUP


def measured():
    """How long a caller takes from its beginning."""
    with subprocess.Popen(CALLER, **NOWHERE) as caller:
        begin(caller.stdout.fileno())
        start = time.monotonic()
        if caller.wait() != 0:
            sys.exit(f"{CALLER} ends with {caller.returncode}")
        return time.monotonic() - start


ways = [kill_caller, kill_group, close_terminal]
longest = 1.1 * measured()
killed, lost = dict.fromkeys((way.__name__ for way in ways), 0), []
for number in range(int(sys.argv[1])):
    way = ways[number % len(ways)]
    while not way(patience := random.uniform(0, longest)):
        pass
    killed[way.__name__] += 1
    after = subprocess.run(COMMAND, stdin=subprocess.DEVNULL, capture_output=True, text=True)
    if after.returncode != 0 or after.stderr:
        lost.append(f"{way.__name__} after {patience:.3f} s: [{after.returncode}] {after.stderr}")
print(json.dumps({"killed": killed, "lost": lost}))

"""Kills callers of `keyfob token --force-refresh` at random moments, and asks each time whether the sign-in is still there.

usage: killing.py ROUNDS < /dev/null

In turn it kills the caller, its process group, and closes its terminal. The next call has to give a token, without a word; it
waits for what the killed one has begun. Prints {"killed": how many were still running, of each kind, "lost": [what was said]}."""

import json
import os
import pty
import random
import signal
import subprocess
import sys
import time

COMMAND = ["keyfob", "token", "--force-refresh"]
NOWHERE = {"stdin": subprocess.DEVNULL, "stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}


def kill_caller(patience):
    caller = subprocess.Popen(COMMAND, **NOWHERE)
    time.sleep(patience)
    caller.kill()
    return caller.wait() == -signal.SIGKILL


def kill_group(patience):
    caller = subprocess.Popen(["sh", "-c", "keyfob token --force-refresh; :"], process_group=0, **NOWHERE)
    time.sleep(patience)
    os.killpg(caller.pid, signal.SIGKILL)
    return caller.wait() == -signal.SIGKILL


def close_terminal(patience):
    caller, terminal = pty.fork()
    if caller == 0:
        os.execvp(COMMAND[0], COMMAND)
    time.sleep(patience)
    os.close(terminal)
    return os.waitstatus_to_exitcode(os.waitpid(caller, 0)[1]) == -signal.SIGHUP


ways = [kill_caller, kill_group, close_terminal]
begin = time.monotonic()
subprocess.run(COMMAND, check=True, stdout=subprocess.DEVNULL)
longest = 1.1 * (time.monotonic() - begin)
killed, lost = dict.fromkeys((way.__name__ for way in ways), 0), []
for number in range(int(sys.argv[1])):
    way, patience = ways[number % len(ways)], random.uniform(0, longest)
    killed[way.__name__] += way(patience)
    after = subprocess.run(COMMAND, stdin=subprocess.DEVNULL, capture_output=True, text=True)
    if after.returncode != 0 or after.stderr:
        lost.append(f"{way.__name__} after {patience:.3f} s: [{after.returncode}] {after.stderr}")
print(json.dumps({"killed": killed, "lost": lost}))

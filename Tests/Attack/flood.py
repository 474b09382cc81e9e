"""One program makes calls without end: no line of another's is lost, the log stays small, and `keyfob log` is quick.

usage: flood.py [CALLS]     a million unless told otherwise"""

import json
import os
import pathlib
import subprocess
import sys
import time

import attack
from attack import Home, Rows, milliseconds

CALLS = int(sys.argv[1]) if len(sys.argv) > 1 else 1_000_000
# What several connections of one program send at once.
BATCH = 64
LIMIT = 32 << 20
rows = Rows(f"{CALLS} calls by one program")


def flood(path, program_source):
    """A program that asks on some connections as fast as it is answered."""
    path.write_text(program_source, encoding="utf8")
    path.chmod(0o700)
    time.sleep(0.05)


FLOODER = """#!/usr/bin/python3
import json, socket, sys
path, method, parameters, count, batch = sys.argv[1], sys.argv[2], sys.argv[3], int(sys.argv[4]), int(sys.argv[5])
call = json.dumps({"method": "io.keyfob.Agent." + method, "parameters": json.loads(parameters)}).encode() + b"\\0"
line, done = None, 0
while done < count:
    try:
        if line is None:
            line = socket.socket(socket.AF_UNIX)
            line.connect(path)
        line.sendall(call * batch)
        seen = 0
        while seen < batch:
            part = line.recv(1 << 16)
            if not part:
                raise OSError("closed")
            seen += part.count(b"\\0")
        done += seen
    except OSError:
        line = None
print(done)
"""


def size(folder):
    return sum(os.path.getsize(f"{where}/{name}") for where, _, names in os.walk(folder) for name in names)


def trial(name, method, is_permitted):
    home = Home(name)
    other = home.program("other")
    flooder = pathlib.Path(home.path / "flooder.py")
    flood(flooder, FLOODER)
    if is_permitted:
        home.run("program", "allow", "-q", str(flooder), "--account", "ada", "--key-file", home.key, check=True)
    home.start()
    home.unlock_agent()
    running = subprocess.Popen([str(flooder), home.socket, method, json.dumps({"account": "ada"} if method == "Token" else {}),
                                str(CALLS), str(BATCH)], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
    begin, own = time.time(), []
    # Before, during and after: each answer of the other's has its line.
    while running.poll() is None:
        own += home.asked(other, count=5)
        # Rarely enough that its own lines, of which only the newest stay, are all still there.
        time.sleep(max(0.0, min(60.0, (time.time() - begin) / 20)))
    own += home.asked(other, count=5)
    took = time.time() - begin
    given = [answer for answer in own if answer[2] == attack.TOKEN]
    rows.row(f"{name}: the other program has its tokens", len(given) == len(own), f"{len(given)} of {len(own)} in {took:.0f} s")
    done = home.run("log", "--json", "--key-file", home.key, timeout=600)
    try:
        entries = json.loads(done.stdout)["entries"]
    except (ValueError, KeyError):
        entries = []
        rows.row(f"{name}: the log can be read", False, done.stderr[:200])
    lines = sum(1 + each.get("repeats", 0) for each in entries if other in json.dumps(each) and each.get("answer") != "notPermitted")
    rows.row(f"{name}: no line of the other's is lost", lines >= len(given), f"{lines} of {len(given)}")
    log = size(f"{home.path}/state/keyfob/audit")
    rows.row(f"{name}: the log is under {LIMIT >> 20} MB", log < LIMIT, f"{log >> 10} KB")
    quickest = min(home.run("log", "--key-file", home.key).took for _ in range(5))
    rows.row(f"{name}: keyfob log in under 100 ms", quickest < 0.1, milliseconds(quickest))
    verified = home.run("log", "-q", "--key-file", home.key)
    rows.row(f"{name}: its chain is whole", verified.returncode == 0, verified.stderr.strip()[:200])
    home.stop()


trial("allowed", "Token", True)
trial("not allowed", "Accounts", False)
rows.end()

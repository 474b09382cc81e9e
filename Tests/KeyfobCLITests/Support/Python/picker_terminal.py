"""Runs a command on a terminal that has a screen, and does what a person does there.

usage: picker_terminal.py < {"line": SHELL LINE, "columns": N, "rows": N, "steps": [STEP, …], "deadline": SECONDS}
A step is {"await": TEXT ON THE SCREEN}, {"type": TEXT}, {"shot": true}, {"resize": [COLUMNS, ROWS]} or
{"signal": NAME, such as "TERM"}; {"hang": true} closes the terminal.
Prints {"status": …, "shots": [[LINE, …], …], "isRestored": …, "modes": {MODE: on?}, "hasLooks": …, "missed": …}:
the exit status, negative for a signal; whether the settings are as before; the private modes as they were left; whether
any colour or other look was asked for; the text that was waited for in vain."""

import fcntl
import json
import os
import pty
import re
import select
import signal
import struct
import sys
import termios
import time

import pyte

task = json.load(sys.stdin)
columns, rows = task["columns"], task["rows"]
master, slave = pty.openpty()
fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))
before = termios.tcgetattr(slave)
child = os.fork()
if child == 0:
    os.setsid()
    fcntl.ioctl(slave, termios.TIOCSCTTY, 0)
    for descriptor in range(3):
        os.dup2(slave, descriptor)
    os.closerange(3, os.sysconf("SC_OPEN_MAX"))
    os.execvp("/bin/sh", ["sh", "-c", "exec " + task["line"]])

screen = pyte.Screen(columns, rows)
stream = pyte.ByteStream(screen)
output = b""
end = time.monotonic() + task.get("deadline", 120)
status = missed = after = None


def read(wait):
    """Takes what the command wrote, for at most this long; tells whether there was anything."""
    global output
    if master is None or not select.select([master], [], [], wait)[0]:
        return False
    try:
        data = os.read(master, 65536)
    except OSError:
        return False
    output += data
    stream.feed(data)
    return bool(data)


def is_done():
    global status
    if status is None:
        done, code = os.waitpid(child, os.WNOHANG)
        if done:
            status = os.waitstatus_to_exitcode(code)
    return status is not None


def shown():
    return [line.rstrip() for line in screen.display]


shots, is_answered = [], True
for step in task["steps"]:
    if "await" in step:
        while not any(step["await"] in line for line in shown()):
            if is_done() or time.monotonic() > end:
                missed = step["await"]
                break
            read(0.02)
        if missed is not None:
            break
    elif "type" in step:
        os.write(master, step["type"].encode())
        is_answered = False
        continue
    elif "shot" in step:
        while not (is_answered or is_done() or time.monotonic() > end or read(0.05)):
            pass
        while read(0.05):
            pass
        shots.append(shown())
    elif "resize" in step:
        columns, rows = step["resize"]
        screen.resize(rows, columns)
        screen.reset()
        fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))
    elif "signal" in step:
        os.kill(child, getattr(signal, "SIG" + step["signal"]))
    elif "hang" in step:
        os.close(slave)
        os.close(master)
        master = slave = None
    is_answered = True

while not is_done() and time.monotonic() < end:
    read(0.02) or time.sleep(0.01)
if not is_done():
    os.kill(child, signal.SIGKILL)
    os.waitpid(child, 0)
while read(0.05):
    pass
if slave is not None:
    after = termios.tcgetattr(slave)
modes = {}
for numbers, switch in re.findall(rb"\x1b\[\?([0-9;]+)([hl])", output):
    for number in numbers.split(b";"):
        modes[number.decode()] = switch == b"h"
print(
    json.dumps(
        {
            "status": status,
            "shots": shots,
            "isRestored": after is None or (after[:4] == before[:4] and after[6] == before[6]),
            "modes": modes,
            "hasLooks": re.search(rb"\x1b\[[0-9;]*[1-9][0-9;]*m", output) is not None,
            "missed": missed,
        }
    )
)

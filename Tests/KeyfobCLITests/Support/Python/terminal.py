"""Runs a command on a terminal and types what a person types.

usage: terminal.py < {"line": SHELL LINE, "steps": [[TEXT TO WAIT FOR, WHAT TO TYPE], …], "deadline": SECONDS}
A step may have a third text: a shell line that gets the screen as it is, and prints what is typed before the second.
Prints {"status": …, "screen": …, "echoes": [whether typing was shown at each step], "isRestored": …, "missed": …}."""

import fcntl
import json
import os
import pty
import select
import signal
import subprocess
import sys
import termios
import time

task = json.load(sys.stdin)
master, slave = pty.openpty()
before = termios.tcgetattr(slave)
child = os.fork()
if child == 0:
    os.setsid()
    fcntl.ioctl(slave, termios.TIOCSCTTY, 0)
    for descriptor in range(3):
        os.dup2(slave, descriptor)
    os.closerange(3, os.sysconf("SC_OPEN_MAX"))
    # Threads of tests hold signals back, and a terminal's programs do not.
    signal.pthread_sigmask(signal.SIG_SETMASK, [])
    os.execvp("/bin/sh", ["sh", "-c", "exec " + task["line"]])

screen, echoes, missed = b"", [], None
end = time.monotonic() + task.get("deadline", 120)



def read(wait):
    global screen
    ready, _, _ = select.select([master], [], [], wait)
    if ready:
        screen += os.read(master, 65536)
    return bool(ready)


status, start = None, 0
steps = list(task["steps"])
while time.monotonic() < end:
    read(0.02)
    if steps and steps[0][0].encode() in screen[start:]:
        start = screen.index(steps[0][0].encode(), start) + len(steps[0][0].encode())
        echoes.append(bool(termios.tcgetattr(slave)[3] & termios.ECHO))
        _, text, *command = steps.pop(0)
        if command:
            printed = subprocess.run(["/bin/sh", "-c", command[0]], input=screen, stdout=subprocess.PIPE).stdout
            text = printed.decode().strip() + text
        os.write(master, text.encode())
    done, code = os.waitpid(child, os.WNOHANG)
    if done:
        status = os.waitstatus_to_exitcode(code)
        break
if status is None:
    # All that it has started on the terminal, stopped or not.
    for number in filter(str.isdigit, os.listdir("/proc")):
        try:
            if os.getsid(int(number)) == child:
                os.kill(int(number), signal.SIGKILL)
        except OSError:
            pass
    os.waitpid(child, 0)
if steps:
    missed = steps[0][0]
while read(0.05):
    pass
after = termios.tcgetattr(slave)
print(
    json.dumps(
        {
            "status": status,
            "screen": screen.decode(errors="replace"),
            "echoes": echoes,
            "isRestored": after[:4] == before[:4] and after[6] == before[6],
            "missed": missed,
        }
    )
)

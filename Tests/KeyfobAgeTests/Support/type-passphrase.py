#!/usr/bin/env python3
"""Runs a program on a terminal of its own and types a passphrase wherever it asks for one.

    type-passphrase.py PASSPHRASE PROGRAM [ARGUMENT…]

The age program takes a passphrase from /dev/tty only. Exits with the program's status; what it shows on the
terminal goes to standard error.
"""

import os
import pty
import sys

PROMPT = b"passphrase"

pid, terminal = pty.fork()
if pid == 0:
    os.execvp(sys.argv[2], sys.argv[2:])

unanswered = b""
while True:
    try:
        shown = os.read(terminal, 1024)
    except OSError:  # Linux reports the closed terminal so.
        break
    if not shown:
        break
    sys.stderr.buffer.write(shown)
    unanswered += shown
    # A prompt ends with a colon and a space, in which it differs from the messages about a passphrase.
    if PROMPT in unanswered.lower() and unanswered.endswith(b": "):
        os.write(terminal, sys.argv[1].encode() + b"\n")
        unanswered = b""

sys.exit(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]))

"""Runs a program for which system calls fail, as under the seccomp filter of a container.

usage: forbidding.py ERRNO NUMBER,… PROGRAM [ARGUMENT…]

ERRNO is a name such as ENOSYS; the numbers are those of x86_64."""

import ctypes
import errno
import os
import struct
import sys

ALLOW, ERRNO = 0x7FFF0000, 0x00050000
reason, numbers, *command = sys.argv[1:]
calls = [int(number) for number in numbers.split(",")]
instructions = [(0x20, 0, 0, 0)]
instructions += [(0x15, len(calls) - index, 0, call) for index, call in enumerate(calls)]
instructions += [(0x06, 0, 0, ALLOW), (0x06, 0, 0, ERRNO | getattr(errno, reason))]
code = ctypes.create_string_buffer(b"".join(struct.pack("=HBBI", *each) for each in instructions))
program = ctypes.create_string_buffer(struct.pack("=HxxxxxxQ", len(instructions), ctypes.addressof(code)))
libc = ctypes.CDLL(None, use_errno=True)
if libc.prctl(38, 1, 0, 0, 0) or libc.prctl(22, 2, program, 0, 0):
    sys.exit(f"forbidding.py: {os.strerror(ctypes.get_errno())}")
os.execvp(command[0], command)

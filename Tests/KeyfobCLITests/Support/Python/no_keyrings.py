"""Runs a command for which the kernel has no keyrings, as in many containers: their calls are not there (ENOSYS).

usage: no_keyrings.py COMMAND…"""

import ctypes
import os
import platform
import struct
import sys

PR_SET_NO_NEW_PRIVS, PR_SET_SECCOMP, SECCOMP_MODE_FILTER = 38, 22, 2
ALLOW, ENOSYS = 0x7FFF0000, 0x00050000 | 38
# add_key, request_key, keyctl.
CALLS = {"x86_64": (248, 249, 250), "aarch64": (217, 218, 219)}[platform.machine()]
LOAD_NUMBER, EQUAL, RETURN = 0x20, 0x15, 0x06

lines = [(LOAD_NUMBER, 0, 0, 0)]
for index, call in enumerate(CALLS):
    lines.append((EQUAL, len(CALLS) - index, 0, call))
lines += [(RETURN, 0, 0, ALLOW), (RETURN, 0, 0, ENOSYS)]
program = ctypes.create_string_buffer(b"".join(struct.pack("HBBI", *line) for line in lines))
filters = ctypes.create_string_buffer(struct.pack("HxxxxxxQ", len(lines), ctypes.addressof(program)))
libc = ctypes.CDLL(None, use_errno=True)
if libc.prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) or libc.prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, filters, 0, 0):
    sys.exit(f"no filter: {os.strerror(ctypes.get_errno())}")
os.execvp(sys.argv[1], sys.argv[1:])

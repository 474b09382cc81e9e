"""Runs a command with its standard streams, and writes its status, its seconds and the most MiB it had to `measured`.

usage: measured.py COMMAND [ARGUMENT…]"""

import os
import resource
import subprocess
import sys
import time

begin = time.monotonic()
status = subprocess.run(sys.argv[1:], close_fds=False).returncode
seconds = time.monotonic() - begin
used = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss // 1024
with open("measured", "w", encoding="utf-8") as output:
    print(status, round(seconds), used, file=output)
sys.exit(status)

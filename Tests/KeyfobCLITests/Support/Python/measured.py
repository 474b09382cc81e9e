"""Runs a command with its standard streams, and writes its status, its seconds of a processor and the most MiB it had to `measured`.

usage: measured.py COMMAND [ARGUMENT…]"""

import os
import resource
import subprocess
import sys

status = subprocess.run(sys.argv[1:], close_fds=False).returncode
used = resource.getrusage(resource.RUSAGE_CHILDREN)
seconds = used.ru_utime + used.ru_stime
with open("measured", "w", encoding="utf-8") as output:
    print(status, round(seconds), used.ru_maxrss // 1024, file=output)
sys.exit(status)

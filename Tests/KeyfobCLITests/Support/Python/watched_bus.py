"""Runs a shell line with DBUS_SESSION_BUS_ADDRESS naming a socket where nobody answers.

usage: watched_bus.py LINE
Prints how often somebody came to the socket. The line's status is its own, its standard output is dropped."""

import os
import socket
import subprocess
import sys
import tempfile
import threading

count = 0


def watch(listener):
    global count
    while True:
        peer, _ = listener.accept()
        count += 1
        peer.close()


with tempfile.TemporaryDirectory() as folder, socket.socket(socket.AF_UNIX) as listener:
    listener.bind(f"{folder}/bus")
    listener.listen()
    threading.Thread(target=watch, args=(listener,), daemon=True).start()
    environment = {**os.environ, "DBUS_SESSION_BUS_ADDRESS": f"unix:path={folder}/bus", "XDG_RUNTIME_DIR": folder}
    status = subprocess.run(sys.argv[1], shell=True, env=environment, stdout=subprocess.DEVNULL).returncode
    # Whoever came before this did is counted by then.
    with socket.socket(socket.AF_UNIX) as last:
        last.connect(f"{folder}/bus")
        last.recv(1)
    print(count - 1, flush=True)
    os._exit(status)

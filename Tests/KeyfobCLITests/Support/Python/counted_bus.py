"""Runs a shell line whose messages to the session bus pass by here, and are counted.

usage: counted_bus.py LINE
Prints each method that was called with how often that was, as 'GetSecrets 1', sorted. The line's status and its errors are its
own, its standard output is dropped."""

import collections
import contextlib
import os
import socket
import subprocess
import sys
import tempfile
import threading

from jeepney import HeaderFields, MessageType
from jeepney.low_level import Parser

calls = collections.Counter()


def forward(source, target, see=lambda data: None):
    # Either side may go away with messages of the other under way.
    with contextlib.suppress(OSError):
        while data := source.recv(65536):
            see(data)
            target.sendall(data)
        target.shutdown(socket.SHUT_WR)


def counting():
    """What counts the calls in the bytes that a client sends, which begin with lines."""
    greeting, parser = bytearray(), Parser()

    def see(data):
        if not greeting.endswith(b"BEGIN\r\n"):
            # The client waits for answers in between, and sends no message together with its last line's beginning.
            end = (bytes(greeting) + data).find(b"BEGIN\r\n")
            if end < 0:
                greeting.extend(data)
                return
            end += 7 - len(greeting)
            greeting.extend(data[:end])
            data = data[end:]
        for message in parser.feed(data):
            if message.header.message_type == MessageType.method_call:
                calls[message.header.fields[HeaderFields.member]] += 1

    return see


def serve(listener, path):
    while True:
        client, _ = listener.accept()
        bus = socket.socket(socket.AF_UNIX)
        bus.connect(path)
        threading.Thread(target=forward, args=(client, bus, counting()), daemon=True).start()
        threading.Thread(target=forward, args=(bus, client), daemon=True).start()


with tempfile.TemporaryDirectory() as folder, socket.socket(socket.AF_UNIX) as listener:
    listener.bind(f"{folder}/bus")
    listener.listen()
    path = os.environ["DBUS_SESSION_BUS_ADDRESS"].removeprefix("unix:path=")
    threading.Thread(target=serve, args=(listener, path), daemon=True).start()
    environment = {**os.environ, "DBUS_SESSION_BUS_ADDRESS": f"unix:path={folder}/bus"}
    status = subprocess.run(sys.argv[1], shell=True, env=environment, stdout=subprocess.DEVNULL).returncode
    # Each was answered before the line ended, and so was counted.
    for name, count in sorted(calls.items()):
        print(name, count)
    sys.stdout.flush()
    os._exit(status)

"""A socket where a message bus would be.

    half-a-bus.py KIND SOCKET

    silent      listens, and never takes a connection
    full        listens, and its queue is full
    greetless   lets one in, and then does not greet
    noBus       hangs up

Says "ready" when it listens; ends with its standard input.
"""

import os
import socket
import sys
import threading


def let_in(peer):
    """The server's part of the D-Bus handshake, and nothing after it."""
    stream = peer.makefile("rb")
    stream.read(1)
    for line in stream:
        if line == b"AUTH EXTERNAL\r\n":
            # Who says later who they are.
            peer.sendall(b"DATA\r\n")
        elif line.startswith((b"AUTH EXTERNAL ", b"DATA")):
            peer.sendall(b"OK 0123456789abcdef0123456789abcdef\r\n")
        elif line.startswith(b"NEGOTIATE_UNIX_FD"):
            peer.sendall(b"AGREE_UNIX_FD\r\n")
        elif line.startswith(b"BEGIN"):
            break
        else:
            peer.sendall(b"REJECTED EXTERNAL\r\n")
    while peer.recv(4_096):
        pass


def serve(kind, listener):
    while kind in ("greetless", "noBus"):
        peer, _ = listener.accept()
        if kind == "noBus":
            peer.close()
        else:
            threading.Thread(target=let_in, args=(peer,), daemon=True).start()


def main():
    kind, path = sys.argv[1:]
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(path)
        listener.listen(0 if kind == "full" else 8)
        crowd = []
        if kind == "full":
            for _ in range(8):
                crowd.append(socket.socket(socket.AF_UNIX))
                crowd[-1].setblocking(False)
                crowd[-1].connect_ex(path)
        print("ready", flush=True)
        threading.Thread(target=serve, args=(kind, listener), daemon=True).start()
        sys.stdin.read()
        os._exit(0)


main()

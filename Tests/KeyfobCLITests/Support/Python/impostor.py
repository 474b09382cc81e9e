"""Answers each call at a socket with the same text.

usage: impostor.py SOCKET FILE"""

import os
import socket
import sys

with open(sys.argv[2], "rb") as file:
    text = file.read()
with socket.socket(socket.AF_UNIX) as listener:
    # It has its name once somebody listens.
    listener.bind(sys.argv[1] + ".new")
    listener.listen()
    os.rename(sys.argv[1] + ".new", sys.argv[1])
    while True:
        connection, _ = listener.accept()
        with connection:
            if connection.recv(65536):
                connection.sendall(text.rstrip(b"\n") + b"\0")

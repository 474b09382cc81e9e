"""A socket beside a session bus, behind which all is as on the bus, but for calls of the Secret Service that are refused, or at
which the connection ends."""

import contextlib
import socket
import threading

from jeepney import HeaderFields, MessageType, new_error
from jeepney.low_level import Parser
from refusals import Refusals

BEGIN = b"BEGIN\r\n"


class RefusingBus:
    """Listens at `path` for clients of the bus at `bus`; `file` says which calls are refused."""

    def __init__(self, bus, path, file):
        self.bus, self.refusals, self.turn = bus, Refusals(file), threading.Lock()
        self.listener = socket.socket(socket.AF_UNIX)
        self.listener.bind(path)
        self.listener.listen()
        threading.Thread(target=self.serve, daemon=True).start()

    def serve(self):
        while True:
            client, _ = self.listener.accept()
            bus = socket.socket(socket.AF_UNIX)
            bus.connect(self.bus)
            writing = threading.Lock()
            threading.Thread(target=self.upwards, args=(client, bus, writing), daemon=True).start()
            threading.Thread(target=self.downwards, args=(bus, client, writing), daemon=True).start()

    def is_refused(self, message):
        if message.header.message_type is not MessageType.method_call:
            return False
        if not message.header.fields.get(HeaderFields.path, "").startswith("/org/freedesktop/secrets"):
            return False
        with self.turn:
            return self.refusals.refuses(message.header.fields[HeaderFields.member])

    def upwards(self, client, bus, writing):
        greeting, parser = b"", Parser()
        # Either side may go away at any time.
        with contextlib.suppress(OSError):
            while data := client.recv(65536):
                if BEGIN not in greeting:
                    # Lines come first; the bus answers them.
                    known = len(greeting)
                    greeting += data
                    end = greeting.find(BEGIN)
                    if end < 0:
                        bus.sendall(data)
                        continue
                    end += len(BEGIN) - known
                    bus.sendall(data[:end])
                    data = data[end:]
                for message in parser.feed(data):
                    is_refused = self.is_refused(message)
                    if not is_refused or self.refusals.kind == "finish":
                        bus.sendall(message.serialise(serial=message.header.serial))
                    if is_refused and self.refusals.kind != "refuse":
                        client.shutdown(socket.SHUT_RDWR)
                        bus.shutdown(socket.SHUT_WR)
                        return
                    if is_refused:
                        error = new_error(message, "org.example.Refused", "s", ("a private text",))
                        with writing:
                            client.sendall(error.serialise(serial=0xFFFF0000))
            bus.shutdown(socket.SHUT_WR)

    @staticmethod
    def downwards(bus, client, writing):
        # Whole messages, so that no refusal comes in the middle of one; what the bus says before them are lines.
        parser, lines = Parser(), True
        with contextlib.suppress(OSError):
            while data := bus.recv(65536):
                if lines and not data[:1] in (b"l", b"B"):
                    with writing:
                        client.sendall(data)
                    continue
                lines = False
                for message in parser.feed(data):
                    with writing:
                        client.sendall(message.serialise(serial=message.header.serial))
            client.shutdown(socket.SHUT_WR)

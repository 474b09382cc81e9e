"""A bus with logind on it, as far as the agent asks it: one session of this user's, _31, and one of another's, _32.

usage: logind.py SAY DONE
Writes the bus's address into `bus-address`. Does what the lines of the pipe SAY ask for, and answers each by a line in DONE:
lock SESSION, hint SESSION, sleep (the answer tells whether whoever delays it lets it go), wake."""

import os
import select
import signal
import subprocess
import sys
import tempfile
import threading

from jeepney import HeaderFields, MessageType, new_method_return, new_signal, DBusAddress
from jeepney.bus_messages import message_bus
from jeepney.io.blocking import open_dbus_connection

NAME, PATH = "org.freedesktop.login1", "/org/freedesktop/login1"
CONFIGURATION = """<busconfig><type>session</type><listen>unix:dir={}</listen><policy context="default">
<allow send_destination="*" eavesdrop="true"/><allow eavesdrop="true"/><allow own="*"/></policy></busconfig>"""
waiting = []


def user_of(session):
    return os.geteuid() + (0 if session.endswith("_31") else 1)


def serve(connection):
    while True:
        call = connection.receive()
        if call.header.message_type != MessageType.method_call:
            continue
        fields = call.header.fields
        if fields[HeaderFields.member] == "Inhibit":
            reader, writer = os.pipe()
            waiting.append(reader)
            answer = new_method_return(call, "h", (writer,))
            connection.send(answer)
            os.close(writer)
        elif call.body[1] == "User":
            connection.send(new_method_return(call, "v", (("(uo)", (user_of(fields[HeaderFields.path]), PATH)),)))
        else:
            connection.send(new_method_return(call, "v", (("s", ""),)))


def act(connection, word, session=""):
    manager = DBusAddress(PATH, interface=NAME + ".Manager")
    place = f"{PATH}/session/{session}"
    if word == "lock":
        connection.send(new_signal(DBusAddress(place, interface=NAME + ".Session"), "Lock"))
    elif word == "hint":
        connection.send(new_signal(DBusAddress(place, interface="org.freedesktop.DBus.Properties"), "PropertiesChanged", "sa{sv}as",
                                   (NAME + ".Session", {"LockedHint": ("b", True)}, [])))
    elif word == "wake":
        connection.send(new_signal(manager, "PrepareForSleep", "b", (False,)))
    elif word == "sleep":
        connection.send(new_signal(manager, "PrepareForSleep", "b", (True,)))
        if not waiting:
            return "nobody is waited for"
        descriptor = waiting.pop()
        let_go, _, _ = select.select([descriptor], [], [], 5)
        return "let go" if let_go and os.read(descriptor, 1) == b"" else "still held"
    return "done"


os.umask(0o077)
signal.signal(signal.SIGTERM, lambda *_: sys.exit(0))
with tempfile.TemporaryDirectory() as folder:
    with open(f"{folder}/configuration", "w", encoding="ascii") as file:
        file.write(CONFIGURATION.format(folder))
    bus = subprocess.Popen(["dbus-daemon", f"--config-file={folder}/configuration", "--nofork", "--print-address"],
                           stdout=subprocess.PIPE, text=True)
    try:
        address = bus.stdout.readline().strip()
        connection = open_dbus_connection(address, enable_fds=True)
        connection.send_and_get_reply(message_bus.RequestName(NAME))
        threading.Thread(target=serve, args=(connection,), daemon=True).start()
        with open("bus-address", "w", encoding="ascii") as file:
            file.write(address + "\n")
        while True:
            with open(sys.argv[1], encoding="ascii") as file:
                words = file.read().split()
            if not words:
                continue
            answer = act(connection, *words)
            with open(sys.argv[2], "w", encoding="ascii") as file:
                file.write(answer + "\n")
    finally:
        bus.terminate()

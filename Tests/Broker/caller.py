"""A client on a message bus that makes the calls it is told to, for one test.

    caller.py ADDRESS

Says "ready" once it is on the bus. Then reads commands, a line each, and answers each with a line. Ends with its input.

    call DESTINATION PATH INTERFACE METHOD [TEXT…]
                     "answer" and what is answered, or "error" and the error's name; an argument "@N" is N times "x"
    numbers DESTINATION PATH INTERFACE METHOD
                     the same with a number in the place of texts
    flood N DESTINATION PATH INTERFACE METHOD [TEXT…]
                     makes N calls and reads answers until one is an error: its name
    begin DESTINATION PATH INTERFACE METHOD [TEXT…]
                     makes the call and waits for nothing; "begun"
    own NAME         "ok", or "taken"
    owner NAME       "owned", or "free"
"""

import sys

from jeepney import DBusAddress, MessageType, new_method_call
from jeepney.io.blocking import open_dbus_connection

BUS = DBusAddress("/org/freedesktop/DBus", "org.freedesktop.DBus", "org.freedesktop.DBus")


def message(words, signature=None, body=None):
    destination, path, interface, method, *texts = words
    texts = tuple("x" * int(text[1:]) if text.startswith("@") else text for text in texts)
    signature = signature or "s" * len(texts)
    return new_method_call(
        DBusAddress(path, destination, interface), method, signature or None, body if body is not None else texts)


def told(reply):
    if reply.header.message_type == MessageType.error:
        return "error " + next(value for key, value in reply.header.fields.items() if key.name == "error_name")
    return "answer " + " ".join(str(value) for value in reply.body).replace("\n", " ")


def run(connection, command, words):
    if command == "call":
        return told(connection.send_and_get_reply(message(words), timeout=30))
    if command == "numbers":
        return told(connection.send_and_get_reply(message(words, "u", (1,)), timeout=30))
    if command == "flood":
        for _ in range(int(words[0])):
            connection.send(message(words[1:]))
        while True:
            reply = connection.receive(timeout=30)
            if reply.header.message_type == MessageType.error:
                return told(reply)
    if command == "begin":
        connection.send(message(words))
        return "begun"
    if command == "own":
        answer = connection.send_and_get_reply(new_method_call(BUS, "RequestName", "su", (words[0], 4))).body[0]
        return "ok" if answer == 1 else "taken"
    if command == "owner":
        owned = connection.send_and_get_reply(new_method_call(BUS, "NameHasOwner", "s", (words[0],))).body[0]
        return "owned" if owned else "free"
    return f"no such command: {command}"


def main():
    connection = open_dbus_connection(sys.argv[1])
    print("ready", flush=True)
    for line in sys.stdin:
        command, *words = line.split()
        try:
            print(run(connection, command, words), flush=True)
        except Exception as error:
            print(f"{type(error).__name__}: {error}".replace("\n", " "), flush=True)


main()

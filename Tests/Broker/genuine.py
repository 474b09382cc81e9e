"""Another program that is the identity broker of a bus, for one test: it answers as the genuine one's clients see it.

    genuine.py ADDRESS FILE

Takes the name, says "ready", and answers each call with the member of FILE's JSON object that is named as its method: a text as it
is, anything else as JSON. "@bus" makes it an error of the bus. What it was asked goes to FILE.asked, a line for each call. Ends with its input.
"""

import json
import os
import sys
import threading

from jeepney import DBusAddress, MessageType, new_error, new_method_call, new_method_return
from jeepney.io.blocking import open_dbus_connection

NAME = "com.microsoft.identity.broker1"
BUS = DBusAddress("/org/freedesktop/DBus", "org.freedesktop.DBus", "org.freedesktop.DBus")


def main():
    connection = open_dbus_connection(sys.argv[1])
    owned = connection.send_and_get_reply(new_method_call(BUS, "RequestName", "su", (NAME, 4))).body[0]
    print("ready" if owned == 1 else "taken", flush=True)
    threading.Thread(target=lambda: (sys.stdin.read(), os._exit(0)), daemon=True).start()
    while True:
        call = connection.receive()
        if call.header.message_type != MessageType.method_call:
            continue
        method = next(value for key, value in call.header.fields.items() if key.name == "member")
        with open(sys.argv[2], encoding="utf-8") as answers, open(sys.argv[2] + ".asked", "a", encoding="utf-8") as asked:
            answer = json.load(answers).get(method, "@bus")
            asked.write(f"{method} {call.body[2] if len(call.body) == 3 else ''}\n")
        if answer == "@bus":
            connection.send(new_error(call, "org.freedesktop.DBus.Error.UnknownMethod"))
        else:
            connection.send(new_method_return(call, "s", (answer if isinstance(answer, str) else json.dumps(answer),)))


main()

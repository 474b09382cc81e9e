"""Does to the items that keep the keys of vaults what other programs can do to them.

usage: kept_items.py count | labels | delete | double | replace TEXT | add TEXT
       kept_items.py attribute NAME VALUE WHERE=VALUE…      of all items that have these attributes
       kept_items.py secret TEXT WHERE=VALUE…
`double` puts a copy beside each item, `add` an item that differs in its secret. The bus is DBUS_SESSION_BUS_ADDRESS."""

import sys

from jeepney import DBusAddress, Properties, new_method_call
from jeepney.io.blocking import open_dbus_connection

NAME, ROOT = "org.freedesktop.secrets", "/org/freedesktop/secrets"
SECRET = "org.freedesktop.Secret."
connection = open_dbus_connection()


def call(path, interface, method, signature=None, body=()):
    message = new_method_call(DBusAddress(path, NAME, SECRET + interface), method, signature, body)
    reply = connection.send_and_get_reply(message, timeout=10)
    if reply.header.message_type.name == "error":
        sys.exit(f"{method}: {reply.body}")
    return reply.body


def value(path, interface, name):
    message = Properties(DBusAddress(path, NAME, SECRET + interface)).get(name)
    return connection.send_and_get_reply(message, timeout=10).body[0][1]


session = call(ROOT, "Service", "OpenSession", "sv", ("plain", ("s", "")))[1]
unlocked, locked = call(ROOT, "Service", "SearchItems", "a{ss}", ({"xdg:schema": "io.keyfob.Slot"},))


def found(where):
    """The items with these attributes."""
    wanted = dict(word.split("=", 1) for word in where)
    return call(ROOT, "Service", "SearchItems", "a{ss}", (wanted,))[0] or sys.exit(f"no item with {wanted}")


def put(item, secret):
    call(item, "Item", "SetSecret", "(oayays)", ((session, b"", secret, "text/plain"),))


def add(item, secret):
    properties = {
        SECRET + "Item.Label": ("s", value(item, "Item", "Label")),
        SECRET + "Item.Attributes": ("a{ss}", value(item, "Item", "Attributes")),
    }
    body = (properties, (session, b"", secret, "text/plain"), False)
    call(item.rsplit("/", 1)[0], "Collection", "CreateItem", "a{sv}(oayays)b", body)


match sys.argv[1:]:
    case ["count"]:
        print(len(unlocked + locked))
    case ["labels"]:
        print("\n".join(sorted(value(item, "Item", "Label") for item in unlocked)))
    case ["delete"]:
        for item in unlocked:
            call(item, "Item", "Delete")
    case ["double"]:
        for item in unlocked:
            add(item, call(item, "Item", "GetSecret", "o", (session,))[0][2])
    case ["replace", text]:
        for item in unlocked:
            put(item, text.encode())
    case ["add", text]:
        for item in unlocked:
            add(item, text.encode())
    case ["attribute", name, text, *where]:
        for item in found(where):
            properties = Properties(DBusAddress(item, NAME, SECRET + "Item"))
            attributes = value(item, "Item", "Attributes") | {name: text}
            connection.send_and_get_reply(properties.set("Attributes", "a{ss}", attributes), timeout=10)
    case ["secret", text, *where]:
        for item in found(where):
            put(item, text.encode())
    case _:
        sys.exit(__doc__)

"""A Secret Service that misbehaves as its flags say. Its secrets travel in the clear; it keeps them in memory.

    locked              the collection is locked
    no-default          there is no default collection
    items-locked        every item is locked, and reading several of which one is locked fails as a whole
    locks-labelled      an item with the label "locked" is locked
    hides-locked        a locked collection shows none of its items
    ask-to-delete       deleting an item wants a prompt, as with KeePassXC
    ask-to-create       making an item wants one
    own-attributes      every item has attributes of the service's own, which nobody may write, as with KeePassXC
    tells-searches:FILE
                        makes FILE when everything is searched while the collection is locked, where KeePassXC would ask
    dismiss, accept, ignore, vanish
                        what happens to prompts: closed, answered with yes, left alone, the service ends
    ends                the service ends as soon as a prompt has been answered
    lies                an unlocking that was accepted unlocks nothing
    placeholders        "{TITLE}" in a secret becomes the item's label, as with KeePassXC
    damage              secrets come back with a byte changed
    other-session       secrets come back for a session that is not the caller's
    silent:METHOD       never answers that method ("silent:all": none)
    refuse:METHOD       answers it with an error whose message must not come out
    nonsense:METHOD     answers it with another type than the specification says
    die:METHOD          ends when it is called
    forgets:FILE        when FILE is there at a call, removes it and all items but the first
    counts:FILE         looks at FILE at each call, which says what to refuse, as refusals.py has it
"""

import os
import sys

from jeepney import DBusAddress, HeaderFields, MessageType, new_error, new_method_return, new_signal
from jeepney.bus_messages import message_bus
from jeepney.io.blocking import open_dbus_connection
from refusals import Refusals

ROOT = "/org/freedesktop/secrets"
COLLECTION = ROOT + "/collection/odd"
SECRET = "org.freedesktop.Secret."
# Set as it begins.
FLAGS, FORGETTING, REFUSALS = set(), [], []


class Refusal(Exception):
    """An error with a name of the specification's."""


class Item:
    # An hour ahead of the tests' noon.
    clock = 1_700_003_600

    def __init__(self, label, attributes, secret):
        self.label, self.attributes, self.secret = label, attributes, secret
        self.modified = 0
        self.touch()
        self.is_locked = "items-locked" in FLAGS or "locks-labelled" in FLAGS and label == "locked"

    def touch(self):
        """Notes that it was written: a second passes with each time, by a clock that is ahead of the tests'."""
        Item.clock += 1
        self.modified = Item.clock


class Service:
    def __init__(self):
        self.forget()
        self.prompts = {}
        self.is_locked = "locked" in FLAGS
        self.count = 2

    def forget(self):
        # One item that is there from the beginning, for calls that need some item.
        self.items = {COLLECTION + "/n2": Item("first", {"first": "item"}, b"aGlkZGVu")}

    def path(self, kind):
        self.count += 1
        return f"{kind}/n{self.count}"

    def prompt(self, action):
        """A new prompt's path; `action` is what happens when it is accepted, and gives its result."""
        path = self.path(ROOT + "/prompt")
        self.prompts[path] = action
        return path

    def item(self, path):
        if path not in self.items:
            raise Refusal(SECRET + "Error.NoSuchObject")
        return self.items[path]

    def check_unlocked(self, item=None):
        if self.is_locked or (item is not None and item.is_locked):
            raise Refusal(SECRET + "Error.IsLocked")

    # Each gives the signature and the values of its answer.

    def OpenSession(self, path, algorithm, value):
        if algorithm != "plain":
            raise Refusal("org.freedesktop.DBus.Error.NotSupported")
        return "vo", (("s", ""), self.path(ROOT + "/session"))

    def ReadAlias(self, path, name):
        return "o", ("/" if "no-default" in FLAGS else COLLECTION,)

    def SearchItems(self, path, wanted):
        found = [path for path, item in self.items.items() if wanted.items() <= item.attributes.items()]
        if "hides-locked" in FLAGS and self.is_locked:
            found = []
        if path == COLLECTION:
            return "ao", (found,)
        for flag in FLAGS:
            if flag.startswith("tells-searches:") and self.is_locked:
                open(flag.removeprefix("tells-searches:"), "w").close()
        locked = [path for path in found if self.is_locked or self.items[path].is_locked]
        return "aoao", ([path for path in found if path not in locked], locked)

    def Unlock(self, path, paths):
        def unlock():
            if "lies" in FLAGS:
                return "ao", []
            for path in paths:
                if path == COLLECTION:
                    self.is_locked = False
                elif path in self.items:
                    self.items[path].is_locked = False
            return "ao", paths

        return "aoo", ([], self.prompt(unlock))

    def Lock(self, path, paths):
        self.is_locked = True
        return "aoo", (paths, "/")

    def GetSecrets(self, path, paths, session):
        secrets = {}
        for path in paths:
            if path in self.items:
                self.check_unlocked(self.items[path])
                secrets[path] = self.secret(self.items[path], session)
        return "a{o(oayays)}", (secrets,)

    def secret(self, item, session):
        value = item.secret
        if "placeholders" in FLAGS:
            value = value.replace(b"{TITLE}", item.label.encode())
        if "damage" in FLAGS:
            value = value[:-1] + b"!"
        return (ROOT + "/session/other" if "other-session" in FLAGS else session, b"", value, "text/plain")

    def CreateItem(self, path, properties, secret, replace):
        self.check_unlocked()

        def create():
            path = self.path(COLLECTION)
            label, attributes = (properties[SECRET + "Item." + name][1] for name in ("Label", "Attributes"))
            self.items[path] = Item(label, attributes, secret[2])
            return "o", path

        if "ask-to-create" in FLAGS:
            return "oo", ("/", self.prompt(create))
        return "oo", (create()[1], "/")

    def SetSecret(self, path, secret):
        item = self.item(path)
        self.check_unlocked(item)
        item.secret = secret[2]
        item.touch()
        return None, ()

    def Delete(self, path):
        self.item(path)

        def delete():
            del self.items[path]
            return "s", ""

        if "ask-to-delete" in FLAGS:
            return "o", (self.prompt(delete),)
        delete()
        return "o", ("/",)

    def Get(self, path, interface, name):
        return "v", (self.properties(path)[name],)

    def GetAll(self, path, interface):
        return "a{sv}", (self.properties(path),)

    def Set(self, path, interface, name, value):
        item = self.item(path)
        if "own-attributes" in FLAGS and name == "Attributes" and {"Uuid", "Path"} & value[1].keys():
            raise Refusal("org.freedesktop.DBus.Error.InvalidArgs")
        if name == "Label":
            item.label = value[1]
        else:
            item.attributes = value[1]
        item.touch()
        return None, ()

    def properties(self, path):
        if path == ROOT:
            return {"Collections": ("ao", [COLLECTION])}
        if path == COLLECTION:
            return {"Label": ("s", "Odd"), "Locked": ("b", self.is_locked)}
        item = self.item(path)
        is_locked = self.is_locked or item.is_locked
        own = {"Uuid": path[-4:], "Path": "/" + item.label} if "own-attributes" in FLAGS else {}
        return {
            "Label": ("s", item.label), "Locked": ("b", is_locked), "Attributes": ("a{ss}", item.attributes | own),
            "Modified": ("t", item.modified)}

    def Prompt(self, path, window):
        return None, ()

    def Dismiss(self, path):
        return None, ()


def completed(service, path):
    """The signal that a prompt is over; None when nobody answers it."""
    action = service.prompts.pop(path)
    if "ignore" in FLAGS:
        return None
    if "vanish" in FLAGS:
        os._exit(0)
    is_dismissed = "dismiss" in FLAGS
    result = ("s", "") if is_dismissed else action()
    return new_signal(DBusAddress(path, interface=SECRET + "Prompt"), "Completed", "bv", (is_dismissed, result))


def answer(service, message):
    """The answer to a call; None for none."""
    method, path = message.header.fields[HeaderFields.member], message.header.fields[HeaderFields.path]
    for file in FORGETTING:
        if os.path.exists(file):
            os.unlink(file)
            service.forget()
    if any(refusals.refuses(method) for refusals in REFUSALS):
        return new_error(message, "org.example.Refused", "s", ("a private text",))
    if FLAGS & {"silent:" + method, "silent:all"}:
        return None
    if "die:" + method in FLAGS:
        os._exit(0)
    if "refuse:" + method in FLAGS:
        return new_error(message, "org.example.Refused", "s", ("a private text",))
    if "nonsense:" + method in FLAGS:
        # A property has the right shape, but holds something else; so have the properties of an item.
        if method == "Get":
            return new_method_return(message, "v", (("u", 7),))
        if method == "GetAll":
            return new_method_return(message, "a{sv}", ({"Label": ("u", 7), "Attributes": ("s", "?")},))
        if method == "OpenSession":
            return new_method_return(message, "vo", (("u", 7), "/"))
        return new_method_return(message, "u", (7,))
    try:
        signature, values = getattr(service, method)(path, *message.body)
        return new_method_return(message, signature, values)
    except Refusal as refusal:
        return new_error(message, str(refusal), "s", ("a private text",))


def main(*flags):
    FLAGS.update(flags)
    FORGETTING.extend(flag.removeprefix("forgets:") for flag in flags if flag.startswith("forgets:"))
    REFUSALS.extend(Refusals(flag.removeprefix("counts:")) for flag in flags if flag.startswith("counts:"))
    service = Service()
    with open_dbus_connection() as connection:
        connection.send_and_get_reply(message_bus.RequestName("org.freedesktop.secrets", 4))
        while True:
            message = connection.receive()
            if message.header.message_type is not MessageType.method_call:
                continue
            reply = answer(service, message)
            if reply is not None:
                connection.send(reply)
            if message.header.fields[HeaderFields.member] == "Prompt":
                signal = completed(service, message.header.fields[HeaderFields.path])
                if signal is not None:
                    connection.send(signal)
                    if "ends" in FLAGS:
                        os._exit(0)


if __name__ == "__main__":
    main(*sys.argv[1:])

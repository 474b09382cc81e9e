"""Writes a keyed archive as ADAL for Objective-C kept in the keychain, by Python's own plistlib.

adal_archive.py single FILE     one token item
adal_archive.py keychain FILE   two keychain items, one of them not ADAL's
"""

import plistlib
import sys


class Archive:
    """The objects of an archive, which point to each other."""

    def __init__(self):
        self.objects = ["$null"]

    def add(self, value):
        self.objects.append(value)
        return plistlib.UID(len(self.objects) - 1)

    def instance(self, name, **fields):
        kind = self.add({"$classname": name, "$classes": [name, "NSObject"]})
        return self.add({**fields, "$class": kind})

    def data(self, root):
        whole = {
            "$version": 100000,
            "$archiver": "NSKeyedArchiver",
            "$top": {"root": root},
            "$objects": self.objects,
        }
        return plistlib.dumps(whole, fmt=plistlib.FMT_BINARY)


def item(user):
    archive = Archive()
    # Far in the future, in seconds since 2001.
    date = archive.instance("NSDate", **{"NS.time": 3000000000.5})
    person = archive.instance(
        "ADUserInformation", userId=archive.add(user), userIdDisplayable=True, rawIdToken=plistlib.UID(0)
    )
    root = archive.instance(
        "ADTokenCacheItem",
        authority=archive.add("https://login.windows.net/contoso"),
        clientId=archive.add("mailer"),
        resource=archive.add("https://graph.example/"),
        accessToken=archive.add("token-" + user.split("@")[0]),
        accessTokenType=archive.add("Bearer"),
        refreshToken=archive.add("refresh-" + user.split("@")[0]),
        expiresOn=date,
        userInformation=person,
        familyId=plistlib.UID(0),
        additionalServer=archive.instance("NSMutableDictionary", **{"NS.keys": [], "NS.objects": []}),
    )
    return archive.data(root)


def main(what, path):
    if what == "single":
        data = item("ada@contoso.example")
    else:
        service = "MSOpenTech.ADAL.1|YXV0aG9yaXR5|cmVzb3VyY2U|Y2xpZW50"
        items = [
            {"acct": "bob@contoso.example", "svce": service, "v_Data": item("bob@contoso.example")},
            {"acct": "somebody", "svce": "another program", "v_Data": b"\x00\x01"},
        ]
        data = plistlib.dumps(items, fmt=plistlib.FMT_BINARY)
    with open(path, "wb") as file:
        file.write(data)


main(*sys.argv[1:])

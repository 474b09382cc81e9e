"""Keeps tokens as other tools do, where those tools keep them.

usage: other_stores.py gcloud FOLDER COUNT SIZE  its databases, of so many people, with texts of so many bytes
       other_stores.py pizauth FOLDER            what 'pizauth dump' writes, in FOLDER/dump
       other_stores.py python SERVICE USER TOKEN with the package keyring
       other_stores.py msal FILE NAME            the cache in a file, as msal-extensions keeps it: azure-identity's item of
                                                 that name, or for 'example' that of its documentation

The last two use the desktop's keyring; msal needs Debian's PyGObject, and so /usr/bin/python3."""

import json
import os
import sqlite3
import struct
import sys


def gcloud(folder, count, size):
    def database(name, table, *rows):
        with sqlite3.connect(f"{folder}/{name}.db") as connection:
            # Many pages, and more of them for each row.
            connection.execute("PRAGMA page_size = 512")
            connection.execute(f"CREATE TABLE {table}")
            for row in rows:
                connection.execute(f'INSERT INTO {table.split(" ")[0]} VALUES ({", ".join("?" for _ in row)})', row)
        connection.close()

    def person(number):
        return json.dumps({
            "type": "authorized_user", "client_id": "gcloud-client", "client_secret": "client-secret",
            "refresh_token": f"1//rt-{number}", "token_uri": "https://oauth2.googleapis.com/token",
            "revoke_uri": "x" * size, "scopes": ["openid"]}, indent=2)

    people = [(f"user{number}@corp.example", person(number)) for number in range(count)]
    service = ("robot@project.iam.gserviceaccount.com", json.dumps({"type": "service_account", "private_key": "k"}))
    elsewhere = ("ada@corp.example#cloud.example", person(0))
    database("credentials", "credentials (account_id TEXT PRIMARY KEY, value BLOB)", *people, service, elsewhere)
    database(
        "access_tokens",
        "access_tokens (account_id TEXT PRIMARY KEY, access_token TEXT, token_expiry TIMESTAMP, rapt_token TEXT)",
        *[(name, f"ya29.at-{number}", "2099-01-02 03:04:05.123456", None) for number, (name, _) in enumerate(people)])
    database("other", "notes (text TEXT)", ("hello",))


def pizauth(folder):
    from cryptography.hazmat.primitives.ciphers.aead import ChaCha20Poly1305

    def text(value):
        return struct.pack("<Q", len(value)) + value.encode()

    key = bytes.fromhex("66a247a85e48cfecaaed9b36eba97d5350d4286375097a44eeffb9c4546b65a3")
    home = "https://login.microsoftonline.com/common/oauth2/v2.0/"
    account = text("work") + text(home + "authorize") + struct.pack("<Q", 1) + text("login_hint")
    account += text("ada@corp.example") + text("pizauth-client") + b"\1" + text("pizauth-secret")
    account += text("http://localhost/") + struct.pack("<Q", 1) + text("https://outlook.office.com/SMTP.Send")
    account += text(home + "token")
    account += struct.pack("<I", 1) + text("pizauth-at") + struct.pack("<QIQI", 1_700_000_000, 1, 4_000_000_000, 1)
    account += b"\1" + text("pizauth-rt")
    nonce = os.urandom(12)
    with open(f"{folder}/dump", "wb") as dump:
        dump.write(nonce + ChaCha20Poly1305(key).encrypt(nonce, struct.pack("<QQ", 1, 1) + account, b""))


def python(service, user, token):
    from keyring.backends.SecretService import Keyring

    Keyring().set_password(service, user, token)


def msal(file, name):
    from msal_extensions.persistence import LibsecretPersistence

    if name == "example":
        store = LibsecretPersistence("signal", "my_schema_name", {"my_attr1": "foo", "my_attr2": "bar"})
    else:
        store = LibsecretPersistence(
            "signal", name, {"MsalClientID": "Microsoft.Developer.IdentityService"}, label="MSALCache")
    with open(file) as cache:
        store.save(cache.read())


match sys.argv[1:]:
    case ["gcloud", folder, count, size]:
        gcloud(folder, int(count), int(size))
    case ["pizauth", folder]:
        pizauth(folder)
    case ["python", *arguments]:
        python(*arguments)
    case ["msal", *arguments]:
        msal(*arguments)
    case _:
        sys.exit(__doc__)

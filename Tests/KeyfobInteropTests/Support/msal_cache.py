#!/usr/bin/env python3
"""Makes, reads and compares token caches with MSAL for Python, offline, for Keyfob's tests.

    msal_cache.py version
    msal_cache.py make CACHE ACCOUNTS [--expired]     every account at home in one tenant and a guest in the other
    msal_cache.py silent CACHE                        what acquire_token_silent gives every account in both tenants
    msal_cache.py compare ONE OTHER                   whether both hold the same entities under the same keys

`silent` prints one line for each account and tenant: the account, the tenant, where the token came from, and the
SHA-256 of the token or, where it was to be refreshed, of the refresh token that was sent. Nothing is sent anywhere.
"""

import argparse
import base64
import hashlib
import json
import sys
import time

import msal

CLIENT = "11111111-2222-3333-4444-555555555555"
TENANTS = ["aaaaaaaa-0000-4000-8000-000000000001", "bbbbbbbb-0000-4000-8000-000000000002"]
SCOPE = "https://graph.microsoft.com/.default"


def encoded(value):
    return base64.urlsafe_b64encode(json.dumps(value).encode()).rstrip(b"=").decode()


def digest(text):
    return hashlib.sha256(text.encode()).hexdigest()


def make(path, accounts, expired):
    cache = msal.SerializableTokenCache()
    now = int(time.time()) - (7200 if expired else 0)
    for number in range(accounts):
        home = TENANTS[number % 2]
        user = f"person{number}@contoso.example"
        client_info = encoded({"uid": f"uid-{number:04}", "utid": home})
        for tenant in TENANTS:
            claims = {"oid": f"oid-{number:04}-{tenant}", "sub": f"sub-{number}", "tid": tenant, "aud": CLIENT,
                      "iss": f"https://login.microsoftonline.com/{tenant}/v2.0", "exp": now + 3600, "iat": now,
                      "preferred_username": user, "name": f"Persön {number} \"the\\{number}th\" \U0001F511"}
            response = {"token_type": "Bearer", "scope": SCOPE, "expires_in": 3600, "ext_expires_in": 7200,
                        "refresh_in": 1800, "client_info": client_info, "foci": "1",
                        "access_token": f"at-{number}-{tenant}-" + digest(user + tenant) * 8,
                        "id_token": ".".join([encoded({"alg": "none"}), encoded(claims), "c2ln"])}
            if tenant == home:
                # Nobody issues such a token; its escapes must survive all the same.
                response["refresh_token"] = f"1.rt-{number}-\"\\/\u00e9\U0001F511\t" + digest(user) * 4
            cache.add({"client_id": CLIENT, "scope": [SCOPE], "grant_type": "authorization_code",
                       "token_endpoint": f"https://login.microsoftonline.com/{tenant}/oauth2/v2.0/token",
                       "response": response}, now=now)
    with open(path, "w", encoding="utf-8") as file:
        file.write(cache.serialize())


class Answer:
    def __init__(self, content):
        self.status_code, self.text, self.headers = 200, json.dumps(content), {"Content-Type": "application/json"}

    def raise_for_status(self):
        pass


class Offline:
    """Answers tenant discovery and refreshes; refuses everything else."""

    def __init__(self):
        self.sent = []

    def get(self, url, **_):
        if not url.endswith("/.well-known/openid-configuration"):
            raise RuntimeError("unexpected GET " + url)
        base = "https://login.microsoftonline.com/" + url.split("/")[3]
        return Answer({"issuer": base + "/v2.0", "authorization_endpoint": base + "/oauth2/v2.0/authorize",
                       "token_endpoint": base + "/oauth2/v2.0/token"})

    def post(self, url, data=None, **_):
        if (data or {}).get("grant_type") != "refresh_token":
            raise RuntimeError("unexpected POST " + url)
        self.sent.append(data["refresh_token"])
        return Answer({"token_type": "Bearer", "scope": SCOPE, "expires_in": 3600, "access_token": "refreshed"})

    def close(self):
        pass


def silent(path):
    for tenant in TENANTS:
        cache = msal.SerializableTokenCache()
        with open(path, encoding="utf-8-sig") as file:
            cache.deserialize(file.read())
        offline = Offline()
        app = msal.PublicClientApplication(CLIENT, authority="https://login.microsoftonline.com/" + tenant,
                                           token_cache=cache, instance_discovery=False, http_client=offline)
        for account in sorted(app.get_accounts(), key=lambda account: account["home_account_id"]):
            offline.sent.clear()
            result = app.acquire_token_silent([SCOPE], account=account) or {}
            secret = offline.sent[0] if offline.sent else result.get("access_token", "")
            print(account["home_account_id"], account["username"], tenant, result.get("token_source"), digest(secret))


def compare(one, other):
    left, right = (json.load(open(path, encoding="utf-8-sig")) for path in (one, other))
    differences = 0
    for section in sorted(set(left) | set(right)):
        mine, theirs = left.get(section, {}), right.get(section, {})
        for key in sorted(set(mine) | set(theirs)):
            if mine.get(key) != theirs.get(key):
                differences += 1
                fields = [name for name in {**mine.get(key, {}), **theirs.get(key, {})}
                          if mine.get(key, {}).get(name) != theirs.get(key, {}).get(name)]
                print(section, key, "differs in", sorted(fields))
    print("entities", sum(len(entities) for entities in left.values()), "differences", differences)
    return 1 if differences else 0


parser = argparse.ArgumentParser()
commands = parser.add_subparsers(dest="command", required=True)
commands.add_parser("version")
command = commands.add_parser("make")
command.add_argument("cache")
command.add_argument("accounts", type=int)
command.add_argument("--expired", action="store_true")
commands.add_parser("silent").add_argument("cache")
command = commands.add_parser("compare")
command.add_argument("one")
command.add_argument("other")
arguments = parser.parse_args()

if arguments.command == "version":
    print(msal.__version__)
elif arguments.command == "make":
    make(arguments.cache, arguments.accounts, arguments.expired)
elif arguments.command == "silent":
    silent(arguments.cache)
else:
    sys.exit(compare(arguments.one, arguments.other))

#!/usr/bin/env python3
"""Measures what one token costs a fresh process with msal-extensions, its imports not counted.

    first_access.py CACHE ACCOUNT [--shortest | --again]

The user name and the scope lead to the token, as an application would ask. With --shortest every field of the token's
key is known and one search finds it, which is the least that the library can do. With --again the same is done three
times more in the same process, and the median of these is told.
"""

import json
import sys
import time

from msal_extensions import FilePersistence, PersistedTokenCache

from offline import CLIENT, SCOPE, TENANT, application, peak_memory, token, username


def home_account_id(path, name):
    """Found beforehand, by other means: the name of the account among the names in the file."""
    with open(path, encoding="utf-8") as file:
        accounts = json.load(file)["Account"].values()
    return next(account["home_account_id"] for account in accounts if account["username"] == name)


def main():
    path, name = sys.argv[1], username(int(sys.argv[2]))
    if "--shortest" in sys.argv:
        query = {"home_account_id": home_account_id(path, name), "environment": "login.microsoftonline.com",
                 "client_id": CLIENT, "realm": TENANT}
        start = time.perf_counter()
        cache = PersistedTokenCache(FilePersistence(path))
        secret = next(iter(cache.search("AccessToken", target=[SCOPE], query=query)))["secret"]
        taken = time.perf_counter() - start
        print(json.dumps({"shortestAccessMilliseconds": 1e3 * taken}))
    else:
        start = time.perf_counter()
        app = application(PersistedTokenCache(FilePersistence(path)))
        secret = token(app, app.get_accounts(username=name)[0])
        taken = time.perf_counter() - start
        if "--again" in sys.argv:
            again = []
            for _ in range(3):
                start = time.perf_counter()
                app = application(PersistedTokenCache(FilePersistence(path)))
                secret = token(app, app.get_accounts(username=name)[0])
                again.append(time.perf_counter() - start)
            print(json.dumps({"reopeningMilliseconds": 1e3 * sorted(again)[1]}))
        else:
            print(json.dumps({"firstAccessMilliseconds": 1e3 * taken, "peakMemory": peak_memory()}))
    if len(secret) < 1000:
        raise RuntimeError("the token is too short")


main()

#!/usr/bin/env python3
"""Measures MSAL's own cache, loaded into memory: accounts listed, tokens acquired silently.

    memory.py CACHE ACCOUNTS ROUNDS
"""

import json
import random
import statistics
import sys
import time

import msal

from offline import application, peak_memory, token, username


def timed(function, values):
    taken = []
    for value in values:
        start = time.perf_counter()
        function(value)
        taken.append(time.perf_counter() - start)
    return statistics.median(taken)


def main():
    path, count, rounds = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
    cache = msal.SerializableTokenCache()
    with open(path, encoding="utf-8") as file:
        content = file.read()
    start = time.perf_counter()
    cache.deserialize(content)
    loading = time.perf_counter() - start
    app = application(cache)
    accounts = {account["username"]: account for account in app.get_accounts()}
    order = random.Random(42)
    chosen = [accounts[username(order.randrange(count))] for _ in range(rounds)]
    timed(lambda account: token(app, account), chosen)
    print(json.dumps({
        "importSeconds": loading,
        "accounts": len(accounts),
        "listMilliseconds": 1e3 * timed(lambda _: app.get_accounts(), range(5)),
        "lookupMicroseconds": 1e6 * timed(lambda account: token(app, account), chosen),
        "repeatedLookupMicroseconds": 1e6 * timed(lambda account: token(app, account), chosen[:1] * rounds),
        "peakMemory": peak_memory(),
    }))


main()

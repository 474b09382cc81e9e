#!/usr/bin/env python3
"""Measures silent refreshes of MSAL for Python with msal-extensions' file and its lock, at the provider in endpoint.py.

    refresh.py CACHE ACCOUNTS ROUNDS               one after the other, and what a bare request takes
    refresh.py CACHE ACCOUNTS ROUNDS --caches N    30 threads at once for the same stale token

The 30 threads share one application and its cache, or N of them on the same file.
"""

import http.client
import json
import random
import statistics
import sys
import threading
import time
from urllib.parse import urlencode, urlsplit

import msal
from msal_extensions import FilePersistence, PersistedTokenCache

from endpoint import Endpoint, refresh_token
from offline import peak_memory
from without_tls import session

CLIENT, SCOPE, THREADS = "benchmark", "api.read", 30


def application(path, issuer):
    return msal.PublicClientApplication(
        CLIENT, oidc_authority=issuer.replace("http://", "https://"), http_client=session(THREADS),
        token_cache=PersistedTokenCache(FilePersistence(path)))


def percentile(values, share):
    ordered = sorted(values)
    return ordered[min(len(ordered) - 1, int(share * len(ordered)))]


def bare_requests(issuer, rounds):
    """What the endpoint takes for a refresh, asked without any library of OAuth."""
    parts = urlsplit(issuer)
    connection = http.client.HTTPConnection(parts.hostname, parts.port)
    token, taken = refresh_token(999_999, 0), []
    for _ in range(rounds):
        form = urlencode({"grant_type": "refresh_token", "client_id": CLIENT, "refresh_token": token})
        start = time.perf_counter()
        connection.request("POST", parts.path + "/token", form, {"Content-Type": "application/x-www-form-urlencoded"})
        token = json.loads(connection.getresponse().read())["refresh_token"]
        taken.append(time.perf_counter() - start)
    return statistics.median(taken)


def refresh(app, account, **options):
    result = app.acquire_token_silent_with_error([SCOPE], account=account, **options)
    if not result or "access_token" not in result or result["token_source"] != "identity_provider":
        raise RuntimeError(f"no refresh: {result}")


def one_by_one(endpoint, path, rounds):
    app = application(path, endpoint.issuer)
    accounts = sorted(app.get_accounts(), key=lambda account: account["username"])
    order, taken = random.Random(42), []
    refresh(app, accounts[0])
    for _ in range(rounds):
        account = accounts[order.randrange(len(accounts))]
        start = time.perf_counter()
        refresh(app, account)
        taken.append(time.perf_counter() - start)
    return {"refreshMilliseconds": 1e3 * statistics.median(taken),
            "refreshTailMilliseconds": 1e3 * percentile(taken, 0.95),
            "endpointMilliseconds": 1e3 * bare_requests(endpoint.issuer, 100)}


def at_once(endpoint, path, rounds, caches):
    apps = [application(path, endpoint.issuer) for _ in range(caches)]
    accounts = sorted(apps[0].get_accounts(), key=lambda account: account["username"])
    taken, asked, reused, failed = [], [], [], []
    for number in range(rounds):
        account = accounts[number % len(accounts)]
        endpoint.begin(60)
        refresh(apps[0], account, force_refresh=True)
        for app in apps:
            # Everybody has used the cache before, and has seen the stale token.
            app.get_accounts()
        barrier, failures = threading.Barrier(THREADS + 1), []

        def ask(app):
            barrier.wait()
            try:
                result = app.acquire_token_silent_with_error([SCOPE], account=account)
                if not result or "access_token" not in result:
                    failures.append(result)
            except Exception as error:  # pylint: disable=broad-except
                failures.append(error)

        threads = [threading.Thread(target=ask, args=(apps[index % caches],)) for index in range(THREADS)]
        for thread in threads:
            thread.start()
        endpoint.begin(3600)
        barrier.wait()
        start = time.perf_counter()
        for thread in threads:
            thread.join()
        taken.append(time.perf_counter() - start)
        counts = endpoint.begin(60)
        asked.append(counts["requests"])
        reused.append(counts["reused"])
        failed.append(len(failures))
        if failures:
            print(f"refresh.py: {len(failures)} of {THREADS} got no token: {failures[0]!r}", file=sys.stderr)
    return {"atOnceMilliseconds": 1e3 * statistics.median(taken), "atOnceRequests": statistics.median(asked),
            "atOnceReuses": statistics.median(reused), "atOnceFailures": statistics.median(failed)}


def main():
    path, count, rounds = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
    endpoint = Endpoint()
    try:
        if "--caches" in sys.argv:
            found = at_once(endpoint, path, rounds, int(sys.argv[sys.argv.index("--caches") + 1]))
        else:
            found = one_by_one(endpoint, path, rounds)
    finally:
        endpoint.stop()
    print(json.dumps({"accounts": count, "peakMemory": peak_memory(), **found}))


main()

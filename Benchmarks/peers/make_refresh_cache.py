#!/usr/bin/env python3
"""Makes a token cache with MSAL for Python: ACCOUNTS people of the provider in endpoint.py.

    make_refresh_cache.py FILE ACCOUNTS

Each has an access token that is about to expire, a refresh token and an ID token.
"""

import sys

import msal

from endpoint import tokens

CLIENT = "benchmark"


def main():
    path, count = sys.argv[1], int(sys.argv[2])
    cache = msal.SerializableTokenCache()
    for number in range(count):
        cache.add({"client_id": CLIENT, "scope": ["api.read"], "grant_type": "authorization_code",
                   "token_endpoint": "https://127.0.0.1/tenant/token",
                   "response": tokens(number, 0, CLIENT, "https://127.0.0.1/tenant", 60)})
    with open(path, "w", encoding="utf-8") as file:
        file.write(cache.serialize())


main()

#!/usr/bin/env python3
"""What a program with MSAL for Python and msal-extensions does.

    msal_client.py get FILE NAME            prints the cached token of an account
    msal_client.py set FILE NAME < TOKEN    stores one
    msal_client.py list FILE                prints all user names
    msal_client.py refresh FILE NAME ISSUER    prints a token, a new one where the cached one is about to expire
    msal_client.py force FILE NAME ISSUER      prints a new one
"""

import os
import sys

from msal_extensions import FilePersistence, PersistedTokenCache

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "peers"))

from offline import CLIENT, SCOPE, TENANT, application, token  # pylint: disable=wrong-import-position


def store(cache, name):
    person = name.split("@")[0]
    cache.add({
        "client_id": CLIENT, "scope": [SCOPE], "grant_type": "authorization_code", "environment": "login.microsoftonline.com",
        "token_endpoint": f"https://login.microsoftonline.com/{TENANT}/oauth2/v2.0/token",
        "response": {
            "token_type": "Bearer", "scope": SCOPE, "expires_in": 864_000, "access_token": sys.stdin.read(),
            "client_info": client_info(person),
            "id_token_claims": {"oid": person, "tid": TENANT, "preferred_username": name, "sub": person}}})


def client_info(person):
    import base64
    import json

    return base64.urlsafe_b64encode(json.dumps({"uid": person, "utid": TENANT}).encode()).decode().rstrip("=")


def refresh(cache, name, issuer, is_forced):
    import msal
    from without_tls import session

    app = msal.PublicClientApplication(
        "benchmark", oidc_authority=issuer.replace("http://", "https://"), http_client=session(), token_cache=cache)
    result = app.acquire_token_silent_with_error(["api.read"], account=app.get_accounts(username=name)[0],
                                                 force_refresh=is_forced)
    if not result or "access_token" not in result:
        sys.exit(f"no token: {result}")
    return result["access_token"]


def main():
    action, file, *words = sys.argv[1:]
    cache = PersistedTokenCache(FilePersistence(file))
    if action == "get":
        app = application(cache)
        print(token(app, app.get_accounts(username=words[0])[0]))
    elif action == "set":
        store(cache, words[0])
    elif action == "list":
        for account in application(cache).get_accounts():
            print(account["username"])
    else:
        print(refresh(cache, *words, is_forced=action == "force"))


main()

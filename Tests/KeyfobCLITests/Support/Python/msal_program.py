"""A program that uses MSAL for Python with its extensions over a file in plain text, as az does; with MSAL_SCHEMA in the
environment over an item of the desktop's keyring with that schema, as azure-identity does.

usage: msal_program.py sign-in FILE PERSON...      signs people in
       msal_program.py silent FILE PERSON...       what each gets without being asked, and whether a request was made
       msal_program.py refresh FILE PERSON...      asks for new tokens
       msal_program.py sign-out FILE PERSON...
       msal_program.py people FILE                 whom the file knows
       msal_program.py busy FILE SECONDS PERSON... refreshes all the time, and then tells its last token of each
       msal_program.py hold FILE                   takes the lock, says so, and gives it back at the end of its input

A token is `access:PERSON:` and when it was given out: the provider is in this very process."""

import hashlib
import json
import os
import sys
import time

import msal
import msal_extensions
from msal_accounts import HOST, Offline, encoded

# Those of az.
CLIENT = "04b07795-8ddb-461a-bbee-02f9e1bf7b46"
SCOPE = "https://management.core.windows.net//.default"
TENANT = "aaaaaaaa-1111-4111-8111-111111111111"


class Provider(Offline):
    """Redeems each refresh token, and counts the requests."""

    requests = 0

    def post(self, url, data=None, **_):
        Provider.requests += 1
        person = data["refresh_token"].split(":")[1]
        return self.Response(answer(person))


def answer(person):
    stamp = f"{time.time_ns()}-{os.getpid()}"
    claims = {"aud": CLIENT, "iss": f"{HOST}/{TENANT}/v2.0", "iat": int(time.time()), "exp": int(time.time()) + 3600,
              "tid": TENANT, "oid": uid(person), "sub": person, "preferred_username": f"{person}@contoso.example"}
    return {"token_type": "Bearer", "scope": SCOPE, "expires_in": 3600, "access_token": f"access:{person}:{stamp}",
            "refresh_token": f"refresh:{person}:{stamp}", "foci": "1",
            "client_info": encoded({"uid": uid(person), "utid": TENANT}), "id_token": f"{encoded({})}.{encoded(claims)}."}


def uid(person):
    digest = hashlib.sha256(person.encode()).hexdigest()
    return f"{digest[:8]}-{digest[8:12]}-4{digest[13:16]}-8{digest[17:20]}-{digest[20:32]}"


def program(path):
    schema = os.environ.get("MSAL_SCHEMA")
    attributes = {"MsalClientID": "Microsoft.Developer.IdentityService"}
    store = (msal_extensions.LibsecretPersistence(path, schema, attributes, label="MSALCache") if schema
             else msal_extensions.FilePersistence(path))
    cache = msal_extensions.PersistedTokenCache(store)
    app = msal.PublicClientApplication(
        CLIENT, authority=f"{HOST}/{TENANT}", token_cache=cache, instance_discovery=False, http_client=Provider())
    return cache, app


def account(app, person):
    found = app.get_accounts(username=f"{person}@contoso.example")
    return found[0] if found else None


def main(action, path, *people):
    if action == "hold":
        with msal_extensions.CrossPlatLock(path + ".lockfile"):
            print("held", flush=True)
            sys.stdin.read()
        return
    cache, app = program(path)
    if action == "people":
        print(json.dumps(sorted(account["username"].split("@")[0] for account in app.get_accounts())))
    elif action == "sign-in":
        for person in people:
            cache.add({"client_id": CLIENT, "scope": [SCOPE], "environment": "login.microsoftonline.com",
                       "token_endpoint": f"{HOST}/{TENANT}/oauth2/v2.0/token", "grant_type": "authorization_code",
                       "response": answer(person)})
    elif action == "sign-out":
        for person in people:
            app.remove_account(account(app, person))
    elif action in ("silent", "refresh"):
        told = {}
        for person in people:
            found = account(app, person)
            before = Provider.requests
            result = app.acquire_token_silent([SCOPE], account=found, force_refresh=action == "refresh") if found else None
            told[person] = [(result or {}).get("access_token"), Provider.requests - before]
        print(json.dumps(told))
    elif action == "busy":
        end, told = time.monotonic() + float(people[0]), {}
        while time.monotonic() < end:
            for person in people[1:]:
                # MSAL's extensions read without a lock, and find nobody, or no token, while another program writes.
                result, patience = None, time.monotonic() + 60
                while result is None and time.monotonic() < patience:
                    found = account(app, person)
                    result = found and app.acquire_token_silent([SCOPE], account=found, force_refresh=True)
                    if result is None:
                        app = program(path)[1]
                if not (result or {}).get("access_token", "").startswith(f"access:{person}:"):
                    sys.exit(f"{person} got {result}")
                told[person] = result["access_token"]
        print(json.dumps(told))


main(*sys.argv[1:])

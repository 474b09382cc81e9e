"""A program made with MSAL for Python that leaves its tokens to the broker; for Tests/Broker/run.

    client.py CACHE sign-in [--choose]      signs somebody in; whoever is signed in already, unless somebody is to choose
    client.py CACHE silent NAME [--force]   a token without asking
    client.py CACHE accounts                whom MSAL knows
    client.py CACHE forget NAME             MSAL's sign-out

Prints JSON; of a token, what it is in the tests: it is none of anybody's.
"""

import json
import pathlib
import sys

import msal

CLIENT = "04b07795-8ddb-461a-bbee-02f9e1bf7b46"
SCOPES = ["https://graph.microsoft.com/User.Read"]


def told(result):
    if result is None:
        return None
    names = ("access_token", "scope", "error", "error_description")
    told = {name: result[name] for name in names if name in result}
    told["username"] = result.get("id_token_claims", {}).get("preferred_username")
    return told


def main():
    path, action, *words = sys.argv[1:]
    file = pathlib.Path(path)
    cache = msal.SerializableTokenCache()
    if file.exists():
        cache.deserialize(file.read_text())
    application = msal.PublicClientApplication(
        CLIENT, authority="https://login.microsoftonline.com/common", token_cache=cache, enable_broker_on_linux=True)
    accounts = {account["username"]: account for account in application.get_accounts()}
    match action:
        case "sign-in":
            answer = told(application.acquire_token_interactive(
                SCOPES, prompt="select_account" if "--choose" in words else None,
                parent_window_handle=application.CONSOLE_WINDOW_HANDLE))
        case "silent":
            answer = told(application.acquire_token_silent_with_error(
                SCOPES, account=accounts[words[0]], force_refresh="--force" in words))
        case "accounts":
            answer = sorted(accounts)
        case "forget":
            application.remove_account(accounts[words[0]])
            answer = None
    file.write_text(cache.serialize())
    print(json.dumps(answer))


main()

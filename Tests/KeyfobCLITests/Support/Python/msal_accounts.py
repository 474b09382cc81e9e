"""MSAL for Python as the counterpart of an import and an export.

usage: msal_accounts.py make FILE ACCOUNTS    a cache of accounts that are known in two tenants each, by MSAL's own hand
       msal_accounts.py serve FILE            every access token MSAL hands out without asking anybody
       msal_accounts.py strange FILE          what no MSAL library knows, and is in the file all the same"""

import base64
import hashlib
import json
import sys
import time

import msal

CLIENT = "11112222-3333-4444-5555-666677778888"
TENANTS = ["aaaaaaaa-1111-4111-8111-111111111111", "bbbbbbbb-2222-4222-8222-222222222222"]
SCOPE = "https://graph.example/.default"
HOST = "https://login.microsoftonline.com"


def encoded(value):
    return base64.urlsafe_b64encode(json.dumps(value).encode()).rstrip(b"=").decode()


def make(path, count):
    cache, now = msal.SerializableTokenCache(), int(time.time())
    for number in range(count):
        home = TENANTS[number % 2]
        uid = hashlib.sha256(b"%d" % number).hexdigest()[:32]
        for tenant in (home, TENANTS[1 - number % 2]):
            claims = {"aud": CLIENT, "iss": f"{HOST}/{tenant}/v2.0", "iat": now, "exp": now + 3600, "tid": tenant}
            claims |= {"oid": uid if tenant == home else uid[::-1], "sub": uid[:8], "preferred_username": f"person{number}@contoso.example"}
            response = {
                "token_type": "Bearer", "scope": SCOPE, "expires_in": 3600, "refresh_in": 1800,
                "access_token": f"access-{number}-{tenant}-" + "x" * 900, "foci": "1",
                "client_info": encoded({"uid": uid, "utid": home}), "id_token": f"{encoded({})}.{encoded(claims)}.",
            }
            if tenant == home:
                response["refresh_token"] = f"refresh-{number}-" + "y" * 800
            cache.add({"client_id": CLIENT, "scope": [SCOPE], "token_endpoint": f"{HOST}/{tenant}/oauth2/v2.0/token",
                       "grant_type": "authorization_code", "response": response}, now=now)
    document = json.loads(cache.serialize())
    # What a newer library might add: a field, an entity in a section that is known, and a section.
    account = sorted(document["Account"])[0]
    document["Account"][account]["strange_field"] = {"deep": [1, 2.5, "three", None, True]}
    document["AccessToken"]["strange-entity"] = {"credential_type": "StrangeToken", "value": "é\u0001"}
    document["StrangeNode"] = {"a": {"b": ["c", {}]}, "numbers": [1e400 > 0, 12345678901234567890]}
    with open(path, "w") as file:
        json.dump(document, file)


class Offline:
    """Answers what MSAL asks of a tenant before it looks into its cache, and nothing else."""

    class Response:
        status_code, headers = 200, {}

        def __init__(self, document):
            self.text = json.dumps(document)

        def raise_for_status(self):
            pass

    def get(self, url, **_):
        if not url.endswith("/.well-known/openid-configuration"):
            raise RuntimeError(f"MSAL asked for {url}")
        base = f"{HOST}/{url.split('/')[3]}"
        return self.Response({"issuer": f"{base}/v2.0", "authorization_endpoint": f"{base}/oauth2/v2.0/authorize",
                              "token_endpoint": f"{base}/oauth2/v2.0/token"})

    def post(self, url, **_):
        raise RuntimeError(f"MSAL wanted to ask {url}")

    def close(self):
        pass


def serve(path):
    cache = msal.SerializableTokenCache()
    with open(path) as file:
        cache.deserialize(file.read())
    for tenant in TENANTS:
        client = msal.PublicClientApplication(
            CLIENT, authority=f"{HOST}/{tenant}", token_cache=cache, instance_discovery=False, http_client=Offline())
        for account in sorted(client.get_accounts(), key=lambda account: account["home_account_id"]):
            answer = client.acquire_token_silent([SCOPE], account=account) or {}
            source, token = answer.get("token_source"), answer.get("access_token", "")
            print(tenant, account["username"], source, hashlib.sha256(token.encode()).hexdigest())


def strange(path):
    with open(path) as file:
        document = json.load(file)
    fields = [account["strange_field"] for account in document["Account"].values() if "strange_field" in account]
    entities = [token for token in document["AccessToken"].values() if "StrangeToken" in token.values()]
    print(json.dumps([fields, entities, document.get("StrangeNode")], sort_keys=True))


if __name__ == "__main__":
    if sys.argv[1] == "make":
        make(sys.argv[2], int(sys.argv[3]))
    elif sys.argv[1] == "serve":
        serve(sys.argv[2])
    else:
        strange(sys.argv[2])

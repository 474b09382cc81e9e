#!/usr/bin/env python3
"""Makes a token cache with MSAL for Python: ACCOUNTS people, each with four credentials of ordinary size.

    make_cache.py FILE ACCOUNTS

Each has an access token, a refresh token and an ID token of the home tenant, and an access token for something else
in a second tenant. The tokens are noise in the form of JWTs, the same at every run, and expire in ten days.
"""

import argparse
import base64
import json
import random
import time
import uuid

import msal

CLIENT = "04b07795-0000-4000-8000-bee02f9e1bf7"
TENANTS = ["11111111-aaaa-4aaa-8aaa-111111111111", "22222222-bbbb-4bbb-8bbb-222222222222"]
SCOPES = ["https://graph.microsoft.com/.default", "https://management.core.windows.net//.default"]
LIFETIME = 10 * 24 * 3600

noise = random.Random(42)


def encoded(value):
    content = value if isinstance(value, bytes) else json.dumps(value, separators=(",", ":")).encode()
    return base64.urlsafe_b64encode(content).rstrip(b"=").decode()


def random_text(count):
    return encoded(noise.randbytes(count))


def jwt(claims):
    return ".".join([encoded({"typ": "JWT", "alg": "RS256", "kid": random_text(20)}), encoded(claims), random_text(256)])


def responses(number, now):
    """What the token endpoint would have answered, once for each tenant."""
    name = f"person{number:05d}"
    object_id = str(uuid.UUID(int=noise.getrandbits(128), version=4))
    home, guest = TENANTS
    for tenant, scope in zip((home, guest), SCOPES):
        claims = {"iss": f"https://login.microsoftonline.com/{tenant}/v2.0", "iat": now, "exp": now + LIFETIME,
                  "tid": tenant, "oid": object_id, "preferred_username": f"{name}@contoso.example", "name": name}
        response = {
            "token_type": "Bearer", "scope": scope, "expires_in": LIFETIME, "ext_expires_in": LIFETIME,
            "client_info": encoded({"uid": object_id, "utid": home}),
            "access_token": jwt({**claims, "aud": scope, "rest": random_text(650)}),
            # Names the account in both tenants, and is not stored.
            "id_token_claims": claims,
        }
        if tenant == home:
            response["refresh_token"] = "1." + random_text(900)
            response["id_token"] = jwt({**claims, "aud": CLIENT, "sub": random_text(32), "rest": random_text(600)})
        yield tenant, scope, response


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("file")
    parser.add_argument("accounts", type=int)
    arguments = parser.parse_args()
    cache, now = msal.SerializableTokenCache(), int(time.time())
    for number in range(arguments.accounts):
        for tenant, scope, response in responses(number, now):
            cache.add({"client_id": CLIENT, "scope": [scope], "grant_type": "authorization_code", "response": response,
                       "token_endpoint": f"https://login.microsoftonline.com/{tenant}/oauth2/v2.0/token"}, now=now)
    with open(arguments.file, "w", encoding="utf-8") as file:
        file.write(cache.serialize())


main()

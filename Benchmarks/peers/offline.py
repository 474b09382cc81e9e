"""What the peers share: an MSAL application that needs no network, the request, and the peak of memory."""

import json

import msal

CLIENT = "04b07795-0000-4000-8000-bee02f9e1bf7"
TENANT = "11111111-aaaa-4aaa-8aaa-111111111111"
SCOPE = "https://graph.microsoft.com/.default"
AUTHORITY = "https://login.microsoftonline.com/" + TENANT


class Answer:
    status_code = 200
    headers = {"Content-Type": "application/json"}

    def __init__(self, content):
        self.text = json.dumps(content)

    def raise_for_status(self):
        pass


class Offline:
    """Answers the discovery that an application asks for when it is made, at once; refuses everything else."""

    def get(self, url, **_):
        if not url.endswith("/.well-known/openid-configuration"):
            raise RuntimeError("unexpected GET " + url)
        return Answer({"issuer": AUTHORITY + "/v2.0", "authorization_endpoint": AUTHORITY + "/oauth2/v2.0/authorize",
                       "token_endpoint": AUTHORITY + "/oauth2/v2.0/token"})

    def post(self, url, **_):
        raise RuntimeError("unexpected POST " + url)

    def close(self):
        pass


def application(cache):
    return msal.PublicClientApplication(
        CLIENT, authority=AUTHORITY, token_cache=cache, instance_discovery=False, http_client=Offline())


def username(number):
    return f"person{number:05d}@contoso.example"


def token(app, account):
    """The cached access token of an account; an error where there is none."""
    result = app.acquire_token_silent([SCOPE], account=account)
    if not result or result.get("token_source") != "cache":
        raise RuntimeError("no token in the cache")
    return result["access_token"]


def peak_memory():
    """The most memory that this process has held, in MiB."""
    with open("/proc/self/status", encoding="ascii") as status:
        return next(int(line.split()[1]) for line in status if line.startswith("VmHWM:")) / 1024

"""Lets MSAL, which takes https addresses only, ask a provider on this machine."""

import requests


class WithoutTLS(requests.adapters.HTTPAdapter):
    """Asks by http, as if a proxy had ended TLS."""

    def send(self, request, **options):
        request.url = request.url.replace("https://", "http://", 1)
        request.headers["X-Forwarded-Proto"] = "https"
        return super().send(request, **options)


def session(connections=10):
    made = requests.Session()
    made.mount("https://", WithoutTLS(pool_maxsize=connections))
    # What the environment says of proxies is not for this machine.
    made.trust_env = False
    return made

"""An OpenID provider that answers refreshes alone, with what a program makes of them: for measures, and for tests of many at once.

Discovery tells of its endpoints · https://openid.net/specs/openid-connect-discovery-1_0.html#ProviderMetadata
A refresh is answered with what the program says · https://www.rfc-editor.org/rfc/rfc6749#section-6
Behind a proxy that ends TLS its addresses are https · https://developer.mozilla.org/en-US/docs/Web/HTTP/Reference/Headers/X-Forwarded-Proto"""

from .openid import OpenID
from .serving import Answer


class Refreshing(OpenID):
    """`refresh` makes of a request's fields, and of the issuer as the client knows it, what the token endpoint answers."""

    HOSTS = ()
    ENDPOINTS = {"authorization_endpoint": "/authorize", "token_endpoint": "/token", "jwks_uri": "/keys"}

    def __init__(self, refresh, path=""):
        super().__init__()
        self.refresh, self.base = refresh, path

    def issuer(self):
        return self.origin + self.base

    def as_asked(self, request):
        return self.issuer().replace("http:", request.headers.get("X-Forwarded-Proto", "http") + ":", 1)

    def answer(self, request):
        if request.method == "POST":
            return Answer(200, self.refresh(request.form, self.as_asked(request)))
        if not request.path.endswith("/.well-known/openid-configuration"):
            return Answer(200, self.key.document())
        issuer, document = self.as_asked(request), self.document()
        return Answer(200, {name: value.replace(self.issuer(), issuer) if isinstance(value, str) else value for name, value in document.items()})

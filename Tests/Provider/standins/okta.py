"""Okta: an organisation's own authorization server, and a custom one, `default`, at the same host.

Each server has an issuer, endpoints and tokens of its own; what one gave the other does not take · https://developer.okta.com/docs/concepts/auth-servers/
The organisation's own server gives tokens for Okta alone, for an hour; scopes of APIs are the custom one's · https://developer.okta.com/docs/concepts/auth-servers/#org-authorization-server
A custom server's access tokens live from 5 minutes to a day, as its policy says · https://developer.okta.com/docs/guides/configure-access-policy/main/
A scope that is not configured there is refused · https://developer.okta.com/docs/api/openapi/okta-oauth/guides/overview/#scopes
A native app's refresh token is the same one each time · https://developer.okta.com/docs/guides/refresh-tokens/main/#overview
With rotation the token before stays good for a grace period of 30 s · https://developer.okta.com/docs/guides/refresh-tokens/main/#grace-period-for-token-rotation
Later it ends the newest refresh token and all access tokens · https://developer.okta.com/docs/guides/refresh-tokens/main/#refresh-token-reuse-detection
A refresh token comes where /authorize was asked for offline_access · https://developer.okta.com/docs/guides/refresh-tokens/main/#get-a-refresh-token
An ID token that comes with an access token has no name: it is in userinfo · https://developer.okta.com/docs/api/openapi/okta-oauth/guides/overview/#id-token
A public client revokes a token with its client id alone · https://developer.okta.com/docs/guides/revoke-tokens/main/

Options besides those of openid.py: `rotates`, and `grace` in seconds. `Okta` is the organisation's own server, and `Custom` the other;
both are at contoso.okta.com, so that one of them has the other as `beside`."""

import time

from .openid import OpenID
from .serving import Answer

PERSONAL = ["openid", "profile", "email", "address", "phone", "offline_access", "device_sso", "groups"]


class Okta(OpenID):
    HOSTS = ("contoso.okta.com",)
    OPTIONS = OpenID.OPTIONS | {"people": ["ada@contoso.example"], "access_lifetime": 3600, "refresh_lifetime": None, "rotates": False, "grace": 30,
                                "custom": {}}
    PATH = "/oauth2"
    ENDPOINTS = {
        name: f"/v1/{place}" for name, place in {
            "authorization_endpoint": "authorize", "token_endpoint": "token", "userinfo_endpoint": "userinfo", "jwks_uri": "keys",
            "revocation_endpoint": "revoke", "device_authorization_endpoint": "device/authorize"}.items()}
    SCOPES = PERSONAL + ["okta.users.read.self", "okta.users.read"]
    SUPPORTED = {"token_endpoint_auth_methods_supported": ["none", "client_secret_basic", "client_secret_post"]}
    NAMES = "userinfo"

    def __init__(self, **options):
        super().__init__(**options)
        self.custom = Custom(**(options.get("custom", {}))) if type(self) is Okta else None

    def prepare(self):
        if self.custom:
            self.custom.folder, self.custom.script = self.folder, self.script

    def at(self, name):
        return self.origin + self.PATH + self.ENDPOINTS[name]

    def answer(self, request):
        return self.custom.answer(request) if self.custom and request.path.startswith(Custom.PATH + "/") else super().answer(request)

    def first_refresh(self, grant):
        return self.give_refresh(grant) if "offline_access" in grant.scopes else None

    def refreshed(self, request):
        form, now = request.form, time.time()
        with self.lock:
            token = form.get("refresh_token")
            found = self.refresh_tokens.get(token)
            replaced = getattr(found, "replaced", None)
            if replaced is not None and now > replaced + self.option("grace"):
                found.grant.is_alive = False
            if found is None or not found.is_good() or found.grant.client != form.get("client_id"):
                self.refuse("invalid_grant", "The refresh token is invalid or expired.")
            if self.option("rotates"):
                found.replaced = replaced or now
                token = self.give_refresh(found.grant)
        request.notes["person"] = found.grant.person
        return Answer(200, self.issue(found.grant, token, self.asked_again(found.grant, form)))

    def wrong_request(self, query):
        wrong = super().wrong_request(query)
        if wrong and wrong[0] == "invalid_scope":
            return "invalid_scope", "One or more scopes are not configured for the authorization server resource."
        return wrong

    def names(self, grant):
        name = grant.person.split("@")[0].capitalize()
        profile = {"preferred_username": grant.person, "name": name} if "profile" in grant.scopes else {}
        return profile | ({"email": grant.person} if "email" in grant.scopes else {})

    def subject(self, person):
        return "00u" + person.split("@")[0]


class Custom(Okta):
    """The server `default`."""

    PATH = "/oauth2/default"
    SCOPES = PERSONAL + ["api.read", "api.write"]
    OPTIONS = Okta.OPTIONS | {"access_lifetime": 300}

    def __init__(self, **options):
        super().__init__(**options)
        if not 300 <= self.options["access_lifetime"] <= 86400:
            raise ValueError("a custom server's access tokens live from 5 minutes to a day")

    def issuer(self):
        return self.origin + self.PATH

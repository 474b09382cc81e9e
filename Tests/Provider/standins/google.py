"""Google: sign-in in a browser and on a device, refreshes, and some of its APIs.

A desktop client has a secret, which the token endpoint wants · https://developers.google.com/identity/protocols/oauth2/native-app#exchange-authorization-code
A refresh token comes with access_type=offline alone · https://developers.google.com/identity/protocols/oauth2/web-server#offline
It comes at the first consent; later only with prompt=consent · https://developers.google.com/identity/protocols/oauth2/web-server#offline
A refresh gives no new refresh token, and the old one stays good · https://developers.google.com/identity/protocols/oauth2/web-server#offline
The refresh token of an app that is being tested ends after 7 days · https://developers.google.com/identity/protocols/oauth2#expiration
Of more than 100 refresh tokens of a person and client the oldest ends without a word · https://developers.google.com/identity/protocols/oauth2#expiration
A person may grant some of the scopes alone; the answer says which · https://developers.google.com/identity/protocols/oauth2/resources/granular-permissions
An API without its scope answers 403, and to a token that is not good 401 · https://developers.google.com/workspace/gmail/api/guides/handle-errors
A device is given some scopes alone · https://developers.google.com/identity/protocols/oauth2/limited-input-device#allowedscopes
A device is told to wait with 428, and that it asks too often with 403 · https://developers.google.com/identity/protocols/oauth2/limited-input-device#step-4:-poll-googles-authorization-server
The policy of an organisation may want a person to sign in again: invalid_grant, invalid_rapt · https://support.google.com/a/answer/9368756
A token that is revoked ends its grant; one that nobody knows is an error · https://developers.google.com/identity/protocols/oauth2/native-app#tokenrevoke

Options besides those of openid.py: `secret` of every client; `is_testing`; `wants_again` is whether people have to sign in again."""

import time

from .openid import OpenID
from .serving import Answer, Refusal

WEEK, HOUR, TOKENS = 7 * 24 * 3600, 3599, 100
LONG = "https://www.googleapis.com/auth/"
DEVICE_SCOPES = {"openid", "email", "profile", LONG + "userinfo.email", LONG + "userinfo.profile", LONG + "drive.appdata", LONG + "drive.file",
                 LONG + "youtube", LONG + "youtube.readonly"}
#: What an API needs, by its host and the start of its path.
APIS = {("gmail.googleapis.com", "/gmail/v1/"): {LONG + "gmail.readonly", LONG + "gmail.modify", "https://mail.google.com/"},
        ("www.googleapis.com", "/drive/v3/"): {LONG + "drive", LONG + "drive.readonly", LONG + "drive.file"}}


class Google(OpenID):
    HOSTS = ("accounts.google.com", "oauth2.googleapis.com", "openidconnect.googleapis.com", "www.googleapis.com", "gmail.googleapis.com")
    OPTIONS = OpenID.OPTIONS | {
        "people": {"ada@example.com": "110169484474386276334", "ben@example.com": "110169484474386276335"}, "access_lifetime": HOUR,
        "secret": "GOCSPX-sample", "is_testing": False, "wants_again": False}
    ENDPOINTS = {
        "authorization_endpoint": "https://accounts.google.com/o/oauth2/v2/auth", "token_endpoint": "https://oauth2.googleapis.com/token",
        "userinfo_endpoint": "https://openidconnect.googleapis.com/v1/userinfo", "jwks_uri": "https://www.googleapis.com/oauth2/v3/certs",
        "revocation_endpoint": "https://oauth2.googleapis.com/revoke",
        "device_authorization_endpoint": "https://oauth2.googleapis.com/device/code"}
    NAMES, PKCE_REQUIRED, DEVICE_LIFE = "id_token", False, 1800
    SUPPORTED = {"scopes_supported": ["openid", "email", "profile"], "code_challenge_methods_supported": ["plain", "S256"],
                 "token_endpoint_auth_methods_supported": ["client_secret_post", "client_secret_basic"]}

    def prepare(self):
        self.consents = set()

    def wrong_request(self, query):
        return super(OpenID, self).wrong_request(query)

    def token(self, request):
        self.check_fields(request)
        form = request.form
        if form.get("client_secret") != self.option("secret"):
            self.refuse("invalid_client", "The provided client secret is invalid.", 401)
        return super().token(request)

    def first_refresh(self, grant):
        """A refresh token at the first consent, and at each that is asked for; a device always gets one."""
        query, pair = grant.query, (grant.person, grant.client)
        is_device = "redirect_uri" not in query
        is_first = pair not in self.consents or query.get("prompt") == "consent"
        if not is_device and not (query.get("access_type") == "offline" and is_first):
            return None
        self.consents.add(pair)
        token = self.give_refresh(grant, "1//" + str(len(self.refresh_tokens)) + "-" + grant.person.split("@")[0],
                                  WEEK if self.option("is_testing") else None)
        with self.lock:
            same = [found for found in self.refresh_tokens.values()
                    if found.is_good() and (found.grant.person, found.grant.client) == pair]
            for found in same[:-TOKENS]:
                found.is_revoked = True
        return token

    def issue(self, grant, refresh=None, scopes=None, **more):
        if refresh and self.option("is_testing"):
            more["refresh_token_expires_in"] = WEEK
        return super().issue(grant, refresh, scopes, **more)

    def refreshed(self, request):
        form = request.form
        found = self.refresh_tokens.get(form.get("refresh_token"))
        if found is None or not found.is_good() or found.grant.client != form.get("client_id"):
            self.refuse("invalid_grant", "Token has been expired or revoked.")
        if self.option("wants_again"):
            self.refuse("invalid_grant", "reauth related error (invalid_rapt)", error_subtype="invalid_rapt")
        request.notes["person"] = found.grant.person
        return Answer(200, self.issue(found.grant, None, self.asked_again(found.grant, form)))

    def device(self, request):
        wrong = set(request.form.get("scope", "").split()) - DEVICE_SCOPES
        if wrong:
            self.refuse("invalid_scope", "Invalid device flow scope: " + " ".join(sorted(wrong)))
        answer = self.device_codes_for(request, "https://www.google.com/device")
        answer.content["verification_url"] = answer.content.pop("verification_uri")
        return answer

    def refuse_device(self, error, **more):
        status = {"authorization_pending": 428, "slow_down": 403, "access_denied": 403}.get(error, 400)
        self.refuse("invalid_grant" if error in ("incorrect_device_code", "expired_token") else error, "Not (yet).", status)

    def subject(self, person):
        return self.option("people")[person]

    def names(self, grant):
        name = {"name": grant.person.split("@")[0].capitalize()} if "profile" in grant.scopes else {}
        return name | ({"email": grant.person, "email_verified": True} if "email" in grant.scopes else {})

    def revoke(self, request):
        token = request.form.get("token") or request.query.get("token")
        found = self.refresh_tokens.get(token) or self.access_tokens.get(token)
        if found is None or not found.is_good():
            self.refuse("invalid_token", "Token expired or revoked")
        found.grant.is_alive = False
        self.consents.discard((found.grant.person, found.grant.client))
        return Answer(200, {})

    def elsewhere(self, request):
        for (host, path), scopes in APIS.items():
            if request.host == host and request.path.startswith(path):
                return self.api(request, scopes)
        return Answer(404, {"error": {"code": 404, "status": "NOT_FOUND"}})

    def api(self, request, scopes):
        access = self.access(request)
        if access is None:
            raise Refusal(401, {"error": {"code": 401, "status": "UNAUTHENTICATED"}}, {
                "WWW-Authenticate": 'Bearer realm="https://accounts.google.com/", error="invalid_token"'})
        if not scopes & set(access.scopes):
            raise Refusal(403, {"error": {"code": 403, "status": "PERMISSION_DENIED", "message": "Request had insufficient authentication scopes."}}, {
                "WWW-Authenticate": f'Bearer realm="https://accounts.google.com/", error="insufficient_scope", scope="{" ".join(sorted(scopes))}"'})
        return Answer(200, {"emailAddress": access.grant.person, "time": int(time.time())})

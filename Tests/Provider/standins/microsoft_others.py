"""Microsoft's other authorities: Azure AD B2C, External ID, AD FS.

A code and a refresh token are good at the host, and for B2C at the policy, that gave them · https://learn.microsoft.com/en-us/azure/active-directory-b2c/tokens-overview
B2C gives no access token for the scopes of a sign-in alone · https://learn.microsoft.com/en-us/azure/active-directory-b2c/access-tokens#scopes
B2C's issuer names the tenant by its id · https://learn.microsoft.com/en-us/azure/active-directory-b2c/tokens-overview#token-types
External ID's issuer is a host that is the tenant's id · https://learn.microsoft.com/en-us/entra/external-id/customers/concept-authentication-methods-customers
AD FS takes a resource by its name, and its addresses end in a slash · https://learn.microsoft.com/en-us/windows-server/identity/ad-fs/overview/ad-fs-openid-connect-oauth-concepts
AD FS does not know /.default · https://learn.microsoft.com/en-us/windows-server/identity/ad-fs/overview/ad-fs-openid-connect-oauth-flows-scenarios

Options are those of oauth.py."""

import json
import secrets

from .microsoft import CONTOSO, RESERVED
from .oauth import AuthorizationServer, Grant
from .serving import Answer
from .trust import base64url

B2C, CIAM, ADFS = "contoso.b2clogin.com", "contoso.ciamlogin.com", "fs.contoso.example"
ADA = "11111111-2222-4333-8444-555555555555"


class Place:
    """An authority, by the host and the path of a request; what is left of the path is `rest`."""

    def __init__(self, host, path):
        words = path.strip("/").split("/")
        count = 1 if host != B2C else 3 if words[0] == "tfp" else 2
        self.host, self.rest = host, "/".join(words[count:]).rstrip("/")
        self.base = f"https://{host}/" + "/".join(words[:count])
        self.policy = words[count - 1].lower() if host == B2C else None
        self.issuer = {ADFS: f"http://{ADFS}/adfs/services/trust", B2C: f"https://{B2C}/{CONTOSO}/v2.0/",
                       CIAM: f"https://{CONTOSO}.ciamlogin.com/{CONTOSO}/v2.0"}[host]
        #: Where codes and refresh tokens of this place are good.
        self.name = (host, self.policy)

    def document(self):
        path, slash = ("/oauth2", "/") if self.host == ADFS else ("/oauth2/v2.0", "")
        document = {
            "issuer": self.issuer, "authorization_endpoint": self.base + path + "/authorize" + slash,
            "token_endpoint": self.base + path + "/token" + slash, "jwks_uri": self.base + "/discovery/keys",
            "response_types_supported": ["code"], "subject_types_supported": ["pairwise"], "id_token_signing_alg_values_supported": ["RS256"]}
        return document | ({"access_token_issuer": self.issuer, "microsoft_multi_refresh_token": True} if self.host == ADFS else {})


class MicrosoftOthers(AuthorizationServer):
    HOSTS = (B2C, CIAM, ADFS)
    PKCE_REQUIRED = False

    def answer(self, request):
        place = Place(request.host, request.path)
        if place.rest.endswith(".well-known/openid-configuration"):
            return Answer(200, place.document())
        if place.rest == "discovery/keys":
            return Answer(200, self.key.document())
        if place.rest.endswith("authorize"):
            return self.authorize(request)
        if place.rest.endswith("token") and request.method == "POST":
            return Answer(200, self.tokens(request, place))
        return Answer(404, {"error": "not_found"})

    def place_of(self, request):
        return Place(request.host, request.path).name

    def tokens(self, request, place):
        form = request.form
        if form.get("grant_type") == "authorization_code":
            grant = self.redeem(request)
        else:
            found = self.refresh_tokens.get(form.get("refresh_token"))
            if found is None or found.grant.client != form.get("client_id"):
                self.refuse("invalid_grant", "The refresh token is unknown.")
            grant = found.grant
        if grant.place != place.name:
            self.refuse("invalid_grant", "It was given elsewhere.")
        scopes = form.get("scope", "").split()
        if place.host == ADFS and any(scope.endswith("/.default") for scope in scopes):
            self.refuse("invalid_scope", "MSIS9610: The scope is not known.")
        return self.issue(place, grant, form, scopes)

    def issue(self, place, grant, form, scopes):
        refresh = self.give_refresh(Grant(grant.person, grant.client, grant.scopes, query={}, place=place.name))
        answer = {"token_type": "Bearer", "expires_in": 3600, "refresh_token": refresh, "id_token": self.signed(place, grant)}
        number = secrets.token_hex(4)
        if place.host == ADFS:
            resource = form.get("resource") or grant.query.get("resource") or "urn:microsoft:userinfo"
            token = self.give_access(grant, ["openid"], f"for-{resource.replace('https://', '')}-{number}")
            return answer | {"scope": "openid", "resource": resource, "access_token": token}
        own = f"{ADA}-{place.policy}" if place.policy else ADA
        answer |= {"scope": " ".join(scopes), "client_info": base64url(json.dumps({"uid": own, "utid": CONTOSO}).encode())}
        if place.host != B2C or set(scopes) - RESERVED:
            answer["access_token"] = self.give_access(grant, scopes, f"of-{place.policy or place.host}-{number}")
        return answer

    def signed(self, place, grant):
        if place.host == ADFS:
            return self.id_token(grant, "ada-at-fs", iss=place.issuer, upn="ada@contoso.example", name="Ada")
        if place.host == B2C:
            return self.id_token(grant, ADA, iss=place.issuer, oid=ADA, emails=["ada@mail.example"], tfp=place.policy, name="Ada")
        return self.id_token(grant, "pairwise", iss=place.issuer, oid=ADA, tid=CONTOSO, preferred_username="ada@contoso.example", name="Ada")

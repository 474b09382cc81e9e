"""An OpenID provider as the specification has it, and as Keycloak is set up.

Access tokens live for 5 minutes, and refresh tokens for 30 · https://www.keycloak.org/docs/latest/server_admin/#_timeouts
Discovery tells of all endpoints and of what is supported · https://openid.net/specs/openid-connect-discovery-1_0.html#ProviderMetadata
What a person is called may stand in userinfo alone, or nowhere · https://openid.net/specs/openid-connect-core-1_0.html#ScopeClaims
A code wants PKCE and comes back with iss · https://www.rfc-editor.org/rfc/rfc9700#section-2.1.1
A code is good once; used twice, its tokens end · https://www.rfc-editor.org/rfc/rfc6749#section-4.1.2
A refresh token comes with offline_access alone · https://openid.net/specs/openid-connect-core-1_0.html#OfflineAccess
A refresh token is replaced at each use, and an old one that comes again ends the grant · https://www.rfc-editor.org/rfc/rfc9700#section-4.14.2
A field that comes twice is refused · https://www.rfc-editor.org/rfc/rfc6749#section-3.2
A token that is revoked is good no longer, and its grant ends · https://www.rfc-editor.org/rfc/rfc7009#section-2.1
A token without openid is not taken by userinfo · https://openid.net/specs/openid-connect-core-1_0.html#UserInfoError

Options besides those of oauth.py: `names` is where a person's names stand: "id_token", "userinfo" or "none"; `says` {PERSON: {CLAIM: VALUE}} and
`userinfo_says`, there alone, are in the place of what is said by itself, None of nothing; `rotates`; `refresh_lifetime` in seconds. `keycloak` and others that tests add are at sso.contoso.example, or at a port of this machine.
GET /api/me tells who a bearer token is for."""

from .oauth import DEVICE, AuthorizationServer
from .serving import Answer


class OpenID(AuthorizationServer):
    """What providers of OpenID Connect share, too: each says where its endpoints are and what differs."""

    HOSTS = ("sso.contoso.example",)
    OPTIONS = AuthorizationServer.OPTIONS | {"access_lifetime": 300, "refresh_lifetime": 1800, "names": "id_token", "says": {}, "userinfo_says": {},
                                                "rotates": True}
    #: Endpoints by their names in the document, at hosts of this provider; without a host they are at `origin`.
    ENDPOINTS = {
        "authorization_endpoint": "/authorize", "token_endpoint": "/token", "userinfo_endpoint": "/userinfo", "jwks_uri": "/keys",
        "revocation_endpoint": "/revoke", "device_authorization_endpoint": "/device"}
    SCOPES = ["openid", "profile", "email", "offline_access", "mail", "files"]
    #: What else the document says.
    SUPPORTED = {"token_endpoint_auth_methods_supported": ["none"], "authorization_response_iss_parameter_supported": True}
    #: Where it is documented that names stand, where nothing is set.
    NAMES = None

    def at(self, name):
        """The address of an endpoint."""
        place = self.ENDPOINTS[name]
        return place if place.startswith("https:") else self.issuer() + place

    def document(self):
        return {
            "issuer": self.issuer(), **{name: self.at(name) for name in self.ENDPOINTS}, "response_types_supported": ["code"],
            "grant_types_supported": ["authorization_code", "refresh_token", DEVICE], "subject_types_supported": ["public"],
            "id_token_signing_alg_values_supported": ["RS256"], "scopes_supported": self.SCOPES, "code_challenge_methods_supported": ["S256"],
            **self.SUPPORTED}

    def answer(self, request):
        address = (f"https://{request.host}" if "https:" in self.origin and request.host in self.hosts() else self.origin) + request.path.rstrip("/")
        if address == self.issuer() + "/.well-known/openid-configuration":
            return Answer(200, self.document())
        for name, act in (
                ("jwks_uri", lambda _: Answer(200, self.key.document())), ("authorization_endpoint", self.authorize),
                ("token_endpoint", self.token), ("userinfo_endpoint", self.userinfo), ("revocation_endpoint", self.revoke),
                ("device_authorization_endpoint", self.device)):
            if name in self.ENDPOINTS and address == self.at(name).rstrip("/"):
                return act(request)
        return self.elsewhere(request)

    def elsewhere(self, request):
        """What it answers at its other addresses."""
        if request.path == "/api/me":
            access = self.good_access(request)
            return Answer(200, {"user": access.grant.person, "client": access.grant.client, "scope": " ".join(access.scopes)})
        return Answer(404, {"error": "not_found"})

    # The authorization endpoint.

    def wrong_request(self, query):
        if set(query.get("scope", "").split()) - set(self.SCOPES):
            return "invalid_scope", "The requested scope is invalid, unknown, or malformed."
        return super().wrong_request(query)

    def lead_back(self, query, **answer):
        if self.SUPPORTED.get("authorization_response_iss_parameter_supported"):
            answer["iss"] = self.issuer()
        return super().lead_back(query, **answer)

    def device(self, request):
        wrong = set(request.form.get("scope", "").split()) - set(self.SCOPES)
        if wrong:
            self.refuse("invalid_scope", "The requested scope is invalid, unknown, or malformed.")
        return self.device_codes_for(request, self.issuer() + "/device")

    # The token endpoint.

    def token(self, request):
        self.check_fields(request)
        self.check_client(request.form.get("client_id"))
        kind = request.form.get("grant_type")
        if kind == "authorization_code":
            grant = self.redeem(request)
        elif kind == DEVICE:
            grant = self.poll(request)
        elif kind == "refresh_token":
            return self.refreshed(request)
        else:
            self.refuse("unsupported_grant_type", "The grant type is not supported.")
        request.notes["person"] = grant.person
        return Answer(200, self.issue(grant, self.first_refresh(grant)))

    def first_refresh(self, grant):
        """The refresh token that a sign-in gives, or none."""
        return self.give_refresh(grant, lifetime=self.option("refresh_lifetime")) if "offline_access" in grant.scopes else None

    def refreshed(self, request):
        form = request.form
        with self.lock:
            found = self.refresh_tokens.get(form.get("refresh_token"))
            if found is not None and found.is_revoked:
                found.grant.is_alive = False
            if found is None or not found.is_good() or found.grant.client != form.get("client_id"):
                self.refuse("invalid_grant", "Token is not active")
            token = None
            if self.option("rotates"):
                found.is_revoked = True
                token = self.give_refresh(found.grant, lifetime=self.option("refresh_lifetime"))
        request.notes["person"] = found.grant.person
        return Answer(200, self.issue(found.grant, token, self.asked_again(found.grant, form)))

    def asked_again(self, grant, form):
        """The scopes of a refresh: those that are asked for, all of them unless it says which."""
        asked = form.get("scope", "").split() or grant.scopes
        if set(asked) - set(grant.scopes):
            self.refuse("invalid_scope", "The requested scope exceeds what was granted.")
        return asked

    def issue(self, grant, refresh=None, scopes=None, **more):
        scopes = grant.scopes if scopes is None else scopes
        lifetime = self.option("access_lifetime")
        answer = {"access_token": self.give_access(grant, scopes), "token_type": "Bearer", "scope": " ".join(scopes), **more}
        if lifetime is not None:
            answer["expires_in"] = lifetime
        if refresh:
            answer["refresh_token"] = refresh
        if "openid" in scopes:
            names = self.said("says", grant, self.names(grant)) if (self.NAMES or self.option("names")) == "id_token" else {}
            answer["id_token"] = self.id_token(grant, self.subject(grant.person), iss=self.issuer(), **names)
        return answer

    # Who somebody is.

    def subject(self, person):
        return f"subject-of-{person}"

    def names(self, grant):
        """Names of a person, of those scopes that were granted."""
        profile = {"preferred_username": grant.person, "name": grant.person.capitalize()} if "profile" in grant.scopes else {}
        return profile | ({"email": f"{grant.person}@contoso.example", "email_verified": True} if "email" in grant.scopes else {})

    def good_access(self, request):
        access = self.access(request)
        if access is None:
            self.refuse("invalid_token", "The token is not good.", 401)
        return access

    def userinfo(self, request):
        access = self.good_access(request)
        if "openid" not in access.scopes:
            self.refuse("insufficient_scope", "openid is needed", 403)
        names = {} if self.option("names") == "none" else self.said("says", access.grant, self.names(access.grant))
        return Answer(200, self.said("userinfo_says", access.grant, {"sub": self.subject(access.grant.person)} | names))

    def said(self, option, grant, claims):
        """The claims, with what an option puts in their place."""
        claims = claims | self.option(option).get(grant.person, {})
        return {name: value for name, value in claims.items() if value is not None}

    def revoke(self, request):
        """Ends the grant of a token; one that nobody knows is no mistake (RFC 7009, section 2.2)."""
        self.check_client(request.form.get("client_id"))
        token = request.form.get("token")
        found = self.refresh_tokens.get(token) or self.access_tokens.get(token)
        if found and found.grant.client == request.form["client_id"]:
            found.grant.is_alive = False
        return Answer(200)

"""Microsoft Entra: tenants, guests, families of clients, refusals, and Microsoft Graph.

A refresh token is of a person and a client, not of a tenant or a resource · https://learn.microsoft.com/en-us/entra/identity-platform/refresh-tokens
It is replaced at each use, and the one before stays good · https://learn.microsoft.com/en-us/entra/identity-platform/refresh-tokens#token-lifetime
An access token lives for 60 to 90 minutes, each for another time · https://learn.microsoft.com/en-us/entra/identity-platform/access-tokens#token-lifetime
common, organizations and consumers say who can sign in, and the token is of the person's home · https://learn.microsoft.com/en-us/entra/identity-platform/v2-protocols#endpoints
A tenant that does not exist is told as AADSTS90002 · https://learn.microsoft.com/en-us/entra/identity-platform/reference-error-codes#aadsts-error-codes
A guest has an object id of its own in each tenant; who is none there is refused, and the sign-in at home stays · https://learn.microsoft.com/en-us/troubleshoot/entra/entra-id/app-integration/error-code-aadsts50020-user-account-identity-provider-does-not-exist
A refusal has error, error_description, error_codes, timestamp, trace_id, correlation_id and error_uri · https://learn.microsoft.com/en-us/entra/identity-platform/reference-error-codes#handling-error-codes-in-your-application
A policy's refusal has claims that the next sign-in has to ask for · https://learn.microsoft.com/en-us/entra/identity-platform/v2-conditional-access-dev-guide
The scopes of a request are of one resource, and .default stands alone · https://learn.microsoft.com/en-us/entra/identity-platform/scopes-oidc
A refresh token comes with offline_access, an ID token with openid, client_info where it is asked for · https://learn.microsoft.com/en-us/entra/identity-platform/scopes-oidc#openid-connect-scopes
Clients of the family redeem each other's refresh tokens, and are told so by foci; others get client_mismatch · https://github.com/secureworks/family-of-client-ids-research
A device polls until somebody has signed in · https://learn.microsoft.com/en-us/entra/identity-platform/v2-oauth2-device-code
The answer of a sign-in may come as a form that the browser posts · https://learn.microsoft.com/en-us/entra/identity-platform/v2-oauth2-auth-code-flow#request-an-authorization-code
Instance discovery tells by which names a cloud is known · https://learn.microsoft.com/en-us/entra/msal/dotnet/advanced/instance-metadata
A key vault says to whom without a token which authority and resource it wants · https://learn.microsoft.com/en-us/azure/key-vault/general/authentication-requests-and-responses
A resource takes a token that is for it; Graph may want further claims: 401 insufficient_claims · https://learn.microsoft.com/en-us/entra/identity-platform/claims-challenge
There is no revocation endpoint · https://learn.microsoft.com/en-us/entra/identity-platform/v2-protocols-oidc#fetch-the-openid-configuration-document

Options besides those of oauth.py: `people` {NAME: {home, oid, guests: {TENANT: oid}}}; `refuse` {TENANT: CODE of REFUSALS, or
[CODE, RESOURCE]} is what requests there get; `refresh_tokens` {TOKEN: [NAME, CLIENT]} are there already; `challenge` is whether Graph
and the key vault want claims; `one_use` ends a refresh token when it is used. `tokens` gives the answer of the token endpoint: what a program adds to that overrides it."""

import random
import re
import secrets
import time
import urllib.parse

from .oauth import DEVICE, AuthorizationServer, Grant
from .serving import Answer, Refusal
from .trust import base64url

PUBLIC, GOVERNMENT, GRAPH, MANAGEMENT = "login.microsoftonline.com", "login.microsoftonline.us", "graph.microsoft.com", "management.azure.com"
KEY_VAULT, SUBSCRIPTION = "sample.vault.azure.net", "5a5a5a5a-0000-4000-8000-000000000001"
ALIASES = [PUBLIC, "login.windows.net", "login.microsoft.com", "sts.windows.net"]
CONTOSO, FABRIKAM, NORTHWIND = "7b1c0a94-3d0e-4a57-9c1f-2f1d5f6a0e11", "bbbbbbbb-0000-4000-8000-00000000fab0", "cccccccc-0000-4000-8000-00000000a0a0"
PERSONAL = "9188040d-6c67-4c5b-b112-36a304b66dad"
DOMAINS = {name: tenant for tenant, word in ((CONTOSO, "contoso"), (FABRIKAM, "fabrikam"), (NORTHWIND, "northwind"))
           for name in (f"{word}.example", f"{word}.onmicrosoft.com")}
PEOPLE = {
    "ada@contoso.example": {"home": CONTOSO, "oid": "11111111-2222-4333-8444-555555555555", "guests": {FABRIKAM: "0a0a0a0a-0000-4000-8000-0000000000fa"}},
    "ben@fabrikam.example": {"home": FABRIKAM, "oid": "0b0b0b0b-0000-4000-8000-000000000002", "guests": {}},
    "cleo@contoso.example": {"home": CONTOSO, "oid": "0c0c0c0c-0000-4000-8000-000000000003", "guests": {}},
    "dora@outlook.example": {"home": PERSONAL, "oid": "00000000-0000-0000-40c0-3bac188d01d1", "guests": {FABRIKAM: "dddddddd-0000-4000-8000-0000000000fa"}},
}
#: Azure CLI, Azure PowerShell, Visual Studio, Visual Studio Code, Edge.
FAMILY = {"04b07795-8ddb-461a-bbee-02f9e1bf7b46", "1950a258-227b-4e31-a9cf-717495945fc2", "872cd9fa-d31f-45e0-9eab-6e460a02d1f1",
          "aebc6443-996d-45c2-90f0-388ff96faa56", "d7b530a4-7680-4c23-a8bf-c52c121d2e87"}
RESERVED = {"openid", "profile", "offline_access", "email"}
#: error, suberror and words by code; see the page of error codes.
REFUSALS = {
    50020: ("invalid_grant", None, "User account '{person}' from identity provider 'https://sts.windows.net/{home}/' does not exist in tenant '{tenant}'."),
    50034: ("invalid_grant", None, "The user account does not exist in the {tenant} directory."),
    50053: ("invalid_grant", None, "The account is locked because the user tried to sign in too many times."),
    50057: ("invalid_grant", None, "The user account is disabled."),
    50074: ("invalid_grant", "basic_action", "Strong Authentication is required."),
    50076: ("invalid_grant", "basic_action", "You must use multi-factor authentication to access '{resource}'."),
    50078: ("invalid_grant", "basic_action", "Presented multi-factor authentication has expired."),
    50079: ("invalid_grant", "basic_action", "You must enroll in multi-factor authentication to access '{resource}'."),
    50105: ("invalid_grant", None, "The signed in user is not assigned to a role for the application."),
    50132: ("invalid_grant", "bad_token", "The session is not valid due to password expiration or recent password change."),
    50133: ("invalid_grant", "bad_token", "The session is not valid due to password expiration or recent password change."),
    50158: ("invalid_grant", "basic_action", "External security challenge was not satisfied."),
    50173: ("invalid_grant", "bad_token", "The provided grant has expired due to it being revoked, a fresh auth token is needed."),
    53000: ("invalid_grant", "message_only", "Device is not in required device state: compliant."),
    53001: ("invalid_grant", "message_only", "Device is not in required device state: domain_joined."),
    53003: ("invalid_grant", "message_only", "Access has been blocked by Conditional Access policies."),
    53004: ("invalid_grant", "basic_action", "User needs to complete multi-factor authentication registration process."),
    65001: ("invalid_grant", "consent_required", "The user or administrator has not consented to use the application."),
    70000: ("invalid_grant", "bad_token", "Provided grant is invalid or malformed."),
    70008: ("invalid_grant", "bad_token", "The provided authorization code or refresh token has expired due to inactivity."),
    70011: ("invalid_scope", None, "The provided value for the input parameter 'scope' isn't valid. The scope {scope} isn't valid."),
    70043: ("invalid_grant", "token_expired", "The refresh token has expired or is invalid due to sign-in frequency checks by conditional access."),
    90002: ("invalid_request", None, "Tenant '{tenant}' not found."),
    500011: ("invalid_resource", None, "The resource principal named {resource} was not found in the tenant named {tenant}."),
    500200: ("invalid_grant", None, "User account '{person}' is a personal Microsoft account, which the application does not support."),
    700016: ("unauthorized_client", None, "Application with identifier was not found in the directory '{tenant}'."),
    700082: ("invalid_grant", "bad_token", "The refresh token has expired due to inactivity."),
    700084: ("invalid_grant", "bad_token", "The refresh token was issued to a single page app (SPA), and has a fixed, limited lifetime."),
    9002313: ("invalid_request", None, "Invalid request. Request is malformed or invalid."),
    28000: ("invalid_grant", None, "The input parameter scope is not valid because it contains more than one resource."),
}
#: Those for which a sign-in with claims is the way on.
POLICIES = {50074, 50076, 50078, 50079, 50158, 53000, 53001, 53003, 53004}
CLAIMS = '{"access_token":{"capolids":{"essential":true,"values":["c1"]}}}'


def resource_of(scope):
    """The resource of a scope; Graph's permissions may stand alone."""
    if "/" not in scope:
        return f"https://{GRAPH}"
    return scope.rsplit("/", 1)[0].rstrip("/") if scope.startswith("https:") else scope.rsplit("/", 1)[0]


class Microsoft(AuthorizationServer):
    HOSTS = (*ALIASES, GOVERNMENT, GRAPH, MANAGEMENT, KEY_VAULT)
    OPTIONS = AuthorizationServer.OPTIONS | {
        "people": PEOPLE, "access_lifetime": "random", "refuse": {}, "refresh_tokens": {}, "challenge": False, "one_use": False}
    TOKEN_PATHS = ("/oauth2/v2.0/token", "/oauth2/token")
    PKCE_REQUIRED = False

    def prepare(self):
        self.given, self.random = 0, random.Random(7)
        for token, (person, client) in self.option("refresh_tokens").items():
            self.give_refresh(Grant(person, client, ["offline_access"], query={}, place=PUBLIC), token)

    # Tenants.

    def tenant(self, word):
        """The id of a tenant that a path names, or the word itself where it stands for several; refuses what is none."""
        known = {CONTOSO, FABRIKAM, NORTHWIND, PERSONAL} | {person["home"] for person in self.option("people").values()}
        word = word.lower()
        if word in ("common", "organizations", "consumers") or word in known:
            return word
        return DOMAINS.get(word) or self.aadsts(90002, tenant=word)

    def tenant_for(self, word, person):
        """The tenant whose token a person gets where a path says `word`."""
        home = self.option("people")[person]["home"]
        if word == "common" or word == "organizations" and home != PERSONAL or word == "consumers" and home == PERSONAL:
            return home
        if word in ("organizations", "consumers"):
            self.aadsts(500200 if home == PERSONAL else 50020, person=person, home=home, tenant=word)
        if word != home and word not in self.option("people")[person]["guests"]:
            self.aadsts(50020, person=person, home=home, tenant=word)
        return word

    def object_id(self, person, tenant):
        described = self.option("people")[person]
        return described["oid"] if tenant == described["home"] else described["guests"][tenant]

    def aadsts(self, code, status=400, **words):
        """Refuses as the service does."""
        error, suberror, text = REFUSALS[code]
        when, trace = time.strftime("%Y-%m-%d %H:%M:%SZ", time.gmtime()), "0000aaaa-11bb-cccc-dd33-eeeeee333333"
        text = re.sub(r"\{(\w+)\}", lambda name: str(words.get(name[1], name[1])), text)
        raise Refusal(status, {
            "error": error, "error_description": f"AADSTS{code}: {text} Trace ID: {trace} Correlation ID: {trace} Timestamp: {when}",
            "error_codes": [code], "timestamp": when, "trace_id": trace, "correlation_id": trace,
            "error_uri": f"https://{PUBLIC}/error?code={code}", **({"suberror": suberror} if suberror else {}),
            **({"claims": CLAIMS} if code in POLICIES else {})})

    # Requests.

    def answer(self, request):
        if request.host in (GRAPH, MANAGEMENT, KEY_VAULT):
            return self.api(request)
        parts = request.path.strip("/").split("/")
        rest = "/".join(parts[1:])
        if rest == "discovery/instance":
            return Answer(200, self.instances(request))
        if rest in ("v2.0/.well-known/openid-configuration", ".well-known/openid-configuration"):
            return Answer(200, self.document(request.host, self.tenant(parts[0])))
        if rest in ("discovery/v2.0/keys", "discovery/keys"):
            return Answer(200, self.key.document())
        if rest == "oauth2/v2.0/authorize":
            self.tenant(parts[0])
            return self.authorize(request)
        if rest == "oauth2/v2.0/devicecode":
            answer = self.device_codes_for(request, "https://microsoft.com/devicelogin")
            answer.content["message"] = f"To sign in, open the page and enter the code {answer.content['user_code']} to authenticate."
            return answer
        if rest == "oauth2/v2.0/token":
            return Answer(200, self.tokens(request, self.tenant(parts[0])))
        return Answer(404, {"error": "not_found"})

    def instances(self, request):
        alias = {"preferred_network": PUBLIC, "preferred_cache": "login.windows.net", "aliases": ALIASES}
        clouds = [alias, {"preferred_network": GOVERNMENT, "preferred_cache": GOVERNMENT, "aliases": [GOVERNMENT]}]
        return {"tenant_discovery_endpoint": f"https://{PUBLIC}/common/v2.0/.well-known/openid-configuration", "api-version": "1.1", "metadata": clouds}

    def document(self, host, tenant):
        base, issuer = f"https://{host}/{tenant}", "{tenantid}" if tenant in ("common", "organizations") else PERSONAL if tenant == "consumers" else tenant
        return {
            "issuer": f"https://{host}/{issuer}/v2.0", "authorization_endpoint": base + "/oauth2/v2.0/authorize", "token_endpoint": base + "/oauth2/v2.0/token",
            "device_authorization_endpoint": base + "/oauth2/v2.0/devicecode", "end_session_endpoint": base + "/oauth2/v2.0/logout",
            "jwks_uri": base + "/discovery/v2.0/keys", "userinfo_endpoint": f"https://{GRAPH}/oidc/userinfo", "response_types_supported": ["code"],
            "response_modes_supported": ["query", "fragment", "form_post"], "subject_types_supported": ["pairwise"],
            "scopes_supported": sorted(RESERVED), "id_token_signing_alg_values_supported": ["RS256"], "cloud_instance_name": "microsoftonline.com"}

    def place_of(self, request):
        """With instance_aware, somebody of the government's cloud is signed in there."""
        query = request.query
        is_elsewhere = query.get("instance_aware") == "true" and query.get("login_hint", "").endswith(".us")
        return GOVERNMENT if is_elsewhere or request.host == GOVERNMENT else PUBLIC

    def lead_back(self, query, **answer):
        if "code" in answer and self.codes[answer["code"]]["place"] == GOVERNMENT and query.get("instance_aware") == "true":
            answer["cloud_instance_host_name"] = GOVERNMENT
        return super().lead_back(query, **answer)

    def check_client(self, client):
        clients = self.option("clients")
        if not client or clients is not None and client not in clients:
            self.aadsts(700016, tenant="common")

    def refuse_code(self, reason):
        self.aadsts(70000)

    def refuse_device(self, error, **more):
        words = {"incorrect_device_code": "bad_verification_code", "access_denied": "authorization_declined", "slow_down": "authorization_pending"}
        self.refuse(words.get(error, error), "AADSTS70016: OAuth 2.0 device flow error.", error_codes=[70016])

    # Tokens.

    def tokens(self, request, word):
        form = request.form
        self.check_client(form.get("client_id"))
        kind = form.get("grant_type")
        if kind == "authorization_code":
            grant = self.redeem(request)
        elif kind in (DEVICE, "device_code"):
            grant = self.poll(request)
        elif kind == "refresh_token":
            grant = self.redeemed(form)
        else:
            self.aadsts(9002313)
        cloud = GOVERNMENT if request.host == GOVERNMENT else PUBLIC
        if grant.place != cloud:
            self.aadsts(70000)
        request.notes["person"] = grant.person
        tenant = self.tenant_for(word, grant.person)
        request.notes["tenant"] = tenant
        scopes, resource = self.check_scopes(form.get("scope", "").split() or grant.scopes)
        refusal = self.option("refuse").get(tenant)
        code, only = refusal if isinstance(refusal, list) else (refusal, None)
        is_met = code in POLICIES and self.has_claims(grant)
        if kind == "refresh_token" and code and only in (None, resource) and not is_met:
            self.aadsts(code, person=grant.person, home=self.option("people")[grant.person]["home"], tenant=tenant, resource=resource)
        return self.issue(request, grant, tenant, scopes, resource)

    def redeemed(self, form):
        """The grant of a refresh token, whose client may be another one of the family."""
        found = self.refresh_tokens.get(form.get("refresh_token"))
        if found is None or not found.is_good():
            self.aadsts(70000)
        if self.option("one_use"):
            found.is_revoked = True
        client = form["client_id"]
        if client != found.grant.client and not {client, found.grant.client} <= FAMILY:
            self.refuse("invalid_grant", "AADSTS70000: The refresh token was issued to another client.", suberror="client_mismatch", error_codes=[70000])
        return Grant(found.grant.person, client, found.grant.scopes, query=found.grant.query, place=found.grant.place)

    @staticmethod
    def has_claims(grant):
        """Whether the sign-in asked for the claims that a policy wants."""
        return bool(grant.query.get("claims"))

    def check_scopes(self, scopes):
        """The scopes and their resource: one, and .default by itself."""
        resources = {resource_of(scope) for scope in scopes if scope not in RESERVED}
        if len(resources) > 1:
            self.aadsts(28000)
        named = [scope for scope in scopes if scope not in RESERVED]
        if len(named) > 1 and any(scope.endswith("/.default") for scope in named):
            self.aadsts(70011, scope=" ".join(named))
        return scopes, next(iter(resources), f"https://{GRAPH}")

    def issue(self, request, grant, tenant, scopes, resource):
        form, person, host = request.form, grant.person, request.host
        lifetime = self.option("access_lifetime")
        lifetime = self.random.randrange(3600, 5400) if lifetime == "random" else lifetime
        with self.lock:
            self.given += 1
            place = re.sub("[^a-z0-9.-]", "", urllib.parse.urlsplit(resource).netloc or resource)
            token = f"sample-access-token-of-{person.split('@')[0]}-at-{tenant}-for-{place}-{self.given}"
        # What is granted: permissions by their names, never offline_access.
        granted = [scope for scope in scopes if scope != "offline_access"]
        has_claims = bool(form.get("claims")) or self.has_claims(grant)
        self.give_access(grant, granted, token, lifetime, resource=resource, tenant=tenant, has_claims=has_claims)
        answer = {"token_type": "Bearer", "scope": " ".join(granted), "expires_in": lifetime, "ext_expires_in": lifetime, "access_token": token}
        if "offline_access" in scopes:
            own = Grant(person, grant.client, grant.scopes, query=grant.query, place=grant.place)
            answer["refresh_token"] = self.give_refresh(own, "1." + secrets.token_urlsafe(24))
        if grant.client in FAMILY:
            answer["foci"] = "1"
        if "openid" in scopes:
            oid = self.object_id(person, tenant)
            names = {"preferred_username": person, "name": person.split("@")[0].capitalize()} if "profile" in scopes else {}
            answer["id_token"] = self.id_token(grant, f"pairwise-{person}", iss=f"https://{host}/{tenant}/v2.0", tid=tenant, oid=oid, ver="2.0", **names)
        if form.get("client_info") == "1":
            described = self.option("people")[person]
            info = f'{{"uid":"{described["oid"]}","utid":"{described["home"]}"}}'
            answer["client_info"] = base64url(info.encode())
        return answer

    # Graph, Azure's management, and a key vault.

    def api(self, request):
        access = self.access(request)
        wanted = {f"https://{request.host}"} | ({"https://management.core.windows.net"} if request.host == MANAGEMENT else set())
        if request.host == KEY_VAULT:
            wanted = {"https://vault.azure.net"}
        if request.host == KEY_VAULT and (access is None or access.resource not in wanted):
            raise Refusal(401, {"error": {"code": "Unauthorized", "message": "AKV10000: Request is missing a Bearer or PoP token."}}, {
                "WWW-Authenticate": f'Bearer authorization="https://{PUBLIC}/{CONTOSO}", resource="https://vault.azure.net"'})
        if access is None or access.resource not in wanted:
            raise Refusal(401, {"error": {"code": "InvalidAuthenticationToken", "message": "Access token validation failure. Invalid audience."}}, {
                "WWW-Authenticate": f'Bearer realm="", authorization_uri="https://{PUBLIC}/common/oauth2/authorize", client_id="00000003-0000-0000-c000-000000000000"'})
        if self.option("challenge") and not access.has_claims:
            claims = base64url(b'{"access_token":{"nbf":{"essential":true,"value":"1764000000"}}}')
            raise Refusal(401, {"error": {"code": "InvalidAuthenticationToken", "message": "Continuous access evaluation resulted in challenge."}}, {
                "WWW-Authenticate": f'Bearer realm="", authorization_uri="https://{PUBLIC}/common/oauth2/authorize", error="insufficient_claims", claims="{claims}"'})
        if request.host == MANAGEMENT:
            return Answer(200, {"value": [{"subscriptionId": SUBSCRIPTION, "tenantId": access.tenant}]})
        person = access.grant.person
        if request.host == KEY_VAULT:
            return Answer(200, {"value": f"a secret that {person} reads", "id": f"https://{KEY_VAULT}/secrets/sample/1", "attributes": {"enabled": True}})
        return Answer(200, {"displayName": person.split("@")[0].capitalize(), "userPrincipalName": person})

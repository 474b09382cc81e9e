"""An authorization server of plain OAuth: no OpenID, no names; and the resource that it is for, as clients of MCP meet them.

There is its own document alone, and none of OpenID Connect · https://www.rfc-editor.org/rfc/rfc8414#section-3
A scope that it does not know, openid among them, is refused · https://www.rfc-editor.org/rfc/rfc6749#section-4.1.2.1
An answer has no ID token, and nothing tells who somebody is · https://www.rfc-editor.org/rfc/rfc6749#section-5.1
PKCE with S256 is required · https://modelcontextprotocol.io/specification/2025-06-18/basic/authorization#authorization-code-protection
A token is for the resource that was named · https://www.rfc-editor.org/rfc/rfc8707#section-2
A client registers itself · https://www.rfc-editor.org/rfc/rfc7591#section-3
A refresh token is replaced at each use, and an old one ends the grant · https://www.rfc-editor.org/rfc/rfc9700#section-4.14.2
The resource says by a challenge who its authorization server is · https://www.rfc-editor.org/rfc/rfc9728#section-5.1
A token without the scope that a tool needs gets 403 with that scope · https://www.rfc-editor.org/rfc/rfc6750#section-3.1

Options besides those of openid.py: `resource` is whether a request has to name it; `described`, `says_of_itself` and `registered` are
put into the documents of the resource and of the server, and into the answer to a registration, whose status is `registration`; `moved` is
where the resource's document leads, and `filler` by how many bytes it is longer; `forgets` is whether it knows no client that registered itself before. The server is at auth.plain.example, the resource
at api.plain.example: /mcp needs `notes.read`, and /mcp/write `notes.write`."""

import json
import secrets

from .openid import OpenID
from .serving import Answer, Refusal

AUTH, API = "auth.plain.example", "api.plain.example"
RESOURCE = f"https://{API}/mcp"


class Plain(OpenID):
    HOSTS = (AUTH, API)
    OPTIONS = OpenID.OPTIONS | {"resource": False, "names": "none", "described": {}, "says_of_itself": {}, "registered": {}, "registration": 201,
                                   "moved": None, "filler": 0, "forgets": False}
    ENDPOINTS = {
        "authorization_endpoint": "/authorize", "token_endpoint": "/token", "revocation_endpoint": "/revoke", "registration_endpoint": "/register",
        "device_authorization_endpoint": "/device"}
    SCOPES = ["notes.read", "notes.write"]
    SUPPORTED = {"token_endpoint_auth_methods_supported": ["none"], "authorization_response_iss_parameter_supported": True}

    def document(self):
        return {name: value for name, value in super().document().items()
                if name not in ("subject_types_supported", "id_token_signing_alg_values_supported")} | self.option("says_of_itself")

    def answer(self, request):
        if request.host == API:
            return self.resource(request)
        if request.path == "/.well-known/openid-configuration":
            return Answer(404)
        if request.path == "/.well-known/oauth-authorization-server":
            return Answer(200, self.document())
        if request.path == "/register" and request.method == "POST":
            return self.register(request)
        return super().answer(request)

    def elsewhere(self, request):
        return Answer(404)

    def register(self, request):
        """A client for whoever asks, with what it asked for."""
        try:
            asked = json.loads(request.body)
        except ValueError:
            self.refuse("invalid_client_metadata")
        if not asked.get("redirect_uris") or not all(self.takes_redirect(uri) for uri in asked["redirect_uris"]):
            self.refuse("invalid_redirect_uri")
        if self.option("registration") != 201:
            raise Refusal(self.option("registration"), {"error": "invalid_client_metadata"})
        made = asked | {"client_id": "dyn-" + secrets.token_hex(6), "token_endpoint_auth_method": "none"} | self.option("registered")
        return Answer(201, {name: value for name, value in made.items() if value is not None})

    def check_client(self, client):
        if self.option("forgets") and (client or "").startswith("dyn-"):
            self.refuse("invalid_client", "The client is unknown.", 401)
        super().check_client(client)

    def wrong_request(self, query):
        if self.option("resource") and query.get("resource") != RESOURCE:
            return "invalid_target", "The resource is unknown."
        return super().wrong_request(query)

    def first_refresh(self, grant):
        return self.give_refresh(grant)

    # The resource.

    def resource(self, request):
        if request.path == "/.well-known/oauth-protected-resource/mcp":
            if self.option("moved"):
                return Answer(302, headers={"Location": self.option("moved")})
            return Answer(200, {"resource": RESOURCE, "authorization_servers": [self.origin], "scopes_supported": self.SCOPES,
                                "bearer_methods_supported": ["header"], "filler": "x" * self.option("filler")} | self.option("described"))
        if not request.path.startswith("/mcp"):
            return Answer(404)
        access = self.access(request)
        named = f'resource_metadata="https://{API}/.well-known/oauth-protected-resource/mcp"'
        if access is None or access.grant.query.get("resource", RESOURCE) != RESOURCE:
            raise Refusal(401, {"error": "invalid_token"}, {"WWW-Authenticate": f"Bearer {named}"})
        scope = "notes.write" if request.path == "/mcp/write" else "notes.read"
        if scope not in access.scopes:
            raise Refusal(403, {"error": "insufficient_scope"}, {
                "WWW-Authenticate": f'Bearer error="insufficient_scope", scope="{scope}", {named}'})
        return Answer(200, {"notes": []})

"""gitlab.com: OpenID Connect, its API, and git over https.

Access tokens live for two hours · https://docs.gitlab.com/integration/oauth_provider/#access-token-expiration
A refresh ends the access token and the refresh token before it, at once · https://docs.gitlab.com/api/oauth2/#authorization-code-with-proof-key-for-code-exchange-pkce
A refresh token comes without offline_access, which is no scope there · https://docs.gitlab.com/integration/oauth_provider/#view-all-authorized-applications
The scopes are those that are listed, and of them those that the application has · https://docs.gitlab.com/integration/oauth_provider/#view-all-authorized-applications
An ID token has no name: it is in userinfo · https://docs.gitlab.com/integration/openid_connect_provider/#shared-information
A device code is good for five minutes, and asked for every 5 s at most · https://docs.gitlab.com/api/oauth2/#device-authorization-grant-flow
git over https takes a token with read_repository or write_repository, or api, as the password · https://docs.gitlab.com/api/oauth2/#access-git-over-https-with-access-token
To push needs write_repository or api · https://docs.gitlab.com/integration/oauth_provider/#view-all-authorized-applications
The API needs read_user for /user, and read_api or api for projects: 403 insufficient_scope · https://docs.gitlab.com/integration/oauth_provider/#view-all-authorized-applications
A private project that the person may not see is not found · https://docs.gitlab.com/user/public_access/#private-projects-and-groups
The path of a project is the same in any letter case · https://gitlab.com/gitlab-org/gitlab-foss/-/issues/1365
A public client revokes a token with its client id alone · https://docs.gitlab.com/api/oauth2/#revoke-a-token

Options besides those of openid.py: `people` are names with their numbers; `repositories` {OWNER/NAME: {is_private, people}};
`clients` {ID: {scopes}}, None for all, with every scope."""

import time
import urllib.parse

from .openid import OpenID
from .repositories import Repositories
from .serving import Answer, Refusal

SCOPES = """api read_api read_user create_runner manage_runner k8s_proxy read_repository write_repository read_registry write_registry
    read_virtual_registry write_virtual_registry read_observability write_observability ai_features sudo admin_mode read_service_ping
    openid profile email""".split()
READ, WRITE = {"api", "read_repository", "write_repository"}, {"api", "write_repository"}


class GitLab(OpenID):
    HOSTS = ("gitlab.com",)
    OPTIONS = OpenID.OPTIONS | {
        "people": {"ada": 1815, "ben": 1816}, "access_lifetime": 7200, "refresh_lifetime": None,
        "repositories": {"ada/notes": {"people": ["ada"]}, "fabrikam/lab": {"people": ["ben"]}, "ada/blog": {"is_private": False, "people": ["ada"]}}}
    ENDPOINTS = {
        "authorization_endpoint": "/oauth/authorize", "token_endpoint": "/oauth/token", "userinfo_endpoint": "/oauth/userinfo",
        "jwks_uri": "/oauth/discovery/keys", "revocation_endpoint": "/oauth/revoke", "device_authorization_endpoint": "/oauth/authorize_device"}
    SCOPES, NAMES = SCOPES, "userinfo"
    SUPPORTED = {"token_endpoint_auth_methods_supported": ["client_secret_basic", "client_secret_post"]}
    DEVICE_LIFE = 300

    def prepare(self):
        self.repositories = Repositories(self.option("repositories"))
        if self.folder:
            self.repositories.make(self.folder / "gitlab")

    def wrong_request(self, query):
        wrong = super().wrong_request(query)
        return wrong or (("invalid_scope", "The requested scope is invalid, unknown, or malformed.") if self.beyond(query) else None)

    def beyond(self, query):
        """The scopes that the application was not registered for."""
        clients = self.option("clients")
        known = clients.get(query.get("client_id"), {}).get("scopes") if clients else None
        return known is not None and set(query.get("scope", "").split()) - set(known)

    def device(self, request):
        if self.beyond(request.form):
            self.refuse("invalid_scope", "The requested scope is invalid, unknown, or malformed.")
        return super().device(request)

    def first_refresh(self, grant):
        return self.give_refresh(grant)

    def refreshed(self, request):
        form = request.form
        with self.lock:
            found = self.refresh_tokens.get(form.get("refresh_token"))
            if found is None or not found.is_good() or found.grant.client != form.get("client_id"):
                self.refuse("invalid_grant", "The provided authorization grant is invalid, expired, revoked, does not match the redirection URI "
                            "used in the authorization request, or was issued to another client.")
            found.is_revoked = True
            for token in self.access_tokens.values():
                token.is_revoked = token.is_revoked or token.grant is found.grant
        request.notes["person"] = found.grant.person
        return Answer(200, self.issue(found.grant, self.give_refresh(found.grant)))

    def issue(self, grant, refresh=None, scopes=None, **more):
        return super().issue(grant, refresh, scopes, created_at=int(time.time()), **more)

    def subject(self, person):
        return str(self.option("people")[person])

    def names(self, grant):
        found = super().names(grant)
        return found | ({"nickname": grant.person} if "profile" in grant.scopes else {})

    def revoke(self, request):
        super().revoke(request)
        return Answer(200, {})

    # The API, and git.

    def elsewhere(self, request):
        return self.api(request) if request.path.startswith("/api/v4/") else self.git(request)

    def allowed_access(self, request, *scopes):
        access = self.access(request)
        if access is None:
            self.refuse("invalid_token", "Token was revoked. You have to re-authorize from the user.", 401)
        if not set(scopes) & set(access.scopes):
            raise Refusal(403, {"error": "insufficient_scope", "error_description": "The request requires higher privileges than provided "
                                "by the access token.", "scope": " ".join(scopes)})
        return access

    def api(self, request):
        if request.path == "/api/v4/user":
            person = self.allowed_access(request, "api", "read_api", "read_user").grant.person
            return Answer(200, {"id": self.option("people")[person], "username": person, "name": person.capitalize()})
        if request.path.startswith("/api/v4/projects/"):
            person = self.allowed_access(request, "api", "read_api").grant.person
            project = urllib.parse.unquote(request.target.partition("?")[0].split("/")[4])
            repository = self.repositories.by_name.get(project.lower())
            if repository is not None and repository.may(person, False):
                visibility = "private" if repository.is_private else "public"
                return Answer(200, {"path_with_namespace": repository.name, "visibility": visibility})
            return Answer(404, {"message": "404 Project Not Found"})
        return Answer(404, {"error": "404 Not Found"})

    def git(self, request):
        scheme, _ = request.credentials()
        access = self.access(request) if scheme == "Basic" else None
        repository, is_writing = self.repositories.asked(request)
        challenge = {"WWW-Authenticate": 'Basic realm="GitLab"'}
        is_open = repository is not None and not repository.is_private and not is_writing
        if scheme != "-" and access is None or access is None and not is_open:
            return Answer(401, b"HTTP Basic: Access denied.\n", challenge)
        if access is not None and not (WRITE if is_writing else READ) & set(access.scopes) and not is_open:
            return Answer(403, b"Your token does not have the scope that this needs.\n")
        person = access.grant.person if access else None
        if repository is None or not repository.may(person, False):
            return Answer(404, b"The project you were looking for could not be found or you don't have permission to view it.\n")
        if is_writing and not repository.may(person, True):
            return Answer(403, b"You are not allowed to push code to this project.\n")
        return self.repositories.serve(request, repository, person)

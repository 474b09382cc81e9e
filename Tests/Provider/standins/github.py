"""GitHub: the device flow and the browser's, scopes, its API, and git over https.

An answer of the token endpoint is a form, and JSON where that is accepted · https://docs.github.com/en/apps/oauth-apps/building-oauth-apps/authorizing-oauth-apps#response-1
A refusal of the token endpoint has status 200 · https://docs.github.com/en/apps/oauth-apps/maintaining-oauth-apps/troubleshooting-oauth-app-access-token-request-errors
The device flow takes no secret, and a poll before the interval is over makes it 5 s longer · https://docs.github.com/en/apps/oauth-apps/building-oauth-apps/authorizing-oauth-apps#rate-limits-for-the-device-flow
The device flow has to be enabled for a client · https://docs.github.com/en/apps/oauth-apps/building-oauth-apps/authorizing-oauth-apps#error-codes-for-the-device-flow
The browser's flow needs the client's secret · https://docs.github.com/en/apps/oauth-apps/building-oauth-apps/authorizing-oauth-apps#2-users-are-redirected-back-to-your-site-by-github
The token has the scopes that the person granted, without those that another one includes · https://docs.github.com/en/apps/oauth-apps/building-oauth-apps/scopes-for-oauth-apps#normalized-scopes
A token of an OAuth app does not end, and has no refresh token · https://docs.github.com/en/authentication/keeping-your-account-and-data-secure/token-expiration-and-revocation
Of more than ten tokens of a person, client and scope the oldest is revoked · https://docs.github.com/en/apps/oauth-apps/building-oauth-apps/authorizing-oauth-apps#creating-multiple-tokens-for-oauth-apps
A GitHub App's token ends after 8 hours, and its refresh token is good once · https://docs.github.com/en/apps/creating-github-apps/authenticating-with-a-github-app/refreshing-user-access-tokens
X-OAuth-Scopes has the token's scopes, and X-Accepted-OAuth-Scopes those that the action checks for · https://docs.github.com/en/apps/oauth-apps/building-oauth-apps/scopes-for-oauth-apps
A private repository needs `repo`, else it is not found · https://docs.github.com/en/rest/using-the-rest-api/troubleshooting-the-rest-api#404-not-found-for-an-existing-resource
To push to a public one needs `public_repo` or `repo` · https://docs.github.com/en/apps/oauth-apps/building-oauth-apps/scopes-for-oauth-apps#available-scopes
git over https takes a token as the password (Basic), and asks for one where there is none · https://docs.github.com/en/get-started/git-basics/about-remote-repositories#cloning-with-https-urls
git is told that a repository is not found that the token may not read · https://docs.github.com/en/repositories/creating-and-managing-repositories/troubleshooting-cloning-errors#error-repository-not-found
Owners and names are the same in any letter case · https://docs.github.com/en/rest/repos/repos#get-a-repository
A token that is no longer good gets 401 · https://docs.github.com/en/rest/authentication/authenticating-to-the-rest-api#failed-login-limit
An organisation with SAML refuses a token that was not authorized for it: 403 with X-GitHub-SSO · https://docs.github.com/en/rest/authentication/authenticating-to-the-rest-api#personal-access-tokens-and-saml-sso
Too many requests get 403, with x-ratelimit-remaining: 0 · https://docs.github.com/en/rest/using-the-rest-api/rate-limits-for-the-rest-api#exceeding-the-rate-limit
A request without User-Agent is refused · https://docs.github.com/en/rest/using-the-rest-api/getting-started-with-the-rest-api#user-agent-required
A client revokes with its secret at the API; there is no revocation endpoint · https://docs.github.com/en/rest/apps/oauth-applications#delete-an-app-token

Options besides those of oauth.py: `people` are names with their numbers; `repositories` {OWNER/NAME: {is_private, people}};
`tokens` {TOKEN: {person, scopes}} are there already; `sso` are owners with SAML, for whom apps' tokens are authorized and those made by
hand (ghp_…) are not, and no token at all without a `sso_session`; `remaining` is how many requests the API answers;
`clients` {ID: {secret, device_flow, is_app}}, None for all as OAuth apps with the device flow and without a secret."""

import json
import secrets
import time
import urllib.parse

from .oauth import DEVICE, AuthorizationServer, Grant
from .repositories import Repositories
from .serving import Answer, Refusal

WEB, API = "github.com", "api.github.com"
INCLUDED = {
    "repo": {"repo:status", "repo_deployment", "public_repo", "repo:invite", "security_events"},
    "user": {"read:user", "user:email", "user:follow"}, "admin:org": {"write:org", "read:org"}, "write:org": {"read:org"},
    "admin:public_key": {"write:public_key", "read:public_key"}, "write:packages": {"read:packages"}, "project": {"read:project"},
}
REPOSITORIES = {"ada/notes": {"people": ["ada"]}, "contoso/app": {"people": ["ada-contoso"]},
                "ada/blog": {"is_private": False, "people": ["ada"]}}
APP_LIFE, REFRESH_LIFE, TOKENS = 8 * 3600, 15897600, 10


def normalized(scopes):
    """Those of the scopes that no other one includes."""
    return sorted(scope for scope in set(scopes) if not any(scope in INCLUDED.get(other, ()) for other in scopes))


def includes(scopes, wanted):
    """Whether a token with the scopes may do what any of the wanted ones allows."""
    return any(scope in wanted or INCLUDED.get(scope, set()) & set(wanted) for scope in scopes)


class GitHub(AuthorizationServer):
    HOSTS = (WEB, API)
    OPTIONS = AuthorizationServer.OPTIONS | {
        "people": {"ada": 1815, "ada-contoso": 1852}, "access_lifetime": None, "repositories": REPOSITORIES, "tokens": {}, "sso": [],
        "sso_session": True, "remaining": None}
    TOKEN_PATHS = ("/login/oauth/access_token",)
    PKCE_REQUIRED = False

    def prepare(self):
        self.repositories = Repositories(self.option("repositories"))
        self.asked = 0
        if self.folder:
            self.repositories.make(self.folder / "github")
        for token, more in self.option("tokens").items():
            grant = Grant(more["person"], more.get("client"), normalized(more.get("scopes", [])), has_sso=not token.startswith("ghp_"))
            self.give_access(grant, grant.scopes, token)

    def known(self, client):
        clients = self.option("clients")
        return {"device_flow": True} if clients is None else clients.get(client)

    def answer(self, request):
        if request.host == API:
            return self.api(request)
        where = request.method, request.path
        if where == ("POST", "/login/device/code"):
            return self.worded(request, self.device)
        if where == ("POST", "/login/oauth/access_token"):
            return self.worded(request, self.token)
        if where == ("GET", "/login/oauth/authorize"):
            if self.known(request.query.get("client_id")) is None:
                return Answer(404, "<h1>Not found</h1>")
            return self.authorize(request)
        return self.git(request)

    # OAuth.

    def wrong_request(self, query):
        return None

    def worded(self, request, act):
        """What an endpoint answers: a form, unless JSON is accepted, with status 200 whatever it says."""
        try:
            answer = act(request)
        except Refusal as refusal:
            answer = refusal.answer
            answer.status = 404 if answer.content["error"] == "Not Found" else 200
        if isinstance(answer.content.get("error"), str):
            request.notes["error"] = answer.content["error"]
        if "json" in request.headers.get("Accept", ""):
            return answer
        return Answer(answer.status, urllib.parse.urlencode(answer.content).encode(), {"Content-Type": "application/x-www-form-urlencoded"})

    def device(self, request):
        known = self.known(request.form.get("client_id"))
        if known is None:
            self.refuse("Not Found")
        if not known.get("device_flow"):
            self.refuse("device_flow_disabled", "Device Flow must be explicitly enabled for this App")
        return self.device_codes_for(request, f"https://{WEB}/login/device")

    def check_client(self, client):
        if self.known(client) is None:
            self.refuse("incorrect_client_credentials", "The client_id and/or client_secret passed are incorrect.")

    def refuse_device(self, error, **more):
        self.refuse(error, "", **more)

    def refuse_code(self, reason):
        self.refuse("bad_verification_code", "The code passed is incorrect or expired.")

    def token(self, request):
        form = request.form
        self.check_client(form.get("client_id"))
        if form.get("grant_type") == DEVICE:
            grant = self.poll(request)
            grant.by_device = True
        elif form.get("grant_type") == "refresh_token":
            grant = self.refreshed(form)
        elif "code" in form:
            self.check_secret(form)
            grant = self.redeem(request)
            grant.by_device = False
        else:
            self.refuse("unsupported_grant_type", "The authorization grant type is not supported by the authorization server.")
        return Answer(200, self.issue(grant))

    def check_secret(self, form):
        secret = self.known(form.get("client_id")).get("secret")
        if secret is None or form.get("client_secret") != secret:
            self.refuse("incorrect_client_credentials", "The client_id and/or client_secret passed are incorrect.")

    def issue(self, grant):
        is_app = self.known(grant.client).get("is_app")
        grant.is_app, grant.has_sso = is_app, self.option("sso_session")
        scopes = [] if is_app else normalized(grant.scopes)
        lifetime = self.option("access_lifetime") or (APP_LIFE if is_app else None)
        token = self.give_access(grant, scopes, ("ghu_" if is_app else "gho_") + secrets.token_hex(18), lifetime)
        answer = {"access_token": token, "token_type": "bearer", "scope": ",".join(scopes)}
        with self.lock:
            same = [found for found in self.access_tokens.values() if found.is_good() and found.scopes == scopes
                    and (found.grant.person, found.grant.client) == (grant.person, grant.client)]
            for found in same[:-TOKENS]:
                found.is_revoked = True
        if is_app:
            refresh = self.give_refresh(grant, "ghr_" + secrets.token_hex(38), REFRESH_LIFE)
            answer |= {"expires_in": lifetime, "refresh_token": refresh, "refresh_token_expires_in": REFRESH_LIFE}
        return answer

    def refreshed(self, form):
        """The grant of a refresh token of a GitHub App, which ends with its access tokens."""
        with self.lock:
            found = self.refresh_tokens.get(form.get("refresh_token"))
            if found is None or not found.is_good() or found.grant.client != form.get("client_id"):
                self.refuse("bad_refresh_token", "The refresh token passed is incorrect or expired.")
            if not found.grant.by_device:
                self.check_secret(form)
            found.is_revoked = True
            for token in self.access_tokens.values():
                token.is_revoked = token.is_revoked or token.grant is found.grant
            return found.grant

    # The API.

    def api(self, request):
        if not request.headers.get("User-Agent"):
            return Answer(403, {"message": "Request forbidden by administrative rules. Please make sure your request has a User-Agent header"})
        if request.method == "DELETE" and request.path.startswith("/applications/"):
            return self.revoked(request)
        scheme, _ = request.credentials()
        access = self.access(request)
        if scheme != "-" and access is None:
            return Answer(401, {"message": "Bad credentials", "status": "401"})
        self.asked += 1
        if self.option("remaining") is not None and self.asked > self.option("remaining"):
            return Answer(403, {"message": "API rate limit exceeded"}, {
                "x-ratelimit-limit": "5000", "x-ratelimit-remaining": "0", "x-ratelimit-reset": str(int(time.time()) + 60)})
        scopes = access.scopes if access else []
        told = {"X-OAuth-Scopes": ", ".join(scopes)} if access else {}
        if request.path == "/user":
            if access is None:
                return Answer(401, {"message": "Requires authentication", "status": "401"})
            return Answer(200, {"login": access.grant.person, "id": self.option("people")[access.grant.person]},
                          told | {"X-Accepted-OAuth-Scopes": ""})
        parts = request.path.strip("/").split("/")
        if parts[0] != "repos" or len(parts) != 3:
            return Answer(404, {"message": "Not Found", "status": "404"}, told)
        return self.repository(self.repositories.named(*parts[1:]), access, told | {"X-Accepted-OAuth-Scopes": "repo"})

    def repository(self, repository, access, told):
        if repository is None or not self.reads(repository, access):
            return Answer(404, {"message": "Not Found", "status": "404"}, told)
        if self.wants_sign_in(repository, access):
            url = f"https://{WEB}/orgs/{repository.name.split('/')[0]}/sso?authorization_request=A"
            return Answer(403, {"message": "Resource protected by organization SAML enforcement."}, told | {"X-GitHub-SSO": f"required; url={url}"})
        return Answer(200, {"full_name": repository.name, "private": repository.is_private}, told)

    def reads(self, repository, access):
        """Whether a token may know that the repository is there."""
        if not repository.is_private:
            return True
        return access is not None and repository.may(access.grant.person, False) and self.allows(access, "repo")

    @staticmethod
    def allows(access, scope):
        """Whether a token is for this; a GitHub App has permissions, not scopes, and those that are wanted here."""
        return getattr(access.grant, "is_app", False) or includes(access.scopes, {scope})

    def wants_sign_in(self, repository, access):
        return access is not None and repository.name.split("/")[0] in self.option("sso") and not access.grant.has_sso

    def revoked(self, request):
        scheme, secret = request.credentials()
        client = request.path.split("/")[2]
        known = self.known(client) or {}
        if scheme != "Basic" or known.get("secret") is None or secret != known["secret"]:
            return Answer(404, {"message": "Not Found"})
        found = self.access_tokens.get(json.loads(request.body or b"{}").get("access_token"))
        if found is None or found.grant.client != client:
            return Answer(422, {"message": "Validation Failed"})
        found.is_revoked = True
        return Answer(204)

    # git.

    def git(self, request):
        scheme, _ = request.credentials()
        access = self.access(request) if scheme == "Basic" else None
        challenge = {"WWW-Authenticate": 'Basic realm="GitHub"'}
        if scheme != "-" and access is None:
            return Answer(401, b"Invalid username or token. Password authentication is not supported for Git operations.\n", challenge)
        repository, is_writing = self.repositories.asked(request)
        if repository is None or not self.reads(repository, access):
            return Answer(401, b"Repository not found.\n", challenge) if access is None else Answer(404, b"Repository not found.\n")
        if self.wants_sign_in(repository, access):
            return Answer(403, b"The organization has enabled or enforced SAML SSO. To access this repository, re-authorize the app.\n")
        if is_writing:
            if access is None:
                return Answer(401, b"", challenge)
            if not repository.may(access.grant.person, True) or not self.allows(access, "repo" if repository.is_private else "public_repo"):
                return Answer(403, f"Permission to {repository.name}.git denied to {access.grant.person}.\n".encode())
        return self.repositories.serve(request, repository, access.grant.person if access else None)

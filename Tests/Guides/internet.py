"""The network as the guides' commands meet it: Microsoft's authorities (Tests/Provider/authorities.py), GitHub, Graph.

GitHub's device flow is approved at once, the first time by ada, then by ada-contoso. Its repositories are ada/notes, which ada
alone can read, and contoso/app, which ada-contoso alone can. The refresh tokens of Samples are good at Microsoft's."""

import json
import os
import pathlib
import subprocess
import sys
import threading
import urllib.parse

REPOSITORY = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(REPOSITORY / "Tests/Provider"))
import authorities  # noqa: E402
import backend  # noqa: E402

PEOPLE = {"ada": 1815, "ada-contoso": 1852}
OWNERS = {"ada": "ada", "contoso": "ada-contoso"}
GRAPH, GITHUB, API = "graph.microsoft.com", "github.com", "api.github.com"
authorities.HOSTS += [GRAPH, GITHUB, API]


class Exchange(authorities.Exchange):
    """A request to one of the hosts."""

    def host(self):
        return self.headers["Host"].split(":")[0]

    def do_GET(self):
        if self.host() == GRAPH:
            return self.answer(200, {"displayName": "Ada", "userPrincipalName": "ada@contoso.example"})
        if self.host() == API:
            return self.answer(200, {"login": self.person(), "id": PEOPLE[self.person()]}) if self.person() else self.answer(401)
        return self.git(b"") if self.host() == GITHUB else super().do_GET()

    def do_POST(self):
        if self.host() != GITHUB:
            return super().do_POST()
        body = backend.body(self)
        form = dict(urllib.parse.parse_qsl(body.decode(errors="replace")))
        server = self.server.authorities
        if self.path == "/login/device/code":
            server.scope = form.get("scope", "")
            return self.answer(200, {"device_code": "d", "user_code": "WDJB-MJHT", "expires_in": 900, "interval": 1,
                                     "verification_uri": "https://github.com/login/device"})
        if self.path == "/login/oauth/access_token":
            server.devices = getattr(server, "devices", 0) + 1
            return self.answer(200, {"access_token": f"gho_{min(server.devices, 2):036}", "token_type": "bearer", "scope": ",".join(server.scope.split())})
        return self.git(body)

    def person(self):
        token = backend.token(self.headers)[1]
        return {f"gho_{number:036}": name for number, name in enumerate(PEOPLE, 1)}.get(token)

    def git(self, body):
        person = self.person()
        if person is None:
            return self.answer(401, **{"WWW-Authenticate": 'Basic realm="GitHub"'})
        if OWNERS.get(self.path.split("/")[1]) != person:
            return self.answer(404)
        backend.serve(self, self.server.authorities.folder / "repos", person, body)


authorities.Exchange = Exchange


class Network:
    """The hosts, for as long as a page runs."""

    def __init__(self, folder):
        folder.mkdir(parents=True)
        self.folder = folder
        self.authorities = authorities.Authorities(folder, folder / "log")
        cache = json.loads((REPOSITORY / "Samples/msal_token_cache.json").read_text())
        for entry in cache["RefreshToken"].values():
            self.authorities.refresh_tokens[entry["secret"]] = (authorities.PUBLIC, None)
        for owner, name in (("ada", "notes"), ("contoso", "app")):
            self.repository(folder / "repos" / owner / f"{name}.git")
        self.server = authorities.Server(("127.0.0.1", 0), authorities.Proxy)
        self.server.authorities = self.authorities
        program = pathlib.Path(authorities.__file__).resolve()
        self.environment = {
            "HTTPS_PROXY": f"http://127.0.0.1:{self.server.server_address[1]}", "KEYFOB_CA_FILE": str(folder / "ca.pem"),
            "GIT_SSL_CAINFO": str(folder / "ca.pem"), "BROWSER": f"{sys.executable} {program} --visit %s"}

    @staticmethod
    def repository(path):
        variables = {**os.environ, "GIT_CONFIG_GLOBAL": "/dev/null", "GIT_CONFIG_NOSYSTEM": "1"}
        for who in ("AUTHOR", "COMMITTER"):
            variables |= {f"GIT_{who}_NAME": "Ada", f"GIT_{who}_EMAIL": "ada@contoso.example"}

        def git(*words):
            return subprocess.run(["git", *words], env=variables, check=True, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL).stdout

        git("init", "-q", "--bare", "-b", "main", str(path))
        tree = git("-C", str(path), "hash-object", "-w", "-t", "tree", "/dev/null").decode().strip()
        commit = git("-C", str(path), "commit-tree", tree, "-m", "first").decode().strip()
        git("-C", str(path), "update-ref", "refs/heads/main", commit)

    def __enter__(self):
        threading.Thread(target=self.server.serve_forever, daemon=True).start()
        return self

    def __exit__(self, *_):
        self.server.shutdown()
        self.server.server_close()

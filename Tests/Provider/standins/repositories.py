"""Repositories that a host serves over https: who may read and write them; their names are the same in any letter case."""

import os
import shutil
import subprocess

import backend

from .serving import Answer


class Repository:
    """A repository `OWNER/NAME`; `people` may read and write it, and everybody may read it unless it is private."""

    def __init__(self, name, is_private=True, people=()):
        self.name, self.is_private, self.people = name, is_private, list(people)

    def may(self, person, writing):
        return person in self.people or not self.is_private and not writing


class Repositories:
    """Those of a host, in a folder."""

    def __init__(self, described):
        self.by_name = {name.lower(): Repository(name, **more) for name, more in described.items()}
        self.folder = None

    def make(self, folder):
        self.folder = folder
        first = None
        for repository in self.by_name.values():
            path = folder / f"{repository.name.lower()}.git"
            if first is None:
                make(path)
            else:
                shutil.copytree(first, path)
            first = path

    def named(self, owner, name):
        return self.by_name.get(f"{owner}/{name}".lower().removesuffix(".git"))

    def asked(self, request):
        """The repository that git asks for, and whether it wants to write there; None and False where the path is no repository's."""
        parts = request.path.strip("/").split("/")
        if len(parts) < 3 or parts[2:] not in (["info", "refs"], ["git-upload-pack"], ["git-receive-pack"]):
            return None, False
        return self.named(*parts[:2]), "git-receive-pack" in (parts[-1], request.query.get("service"))

    def serve(self, request, repository, person):
        """What git itself answers."""
        rest = "/".join(request.path.strip("/").split("/")[2:])
        target = f"/{repository.name.lower()}.git/{rest}" + ("?" + request.text if request.text else "")
        status, headers, body = backend.answer(request.method, target, request.headers, request.body, self.folder, person or "")
        return Answer(status, body, headers)


def make(path):
    """A bare repository of one commit without a file."""
    variables = {**os.environ, "GIT_CONFIG_GLOBAL": "/dev/null", "GIT_CONFIG_NOSYSTEM": "1"}
    for who in ("AUTHOR", "COMMITTER"):
        variables |= {f"GIT_{who}_NAME": "Ada", f"GIT_{who}_EMAIL": "ada@contoso.example"}

    def git(*words):
        return subprocess.run(["git", *words], env=variables, check=True, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL).stdout

    git("init", "-q", "--bare", "-b", "main", str(path))
    git("-C", str(path), "config", "http.receivepack", "true")
    tree = git("-C", str(path), "hash-object", "-w", "-t", "tree", "/dev/null").decode().strip()
    git("-C", str(path), "update-ref", "refs/heads/main", git("-C", str(path), "commit-tree", tree, "-m", "first").decode().strip())

"""Real git, docker's client for Python and kubectl, over the helpers of several programs: as the tool calls it, and the protocol alone."""

import base64
import json
import os
import shutil
import subprocess
import sys

from . import files, services
from .measure import Command, Failure, NotPossible, Taken, processor_time, run, run_checked, token_of

HERE = os.path.dirname(os.path.abspath(__file__))
PEERS = os.path.join(os.path.dirname(HERE), "peers")
REGISTRY = "registry.bench.example"
GIT_CORE = subprocess.run(["git", "--exec-path"], capture_output=True, text=True, check=True).stdout.strip()
FILL, FETCH, DOCKER, KUBECTL = "git credential fill", "git fetch", "docker", "kubectl get"
ALL = (FILL, FETCH, DOCKER, KUBECTL)
PACKAGES = ["git", "pass", "gnupg", "pass-git-helper", "gh", "oidc-agent-cli", "gnome-keyring", "golang-docker-credential-helpers"]
EXEC_VERSION = "client.authentication.k8s.io/v1beta1"


class Server:
    """A server that wants a token, with a certificate and a repository of its own."""

    def __init__(self, folder):
        self.folder = folder
        os.makedirs(f"{folder}/repos", mode=0o700)
        self.certify("ca", [], "basicConstraints = critical, CA:TRUE", "keyUsage = critical, keyCertSign, cRLSign")
        self.certify("server", ["-CA", "ca.pem", "-CAkey", "ca.key"], "basicConstraints = critical, CA:FALSE",
                     "subjectAltName = IP:127.0.0.1", "keyUsage = critical, digitalSignature", "extendedKeyUsage = serverAuth")
        identity = ["-c", "user.name=ada", "-c", "user.email=ada@contoso.example"]
        for words in (["init", "-q", "work"], ["-C", "work", *identity, "commit", "-q", "--allow-empty", "-m", "one"],
                      ["clone", "-q", "--bare", "work", "repos/app.git"]):
            subprocess.run(["git", *words], cwd=folder, check=True)
        self.tokens = set()
        self.accept("nobody's")
        self.process = subprocess.Popen([sys.executable, f"{PEERS}/token_server.py", folder], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        self.host = f"127.0.0.1:{int(self.process.stdout.readline())}"

    def certify(self, name, signer, *extensions):
        lines = [*extensions, "subjectKeyIdentifier = hash", "authorityKeyIdentifier = keyid"]
        with open(f"{self.folder}/{name}.conf", "w", encoding="ascii") as file:
            file.write(f"[req]\nprompt = no\ndistinguished_name = n\nx509_extensions = x\n[n]\nCN = bench {name}\n[x]\n" + "\n".join(lines) + "\n")
        words = ["openssl", "req", "-x509", "-config", f"{name}.conf", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-noenc",
                 "-days", "2", "-keyout", f"{name}.key", "-out", f"{name}.pem", *signer]
        subprocess.run(words, cwd=self.folder, check=True, stdin=subprocess.DEVNULL, stderr=subprocess.DEVNULL)

    def accept(self, token):
        self.tokens.add(token)
        with open(f"{self.folder}/accepted", "w", encoding="ascii") as file:
            file.write("\n".join(self.tokens))

    def stop(self):
        self.process.stdin.close()
        self.process.wait()


class Helper:
    """A store beside which the tools are set up. `git`, `docker` and `kubectl` say how they call it; None where they cannot."""

    #: git's credential.helper.
    git = None
    #: The program that git starts for it, without what git wants.
    git_program = None
    #: What docker calls the helper.
    docker = None
    #: The words of kubectl's plugin.
    kubectl = None

    def setting_up(self, server, tools):
        """Once its accounts are there: those of the tools that it takes part in."""
        self.server, self.tools, self.clients = server, tools, []
        self.account = self.names()[0]
        self.token = token_of(self.account)
        self.settle_in()
        server.accept(self.token)
        self.environment |= {"GIT_CONFIG_NOSYSTEM": "1", "GIT_TERMINAL_PROMPT": "0", "KUBECACHEDIR": f"{self.folder}/kube"}
        if self.git is not None or self.is_open:
            self.set_up_git()
        if self.docker:
            self.client = subprocess.Popen([sys.executable, f"{PEERS}/docker_client.py", self.docker, REGISTRY], env=self.environment,
                                           stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
            self.clients.append(self.client)
        if self.kubectl is not None or self.is_open:
            self.set_up_kubectl()

    #: Whether the token stands in the tool's own file, in the open.
    is_open = False

    def settle_in(self):
        """What it needs for the server and the registry, besides its accounts."""

    def set_up_git(self):
        lines = [f'[http "https://{self.server.host}"]', f"\tsslCAInfo = {self.server.folder}/ca.pem"]
        if self.is_open:
            pair = base64.b64encode(f"oauth2:{self.token}".encode()).decode()
            lines.append(f"\textraHeader = Authorization: Basic {pair}")
        else:
            text = self.git.replace("\\", "\\\\").replace('"', '\\"')
            lines += ["[credential]", f'\thelper = "{text}"']
        self.write(".gitconfig", [line + "\n" for line in lines])
        self.call("git", "clone", "-q", f"https://{self.server.host}/app.git", "app")

    def set_up_kubectl(self):
        user = {"token": self.token} if self.is_open else {"exec": {
            "apiVersion": EXEC_VERSION, "command": self.kubectl[0], "args": self.kubectl[1:], "provideClusterInfo": True}}
        cluster = {"server": f"https://{self.server.host}", "certificate-authority": f"{self.server.folder}/ca.pem"}
        self.environment["KUBECONFIG"] = self.write("kubeconfig", [json.dumps({
            "apiVersion": "v1", "kind": "Config", "current-context": "here", "contexts": [
                {"name": "here", "context": {"cluster": "here", "user": "ada"}}],
            "clusters": [{"name": "here", "cluster": cluster}], "users": [{"name": "ada", "user": user}]})])

    def started(self, *words, **command):
        """What a tool starts, found as it finds it."""
        return Command([shutil.which(words[0], path=self.environment["PATH"]), *words[1:]], **command)

    def takes_part(self, caller):
        if self.is_open:
            return caller in (FETCH, KUBECTL)
        return {FILL: self.git, FETCH: self.git, DOCKER: self.docker, KUBECTL: self.kubectl}[caller] is not None

    def question(self, answer=""):
        """What git asks, and tells: without an empty line behind it."""
        return f"protocol=https\nhost={self.server.host}\n{answer}"

    def called(self, caller, limit):
        """One run as the tool calls the helper."""
        if caller == DOCKER:
            return self.called_by_docker()
        if caller == FILL:
            command = Command(["git", "credential", "fill"], self.question(), wanted=f"\npassword={self.token}\n")
        elif caller == FETCH:
            command = Command(["git", "-C", f"{self.folder}/app", "fetch", "-q"])
        else:
            command = Command([self.tools["kubectl"], "get", "--raw", "/version"], wanted='"minor"')
        return run_checked(self, command, limit)

    def called_by_docker(self):
        daemons = self.daemons()
        before = processor_time(daemons)
        self.client.stdin.write(self.token + "\n")
        self.client.stdin.flush()
        line = self.client.stdout.readline()
        if not line:
            raise Failure("docker's client ended")
        wall, cpu = json.loads(line)
        if daemons:
            self.settle()
            cpu += processor_time(daemons) - before
        return Taken(wall, cpu, [0], [b""])

    def alone(self, caller, limit):
        """One run of what the tool starts and says, by nobody but us; None where there is no helper."""
        if self.is_open:
            return None
        if caller == DOCKER:
            return run_checked(self, self.started(f"docker-credential-{self.docker}", "get", content=REGISTRY, wanted=self.token), limit)
        if caller == KUBECTL:
            info = {"kind": "ExecCredential", "apiVersion": EXEC_VERSION, "spec": {"cluster": {"server": f"https://{self.server.host}"}}}
            self.environment["KUBERNETES_EXEC_INFO"] = json.dumps(info)
            try:
                return run_checked(self, self.started(*self.kubectl, wanted=self.token, before=self.forget_callers), limit)
            finally:
                del self.environment["KUBERNETES_EXEC_INFO"]
        answer = f"username=oauth2\npassword={self.token}\n"
        taken = run_checked(self, self.started(*self.git_program, "get", content=self.question(), wanted=f"password={self.token}"), limit)
        if caller == FETCH:
            # git tells each helper what the server has taken, whatever that makes of it.
            told = run(self, [self.started(*self.git_program, "store", content=self.question(answer))], limit)
            taken = Taken(taken.wall + told.wall, taken.cpu + told.cpu, [0], [b""])
        return taken

    def forget_callers(self):
        """Whoever asks for the same again was refused it; every run of ours has the same caller."""

    def stop(self):
        for client in getattr(self, "clients", []):
            client.stdin.close()
            client.wait()
            client.stdout.close()
        super().stop()


class Keyfob(Helper, files.Keyfob):
    git, docker, kubectl = "!git-credential-keyfob", "keyfob", ["kubectl-keyfob"]
    git_program = ["git-credential-keyfob"]

    def settle_in(self):
        self.environment["PATH"] = f"{os.path.dirname(self.program)}:{self.environment['PATH']}"
        for host in (self.server.host, REGISTRY):
            self.call(self.program, "bind", "--quiet", "--host", host, self.account)
        for number in range(10):
            self.call(self.program, "provider", "add", "--quiet", "--offline", "--name", f"bench{number}",
                      "--issuer", f"https://sso{number}.bench.example")

    def forget_callers(self):
        self.remove("run/keyfob")


class CredentialCache(Helper, services.CredentialCache):
    def settle_in(self):
        self.git = f"cache --socket {self.socket} --timeout {self.LIFE}"
        self.git_program = [self.program, "--socket", self.socket, "--timeout", self.LIFE]
        self.call(*self.git_program, "store", content=self.question(f"username=oauth2\npassword={self.token}\n"))


class CredentialStore(Helper, files.Store):
    """git's own helper with a file in the open."""

    def fill(self, limit):
        pass

    def settle_in(self):
        others = (f"https://oauth2:{token_of(name)}@{files.host(name)}\n" for name in self.names())
        path = self.write("credentials", [*others, f"https://oauth2:{self.token}@{self.server.host.replace(':', '%3a')}\n"])
        self.git = f"store --file {path}"
        self.git_program = [f"{GIT_CORE}/git-credential-store", "--file", path]


class Open(Helper, files.Store):
    """No helper: the token stands in git's or kubectl's own file, in the open."""

    is_open = True

    def fill(self, limit):
        pass


class GitHub(Helper, files.GitHub):
    git, git_program = "!gh auth git-credential", ["gh", "auth", "git-credential"]

    def settle_in(self):
        with open(f"{self.folder}/.config/gh/hosts.yml", "a", encoding="ascii") as file:
            file.write(f"{self.server.host}:\n    oauth_token: {self.token}\n    user: ada\n")


class LibSecret(Helper, services.DesktopStore):
    """docker's helper for the Secret Service, and git's of contrib/, where it can hold the token."""

    docker = "secretservice"

    def settle_in(self):
        self.environment = {**self.environment, "HOME": self.folder}
        source = "/usr/share/doc/git/contrib/credential/libsecret/git-credential-libsecret.c"
        if not os.path.exists(source):
            raise NotPossible("git's package has come without its contrib/credential/libsecret")
        flags = self.call("pkg-config", "--cflags", "--libs", "libsecret-1", "glib-2.0").split()
        self.git = f"{self.folder}/git-credential-libsecret"
        self.call("gcc", "-O2", "-o", self.git, source, *flags)
        self.git_program = [self.git]
        try:
            self.call(self.git, "store", content=self.question(f"username=oauth2\npassword={self.token}\n"))
        except Failure:
            self.git, self.missing = None, dict.fromkeys((FILL, FETCH), "git's helper of contrib/ reads no line that is longer than 1 KB")
        self.call("docker-credential-secretservice", "store", content=json.dumps(
            {"ServerURL": REGISTRY, "Username": "oauth2", "Secret": self.token}))


class Pass(Helper, files.Pass):
    """pass-git-helper, and docker's helper for pass."""

    git, git_program, docker = "!pass-git-helper $@", ["pass-git-helper"], "pass"

    def settle_in(self):
        os.makedirs(f"{self.folder}/.config/pass-git-helper")
        self.write(".config/pass-git-helper/git-pass-mapping.ini", [
            f"[{self.server.host}]\ntarget={self.account}\nusername_extractor=entry_name\n"])
        self.call("docker-credential-pass", "store", content=json.dumps(
            {"ServerURL": REGISTRY, "Username": "oauth2", "Secret": self.token}))


class OIDCAgent(Helper, services.OIDCAgent):
    """oidc-token, which no tool calls by itself: in a script of the least that does."""

    def settle_in(self):
        short = self.account.split("@")[0]
        self.token = self.call("oidc-token", short).strip()
        git = self.write("git-oidc", [f'#!/bin/sh\n[ "$1" = get ] || exit 0\nprintf "username=oauth2\\npassword="\nexec oidc-token {short}\n'])
        answer = json.dumps({"kind": "ExecCredential", "apiVersion": EXEC_VERSION, "status": {"token": "%s"}})
        kubectl = self.write("kubectl-oidc", [f"#!/bin/sh\nexec printf '{answer}' \"$(oidc-token {short})\"\n"])
        for path in (git, kubectl):
            os.chmod(path, 0o700)
        self.git, self.git_program, self.kubectl = git, [git], [kubectl]


def kubectl_version(program):
    done = subprocess.run([program, "version", "--client", "-o", "json"], capture_output=True, text=True, check=True)
    return json.loads(done.stdout)["clientVersion"]["gitVersion"]


def helpers(options, desktop):
    """What is compared, by the names of the tables: for each the class, and what it is called in the tables of each tool."""
    return {
        "keyfob": lambda *place: Keyfob(*place, options.keyfob), "no helper (in the open)": Open,
        "git-credential-store (in the open)": CredentialStore, "git-credential-cache": CredentialCache,
        "the Secret Service": lambda *place: LibSecret(*place, desktop), "pass": Pass, "gh": GitHub,
        "a script with oidc-token": OIDCAgent}



"""The API server of a cluster: bearer tokens, discovery, and pods of a namespace, as kubectl asks for them.

A request without a token is anonymous, and may read /version and /healthz alone · https://kubernetes.io/docs/reference/access-authn-authz/rbac/#discovery-roles
A token that it does not know is 401 everywhere · https://kubernetes.io/docs/reference/access-authn-authz/authentication/#anonymous-requests
Somebody who is known may see which kinds of objects there are · https://kubernetes.io/docs/reference/access-authn-authz/rbac/#discovery-roles
What nobody has allowed is 403, with a Status that names the user · https://kubernetes.io/docs/reference/access-authn-authz/rbac/
Pods come as a list · https://kubernetes.io/docs/reference/kubernetes-api/workload-resources/pod-v1/#list-list-or-watch-objects-of-kind-pod
Who one is can be asked by a SelfSubjectReview · https://kubernetes.io/docs/reference/access-authn-authz/authentication/#self-subject-review

Options: `tokens` {TOKEN: NAME}; `issuer` and `trust` (a file), where the provider of the tests is, which knows other tokens;
`refused` are tokens that are no longer good ("*": none is); `namespaces` {NAMESPACE: [NAME, …]} are who may see their pods."""

import ssl

import guest

from .serving import Answer, Refusal, StandIn

VERSION = {
    "major": "1", "minor": "32", "gitVersion": "v1.32.4", "gitCommit": 40 * "0", "gitTreeState": "clean", "buildDate": "2025-04-22T00:00:00Z",
    "goVersion": "go1.23.6", "compiler": "gc", "platform": "linux/amd64"}
#: What everybody may read.
PUBLIC = ("/version", "/healthz", "/livez", "/readyz")
PODS = {"name": "pods", "singularName": "pod", "namespaced": True, "kind": "Pod", "verbs": ["get", "list"], "shortNames": ["po"]}
REVIEWS = {"name": "selfsubjectreviews", "singularName": "", "namespaced": False, "kind": "SelfSubjectReview", "verbs": ["create"]}


class Kubernetes(StandIn):
    HOSTS = ("cluster.example",)
    OPTIONS = {"tokens": {"sample-token": "ada"}, "issuer": None, "trust": None, "refused": [], "namespaces": {"default": ["ada", "alice"]}}

    def prepare(self):
        trust = self.option("trust")
        self.trust = ssl.create_default_context(cafile=trust) if trust else None

    def person(self, token):
        """Whose token it is."""
        if {token, "*"} & set(self.option("refused")):
            return None
        if token in self.option("tokens"):
            return self.option("tokens")[token]
        return guest.person(self.option("issuer"), token, self.trust) if self.option("issuer") else None

    def refuse(self, code, reason, message):
        raise Refusal(code, {"kind": "Status", "apiVersion": "v1", "metadata": {}, "status": "Failure", "message": message, "reason": reason, "code": code})

    def answer(self, request):
        scheme, token = request.credentials()
        person = "system:anonymous"
        request.notes["scheme"] = scheme
        if scheme != "-":
            person = self.person(token) if scheme == "Bearer" else None
            if person is None:
                self.refuse(401, "Unauthorized", "Unauthorized")
            request.notes["person"] = person
        # Clients that are made from the API's description end the path with a slash.
        path = request.path.rstrip("/")
        if path in PUBLIC:
            return Answer(200, VERSION) if path == "/version" else Answer(200, b"ok")
        if person == "system:anonymous":
            self.forbid(person, f"cannot {request.method.lower()} path \"{request.path}\"")
        return self.found(request, person)

    def forbid(self, person, what):
        self.refuse(403, "Forbidden", f'forbidden: User "{person}" {what}')

    def found(self, request, person):
        parts = request.path.strip("/").split("/")
        if request.path == "/api":
            return Answer(200, {"kind": "APIVersions", "versions": ["v1"]})
        if request.path == "/api/v1":
            return Answer(200, {"kind": "APIResourceList", "groupVersion": "v1", "resources": [PODS]})
        if request.path == "/apis":
            version = {"groupVersion": "authentication.k8s.io/v1", "version": "v1"}
            group = {"name": "authentication.k8s.io", "versions": [version], "preferredVersion": version}
            return Answer(200, {"kind": "APIGroupList", "apiVersion": "v1", "groups": [group]})
        if request.path == "/apis/authentication.k8s.io/v1":
            return Answer(200, {"kind": "APIResourceList", "apiVersion": "v1", "groupVersion": "authentication.k8s.io/v1", "resources": [REVIEWS]})
        if request.path == "/apis/authentication.k8s.io/v1/selfsubjectreviews" and request.method == "POST":
            return Answer(201, {"kind": "SelfSubjectReview", "apiVersion": "authentication.k8s.io/v1", "metadata": {}, "status": {
                "userInfo": {"username": person, "groups": ["system:authenticated"]}}})
        if parts[:3] == ["api", "v1", "namespaces"] and parts[4:] == ["pods"]:
            if person not in self.option("namespaces").get(parts[3], []):
                self.refuse(403, "Forbidden", f'pods is forbidden: User "{person}" cannot list resource "pods" in API group "" in the namespace "{parts[3]}"')
            return Answer(200, {"kind": "PodList", "apiVersion": "v1", "metadata": {"resourceVersion": "1"}, "items": []})
        self.refuse(404, "NotFound", "the server could not find the requested resource")

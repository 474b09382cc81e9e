"""Calls kubectl's helper as programs do that ask more than once in one process.

usage: kubectl_callers.py dispatcher|kubectl|python KUBECTL COUNT
dispatcher: asks, and becomes kubectl, as Google Cloud SDK's kubectl does; kubectl: as it is; python: the client of PyPI,
with several ApiClients in one process. Prints how many calls worked."""

import base64
import json
import os
import subprocess
import sys

import yaml

kind, kubectl, count = sys.argv[1], sys.argv[2], int(sys.argv[3])

BECOMES = """
import os, subprocess, sys
subprocess.run(["kubectl-keyfob"], stdout=subprocess.DEVNULL, check=True)
del os.environ["KUBERNETES_EXEC_INFO"]
os.execvp(sys.argv[1], sys.argv[1:])
"""


def information():
    """What kubectl tells its helper."""
    with open(os.environ["KUBECONFIG"]) as file:
        cluster = yaml.safe_load(file)["clusters"][0]["cluster"]
    with open(cluster["certificate-authority"], "rb") as file:
        data = base64.b64encode(file.read()).decode()
    return json.dumps({"kind": "ExecCredential", "apiVersion": "client.authentication.k8s.io/v1beta1", "spec": {
        "cluster": {"server": cluster["server"], "certificate-authority-data": data}, "interactive": False}})


def once():
    if kind == "python":
        import kubernetes

        kubernetes.config.load_kube_config(os.environ["KUBECONFIG"])
        return kubernetes.client.VersionApi(kubernetes.client.ApiClient()).get_code().major == "1"
    words = [kubectl, "get", "--raw", "/version"]
    environment = dict(os.environ)
    if kind == "dispatcher":
        words = [sys.executable, "-c", BECOMES, *words]
        environment["KUBERNETES_EXEC_INFO"] = information()
    return subprocess.run(words, env=environment, stdout=subprocess.DEVNULL).returncode == 0


def tried():
    try:
        return once()
    except Exception as problem:
        print(type(problem).__name__, file=sys.stderr)
        return False


worked = sum(tried() for _ in range(count))
print(worked)
sys.exit(0 if worked == count else 1)

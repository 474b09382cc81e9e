"""A browser that makes detours before it brings the answer of a sign-in home.

usage: callbacks.py URL VISITOR USER FILE

VISITOR is visit.py. Writes to FILE what the redirect address answered: {"statuses": {"icon": STATUS, "otherState": …,
"noState": …, "otherPath": …, "answer": …, "again": the same once more}, "url": URL, "address": where the provider led};
a status is 0 where nobody listened."""

import importlib
import json
import os
import subprocess
import sys
import urllib.error
import urllib.parse
import urllib.request

url, visitor, user, file = sys.argv[1:]
sys.path.insert(0, os.path.dirname(visitor))
url = importlib.import_module("page").address(url)
redirect = dict(urllib.parse.parse_qsl(urllib.parse.urlsplit(url).query))["redirect_uri"]
base = "{0.scheme}://{0.netloc}".format(urllib.parse.urlsplit(redirect))
opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))


def status(address):
    try:
        with opener.open(address, timeout=60) as answer:
            return answer.status
    except urllib.error.HTTPError as answer:
        return answer.code
    except OSError:
        return 0


visit = subprocess.run([sys.executable, visitor, url, user, "--stay"], stdout=subprocess.PIPE, text=True, check=True)
address = visit.stdout.strip()
answers = {
    "icon": status(base + "/favicon.ico"),
    "otherState": status(redirect + "?code=stolen&state=another"),
    "noState": status(redirect + "?code=stolen"),
    "otherPath": status(address.replace("/callback?", "/elsewhere?")),
    "answer": status(address),
    "again": status(address),
}
with open(file + ".part", "w") as part:
    json.dump({"statuses": answers, "url": url, "address": address}, part)
os.rename(file + ".part", file)

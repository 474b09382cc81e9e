"""A provider on loopback that gives a new pair of tokens for each refresh token, and remembers to whom and when."""

import pathlib
import sys
import threading
import time

sys.path.append(str(pathlib.Path(__file__).resolve().parents[1] / "Provider"))
from standins import refreshing, serving  # noqa: E402


class Provider:
    """Answers at a free port, in a thread, until the process ends."""

    def __init__(self):
        self.issued, self.count, self.lock = {}, 0, threading.Lock()
        site = serving.Loopback(refreshing.Refreshing(self.refresh)).start()
        self.host, self.issuer = site.host, site.stand_in.issuer()

    def refresh(self, form, _):
        person = form["refresh_token"].split("-")[1]
        with self.lock:
            self.count += 1
            count = self.count
            token = f"refreshed-{person}-{count}"
            self.issued.setdefault(person, []).append((time.monotonic(), token))
        return {"access_token": token, "refresh_token": f"refresh-{person}-{count}", "token_type": "Bearer",
                "expires_in": 864_000, "scope": form.get("scope", "mail.read")}

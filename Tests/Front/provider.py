"""A provider on loopback that gives a new pair of tokens for each refresh token, and remembers to whom and when."""

import pathlib
import sys
import threading
import time

sys.path.append(str(pathlib.Path(__file__).resolve().parents[1] / "Provider"))
from loopback import Loopback  # noqa: E402


class Provider(Loopback):
    """Answers at a free port, in a thread, until the process ends."""

    def __init__(self):
        self.issued, self.count, self.lock = {}, 0, threading.Lock()
        super().__init__(self.refresh)

    def refresh(self, form):
        person = form["refresh_token"].split("-")[1]
        with self.lock:
            self.count += 1
            count = self.count
            token = f"refreshed-{person}-{count}"
            self.issued.setdefault(person, []).append((time.monotonic(), token))
        return {"access_token": token, "refresh_token": f"refresh-{person}-{count}", "token_type": "Bearer",
                "expires_in": 864_000, "scope": form.get("scope", "mail.read")}

"""requests and httpx, with and without an event loop: two accounts, a refusal, a claims challenge."""

import asyncio
import unittest

import httpx
import keyfob
import place
import requests

ME = f"https://{place.GRAPH}/v1.0/me"


class Web(place.Providers):
    """Each case is asked of requests, of httpx, and of httpx with an event loop."""

    def asked(self, auth, method="GET", url=ME, **more):
        """The answers of all three: status, whose, and how many requests there were."""
        def count():
            return len([request for request in self.network.requests() if request["host"] == place.GRAPH])

        async def ask():
            async with httpx.AsyncClient() as client:
                return await client.request(method, url, auth=auth(), **more)

        for send in (lambda: requests.request(method, url, auth=auth(), **{"data" if name == "content" else name: value for name, value in more.items()}),
                     lambda: httpx.request(method, url, auth=auth(), **more), lambda: asyncio.run(ask())):
            self.prepare()
            before = count()
            answer = send()
            yield answer.status_code, answer.json().get("userPrincipalName"), count() - before

    def prepare(self):
        """Before each of the three."""

    def auth(self, account=place.ADA, **options):
        return keyfob.Auth(keyring=self.keyring, account=account, **options)

    def test_accounts(self):
        for account in (place.ADA, place.CLEO):
            self.assertEqual(list(self.asked(lambda: self.auth(account))), [(200, account, 1)] * 3)

    def test_refused_once(self):
        """After a 401 once another token, with the same body."""
        self.prepare = lambda: self.network.control({"host": place.GRAPH, "paths": ["/v1.0/me"], "times": 1, "status": 401, "body": {}})
        for content in (None, b"text"):
            more = {"content": content} if content else {}
            self.assertEqual(list(self.asked(self.auth, "POST" if content else "GET", **more)), [(200, place.ADA, 2)] * 3)

    def test_refused_for_ever(self):
        self.prepare = lambda: self.network.control({"host": place.GRAPH, "paths": ["/v1.0/me"], "status": 401, "body": {}})
        self.assertEqual(list(self.asked(self.auth)), [(401, None, 2)] * 3)

    def test_claims_challenge(self):
        for account in (place.ADA, place.CLEO):
            # What has claims already is given away first.
            self.prepare = lambda: (self.set(challenge=False), self.keyring.token(url=ME, account=account, force_refresh=True),
                                    self.set(challenge=True))
            self.assertEqual(list(self.asked(lambda: self.auth(account))), [(200, account, 2)] * 3)

    def test_other_host(self):
        """A token goes to no other host, and libraries tell that in their own way."""
        with self.assertRaises(requests.RequestException) as caught:
            requests.get("https://other.example/", auth=self.auth())
        self.assertIsInstance(caught.exception, keyfob.NotPermitted)
        with self.assertRaises(httpx.RequestError) as caught:
            httpx.get("https://other.example/", auth=self.auth())
        self.assertEqual(caught.exception.code, "hostNotAllowed")

    def test_sessions(self):
        with requests.Session() as session:
            session.auth = self.auth()
            self.assertEqual([session.get(ME).status_code for _ in range(2)], [200] * 2)
        with httpx.Client(auth=self.auth()) as client:
            self.assertEqual([client.get(ME).status_code for _ in range(2)], [200] * 2)


if __name__ == "__main__":
    unittest.main()

"""google-auth, with and without an event loop."""

import asyncio
import unittest

import google.auth.aio.credentials
import google.auth.aio.transport.sessions
import google.auth.credentials
import google.auth.exceptions
import google.auth.transport.requests
import keyfob
import keyfob.aio
import place



class Google(place.Providers):
    """Two accounts, a refusal, and errors of google-auth's."""

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.sign_in_at_google("ada@example.com", "ben@example.com")

    def credentials(self, person="ada@example.com", **more):
        return keyfob.GoogleCredentials(self.keyring, scopes=[place.READ_MAIL], account=person, **more)

    def test_two_accounts(self):
        for person in ("ada@example.com", "ben@example.com"):
            credentials = self.credentials(person)
            self.assertIsInstance(credentials, google.auth.credentials.Credentials)
            with google.auth.transport.requests.AuthorizedSession(credentials) as session:
                self.assertEqual(session.get(place.MAIL).status_code, 200)
            self.assertTrue(credentials.valid and not credentials.expired and credentials.expiry)

    def test_refused(self):
        """google-auth asks again after a 401, and gets another token."""
        credentials = self.credentials()
        with google.auth.transport.requests.AuthorizedSession(credentials) as session:
            session.get(place.MAIL)
            first = credentials.token
            self.network.control({"host": "gmail.googleapis.com", "paths": ["/gmail/v1/users/me/messages"], "times": 1, "status": 401, "body": {}})
            self.assertEqual(session.get(place.MAIL).status_code, 200)
        self.assertNotEqual(credentials.token, first)

    def test_scopes(self):
        credentials = keyfob.GoogleCredentials(self.keyring, account="ada@example.com")
        self.assertTrue(credentials.requires_scopes)
        scoped = google.auth.credentials.with_scopes_if_required(credentials, [place.READ_MAIL])
        self.assertFalse(scoped.requires_scopes)
        scoped.refresh(None)
        self.assertEqual(scoped.with_quota_project("p").quota_project_id, "p")
        self.assertIsNone(credentials.token)

    def test_error(self):
        with self.assertRaises(google.auth.exceptions.RefreshError) as caught:
            keyfob.GoogleCredentials(self.keyring, account="nobody").refresh(None)
        self.assertIsInstance(caught.exception, keyfob.NotFound)
        self.assertFalse(caught.exception.retryable)

    # with an event loop

    def ask(self, *made, times=1):
        """The statuses of requests with some credentials, of each so many, all at once."""
        async def run():
            async def get(credentials):
                session = google.auth.aio.transport.sessions.AsyncAuthorizedSession(credentials, place.GoogleRequest())
                try:
                    answers = await asyncio.gather(*(session.get(place.MAIL) for _ in range(times)))
                    return [answer.status_code for answer in answers]
                finally:
                    await session.close()

            return await asyncio.gather(*map(get, made))

        return asyncio.run(run())

    def aio(self, person="ada@example.com", **more):
        return keyfob.aio.GoogleCredentials(self.keyring, scopes=[place.READ_MAIL], account=person, **more)

    def test_two_accounts_aio(self):
        made = [self.aio(person) for person in ("ada@example.com", "ben@example.com")]
        for credentials in made:
            self.assertIsInstance(credentials, google.auth.aio.credentials.Credentials)
            self.assertFalse(credentials.valid)
        self.assertEqual(self.ask(*made, times=3), [[200] * 3] * 2)
        self.assertTrue(all(credentials.valid and credentials.expiry for credentials in made))
        self.assertNotEqual(made[0].token, made[1].token)
        # What has no event loop is taken there too.
        self.assertEqual(self.ask(self.credentials()), [[200]])

    def test_refused_aio(self):
        """google-auth asks again after a 401, and gets another token, once for all requests that were refused."""
        credentials = self.aio()
        self.assertEqual(self.ask(credentials), [[200]])
        first = credentials.token
        refusal = {"host": "gmail.googleapis.com", "paths": ["/gmail/v1/users/me/messages"], "status": 401, "body": {}}
        self.network.control(refusal | {"times": 2})
        self.assertEqual(self.ask(credentials, times=2), [[200] * 2])
        self.assertNotEqual(credentials.token, first)
        self.assertEqual(len(self.refreshes()), 1)
        # What stays refused is answered so, and nothing is asked for ever.
        self.network.control(refusal)
        self.assertEqual(self.ask(credentials), [[401]])

    def test_scopes_aio(self):
        credentials = keyfob.aio.GoogleCredentials(self.keyring, account="ada@example.com").with_scopes([place.READ_MAIL])
        headers = {}
        asyncio.run(credentials.with_quota_project("p").before_request(None, "GET", place.MAIL, headers))
        self.assertEqual(headers["x-goog-user-project"], "p")
        self.assertTrue(headers["authorization"].startswith("Bearer ") and credentials.token is None)

    def test_error_aio(self):
        with self.assertRaises(google.auth.exceptions.RefreshError) as caught:
            asyncio.run(keyfob.aio.GoogleCredentials(self.keyring, account="nobody").refresh(None))
        self.assertIsInstance(caught.exception, keyfob.NotFound)
        self.assertFalse(caught.exception.retryable)


if __name__ == "__main__":
    unittest.main()

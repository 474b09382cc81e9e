"""google-auth, and what stands on it."""

import unittest

import google.auth.credentials
import google.auth.exceptions
import google.auth.transport.requests
import keyfob
import place

READ = "https://www.googleapis.com/auth/gmail.readonly"
MAIL = "https://gmail.googleapis.com/gmail/v1/users/me/messages"


class Google(place.Providers):
    """Two accounts, a refusal, and errors of google-auth's."""

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.home.run("client", "add", "-q", "client-1", "--provider", "google", "--secret-fd", "0", text="GOCSPX-sample")
        for person in ("ada@example.com", "ben@example.com"):
            cls.home.environment["BROWSER"] = cls.network.environment["BROWSER"].replace("%s", f"%s {person}")
            cls.home.run("login", "google", "--quiet", *(word for scope in ("openid", "email", READ) for word in ("--scope", scope)))

    def credentials(self, person="ada@example.com", **more):
        return keyfob.GoogleCredentials(self.keyring, scopes=[READ], account=person, **more)

    def test_two_accounts(self):
        for person in ("ada@example.com", "ben@example.com"):
            credentials = self.credentials(person)
            self.assertIsInstance(credentials, google.auth.credentials.Credentials)
            with google.auth.transport.requests.AuthorizedSession(credentials) as session:
                self.assertEqual(session.get(MAIL).status_code, 200)
            self.assertTrue(credentials.valid and not credentials.expired and credentials.expiry)

    def test_refused(self):
        """google-auth asks again after a 401, and gets another token."""
        credentials = self.credentials()
        with google.auth.transport.requests.AuthorizedSession(credentials) as session:
            session.get(MAIL)
            first = credentials.token
            self.network.control({"host": "gmail.googleapis.com", "paths": ["/gmail/v1/users/me/messages"], "times": 1, "status": 401, "body": {}})
            self.assertEqual(session.get(MAIL).status_code, 200)
        self.assertNotEqual(credentials.token, first)

    def test_scopes(self):
        credentials = keyfob.GoogleCredentials(self.keyring, account="ada@example.com")
        self.assertTrue(credentials.requires_scopes)
        scoped = google.auth.credentials.with_scopes_if_required(credentials, [READ])
        self.assertFalse(scoped.requires_scopes)
        scoped.refresh(None)
        self.assertEqual(scoped.with_quota_project("p").quota_project_id, "p")
        self.assertIsNone(credentials.token)

    def test_error(self):
        with self.assertRaises(google.auth.exceptions.RefreshError) as caught:
            keyfob.GoogleCredentials(self.keyring, account="nobody").refresh(None)
        self.assertIsInstance(caught.exception, keyfob.NotFound)
        self.assertFalse(caught.exception.retryable)


if __name__ == "__main__":
    unittest.main()

"""Signing in to mail servers: imaplib and smtplib against small servers of this machine."""

import base64
import imaplib
import smtplib
import socketserver
import threading
import unittest

import keyfob
import place

REFUSAL = b'{"status":"401","schemes":"bearer","scope":"https://mail.example/"}'


class Server(socketserver.StreamRequestHandler):
    """Takes the token ADA of ada."""

    def line(self):
        return self.rfile.readline().rstrip(b"\r\n")

    def say(self, text):
        self.wfile.write(text + b"\r\n")

    def is_right(self, text):
        return base64.b64decode(text) == b"user=ada\1auth=Bearer ADA\1\1"


class IMAP(Server):
    def handle(self):
        self.say(b"* OK ready")
        while line := self.line():
            tag, word, *_ = line.split()
            if word == b"CAPABILITY":
                self.say(b"* CAPABILITY IMAP4rev1 AUTH=XOAUTH2")
            if word == b"AUTHENTICATE":
                self.say(b"+ ")
                if not self.is_right(self.line()):
                    self.say(b"+ " + base64.b64encode(REFUSAL))
                    self.server.last = self.line()
                    self.say(tag + b" NO AUTHENTICATE failed.")
                    continue
            self.say(tag + b" OK done")


class SMTP(Server):
    def handle(self):
        self.say(b"220 ready")
        while line := self.line():
            word = line.split()[0].upper()
            if word == b"EHLO":
                self.say(b"250-here")
                self.say(b"250 AUTH XOAUTH2")
            elif word == b"AUTH" and not self.is_right(line.split()[2]):
                self.say(b"334 " + base64.b64encode(REFUSAL))
                self.server.last = self.line()
                self.say(b"535 5.7.8 not accepted")
            elif word == b"AUTH":
                self.say(b"235 accepted")
            else:
                self.say(b"221 bye")


class Mail(unittest.TestCase):
    """Tokens that are right and wrong."""

    def setUp(self):
        self.home = place.Home()
        self.addCleanup(self.home.remove)
        for account, token in (("ada", "ADA"), ("bob", "BOB")):
            self.home.add(account, token)
        self.keyring = self.home.keyring()
        self.addCleanup(self.keyring.close)

    def serve(self, kind):
        server = socketserver.ThreadingTCPServer(("127.0.0.1", 0), kind)
        server.daemon_threads = True
        threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True).start()
        self.addCleanup(server.server_close)
        self.addCleanup(server.shutdown)
        return server, server.server_address[1]

    def test_imap(self):
        server, port = self.serve(IMAP)
        with imaplib.IMAP4("127.0.0.1", port, timeout=10) as client:
            self.assertEqual(client.authenticate("XOAUTH2", keyfob.XOAuth2("ada", keyring=self.keyring))[0], "OK")
        wrong = keyfob.XOAuth2("bob", keyring=self.keyring)
        with imaplib.IMAP4("127.0.0.1", port, timeout=10) as client:
            with self.assertRaises(imaplib.IMAP4.error):
                client.authenticate("XOAUTH2", wrong)
        self.assertEqual((wrong.refusal, server.last), (REFUSAL, b""))

    def test_smtp(self):
        server, port = self.serve(SMTP)
        with smtplib.SMTP("127.0.0.1", port, timeout=10) as client:
            client.ehlo()
            self.assertEqual(client.auth("XOAUTH2", keyfob.XOAuth2("ada", keyring=self.keyring))[0], 235)
        wrong = keyfob.XOAuth2("bob", keyring=self.keyring)
        with smtplib.SMTP("127.0.0.1", port, timeout=10) as client:
            client.ehlo()
            with self.assertRaises(smtplib.SMTPAuthenticationError):
                client.auth("XOAUTH2", wrong)
        self.assertEqual((wrong.refusal, server.last), (REFUSAL, b""))


if __name__ == "__main__":
    unittest.main()

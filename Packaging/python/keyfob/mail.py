"""Signing in to mail servers by XOAUTH2."""

from __future__ import annotations

from typing import TYPE_CHECKING, Optional

from ._keyring import Keyring, Scopes, Token, usual

if TYPE_CHECKING:
    from typing_extensions import Unpack

    from ._keyring import TokenOptions

__all__ = ["XOAuth2"]


class XOAuth2:
    """What imaplib, smtplib and poplib's like call for the answers of a sign-in by XOAUTH2.

        imap.authenticate("XOAUTH2", keyfob.XOAuth2("ada@contoso.example", scopes=["https://outlook.office.com/IMAP.AccessAsUser.All"]))
        smtp.auth("XOAUTH2", keyfob.XOAuth2("ada@contoso.example", scopes=["https://outlook.office.com/SMTP.Send"]))

    One object is for one sign-in. A server that refuses the token sends its reason, which is answered with nothing; the
    keyring is told, so that the next sign-in has another token.
    """

    def __init__(self, user: str, scopes: Scopes = (), keyring: Optional[Keyring] = None,
                 **options: Unpack[TokenOptions]) -> None:
        self._user, self._scopes = user, scopes if isinstance(scopes, str) else tuple(scopes)
        self._keyring = keyring or usual
        self._options: TokenOptions = {"account": user, **options}
        self._sent: Optional[Token] = None
        #: What the server said of a token that it refused.
        self.refusal: Optional[bytes] = None

    def __call__(self, challenge: Optional[bytes] = None) -> str:
        """The answer to what the server has sent: at first the token."""
        if self._sent is None:
            self._sent = self._keyring.token(self._scopes, **self._options)
            return f"user={self._user}\1auth=Bearer {self._sent.token}\1\1"
        self.refusal = challenge
        self._keyring.refuse(self._sent, self._scopes, **self._options)
        return ""

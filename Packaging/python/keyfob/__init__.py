"""Tokens of the Keyfob keyring, for programs in Python.

    import keyfob
    token = keyfob.token(account="ada@contoso.example", scopes=["https://graph.microsoft.com/.default"])
    token = await keyfob.token_async(account="ada@contoso.example", scopes=["https://graph.microsoft.com/.default"])

    requests.get("https://graph.microsoft.com/v1.0/me", auth=keyfob.Auth())          # httpx takes it too
    SubscriptionClient(keyfob.Credential(account="ada@contoso.example"))             # keyfob.aio.Credential for `async`
    storage.Client(credentials=keyfob.GoogleCredentials(account="ada@example.com"))  # google-auth; keyfob.aio has it too
    msal.PublicClientApplication(client_id, token_cache=keyfob.TokenCache())
    imap.authenticate("XOAUTH2", keyfob.XOAuth2("ada@example.com"))

Options are those of `keyfob token`, with underscores; keyfob.h says what they mean. Threads may share everything here.
After a fork, keyrings are opened again by themselves. The interpreter ends when the calls in progress have ended. The tokens
that come back are ordinary strings of Python, which nothing wipes. It works over libkeyfob.so.1, which the wheel has within;
KEYFOB_LIBRARY names another.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Optional

from ._azure import AccessToken, AccessTokenInfo, Credential
from ._errors import (Ambiguous, Continuation, DamagedVault, Error, Locked, NotFound, NotPermitted, NoVault, SignInNeeded,
                      TemporaryError, Unavailable, UsageError)
from ._http import Auth
from ._keyring import Account, Keyring, Token, TokenOptions, Warning, accounts, token, token_async
from .mail import XOAuth2

if TYPE_CHECKING:
    from .google import Credentials as GoogleCredentials
    from .msal import TokenCache

__all__ = [
    "AccessToken", "AccessTokenInfo", "Account", "Ambiguous", "Auth", "Continuation", "Credential", "DamagedVault", "Error",
    "GoogleCredentials", "Keyring", "Locked", "NoVault", "NotFound", "NotPermitted", "SignInNeeded", "TemporaryError", "Token",
    "TokenCache", "TokenOptions", "Unavailable", "UsageError", "Warning", "XOAuth2", "accounts", "token", "token_async",
    "token_cache",
]


def __getattr__(name: str) -> Any:
    # What needs another library loads it when it is asked for.
    if name == "TokenCache":
        from .msal import TokenCache
        return TokenCache
    if name == "GoogleCredentials":
        from .google import Credentials
        return Credentials
    raise AttributeError(f"module 'keyfob' has no attribute {name!r}")


def token_cache(keyring: Optional[Keyring] = None, group: Optional[str] = None) -> TokenCache:
    """A TokenCache of MSAL over the keyring; see keyfob.TokenCache."""
    from .msal import TokenCache
    return TokenCache(keyring, group)

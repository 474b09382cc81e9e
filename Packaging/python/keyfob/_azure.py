"""Credentials as Azure's libraries take them."""

from __future__ import annotations

import base64
import json
import threading
import time
from typing import TYPE_CHECKING, Any, NamedTuple, Optional

from ._errors import Ambiguous, Error, Locked, NotFound, NoVault, SignInNeeded, as_error_of
from ._keyring import Keyring, Token, usual

if TYPE_CHECKING:
    from azure.core.credentials import AccessToken, AccessTokenInfo, TokenRequestOptions
    from typing_extensions import Self, Unpack

    from ._keyring import TokenOptions
else:
    try:
        from azure.core.credentials import AccessToken, AccessTokenInfo
    except ImportError:
        class AccessToken(NamedTuple):
            """A token as azure-core has it."""

            token: str
            expires_on: int

        class AccessTokenInfo:
            """A token as azure-core has it."""

            def __init__(self, token, expires_on, *, token_type="Bearer", refresh_on=None):
                self.token, self.expires_on, self.token_type, self.refresh_on = token, expires_on, token_type, refresh_on

            def __repr__(self):
                return f"AccessTokenInfo(expires_on={self.expires_on})"

__all__ = ["AccessToken", "AccessTokenInfo", "Credential"]

#: What says that a program handles claims challenges, so that its tokens may live long and be ended early.
_CAPABILITY = {"access_token": {"xms_cc": {"values": ["cp1"]}}}
#: What a chain of credentials goes on after: nothing was tried, because something is missing here.
_UNAVAILABLE = (SignInNeeded, Ambiguous, Locked, NotFound, NoVault)


def understood(error: Error) -> Error:
    """The same error as one of azure-identity's, or of azure-core's, as far as those are there."""
    try:
        from azure.core.exceptions import ClientAuthenticationError
    except ImportError:
        return error
    library: type[BaseException] = ClientAuthenticationError
    if isinstance(error, _UNAVAILABLE):
        try:
            from azure.identity import CredentialUnavailableError as library
        except ImportError:
            pass
    return as_error_of(library, error)


def _merged(first: Any, second: Any) -> Any:
    """Two claims requests as one."""
    if isinstance(first, dict) and isinstance(second, dict):
        return first | {name: _merged(first[name], value) if name in first else value for name, value in second.items()}
    return second


def _is_capable(token: str) -> bool:
    """Whether a token says itself that it was asked for by a program that handles claims challenges."""
    try:
        part = token.split(".")[1]
        claims = json.loads(base64.urlsafe_b64decode(part + "=" * (-len(part) % 4)))
        return "cp1" in claims.get("xms_cc", ())
    except (IndexError, ValueError, AttributeError, TypeError):
        return False


class Asking:
    """What the credentials, for programs with and without an event loop, have in common."""

    def __init__(self, keyring: Optional[Keyring] = None, **options: Unpack[TokenOptions]) -> None:
        self._keyring, self._options = keyring or usual, options
        self._lock = threading.Lock()
        # The tokens that this credential got for a program that handles claims challenges, where they do not say it.
        self._capable: dict[tuple[Any, ...], Token] = {}

    def _asked(self, claims: Optional[str], tenant_id: Optional[str]) -> TokenOptions:
        options: TokenOptions = {**self._options}
        if claims:
            options["claims"] = claims
        if tenant_id:
            options["tenant"] = tenant_id
        return options

    def _claims(self, claims: Optional[str], enable_cae: bool) -> Optional[str]:
        """The claims to ask for where a service has sent some."""
        return json.dumps(_merged(json.loads(claims), _CAPABILITY)) if claims and enable_cae else claims or None

    def _known(self, scopes: tuple[str, ...], tenant_id: Optional[str], found: Token) -> Optional[Token]:
        """The token to give to a program that handles claims challenges; None where one has to be asked for."""
        if _is_capable(found.token):
            return found
        with self._lock:
            known = self._capable.get((scopes, tenant_id))
        is_valid = known is not None and (known.expires_on or 0) > time.time() + 300
        return known if is_valid and known is not None and known.account == found.account else None

    def _remember(self, scopes: tuple[str, ...], tenant_id: Optional[str], found: Token) -> Token:
        with self._lock:
            self._capable[(scopes, tenant_id)] = found
        return found


class Credential(Asking):
    """A TokenCredential, and SupportsTokenInfo, as Azure's libraries take them; keyfob.aio has one for `async`."""

    def _token(self, scopes: tuple[str, ...], claims: Optional[str], tenant_id: Optional[str], enable_cae: bool) -> Token:
        try:
            asked = self._claims(claims, enable_cae)
            found = self._keyring.token(scopes, **self._asked(asked, tenant_id))
            if not enable_cae:
                return found
            known = None if asked else self._known(scopes, tenant_id, found)
            if known is None and not asked:
                found = self._keyring.token(scopes, **self._asked(json.dumps(_CAPABILITY), tenant_id))
            return known or self._remember(scopes, tenant_id, found)
        except Error as error:
            raise understood(error) from error

    def get_token(self, *scopes: str, claims: Optional[str] = None, tenant_id: Optional[str] = None,
                  enable_cae: bool = False, **_: Any) -> AccessToken:
        """A token for `scopes`."""
        found = self._token(scopes, claims, tenant_id, enable_cae)
        return AccessToken(found.token, found.expires_on or 0)

    def get_token_info(self, *scopes: str, options: Optional[TokenRequestOptions] = None) -> AccessTokenInfo:
        """A token for `scopes`, and its type."""
        asked = options or {}
        found = self._token(scopes, asked.get("claims"), asked.get("tenant_id"), asked.get("enable_cae", False))
        return AccessTokenInfo(found.token, found.expires_on or 0, token_type=found.token_type)

    def close(self) -> None:
        """Nothing: the keyring is others' too."""

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

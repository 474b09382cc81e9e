"""Credentials as google-auth, and the clients of Google's APIs, take them."""

from __future__ import annotations

import copy
import datetime
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Optional

from google.auth import credentials, exceptions

from ._errors import Error, TemporaryError, as_error_of
from ._keyring import Keyring, Token, usual

if TYPE_CHECKING:
    from typing_extensions import Self, Unpack

    from ._keyring import TokenOptions

__all__ = ["Credentials"]


class Asking:
    """What the credentials, for programs with and without an event loop, have in common."""

    token: Optional[str]
    expiry: Optional[datetime.datetime]

    def _ask_of(self, keyring: Optional[Keyring], scopes: Optional[Sequence[str]], default_scopes: Optional[Sequence[str]],
                options: TokenOptions) -> None:
        self._keyring, self._options = keyring or usual, options
        self._scopes, self._default_scopes = scopes, default_scopes

    @property
    def _asked(self) -> Sequence[str]:
        return self._scopes or self._default_scopes or ()

    def _take(self, found: Token) -> None:
        expiry = None
        if found.expires_on:
            # As google-auth has it: in UTC, without saying so.
            expiry = datetime.datetime.fromtimestamp(found.expires_on, datetime.timezone.utc).replace(tzinfo=None)
        self.token, self.expiry = found.token, expiry

    def _copy(self, **changes: Any) -> Self:
        made = copy.copy(self)
        for name, value in changes.items():
            setattr(made, name, value)
        return made


def understood(error: Error) -> Error:
    """The same error as one of google-auth's."""
    made = as_error_of(exceptions.RefreshError, error)
    made._retryable = isinstance(error, TemporaryError)  # type: ignore[attr-defined]
    return made


class Credentials(Asking, credentials.Scoped, credentials.CredentialsWithQuotaProject):
    """Credentials of an account in the keyring: `google.auth.transport` asks them for tokens, and again after a 401."""

    def __init__(self, keyring: Optional[Keyring] = None, scopes: Optional[Sequence[str]] = None,
                 default_scopes: Optional[Sequence[str]] = None, quota_project_id: Optional[str] = None,
                 **options: Unpack[TokenOptions]) -> None:
        super().__init__()  # type: ignore[no-untyped-call]
        self._ask_of(keyring, scopes, default_scopes, options)
        self._quota_project_id = quota_project_id

    @property
    def requires_scopes(self) -> bool:  # pyright: ignore[reportIncompatibleMethodOverride]
        """Whether a service's own scopes are to be asked for."""
        return not self._scopes and not self._default_scopes

    def refresh(self, request: Any) -> None:
        """Gets a token; where there is a valid one, a service has refused it."""
        try:
            if self.token and not self.expired:
                self._keyring.refuse(self.token, self._asked, **self._options)
            self._take(self._keyring.token(self._asked, **self._options))
        except Error as error:
            raise understood(error) from error

    def with_scopes(self, scopes: Sequence[str], default_scopes: Optional[Sequence[str]] = None) -> Self:
        """The same for other scopes."""
        return self._copy(_scopes=scopes, _default_scopes=default_scopes, token=None, expiry=None)

    def with_quota_project(self, quota_project_id: Optional[str]) -> Self:
        """The same for another project that pays."""
        return self._copy(_quota_project_id=quota_project_id)

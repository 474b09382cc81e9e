"""Credentials as google-auth, and the clients of Google's APIs, take them."""

from __future__ import annotations

import copy
import datetime
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Optional

from google.auth import credentials, exceptions

from ._errors import Error, TemporaryError, as_error_of
from ._keyring import Keyring, usual

if TYPE_CHECKING:
    from typing_extensions import Self, Unpack

    from ._keyring import TokenOptions

__all__ = ["Credentials"]


class Credentials(credentials.Scoped, credentials.CredentialsWithQuotaProject):
    """Credentials of an account in the keyring: `google.auth.transport` asks them for tokens, and again after a 401."""

    def __init__(self, keyring: Optional[Keyring] = None, scopes: Optional[Sequence[str]] = None,
                 default_scopes: Optional[Sequence[str]] = None, quota_project_id: Optional[str] = None,
                 **options: Unpack[TokenOptions]) -> None:
        super().__init__()  # type: ignore[no-untyped-call]
        self._keyring, self._options = keyring or usual, options
        self._scopes, self._default_scopes = scopes, default_scopes
        self._quota_project_id = quota_project_id

    @property
    def requires_scopes(self) -> bool:  # pyright: ignore[reportIncompatibleMethodOverride]
        """Whether a service's own scopes are to be asked for."""
        return not self._scopes and not self._default_scopes

    def refresh(self, request: Any) -> None:
        """Gets a token; where there is a valid one, a service has refused it."""
        scopes = self._scopes or self._default_scopes or ()
        try:
            if self.token and not self.expired:
                self._keyring.refuse(self.token, scopes, **self._options)
            found = self._keyring.token(scopes, **self._options)
        except Error as error:
            understood = as_error_of(exceptions.RefreshError, error)
            understood._retryable = isinstance(error, TemporaryError)  # type: ignore[attr-defined]
            raise understood from error
        self.token = found.token
        expiry = None
        if found.expires_on:
            expiry = datetime.datetime.fromtimestamp(found.expires_on, datetime.timezone.utc).replace(tzinfo=None)
        self.expiry = expiry

    def with_scopes(self, scopes: Sequence[str], default_scopes: Optional[Sequence[str]] = None) -> Self:
        """The same for other scopes."""
        return self._copy(_scopes=scopes, _default_scopes=default_scopes, token=None, expiry=None)

    def with_quota_project(self, quota_project_id: Optional[str]) -> Self:
        """The same for another project that pays."""
        return self._copy(_quota_project_id=quota_project_id)

    def _copy(self, **changes: Any) -> Self:
        made = copy.copy(self)
        for name, value in changes.items():
            setattr(made, name, value)
        return made

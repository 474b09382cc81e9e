"""Credentials as google-auth takes them for programs with an event loop."""

from __future__ import annotations

import datetime
from collections.abc import MutableMapping, Sequence
from typing import TYPE_CHECKING, Any, Optional

from google.auth.aio import credentials

from ._errors import Error
from ._keyring import Keyring
from .google import Asking, understood

if TYPE_CHECKING:
    from typing_extensions import Self, Unpack

    from ._keyring import TokenOptions

__all__ = ["GoogleCredentials"]

#: What is left of a valid token at least: as long as google-auth has it without an event loop.
_LEAST = datetime.timedelta(seconds=225)


class GoogleCredentials(Asking, credentials.Credentials):
    """Credentials of an account in the keyring: `google.auth.aio.transport` asks them for tokens, and again after a 401."""

    def __init__(self, keyring: Optional[Keyring] = None, scopes: Optional[Sequence[str]] = None,
                 default_scopes: Optional[Sequence[str]] = None, quota_project_id: Optional[str] = None,
                 **options: Unpack[TokenOptions]) -> None:
        super().__init__()  # type: ignore[no-untyped-call]
        self._ask_of(keyring, scopes, default_scopes, options)
        self._quota_project_id, self.expiry = quota_project_id, None

    @property
    def valid(self) -> bool:
        """Whether there is a token that lasts for a while."""
        if self.token is None:
            return False
        now = datetime.datetime.now(datetime.timezone.utc).replace(tzinfo=None)
        return self.expiry is None or now < self.expiry - _LEAST

    async def refresh(self, request: Any) -> None:
        """Gets a token; where there is one, a service has refused it."""
        await self._renew(self.token)

    async def _renew(self, refused: Optional[str]) -> None:
        try:
            if refused:
                await self._keyring.refuse_async(refused, self._asked, **self._options)
            self._take(await self._keyring.token_async(self._asked, **self._options))
        except Error as error:
            raise understood(error) from error

    async def before_request(self, request: Any, method: str, url: str, headers: MutableMapping[str, str]) -> None:
        """Called before a request: gets a token where there is none that is valid."""
        if not self.valid:
            # What has ended was not refused.
            await self._renew(None)
        await self.apply(headers)

    async def apply(self, headers: MutableMapping[str, str], token: Optional[str] = None) -> None:
        """Puts the token, and the project that pays, among the headers of a request."""
        await super().apply(headers, token)  # type: ignore[no-untyped-call]
        if self._quota_project_id:
            headers["x-goog-user-project"] = self._quota_project_id

    def with_scopes(self, scopes: Sequence[str], default_scopes: Optional[Sequence[str]] = None) -> Self:
        """The same for other scopes."""
        return self._copy(_scopes=scopes, _default_scopes=default_scopes, token=None, expiry=None)

    def with_quota_project(self, quota_project_id: Optional[str]) -> Self:
        """The same for another project that pays."""
        return self._copy(_quota_project_id=quota_project_id)

"""The same for programs with an event loop, which is not held up: credentials for the `aio` clients of Azure's and Google's libraries."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, Optional

from ._azure import _CAPABILITY, AccessToken, AccessTokenInfo, Asking, understood
from ._errors import Error
from ._keyring import Token

if TYPE_CHECKING:
    from types import TracebackType

    from azure.core.credentials import TokenRequestOptions
    from typing_extensions import Self

    from ._google_aio import GoogleCredentials

__all__ = ["Credential", "GoogleCredentials"]


def __getattr__(name: str) -> Any:
    # It needs google-auth, which is loaded when it is asked for.
    if name == "GoogleCredentials":
        from ._google_aio import GoogleCredentials
        return GoogleCredentials
    raise AttributeError(f"module 'keyfob.aio' has no attribute {name!r}")


class Credential(Asking):
    """An AsyncTokenCredential, and AsyncSupportsTokenInfo, as the `aio` clients of Azure's libraries take them."""

    async def _token(self, scopes: tuple[str, ...], claims: Optional[str], tenant_id: Optional[str],
                     enable_cae: bool) -> Token:
        try:
            asked = self._claims(claims, enable_cae)
            found = await self._keyring.token_async(scopes, **self._asked(asked, tenant_id))
            if not enable_cae:
                return found
            known = None if asked else self._known(scopes, tenant_id, found)
            if known is None and not asked:
                found = await self._keyring.token_async(scopes, **self._asked(json.dumps(_CAPABILITY), tenant_id))
            return known or self._remember(scopes, tenant_id, found)
        except Error as error:
            raise understood(error) from error

    async def get_token(self, *scopes: str, claims: Optional[str] = None, tenant_id: Optional[str] = None,
                        enable_cae: bool = False, **_: Any) -> AccessToken:
        """A token for `scopes`."""
        found = await self._token(scopes, claims, tenant_id, enable_cae)
        return AccessToken(found.token, found.expires_on or 0)

    async def get_token_info(self, *scopes: str, options: Optional[TokenRequestOptions] = None) -> AccessTokenInfo:
        """A token for `scopes`, and its type."""
        asked = options or {}
        found = await self._token(scopes, asked.get("claims"), asked.get("tenant_id"), asked.get("enable_cae", False))
        return AccessTokenInfo(found.token, found.expires_on or 0, token_type=found.token_type)

    async def close(self) -> None:
        """Nothing: the keyring is others' too."""

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, exc_type: Optional[type[BaseException]] = None, exc_value: Optional[BaseException] = None,
                        traceback: Optional[TracebackType] = None) -> None:
        await self.close()

"""A token cache for MSAL that is the keyring."""

from __future__ import annotations

import collections.abc
import json
import time
from collections.abc import Generator, Iterator
from typing import Any, Optional

import msal  # type: ignore[import-untyped]

from ._errors import Error
from ._keyring import Keyring, usual

__all__ = ["TokenCache"]

#: The fields that a search for the access token of a person's silent request has.
_SILENT = {"client_id", "environment", "realm", "home_account_id"}
_KINDS = ("AccessToken", "RefreshToken", "IdToken", "Account", "AppMetadata")
#: Words that stand for a tenant and are none.
_ANY_TENANT = {"common", "organizations", "consumers"}
#: What a removal needs not have, and the keyring wants to read.
_REMOVED = {"secret": "-", "target": "", "expires_on": "0"}


class _View(msal.TokenCache):  # type: ignore[misc]
    """MSAL's own cache over the entries that were found: what it searches, it searches in its own way."""

    def __init__(self, kind: str, entries: dict[str, Any]) -> None:
        super().__init__()
        self._cache = {kind: entries}
        self.removed: list[dict[str, Any]] = []

    def modify(self, credential_type: str, old_entry: dict[str, Any], new_key_value_pairs: Any = None) -> None:
        self.removed.append(old_entry)


class _Sections(collections.abc.MutableMapping[str, dict[str, Any]]):
    """The sections of a cache as MSAL has them in memory, for who looks there: each is read when it is asked for."""

    def __init__(self, cache: TokenCache) -> None:
        self._owner = cache

    def __getitem__(self, kind: str) -> dict[str, Any]:
        return self._owner._find(kind, {})

    def __setitem__(self, kind: str, entries: dict[str, Any]) -> None:
        if entries:
            self._owner._change({kind: entries}, {})

    def __delitem__(self, kind: str) -> None:
        self._owner._change({}, {kind: self[kind]})

    def __iter__(self) -> Iterator[str]:
        return iter(_KINDS)

    def __len__(self) -> int:
        return len(_KINDS)


class TokenCache(msal.TokenCache):  # type: ignore[misc]
    """A TokenCache of MSAL over a keyring, of which each step reads and changes the entries that it names, and no other.

    A silent request that has no valid token gets one from Keyfob, which renews it once for all programs; so a refresh token
    that can be used once is. Where Keyfob cannot, MSAL tries by itself; `renews=False` leaves it to MSAL in any case.
    """

    def __init__(self, keyring: Optional[Keyring] = None, group: Optional[str] = None, renews: bool = True) -> None:
        super().__init__()
        self._keyring, self._group, self._renews = keyring or usual, group, renews
        self._gathered: Optional[dict[str, dict[str, Any]]] = None

    def search(self, credential_type: str, target: Optional[list[str]] = None, query: Optional[dict[str, Any]] = None, *,
               now: Optional[float] = None) -> Generator[dict[str, Any], None, None]:
        """The entries that match, as msal.TokenCache finds them."""
        entries = self._find(credential_type, query or {})
        kinds = self.CredentialType
        if self._renews and credential_type == kinds.ACCESS_TOKEN and target and query and query.keys() == _SILENT \
                and query["home_account_id"] and not self._has_fresh(entries, target, query):
            entries = self._renew(entries, target, query)
        view = _View(credential_type, entries)
        # Not every release of MSAL has a clock to hand over.
        yield from view.search(credential_type, target=target, query=query, **({} if now is None else {"now": now}))
        if view.removed:
            self._change({}, {credential_type: {self._key(credential_type, entry): entry for entry in view.removed}})

    def add(self, event: dict[str, Any], now: Optional[float] = None) -> None:
        """Takes in what a token endpoint has answered, in one step."""
        with self._lock:
            self._gathered = {}
            try:
                super().add(event, **({} if now is None else {"now": now}))
                gathered = self._gathered
            finally:
                self._gathered = None
            if gathered:
                self._change(gathered, {})

    def modify(self, credential_type: str, old_entry: dict[str, Any],
               new_key_value_pairs: Optional[dict[str, Any]] = None) -> None:
        """Changes one entry, or removes it."""
        key = self._key(credential_type, old_entry)
        with self._lock:
            if not new_key_value_pairs:
                self._change({}, {credential_type: {key: old_entry}})
            elif self._gathered is None:
                self._change({credential_type: {key: dict(old_entry, **new_key_value_pairs)}}, {})
            else:
                self._gathered.setdefault(credential_type, {})[key] = dict(old_entry, **new_key_value_pairs)

    def _key(self, credential_type: str, entry: dict[str, Any]) -> str:
        return str(self.key_makers[credential_type](**entry))

    def _change(self, put: dict[str, dict[str, Any]], removed: dict[str, dict[str, Any]]) -> None:
        filled = {kind: {key: _REMOVED | entry for key, entry in entries.items()} for kind, entries in removed.items()}
        change = ({"put": put} if put else {}) | ({"remove": filled} if filled else {})
        self._keyring.change_entries(json.dumps(change), group=self._group)

    def _find(self, credential_type: str, query: dict[str, Any]) -> dict[str, Any]:
        """The entries that may match, by their keys."""
        home = query.get("home_account_id") or ("" if "home_account_id" in query else None)
        found = self._keyring.find_entries(
            credential_type, home_account_id=home, environment=query.get("environment"), client=query.get("client_id"),
            group=self._group)
        entries: dict[str, Any] = json.loads(found).get(credential_type) or {}
        return entries

    # What MSAL reads by key, or has in memory.

    @property
    def _cache(self) -> _Sections:
        return _Sections(self)

    @_cache.setter
    def _cache(self, _: Any) -> None:
        # MSAL begins with an empty one.
        pass

    def _get(self, credential_type: str, key: str, default: Any = None) -> Any:
        return self._find(credential_type, {}).get(key, default)

    def _get_access_token(self, home_account_id: Optional[str], environment: str, client_id: str, realm: str,
                          target: list[str], ext_cache_key: Optional[str] = None, default: Any = None) -> Any:
        query = {"home_account_id": home_account_id, "environment": environment, "client_id": client_id}
        view = _View(self.CredentialType.ACCESS_TOKEN, self._find(self.CredentialType.ACCESS_TOKEN, query))
        return view._get_access_token(home_account_id, environment, client_id, realm, target, ext_cache_key, default)

    def _get_app_metadata(self, environment: str, client_id: str, default: Any = None) -> Any:
        kind = self.CredentialType.APP_METADATA
        view = _View(kind, self._find(kind, {"client_id": client_id}))
        return view._get_app_metadata(environment, client_id, default)

    # Renewing.

    def _has_fresh(self, entries: dict[str, Any], target: list[str], query: dict[str, Any]) -> bool:
        now = time.time()
        wanted = set(target)
        return any(
            self._is_matching(entry, query, target_set=wanted) and int(entry["expires_on"]) - now >= 300
            and not int(entry.get("refresh_on") or now) < int(now) for entry in entries.values())

    def _renew(self, entries: dict[str, Any], target: list[str], query: dict[str, Any]) -> dict[str, Any]:
        """The entries after Keyfob has renewed the token; the same where it cannot."""
        realm = query["realm"]
        try:
            found = self._keyring.token(
                target, account=f"{query['home_account_id']}@{query['environment']}", client=query["client_id"],
                tenant=None if realm in _ANY_TENANT else realm, group=self._group, min_validity=300)
        except Error:
            return entries
        entries = self._find(self.CredentialType.ACCESS_TOKEN, query)
        if not self._has_fresh(entries, target, query):
            # It was given for other words than MSAL would have stored.
            entry = dict(
                query, credential_type=self.CredentialType.ACCESS_TOKEN, secret=found.token,
                target=" ".join(sorted(target)), token_type=found.token_type, cached_at=str(int(time.time())),
                expires_on=str(found.expires_on or 253402300799))
            entries = {self._key(self.CredentialType.ACCESS_TOKEN, entry): entry} | entries
        return entries

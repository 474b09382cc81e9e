"""The keyring."""

from __future__ import annotations

import asyncio
import concurrent.futures
import contextlib
import ctypes
import functools
import os
import sys
import threading
import weakref
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Any, Callable, NamedTuple, Optional, TypedDict, TypeVar, Union, cast

from ._library import call, functions, options_of, records, rows

if TYPE_CHECKING:
    from typing_extensions import Self, Unpack

_TOKEN_FIELDS = ("token", "tokenType", "expiresAt", "scopes", "account", "username", "group", "clientID", "tenant", "source")

Result = TypeVar("Result")
Path = Union[str, "os.PathLike[str]"]
Scopes = Union[str, Iterable[str]]


class Token(NamedTuple):
    """An access token, and what is known of it. Its representation does not show the token."""

    token: str
    token_type: str
    #: Seconds since 1970; None where it does not expire.
    expires_on: Optional[int]
    scopes: tuple[str, ...]
    account: str
    username: str
    group: str
    client_id: str
    tenant: Optional[str]
    #: "stored", "extended" or "provider".
    source: str

    def __repr__(self) -> str:
        return f"<Token of {self.account}>"


class TokenOptions(TypedDict, total=False):
    """The options of `keyfob token`, with underscores."""

    account: Optional[str]
    resource: Optional[str]
    authority: Optional[str]
    tenant: Optional[str]
    client: Optional[str]
    url: Optional[str]
    allow_host: Optional[str]
    tool: Optional[str]
    group: Union[str, Iterable[str], None]
    min_validity: Optional[int]
    force_refresh: bool
    claims: Optional[str]
    extended_lifetime: bool
    offline: bool


class Account(TypedDict):
    """An account; what is not known is None."""

    id: str
    homeAccountID: str
    environment: str
    username: str
    #: What people call it.
    name: str
    displayName: Optional[str]
    label: Optional[str]
    formerNames: list[str]
    group: str
    state: str
    stateReason: Optional[str]
    #: RFC 3339.
    signInEndsOn: Optional[str]
    isSignInEnding: bool
    isDefault: bool
    hasTokenMadeByHand: Optional[bool]
    homeTenant: Optional[str]
    #: The ids of those that it is known in.
    tenants: list[str]
    clients: list[str]


class Warning(TypedDict):
    """What the owner should know."""

    code: str
    message: str
    hint: Optional[str]
    #: The stable name of what the hint says.
    advice: Optional[str]


class _Open:
    """An open keyring of the library. It is closed when nobody uses it any more."""

    def __init__(self, opening: dict[str, Any]) -> None:
        self.handle, self.process = ctypes.c_void_p(), os.getpid()
        with options_of(opening) as options:
            call(functions.open, options, ctypes.byref(self.handle))

    def __del__(self) -> None:
        # In the child of a fork it is the parent's. While the interpreter ends, modules lose what they have.
        with contextlib.suppress(TypeError, AttributeError):
            if self.handle and self.process == os.getpid():
                functions.close(self.handle)


class Keyring:
    """An unlocked keyring: of `vault`, or the one that the environment names.

    It is opened when it is first asked for something, and again in the child of a fork. Threads may share it: `close` lets
    the calls in progress end, and a later call opens it again. A keyring that nobody refers to is closed.
    """

    def __init__(self, vault: Optional[Path] = None, key_file: Optional[Path] = None, ca_file: Optional[Path] = None,
                 may_ask: Optional[bool] = None) -> None:
        self._opening = {"vault": vault, "key-file": key_file, "ca-file": ca_file, "may-ask": may_ask}
        self._lock = threading.Lock()
        self._opened: Optional[_Open] = None
        _keyrings.add(self)

    def _forget(self) -> None:
        # Another thread may have held the lock at the moment of the fork. What was opened before is the parent's.
        self._lock, self._opened = threading.Lock(), None

    @contextlib.contextmanager
    def _use(self) -> Iterator[ctypes.c_void_p]:
        """Lends the handle, which is not closed meanwhile."""
        with self._lock:
            opened = self._opened
            if opened is None or opened.process != os.getpid():
                opened = self._opened = _Open(self._opening)
        yield opened.handle

    def close(self) -> None:
        """Forgets the keys, as soon as the calls in progress have ended; the next call opens the keyring again."""
        with self._lock:
            opened, self._opened = self._opened, None
        # Here, and not under the lock, it is closed, unless a call still has it.
        del opened

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def token(self, scopes: Scopes = (), **options: Unpack[TokenOptions]) -> Token:
        """A token for `scopes`, stored or renewed; options are those of `keyfob token`."""
        with options_of(_request(scopes, options)) as request, self._use() as handle:
            row, = rows(functions.token, _TOKEN_FIELDS, handle, request)
        expiry = row["expiresAt"]
        return Token(
            row["token"] or "", row["tokenType"] or "Bearer", int(expiry) if expiry else None,
            tuple((row["scopes"] or "").split()), row["account"] or "", row["username"] or "", row["group"] or "",
            row["clientID"] or "", row["tenant"], row["source"] or "stored")

    async def token_async(self, scopes: Scopes = (), **options: Unpack[TokenOptions]) -> Token:
        """The same on another thread, so that the event loop goes on."""
        return await in_thread(functools.partial(self.token, scopes, **options))

    def refuse(self, token: Union[str, Token], scopes: Scopes = (), **options: Unpack[TokenOptions]) -> None:
        """Tells that a service has refused a token, so that the next request gets another where one can be had."""
        text = token.token if isinstance(token, Token) else token
        with options_of(_request(scopes, options)) as request, self._use() as handle:
            call(functions.refuse, handle, request, text.encode())

    async def refuse_async(self, token: Union[str, Token], scopes: Scopes = (), **options: Unpack[TokenOptions]) -> None:
        """The same on another thread."""
        await in_thread(functools.partial(self.refuse, token, scopes, **options))

    def accounts(self, group: Optional[str] = None) -> list[Account]:
        """The accounts."""
        with options_of({"group": group}) as options, self._use() as handle:
            found = records(functions.accounts, handle, options)
        return cast("list[Account]", found)

    def warnings(self) -> list[Warning]:
        """What the owner should know since the last call."""
        with self._use() as handle:
            return [Warning(code=row["code"] or "", message=row["message"] or "", hint=row["hint"], advice=row["advice"])
                    for row in rows(functions.warnings, ("code", "message", "hint", "advice"), handle)]

    def read_cache(self, account: Optional[str] = None, group: Optional[str] = None) -> str:
        """All accounts and tokens in the form of MSAL's caches."""
        with options_of({"account": account, "group": group}) as options, self._use() as handle:
            return rows(functions.read_cache, ("cache",), handle, options)[0]["cache"] or "{}"

    def write_cache(self, text: str, group: Optional[str] = None) -> None:
        """Takes in accounts and tokens in the form of MSAL's caches."""
        self._send(functions.write_cache, text, group)

    def find_entries(self, section: str, home_account_id: Optional[str] = None, environment: Optional[str] = None,
                     client: Optional[str] = None, group: Optional[str] = None) -> str:
        """The entries of one section of MSAL's cache that may fit, in the form of such a cache."""
        asked = {"section": section, "home-account-id": home_account_id, "environment": environment, "client": client,
                 "group": group}
        with options_of(asked) as options, self._use() as handle:
            return rows(functions.find_entries, ("cache",), handle, options)[0]["cache"] or "{}"

    def change_entries(self, text: str, group: Optional[str] = None) -> None:
        """Puts and removes entries as MSAL does: {"put": {SECTION: {KEY: ENTRY}}, "remove": {SECTION: {KEY: ENTRY}}}."""
        self._send(functions.change_entries, text, group)

    def _send(self, function: Any, text: str, group: Optional[str]) -> None:
        data = text.encode()
        with options_of({"group": group}) as options, self._use() as handle:
            call(function, handle, options, data, len(data))

    def remove_account(self, account: str, group: Optional[str] = None, client: Optional[str] = None,
                       forget: bool = False) -> None:
        """Removes an account of one client, or with `client` what that client has of it; `keyfob undo` brings it back.

        With `forget` an account goes that several clients are signed in to. The provider is not told.
        """
        removal = {"account": account, "group": group, "client": client, "forget": forget or None}
        with options_of(removal) as options, self._use() as handle:
            call(functions.remove_account, handle, options)

    def undoable(self, group: Optional[str] = None) -> list[dict[str, Optional[str]]]:
        """What can be undone, the newest first; keyfob.h says what each value is."""
        names = ("id", "command", "time", "until", "groups", "accounts", "changes", "isUndo", "lasting")
        with options_of({"group": group}) as options, self._use() as handle:
            return rows(functions.undoable, names, handle, options)

    def undo(self, id: Optional[str] = None, force: bool = False, group: Optional[str] = None) -> list[dict[str, Optional[str]]]:
        """Undoes an entry, or the newest; each item and what became of it. Nobody is asked.

        Where the newest cannot be undone, the error's code is `notUndoable`, and nothing older is undone.
        """
        names = ("id", "command", "undo", "group", "kind", "account", "clientID", "text", "outcome")
        with options_of({"id": id, "force": force or None, "group": group}) as options, self._use() as handle:
            return rows(functions.undo, names, handle, options)


_keyrings: weakref.WeakSet[Keyring] = weakref.WeakSet()
_executor: Optional[concurrent.futures.ThreadPoolExecutor] = None


def _forget_all() -> None:
    global _executor
    _executor = None
    for keyring in list(_keyrings):
        keyring._forget()


os.register_at_fork(after_in_child=_forget_all)


async def in_thread(work: Callable[[], Result]) -> Result:
    """Runs work on a thread of Keyfob's own."""
    global _executor
    if _executor is None:
        _executor = concurrent.futures.ThreadPoolExecutor(max_workers=8, thread_name_prefix="keyfob")
    return await asyncio.get_running_loop().run_in_executor(_executor, work)


def _request(scopes: Scopes, options: TokenOptions) -> dict[str, Any]:
    tool = os.path.basename(getattr(sys, "argv", None) and sys.argv[0] or "")
    return {"scope": [scopes] if isinstance(scopes, str) else scopes, "tool": tool or None, **options}


usual = Keyring()


def token(scopes: Scopes = (), **options: Unpack[TokenOptions]) -> str:
    """An access token as text, from the usual keyring; see Keyring.token."""
    return usual.token(scopes, **options).token


async def token_async(scopes: Scopes = (), **options: Unpack[TokenOptions]) -> str:
    """The same on another thread, so that the event loop goes on."""
    return (await usual.token_async(scopes, **options)).token


def accounts(group: Optional[str] = None) -> list[Account]:
    """The accounts of the usual keyring."""
    return usual.accounts(group)



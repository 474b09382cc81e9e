"""What goes wrong, as a tree of exceptions, and the same as the exceptions of other libraries."""

from __future__ import annotations

from typing import Any, NamedTuple, Optional

__all__ = ["Ambiguous", "Continuation", "DamagedVault", "Error", "Locked", "NotFound", "NotPermitted", "NoVault",
           "SignInNeeded", "TemporaryError", "Unavailable", "UsageError"]


class Continuation(NamedTuple):
    """How a person continues a request for a token: what a sign-in has to repeat. What is not known is None."""

    #: What to do: signIn, consent, secondFactor, newPassword, meetPolicy, invitation, administrator, otherScopes, otherClient.
    action: str
    #: The name that `keyfob login --continue` takes for an hour.
    id: Optional[str] = None
    provider: Optional[str] = None
    account: Optional[str] = None
    #: The account as it can be typed.
    name: Optional[str] = None
    group: Optional[str] = None
    tenant: Optional[str] = None
    client_id: Optional[str] = None
    scopes: tuple[str, ...] = ()
    claims: Optional[str] = None
    #: The sign-in as one command to type.
    command: Optional[str] = None


class Error(Exception):
    """The root of the tree.

    `code` is the error's stable name, `status` that with which the command would end, `hint` what to do, and `advice` the
    stable name of that. `candidates` are the accounts, groups or clients that it is about. `continuation` is there where a
    person can continue a request for a token.
    """

    status: int
    code: str
    message: str
    hint: Optional[str]
    continuation: Optional[Continuation]
    advice: Optional[str]
    candidates: tuple[str, ...]

    def __init__(self, status: int, code: str, message: str, hint: Optional[str] = None,
                 continuation: Optional[Continuation] = None, advice: Optional[str] = None,
                 candidates: tuple[str, ...] = ()) -> None:
        super().__init__(f"{message}; {hint}" if hint else message)
        self._describe(status, code, message, hint, continuation, advice, candidates)

    def _describe(self, status: int, code: str, message: str, hint: Optional[str], continuation: Optional[Continuation],
                  advice: Optional[str], candidates: tuple[str, ...]) -> None:
        self.status, self.code, self.message, self.hint = status, code, message, hint
        self.continuation, self.advice, self.candidates = continuation, advice, candidates

    def _parts(self) -> tuple[Any, ...]:
        return (self.status, self.code, self.message, self.hint, self.continuation, self.advice, self.candidates)

    def __reduce__(self) -> tuple[Any, ...]:
        return error_of, self._parts()


class SignInNeeded(Error):
    """A person must sign in; `continuation` says how."""


class Ambiguous(Error):
    """Several accounts, or tokens, fit."""


class Locked(Error):
    """Nothing that can be used without asking opens the vault."""


class NotFound(Error):
    """There is no such account, group, provider or client."""


class NotPermitted(Error):
    """A wrong key, a group that it does not open, a host that the token does not go to, or a program that was not allowed."""


class NoVault(Error):
    """There is no vault, or no such file."""


class DamagedVault(Error):
    """Damaged, too large, taken back to an earlier state, or another vault than before."""


class Unavailable(Error):
    """The provider refuses, or the system lacks something."""


class TemporaryError(Error):
    """The provider cannot be reached or asks to wait, or another process holds the vault: try again."""


class UsageError(Error, ValueError):
    """The request contradicts itself, or an argument is none."""


_KINDS: dict[int, type[Error]] = {
    10: SignInNeeded, 11: Ambiguous, 12: Locked, 13: NotFound, 64: UsageError, 65: DamagedVault, 66: NoVault,
    69: Unavailable, 75: TemporaryError, 77: NotPermitted,
}


def error_of(status: int, code: str, message: str, hint: Optional[str] = None,
             continuation: Optional[Continuation] = None, advice: Optional[str] = None,
             candidates: tuple[str, ...] = ()) -> Error:
    """The error of a status."""
    return _KINDS.get(status, Error)(status, code, message, hint, continuation, advice, candidates)


_joined: dict[tuple[type[Error], type[BaseException]], type[Error]] = {}


def as_error_of(library: type[BaseException], error: Error) -> Error:
    """The same error, as one that another library's callers catch too."""
    kind = type(error)
    joined = _joined.get((kind, library))
    if joined is None:
        def describe(self: Any, status: int, code: str, message: str, hint: Optional[str] = None,
                     continuation: Optional[Continuation] = None, advice: Optional[str] = None,
                     candidates: tuple[str, ...] = ()) -> None:
            library.__init__(self, f"{message}; {hint}" if hint else message)
            self._describe(status, code, message, hint, continuation, advice, candidates)

        joined = type(kind.__name__, (kind, library), {"__init__": describe, "__doc__": kind.__doc__})
        _joined[(kind, library)] = joined
    made = joined(*error._parts())
    made.__cause__, made.__suppress_context__ = error.__cause__, True
    return made

"""The functions of libkeyfob.so.1, and what every call of them needs."""

from __future__ import annotations

import atexit
import contextlib
import ctypes
import os
import threading
from collections.abc import Iterator, Mapping
from typing import Any, Optional

from ._errors import Continuation, UsageError, error_of

_FUNCTIONS = {
    "version": "s", "options_new": "p", "options_set": "ipsse", "options_free": "-p", "open": "ipoe", "close": "-p",
    "token": "ippoe", "refuse": "ippse", "accounts": "ippoe", "warnings": "ipoe", "read_cache": "ippoe",
    "write_cache": "ippsne", "find_entries": "ippoe", "change_entries": "ippsne", "remove_account": "ippe",
    "undoable": "ippoe", "undo": "ippoe",
    "answer_count": "np", "answer_get": "spns", "answer_free": "-p", "error_status": "ip", "error_get": "sps",
    "error_free": "-p",
}
_TYPES: dict[str, Any] = {
    "-": None, "i": ctypes.c_int, "n": ctypes.c_size_t, "s": ctypes.c_char_p, "p": ctypes.c_void_p,
    "o": ctypes.POINTER(ctypes.c_void_p), "e": ctypes.POINTER(ctypes.c_void_p),
}
_ERROR_FIELDS = ("code", "message", "hint", "advice", "candidates")
_CONTINUATION_FIELDS = ("action", "continuation", "provider", "account", "name", "group", "tenant", "clientID", "scopes",
                        "claims", "command")


class _Functions:
    """The functions, loaded when the first is called."""

    def __getattr__(self, name: str) -> Any:
        library = ctypes.CDLL(_path())
        for function, kinds in _FUNCTIONS.items():
            symbol = getattr(library, "keyfob_" + function)
            symbol.restype, symbol.argtypes = _TYPES[kinds[0]], [_TYPES[kind] for kind in kinds[1:]]
            setattr(self, function, symbol)
        if name not in _FUNCTIONS:
            raise AttributeError(name)
        return getattr(self, name)


def _path() -> str:
    """The library: what KEYFOB_LIBRARY names, else the wheel's, else that of `make install`, else the system's."""
    folder = os.path.dirname(os.path.realpath(__file__))
    bundled = os.path.join(folder, "libkeyfob.so.1")
    installed = os.path.normpath(os.path.join(folder, "../../../libkeyfob.so.1"))
    named = os.environ.get("KEYFOB_LIBRARY")
    if named:
        return named
    if os.path.isfile(bundled):
        return bundled
    # Beside a copy of the module anybody could have put something.
    is_installed = folder.endswith(("/lib/keyfob/python/keyfob", "/lib/python3/dist-packages/keyfob"))
    return installed if is_installed and os.path.isfile(installed) else "libkeyfob.so.1"


functions: Any = _Functions()


class _Running:
    """The calls in progress: the interpreter ends after them, so that none is cut off while it stores a token."""

    def __init__(self) -> None:
        self._change, self._count, self._is_ending = threading.Condition(), 0, False

    def __enter__(self) -> None:
        with self._change:
            if self._is_ending:
                raise error_of(15, "cancelled", "the interpreter is ending")
            self._count += 1

    def __exit__(self, *_: object) -> None:
        with self._change:
            self._count -= 1
            if self._count == 0:
                self._change.notify_all()

    def end(self) -> None:
        with self._change:
            self._is_ending = True
            # A call that waits for a provider ends in about a minute.
            self._change.wait_for(lambda: self._count == 0, timeout=90)


_running = _Running()
atexit.register(lambda: _running.end())


def _forget_running() -> None:
    # Another thread may have been within at the moment of the fork.
    global _running
    _running = _Running()


os.register_at_fork(after_in_child=_forget_running)


def _text(value: Optional[bytes]) -> Optional[str]:
    return None if value is None else value.decode()


def call(function: Any, *arguments: Any) -> None:
    """Calls what can fail."""
    error = ctypes.c_void_p()
    with _running:
        status = function(*arguments, ctypes.byref(error))
    if status == 0:
        return
    if not error:
        raise error_of(
            status, "usage", "this process was forked while another thread used the keyring",
            "start another program, or fork before threads use keyfob")
    try:
        texts = {name: _text(functions.error_get(error, name.encode())) for name in _ERROR_FIELDS + _CONTINUATION_FIELDS}
    finally:
        functions.error_free(error)
    continuation = None
    if texts["action"] is not None:
        continuation = Continuation(
            texts["action"], texts["continuation"], texts["provider"], texts["account"], texts["name"], texts["group"],
            texts["tenant"], texts["clientID"], tuple((texts["scopes"] or "").split()), texts["claims"], texts["command"])
    candidates = tuple(texts["candidates"].split("\n")) if texts["candidates"] else ()
    raise error_of(status, texts["code"] or "fault", texts["message"] or "", texts["hint"], continuation, texts["advice"],
                   candidates)


@contextlib.contextmanager
def options_of(options: Mapping[str, Any]) -> Iterator[Any]:
    """Options, of which None is not given and a list gives each of its values."""
    handle = functions.options_new()
    try:
        for name, values in options.items():
            if values is None:
                continue
            for value in [values] if isinstance(values, (str, bytes)) or not hasattr(values, "__iter__") else values:
                call(functions.options_set, handle, name.replace("_", "-").encode(), _bytes(name, value))
        yield handle
    finally:
        functions.options_free(handle)


def _bytes(name: str, value: Any) -> bytes:
    if isinstance(value, bool):
        value = "true" if value else "false"
    elif not isinstance(value, (str, bytes)):
        value = os.fspath(value) if hasattr(value, "__fspath__") else str(value)
    data = value if isinstance(value, bytes) else str(value).encode("utf-8", "surrogateescape")
    if b"\0" in data:
        raise UsageError(64, "usage", f"--{name} holds a zero byte")
    return data


@contextlib.contextmanager
def _answer(function: Any, *arguments: Any) -> Iterator[Any]:
    """An answer of the library, while it is read."""
    answer = ctypes.c_void_p()
    call(function, *arguments, ctypes.byref(answer))
    try:
        yield answer
    finally:
        functions.answer_free(answer)


def rows(function: Any, fields: tuple[str, ...], *arguments: Any) -> list[dict[str, Optional[str]]]:
    """The rows of an answer."""
    with _answer(function, *arguments) as answer:
        return [{name: _text(functions.answer_get(answer, row, name.encode())) for name in fields}
                for row in range(functions.answer_count(answer))]


def records(function: Any, *arguments: Any) -> list[dict[str, Any]]:
    """The rows of an answer with all that the library names in them, each value by its kind."""
    with _answer(function, *arguments) as answer:
        count = functions.answer_count(answer)
        named = _text(functions.answer_get(answer, 0, b"*")) if count else None
        kinds = dict(field.split(":") for field in (named or "").split())
        return [{name: _value(kind, _text(functions.answer_get(answer, row, name.encode()))) for name, kind in kinds.items()}
                for row in range(count)]


def _value(kind: str, text: Optional[str]) -> Any:
    if kind == "flag":
        return None if text is None else text == "true"
    if kind == "lines":
        return text.split("\n") if text else []
    return text

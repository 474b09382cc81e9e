"""Tokens of the Keyfob keyring, for programs in Python.

    import keyfob
    token = keyfob.token(account="ada@contoso.example", scopes=["https://graph.microsoft.com/.default"])

    import requests
    requests.get("https://graph.microsoft.com/v1.0/me", auth=keyfob.Auth())

    from azure.mgmt.resource import SubscriptionClient
    SubscriptionClient(keyfob.Credential(account="ada@contoso.example"))

    import msal
    msal.PublicClientApplication(client_id, token_cache=keyfob.token_cache())

One file over ctypes and libkeyfob.so.1; KEYFOB_LIBRARY names another. Options are those of
`keyfob token`, with underscores; see keyfob.h for what they mean, and for threads and forks. After a fork keyrings are
opened again by themselves. The tokens that come back are ordinary strings of Python, which nothing wipes.
"""

import collections
import contextlib
import ctypes
import datetime
import json
import os
import sys
import threading

__all__ = ["AccessToken", "AccessTokenInfo", "Auth", "Credential", "Error", "Keyring", "Token", "token", "accounts",
           "token_cache"]

_FUNCTIONS = {
    "version": "s", "options_new": "p", "options_set": "ipsse", "options_free": "-p", "open": "ipoe", "close": "-p",
    "token": "ippoe", "refuse": "ippse", "accounts": "ippoe", "warnings": "ipoe", "read_cache": "ippoe",
    "write_cache": "ippsne", "remove_account": "ippe", "answer_count": "np", "answer_get": "spns", "answer_free": "-p",
    "error_status": "ip", "error_get": "sps", "error_free": "-p",
}
_TYPES = {"-": None, "i": ctypes.c_int, "n": ctypes.c_size_t, "s": ctypes.c_char_p, "p": ctypes.c_void_p,
          "o": ctypes.POINTER(ctypes.c_void_p), "e": ctypes.POINTER(ctypes.c_void_p)}
_TOKEN_FIELDS = ("token", "tokenType", "expiresAt", "scopes", "account", "username", "group", "clientID", "tenant", "source")
_ERROR_FIELDS = ("code", "message", "hint")
_CONTINUATION_FIELDS = ("action", "continuation", "provider", "account", "name", "group", "tenant", "clientID", "scopes", "claims",
                        "command")
_ACCOUNT_FIELDS = ("id", "homeAccountID", "environment", "username", "displayName", "label", "group", "state",
                   "stateReason", "homeTenant", "isDefault", "signInEndsOn", "formerNames")

Token = collections.namedtuple("Token", "token token_type expires_on scopes account username group client_id tenant source")
Token.__repr__ = lambda self: f"<Token of {self.account}>"

try:
    from azure.core.credentials import AccessToken, AccessTokenInfo
except ImportError:
    AccessToken = collections.namedtuple("AccessToken", "token expires_on")

    class AccessTokenInfo:
        """A token as azure-core has it."""

        def __init__(self, token, expires_on, *, token_type="Bearer", refresh_on=None):
            self.token, self.expires_on, self.token_type, self.refresh_on = token, expires_on, token_type, refresh_on

        def __repr__(self):
            return f"AccessTokenInfo(expires_on={self.expires_on})"

try:
    from azure.core.exceptions import ClientAuthenticationError as _Failure
except ImportError:
    _Failure = Exception


class Error(_Failure):
    """What went wrong: `code` is stable, `status` that of the command, `hint` what to do.

    Where a person can continue a request for a token, `continuation` says how, as a dictionary with action, id, provider,
    account, name, group, tenant, clientID, scopes (a tuple), claims and command, of which some may be None.
    """

    def __init__(self, status, code, message, hint, continuation=None):
        super().__init__(f"{message}; {hint}" if hint else message)
        self.status, self.code, self.message, self.hint = status, code, message, hint
        self.continuation = continuation

    def __reduce__(self):
        return Error, (self.status, self.code, self.message, self.hint, self.continuation)


class _Library:
    """The functions of libkeyfob, loaded when the first is called."""

    def __getattr__(self, name):
        # Where `make install` puts both, wherever that is; beside a copy anybody could have put something.
        folder = os.path.dirname(os.path.realpath(__file__))
        installed = os.path.normpath(os.path.join(folder, "../../libkeyfob.so.1"))
        is_installed = folder.endswith(("/lib/keyfob/python", "/lib/python3/dist-packages")) and os.path.isfile(installed)
        library = ctypes.CDLL(os.environ.get("KEYFOB_LIBRARY") or (installed if is_installed else "libkeyfob.so.1"))
        for function, kinds in _FUNCTIONS.items():
            symbol = getattr(library, "keyfob_" + function)
            symbol.restype, symbol.argtypes = _TYPES[kinds[0]], [_TYPES[kind] for kind in kinds[1:]]
            setattr(self, function, symbol)
        if name not in _FUNCTIONS:
            raise AttributeError(name)
        return getattr(self, name)


_library = _Library()


def _text(value):
    return None if value is None else value.decode()


def _call(function, *arguments):
    """Calls what can fail."""
    error = ctypes.c_void_p()
    status = function(*arguments, ctypes.byref(error))
    if status == 0:
        return
    try:
        texts = {name: _text(_library.error_get(error, name.encode())) for name in _ERROR_FIELDS + _CONTINUATION_FIELDS}
        continuation = None
        if texts["action"] is not None:
            continuation = {name: texts[name] for name in _CONTINUATION_FIELDS} | {
                "scopes": tuple((texts["scopes"] or "").split())}
            continuation["id"] = continuation.pop("continuation")
        raise Error(status, *(texts[name] for name in _ERROR_FIELDS), continuation)
    finally:
        _library.error_free(error)


@contextlib.contextmanager
def _options(options):
    """Options, of which None is not given and a list gives each of its values."""
    handle = _library.options_new()
    try:
        for name, values in options.items():
            if values is None:
                continue
            for value in [values] if isinstance(values, (str, bytes)) or not hasattr(values, "__iter__") else values:
                if isinstance(value, bool):
                    value = "true" if value else "false"
                elif not isinstance(value, (str, bytes)):
                    value = os.fspath(value) if hasattr(value, "__fspath__") else str(value)
                data = value if isinstance(value, bytes) else value.encode("utf-8", "surrogateescape")
                if b"\0" in data:
                    raise Error(64, "usage", f"--{name} holds a zero byte", None)
                _call(_library.options_set, handle, name.replace("_", "-").encode(), data)
        yield handle
    finally:
        _library.options_free(handle)


def _answer(function, fields, *arguments):
    """The rows of an answer, each as a dictionary."""
    answer = ctypes.c_void_p()
    _call(function, *arguments, ctypes.byref(answer))
    try:
        return [{name: _text(_library.answer_get(answer, row, name.encode())) for name in fields}
                for row in range(_library.answer_count(answer))]
    finally:
        _library.answer_free(answer)


class Keyring:
    """An unlocked keyring: of `vault`, or the one that the environment names.

    It is opened when it is first asked for something, and again in the child of a fork. It may be used by several threads.
    """

    def __init__(self, vault=None, key_file=None, ca_file=None, may_ask=None):
        self._opening = {"vault": vault, "key-file": key_file, "ca-file": ca_file, "may-ask": may_ask}
        self._lock, self._handle, self._process = threading.Lock(), None, None
        os.register_at_fork(after_in_child=self._forget)

    def _forget(self):
        # Another thread may have held the lock at the moment of the fork.
        self._lock = threading.Lock()

    @property
    def _open(self):
        with self._lock:
            if self._handle is None or self._process != os.getpid():
                handle = ctypes.c_void_p()
                with _options(self._opening) as options:
                    _call(_library.open, options, ctypes.byref(handle))
                self._handle, self._process = handle, os.getpid()
            return self._handle

    def close(self):
        """Forgets the keys; the next request opens the keyring again."""
        with self._lock:
            if self._handle is not None and self._process == os.getpid():
                _library.close(self._handle)
            self._handle = None

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def token(self, scopes=(), **options):
        """A token for `scopes`, stored or renewed; options are those of `keyfob token`."""
        with _options(_request(scopes, options)) as handle:
            row, = _answer(_library.token, _TOKEN_FIELDS, self._open, handle)
        expiry = row["expiresAt"]
        return Token(row["token"], row["tokenType"], expiry and int(expiry), tuple(row["scopes"].split()),
                     *(row[name] for name in _TOKEN_FIELDS[4:]))

    def refuse(self, token, scopes=(), **options):
        """Tells that a service has refused a token, so that the next request gets another where one can be had."""
        with _options(_request(scopes, options)) as handle:
            _call(_library.refuse, self._open, handle, str(getattr(token, "token", token)).encode())

    def accounts(self, group=None):
        """The accounts, each as a dictionary."""
        with _options({"group": group}) as handle:
            rows = _answer(_library.accounts, _ACCOUNT_FIELDS, self._open, handle)
        return [row | {"isDefault": row["isDefault"] == "true", "formerNames": row["formerNames"].split("\n") if row["formerNames"] else []}
                for row in rows]

    def warnings(self):
        """What the owner should know since the last call, each as a dictionary with code, message and hint."""
        return _answer(_library.warnings, ("code", "message", "hint"), self._open)

    def read_cache(self, **options):
        """All accounts and tokens in the form of MSAL's caches: a text."""
        with _options(options) as handle:
            return _answer(_library.read_cache, ("cache",), self._open, handle)[0]["cache"]

    def write_cache(self, text, group=None):
        """Takes in accounts and tokens in the form of MSAL's caches."""
        data = text.encode()
        with _options({"group": group}) as handle:
            _call(_library.write_cache, self._open, handle, data, len(data))

    def remove_account(self, account, group=None):
        """Removes an account with its tokens; the provider is not told."""
        with _options({"account": account, "group": group}) as handle:
            _call(_library.remove_account, self._open, handle)


def _request(scopes, options):
    tool = os.path.basename(getattr(sys, "argv", None) and sys.argv[0] or "")
    return {"scope": [scopes] if isinstance(scopes, str) else scopes, "tool": tool or None} | options


_usual = Keyring()


def token(scopes=(), **options):
    """An access token as text, from the usual keyring; see Keyring.token."""
    return _usual.token(scopes, **options).token


def accounts(group=None):
    """The accounts of the usual keyring."""
    return _usual.accounts(group)


class Credential:
    """A TokenCredential, and SupportsTokenInfo, as Azure's libraries take them."""

    def __init__(self, keyring=None, **options):
        self._keyring, self._options = keyring or _usual, options

    def _token(self, scopes, claims, tenant_id, **_):
        own = {"claims": claims or None} | ({"tenant": tenant_id} if tenant_id else {})
        return self._keyring.token(scopes, **self._options | own)

    def get_token(self, *scopes, claims=None, tenant_id=None, enable_cae=False, **_):
        found = self._token(scopes, claims, tenant_id)
        return AccessToken(found.token, found.expires_on or 0)

    def get_token_info(self, *scopes, options=None):
        found = self._token(scopes, **{"claims": None, "tenant_id": None} | dict(options or {}))
        return AccessTokenInfo(found.token, found.expires_on or 0, token_type=found.token_type)

    def close(self):
        """Nothing: the keyring is others' too."""

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()


class Auth:
    """Authentication for `requests`: a token that goes to the request's host, and after a 401 once another."""

    def __init__(self, scopes=(), keyring=None, **options):
        self._scopes, self._keyring, self._options = scopes, keyring or _usual, options

    def __call__(self, request):
        found = self._authorize(request)
        body = getattr(request, "body", None)
        position = body.tell() if hasattr(body, "seek") and hasattr(body, "tell") else None
        request.register_hook("response", lambda answer, **sending: self._retry(answer, found, position, sending))
        return request

    def _authorize(self, request, **more):
        found = self._keyring.token(self._scopes, **{"url": request.url} | self._options | more)
        request.headers["Authorization"] = f"Bearer {found.token}"
        return found

    def _retry(self, answer, found, position, sending):
        request, first = answer.request, f"Bearer {found.token}"
        # After a redirection to another host, `requests` has taken the header off.
        if answer.status_code != 401 or request.headers.get("Authorization") != first:
            return answer
        body = request.body
        if body is not None and not isinstance(body, (str, bytes)):
            if position is None:
                return answer
            body.seek(position)
        # Whom the first token was chosen for, the second is for too.
        about = {"account": found.account, "client": found.client_id, "group": found.group}
        self._keyring.refuse(found, self._scopes, **{"url": request.url} | self._options | about)
        again = request.copy()
        again.hooks = {"response": []}
        if self._authorize(again, **about, claims=_claims(answer)).token == found.token:
            return answer
        answer.content
        answer.close()
        second = answer.connection.send(again, **sending)
        second.history.append(answer)
        second.request = again
        return second


def _claims(answer):
    """The claims that a challenge for insufficient claims asks for, as a text of JSON."""
    import base64
    import re

    challenge = answer.headers.get("WWW-Authenticate", "")
    found = re.search(r'claims="([A-Za-z0-9+/_=-]+)"', challenge) if "insufficient_claims" in challenge else None
    try:
        text = found and base64.urlsafe_b64decode(found[1].translate({43: "-", 47: "_"}) + "==").decode()
        return text if text and isinstance(json.loads(text), dict) else None
    except ValueError:
        return None


def token_cache(keyring=None, group=None):
    """A TokenCache of MSAL that reads the keyring, and writes what MSAL gets into it, at each step.

    MSAL renews tokens by itself then, without the locks by which Keyfob renews them once for all.
    """
    import msal

    keyring = keyring or _usual

    class KeyfobTokenCache(msal.TokenCache):
        def _load(self):
            with self._lock:
                self._cache = json.loads(keyring.read_cache(group=group))

        def search(self, *positional, **named):
            self._load()
            yield from super().search(*positional, **named)

        def _get(self, *positional, **named):
            self._load()
            return super()._get(*positional, **named)

        def add(self, event, **named):
            with self._lock:
                self._gathered = {}
                try:
                    super().add(event, **named)
                    gathered = self._gathered
                finally:
                    self._gathered = None
                keyring.write_cache(json.dumps(gathered), group=group)

        _gathered = None

        def modify(self, credential_type, old_entry, new_key_value_pairs=None):
            with self._lock:
                super().modify(credential_type, old_entry, new_key_value_pairs)
                if new_key_value_pairs:
                    entry = dict(old_entry, **new_key_value_pairs)
                    part = {credential_type: {self.key_makers[credential_type](**entry): entry}}
                    if self._gathered is None:
                        keyring.write_cache(json.dumps(part), group=group)
                    else:
                        for kind, entries in part.items():
                            self._gathered.setdefault(kind, {}).update(entries)
                elif credential_type == self.CredentialType.ACCOUNT:
                    name = f"{old_entry['home_account_id']}@{old_entry['environment']}"
                    try:
                        keyring.remove_account(name, group=group)
                    except Error as error:
                        # One account of the keyring is one for each tenant here.
                        if error.code != "noSuchAccount":
                            raise

    return KeyfobTokenCache()

"""Authentication for requests and httpx."""

from __future__ import annotations

import base64
import json
import re
import sys
from collections.abc import AsyncGenerator, Generator, Mapping
from typing import TYPE_CHECKING, Any, Optional

from ._errors import Error, as_error_of
from ._keyring import Keyring, Scopes, Token, usual

if TYPE_CHECKING:
    from typing_extensions import Unpack

    from ._keyring import TokenOptions


class Auth:
    """Authentication for `requests` and `httpx`: a token that goes to the request's host, and after a 401 once another."""

    #: What httpx asks: whether it has to read bodies first.
    requires_request_body = False
    requires_response_body = False

    def __new__(cls, *_: Any, **__: Any) -> Auth:
        # httpx takes objects of its own class alone, and is not loaded here.
        httpx = sys.modules.get("httpx")
        base = getattr(httpx, "Auth", None)
        if base is None or issubclass(cls, base):
            return super().__new__(cls)
        kind: Any = _with_httpx.get(cls)
        if kind is None:
            kind = type(cls.__name__, (cls, base), {"__module__": cls.__module__, "__doc__": cls.__doc__})
            _with_httpx[cls] = kind
        made: Auth = object.__new__(kind)
        return made

    def __init__(self, scopes: Scopes = (), keyring: Optional[Keyring] = None, **options: Unpack[TokenOptions]) -> None:
        self._scopes: Scopes = scopes if isinstance(scopes, str) else tuple(scopes)
        self._keyring, self._options = keyring or usual, options

    # requests

    def __call__(self, request: Any) -> Any:
        """Called by requests for a request that it prepares."""
        try:
            found = self._authorize(request, self._about(request.url))
            body: Any = getattr(request, "body", None)
            position = body.tell() if hasattr(body, "seek") and hasattr(body, "tell") else None
            request.register_hook("response", lambda answer, **sending: self._retry(answer, found, position, sending))
            return request
        except Error as error:
            raise _understood(error, "requests", "RequestException") from error

    def _authorize(self, request: Any, options: TokenOptions) -> Token:
        found = self._keyring.token(self._scopes, **options)
        request.headers["Authorization"] = f"Bearer {found.token}"
        return found

    def _retry(self, answer: Any, found: Token, position: Optional[int], sending: Mapping[str, Any]) -> Any:
        request, first = answer.request, f"Bearer {found.token}"
        # After a redirection to another host, `requests` has taken the header off.
        if answer.status_code != 401 or request.headers.get("Authorization") != first:
            return answer
        body = request.body
        if body is not None and not isinstance(body, (str, bytes)):
            if position is None:
                return answer
            body.seek(position)
        try:
            self._keyring.refuse(found, self._scopes, **self._about(request.url, found))
            again = request.copy()
            again.hooks = {"response": []}
            if self._authorize(again, self._about(request.url, found, answer.headers)).token == found.token:
                return answer
        except Error as error:
            raise _understood(error, "requests", "RequestException") from error
        answer.content
        answer.close()
        second = answer.connection.send(again, **sending)
        second.history.append(answer)
        second.request = again
        return second

    # httpx

    def sync_auth_flow(self, request: Any) -> Generator[Any, Any, None]:
        """Called by httpx.Client."""
        try:
            found = self._authorize(request, self._about(str(request.url)))
            response = yield request
            if not _may_retry(request, response, found):
                return
            url = str(request.url)
            self._keyring.refuse(found, self._scopes, **self._about(url, found))
            again = self._authorize(request, self._about(url, found, response.headers))
        except Error as error:
            raise _understood(error, "httpx", "RequestError") from error
        if again.token != found.token:
            yield request

    async def async_auth_flow(self, request: Any) -> AsyncGenerator[Any, Any]:
        """Called by httpx.AsyncClient."""
        url = str(request.url)
        try:
            found = await self._keyring.token_async(self._scopes, **self._about(url))
            request.headers["Authorization"] = f"Bearer {found.token}"
            response = yield request
            if not _may_retry(request, response, found):
                return
            await self._keyring.refuse_async(found, self._scopes, **self._about(url, found))
            again = await self._keyring.token_async(self._scopes, **self._about(url, found, response.headers))
        except Error as error:
            raise _understood(error, "httpx", "RequestError") from error
        if again.token != found.token:
            request.headers["Authorization"] = f"Bearer {again.token}"
            yield request

    # both

    def _about(self, url: str, first: Optional[Token] = None, headers: Optional[Mapping[str, str]] = None) -> TokenOptions:
        """What is asked for: at first, or after the first token was refused, with an answer's headers where one was sent."""
        options: TokenOptions = {"url": url, **self._options}
        if first is not None:
            # Whom the first token was chosen for, the second is for too.
            options |= {"account": first.account, "client": first.client_id, "group": first.group}
        if headers is not None:
            options["claims"] = challenged_claims(headers.get("WWW-Authenticate", ""))
        return options


_with_httpx: dict[type[Auth], type[Auth]] = {}


def _understood(error: Error, library: str, name: str) -> Error:
    """The same error as one that callers of a library catch."""
    base = getattr(sys.modules.get(library), name, None)
    return as_error_of(base, error) if base is not None else error


def _may_retry(request: Any, response: Any, found: Token) -> bool:
    """Whether a request was refused with this token, and can be sent again."""
    # After a redirection to another host, httpx has taken the header off.
    is_refused = response.status_code == 401 and response.request.headers.get("Authorization") == f"Bearer {found.token}"
    return is_refused and hasattr(request.stream, "__iter__") and hasattr(request, "_content")


def challenged_claims(challenge: str) -> Optional[str]:
    """The claims that a challenge for insufficient claims asks for, as a text of JSON."""
    found = re.search(r'claims="([A-Za-z0-9+/_=-]+)"', challenge) if "insufficient_claims" in challenge else None
    try:
        text = base64.urlsafe_b64decode(found[1].translate({43: "-", 47: "_"}) + "==").decode() if found else ""
        return text if text and isinstance(json.loads(text), dict) else None
    except ValueError:
        return None

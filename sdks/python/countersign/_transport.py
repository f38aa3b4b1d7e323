"""One call to the service: sent, timed, read, retried."""

from __future__ import annotations

import http.client
import json
import logging
import secrets
import socket
import time
import urllib.error
import urllib.request
import zlib
from dataclasses import dataclass, field
from typing import Any, Callable, Mapping, NoReturn, Optional, Type, Union

from ._facts import Facts
from ._read import Answer, parse, read
from ._refusal import refuse, unexpected
from ._retry import delay_of, is_worth_repeating
from ._timed import TimedHandler, TimedTlsHandler
from ._version import __version__
from .errors import ConnectionFailedError, CountersignError, TimedOutError

logger = logging.getLogger("countersign")
"""Logs every attempt at the level DEBUG. It gets no key, no code and no recipient."""

_LARGEST_ANSWER_BYTES = 1_048_576


@dataclass(frozen=True)
class Call:
    method: str
    path: str
    body: Optional[Mapping[str, Any]] = field(default=None, repr=False)
    headers: Mapping[str, str] = field(default_factory=dict, repr=False)
    is_repeatable: bool = True
    """Whether making it twice is the same as making it once."""


class Transport:
    def __init__(self, base_url: str, authorization: Callable[[], str]) -> None:
        self.base_url = base_url
        self._authorization = authorization
        self.sleep: Callable[[float], None] = time.sleep
        # Redirects are not followed: one would turn POST into GET, or carry the key elsewhere.
        self.opener = urllib.request.build_opener(_NoRedirects, TimedHandler, TimedTlsHandler)

    def call(self, kind: Type[Answer], call: Call, timeout: float, max_retries: int) -> Answer:
        request_id = "req_" + secrets.token_hex(16)
        retries = 0
        while True:
            try:
                answer = self._attempt(kind, call, timeout, request_id)
                logger.debug("%s %s %s: answered", call.method, call.path, request_id)
                return answer
            except CountersignError as error:
                logger.debug("%s %s %s: %s", call.method, call.path, request_id, error.type)
                if not call.is_repeatable or retries >= max_retries or not is_worth_repeating(error):
                    raise
                delay = delay_of(error, retries)
            self.sleep(delay)
            retries += 1

    def _attempt(self, kind: Type[Answer], call: Call, timeout: float, request_id: str) -> Answer:
        answered: Union[tuple[int, Mapping[str, str], bytes], BaseException]
        try:
            answered = self._exchange(call, timeout, request_id)
        except BaseException as error:
            # The frames of the error hold the headers: an error reporter that shows variables would show the key.
            answered = _bare(error)
        # Raised outside the except block, or the failure and its frames would become the context of the new error.
        if isinstance(answered, BaseException):
            self._fail(answered, timeout, request_id)
        status, headers, body = answered
        parsed = parse(body)
        if not 200 <= status < 300:
            refuse(status, headers, parsed, request_id)
        answer = read(kind, parsed)
        if answer is None:
            raise CountersignError(Facts("UnexpectedAnswer", unexpected(status), status, request_id))
        return answer

    def _exchange(self, call: Call, timeout: float, request_id: str) -> tuple[int, Mapping[str, str], bytes]:
        with self._open(call, timeout, request_id) as response:
            return response.status, response.headers, _unzipped(response.headers, _read_all(response))

    def _open(self, call: Call, timeout: float, request_id: str) -> Any:
        headers = {
            "Accept": "application/json",
            "Authorization": self._authorization(),
            "User-Agent": "countersign-python/" + __version__,
            "X-Request-Id": request_id,
            **call.headers,
        }
        data = None
        if call.body is not None:
            headers["Content-Type"] = "application/json"
            data = json.dumps({name: value for name, value in call.body.items() if value is not None}).encode()
        url = self.base_url + "/api/v1" + call.path
        request = urllib.request.Request(url, data=data, headers=headers, method=call.method)
        try:
            return self.opener.open(request, timeout=timeout)
        except urllib.error.HTTPError as refusal:
            return refusal

    def _fail(self, failure: BaseException, timeout: float, request_id: str) -> NoReturn:
        if isinstance(failure, urllib.error.URLError) and isinstance(failure.reason, Exception):
            failure = _bare(failure.reason)
        if isinstance(failure, (socket.timeout, TimeoutError)):
            raise TimedOutError(self._no_answer("TimedOutError", request_id, f" within {timeout:g} s"))
        if isinstance(failure, (OSError, http.client.HTTPException)):
            why = getattr(failure, "strerror", None) or type(failure).__name__
            raise ConnectionFailedError(self._no_answer("ConnectionFailedError", request_id, f": {why}")) from failure
        # An interrupt, or a bug.
        raise failure

    def _no_answer(self, kind: str, request_id: str, why: str) -> Facts:
        return Facts(kind, f"No answer from {self.base_url}{why}.", None, request_id)


class _NoRedirects(urllib.request.HTTPRedirectHandler):
    def redirect_request(self, *args: Any, **kwargs: Any) -> None:
        return None


def _bare(error: BaseException) -> BaseException:
    """The error without its frames, and without the errors that caused it."""
    error.__cause__ = error.__context__ = None
    return error.with_traceback(None)


def _read_all(response: Any) -> bytes:
    chunks: list[bytes] = []
    length = 0
    while True:
        chunk = response.read1(65_536)
        if not chunk:
            break
        chunks.append(chunk)
        length += len(chunk)
        if length > _LARGEST_ANSWER_BYTES:
            # No answer of the service is so long. The rest is not read.
            return b""
    declared = response.headers.get("Content-Length", "")
    if declared.isdecimal() and length < int(declared):
        raise http.client.IncompleteRead(b"")
    return b"".join(chunks)


def _unzipped(headers: Mapping[str, str], body: bytes) -> bytes:
    """Compression is not asked for, but a proxy may compress every answer."""
    if headers.get("Content-Encoding", "").lower() not in ("gzip", "x-gzip", "deflate"):
        return body
    try:
        plain = zlib.decompressobj(32 + zlib.MAX_WBITS).decompress(body, _LARGEST_ANSWER_BYTES + 1)
    except zlib.error:
        return body
    return plain if len(plain) <= _LARGEST_ANSWER_BYTES else b""

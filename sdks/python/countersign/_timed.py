"""Connections whose timeout is for a whole attempt, and whose answers are whole.

The timeout of a socket starts again with every byte, and to `http.client` headers that are cut off are all of them.
"""

from __future__ import annotations

import functools
import http.client
import io
import socket
import time
import urllib.request
from typing import Any, Tuple


class _TimedReader(io.RawIOBase):
    def __init__(self, sock: socket.socket, raw: Any, deadline: float) -> None:
        self._sock, self._raw, self._deadline = sock, raw, deadline
        self.is_in_headers = True

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> Any:
        self._sock.settimeout(_left(self._deadline))
        length = self._raw.readinto(buffer)
        if length == 0 and self.is_in_headers:
            raise http.client.RemoteDisconnected("The headers are cut off.")
        return length

    def close(self) -> None:
        self._raw.close()
        super().close()


class _TimedResponse(http.client.HTTPResponse):
    def __init__(self, sock: socket.socket, *args: Any, deadline: float, **options: Any) -> None:
        super().__init__(sock, *args, **options)
        self._reader = _TimedReader(sock, self.fp.detach(), deadline)
        self.fp = io.BufferedReader(self._reader)

    def begin(self) -> None:
        super().begin()
        self._reader.is_in_headers = False

    def _read_status(self) -> Any:
        parent: Any = super()
        version, status, reason = parent._read_status()
        # Other interim answers, such as 103, are skipped as 100 is.
        return version, http.client.CONTINUE if 101 < status < 200 else status, reason


def _connect(deadline: float, address: Tuple[str, int], *_unused: Any) -> socket.socket:
    """Tries the addresses of a host in turn, each for its share of the time: the library of Python gives each of them
    the whole timeout, and one that swallows everything would leave the next one none."""
    host, port = address
    failure = OSError("The host has no address.")
    found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
    for tried, (*_, where) in enumerate(found):
        try:
            connected = socket.create_connection((str(where[0]), port), _left(deadline) / (len(found) - tried))
            connected.settimeout(_left(deadline))
            return connected
        except OSError as error:
            failure = error
    raise failure


def _left(deadline: float) -> float:
    left = deadline - time.monotonic()
    if left <= 0:
        raise TimeoutError
    return left


class _TimedConnection(http.client.HTTPConnection):
    def __init__(self, host: str, *, timeout: float = 10.0, **options: Any) -> None:
        super().__init__(host, timeout=timeout, **options)
        deadline = time.monotonic() + timeout
        response_class: Any = functools.partial(_TimedResponse, deadline=deadline)
        self.response_class = response_class
        self._create_connection = functools.partial(_connect, deadline)


class _TimedTlsConnection(_TimedConnection, http.client.HTTPSConnection):
    pass


class TimedHandler(urllib.request.HTTPHandler):
    def http_open(self, req: urllib.request.Request) -> http.client.HTTPResponse:
        return self.do_open(_TimedConnection, req)


class TimedTlsHandler(urllib.request.HTTPSHandler):
    def https_open(self, req: urllib.request.Request) -> http.client.HTTPResponse:
        # The handler's TLS context, if it has one, so that certificates are not read again for every call.
        return self.do_open(_TimedTlsConnection, req, context=getattr(self, "_context", None))

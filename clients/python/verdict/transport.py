"""Sends requests: one connection for each thread, retries, and errors as exceptions."""

from __future__ import annotations

import http.client
import json
import random
import re
import threading
import time
import uuid
from typing import Any, Callable, Mapping, Optional, Union
from urllib.parse import quote, urlencode, urlsplit

from .problem import ConnectionFailed, Problem

# Statuses after which the same request may succeed later: too many requests, and a service that is busy or restarting.
_RETRIED = (429, 502, 503, 504)

# The client does not wait longer than this. The caller gets the refusal instead, for example if a quota is used up
# until next month.
_LONGEST_WAIT = 30.0


class Transport:
    """Sends requests to one service with one key. It can be shared by threads."""

    def __init__(
        self,
        url: str,
        key: Optional[str] = None,
        *,
        timeout: float = 30.0,
        attempts: int = 4,
        sleep: Callable[[float], None] = time.sleep,
    ) -> None:
        parts = urlsplit(url)
        if parts.scheme not in ("http", "https") or not parts.hostname:
            raise ValueError("url must begin with http:// or https:// and name a host")
        if attempts < 1:
            raise ValueError("attempts must be at least 1")
        if key and (wrong := re.search(r"[^A-Za-z0-9_]", key)):
            # The message must not contain the key.
            raise ValueError(
                f"character {wrong.start() + 1} of the key is not a letter, digit or _: "
                "use the whole key as it was shown when it was created"
            )
        self._secure = parts.scheme == "https"
        self._host = parts.netloc
        self._prefix = parts.path.rstrip("/")
        self._key = key
        self._timeout = timeout
        self._attempts = attempts
        self._sleep = sleep
        self._local = threading.local()

    @staticmethod
    def _quoted(segment: Any) -> str:
        """A value as one segment of a path."""
        return quote(str(segment), safe="")

    def _call(
        self,
        method: str,
        path: str,
        *,
        query: Optional[Mapping[str, Any]] = None,
        headers: Optional[Mapping[str, Any]] = None,
        body: Any = None,
        content_type: str = "application/json",
        answer: str = "json",
        idempotent: bool = False,
    ) -> Any:
        """Sends a request, repeats it where that is safe, and returns the answer."""
        sent = {name: str(value) for name, value in (headers or {}).items() if value is not None}
        sent.setdefault("Accept", "*/*" if answer != "json" else "application/json")
        sent["User-Agent"] = "verdict-python/1.0.0"
        if self._key:
            sent["Authorization"] = f"Bearer {self._key}"
        if idempotent and "Idempotency-Key" not in sent:
            # With a key, a request that is repeated after a lost answer is decided and billed once.
            sent["Idempotency-Key"] = str(uuid.uuid4())
        content: Optional[bytes] = None
        if body is not None:
            content = body if isinstance(body, bytes) else json.dumps(body, allow_nan=False).encode()
            sent["Content-Type"] = content_type
        target = self._prefix + path + _query(query)
        repeatable = idempotent or method in ("GET", "HEAD", "PUT", "DELETE")

        for attempt in range(1, self._attempts + 1):
            last = attempt == self._attempts
            try:
                status, response_headers, data = self._send(method, target, content, sent)
            except (OSError, http.client.HTTPException) as error:
                if last or not repeatable:
                    raise ConnectionFailed(f"{method} {path}: {error}") from error
                self._sleep(_pause(attempt))
                continue
            if status < 300:
                return _decoded(data, answer)
            problem = Problem(status, _document(data))
            # A refused request has changed nothing, so it can be repeated whatever its method is.
            if status not in _RETRIED or last or (status in (502, 504) and not repeatable):
                raise problem
            wait = _retry_after(response_headers.get("Retry-After"))
            if wait is not None and wait > _LONGEST_WAIT:
                raise problem
            self._sleep(_pause(attempt) if wait is None else wait + random.uniform(0, 0.25))
        raise AssertionError("unreachable")

    def _send(
        self, method: str, target: str, content: Optional[bytes], headers: Mapping[str, str]
    ) -> tuple[int, http.client.HTTPMessage, bytes]:
        """Sends a request once, on the connection of this thread."""
        connection: Optional[http.client.HTTPConnection] = getattr(self._local, "connection", None)
        fresh = connection is None
        if connection is None:
            connection = self._connect()
        try:
            connection.request(method, target, body=content, headers=dict(headers))
            response = connection.getresponse()
            data = response.read()
        except (http.client.RemoteDisconnected, BrokenPipeError, ConnectionResetError):
            connection.close()
            self._local.connection = None
            if fresh or method == "POST" and "Idempotency-Key" not in headers:
                raise
            # The service had closed an idle connection, so it did not read the request.
            return self._send(method, target, content, headers)
        except BaseException:
            connection.close()
            self._local.connection = None
            raise
        if response.will_close:
            connection.close()
            self._local.connection = None
        return response.status, response.headers, data

    def _connect(self) -> http.client.HTTPConnection:
        connection: http.client.HTTPConnection
        if self._secure:
            connection = http.client.HTTPSConnection(self._host, timeout=self._timeout)
        else:
            connection = http.client.HTTPConnection(self._host, timeout=self._timeout)
        self._local.connection = connection
        return connection

    def close(self) -> None:
        """Closes the connection of this thread."""
        connection = getattr(self._local, "connection", None)
        if connection is not None:
            connection.close()
            self._local.connection = None


def _query(query: Optional[Mapping[str, Any]]) -> str:
    pairs: list[tuple[str, Union[str, Any]]] = []
    for name, value in (query or {}).items():
        if value is None:
            continue
        if isinstance(value, bool):
            value = "true" if value else "false"
        if isinstance(value, (list, tuple)):
            pairs.extend((name, v) for v in value)
        else:
            pairs.append((name, value))
    return "?" + urlencode(pairs) if pairs else ""


def _pause(attempt: int) -> float:
    """Exponential back-off with jitter."""
    longest: float = min(0.2 * 2.0 ** (attempt - 1), 5.0)
    return random.uniform(longest / 2, longest)


def _retry_after(value: Optional[str]) -> Optional[float]:
    if value is None or not value.isdigit():
        return None
    return float(value)


def _document(data: bytes) -> dict[str, Any]:
    """The document of an error. A proxy between may answer with something else."""
    try:
        document = json.loads(data)
    except ValueError:
        return {}
    return document if isinstance(document, dict) else {}


def _decoded(data: bytes, answer: str) -> Any:
    if answer == "json":
        return json.loads(data) if data else None
    if answer == "text":
        return data.decode()
    if answer == "none":
        return None
    return data

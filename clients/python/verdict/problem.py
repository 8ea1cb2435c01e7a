"""The errors that a call can raise."""

from __future__ import annotations

from typing import Any


class VerdictError(Exception):
    """Any failure of a call."""


class ConnectionFailed(VerdictError):
    """The service could not be reached, or did not answer. With an idempotency key the call can be repeated."""


class Problem(VerdictError):
    """The service refused the request and said why.

    code is stable, and a page of the documentation explains it. errors has an entry for each invalid field, with a
    JSON pointer.
    """

    def __init__(self, status: int, document: dict[str, Any]) -> None:
        self.status = status
        self.code: str = str(document.get("code", ""))
        self.detail: str = str(document.get("detail", document.get("title", "")))
        self.errors: list[dict[str, Any]] = list(document.get("errors") or [])
        self.request_id: str = str(document.get("request_id", ""))
        self.document = document
        super().__init__(f"{status} {self.code}: {self.detail}")

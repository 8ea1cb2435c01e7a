"""The client: the operations of the API, and what makes them pleasant."""

from __future__ import annotations

from typing import Any, Callable, Iterable, Iterator

from . import types
from .operations import Operations


class Client(Operations):
    """Calls Verdict with an API key.

    Requests that take an Idempotency-Key get one, so that a repetition after a lost answer is decided and billed once.
    Requests that were refused because the service is busy, or the rate is exceeded, are repeated after Retry-After.
    """

    def pages(self, operation: Callable[..., Any], *arguments: Any, **named: Any) -> Iterator[Any]:
        """All entries of a list, page by page: client.pages(client.list_decisions, status="APPROVED")."""
        cursor = None
        while True:
            page = operation(*arguments, cursor=cursor, **named)
            yield from page["data"]
            cursor = page["pagination"].get("next_cursor")
            if not page["pagination"]["has_next"]:
                return

    def decide_all(
        self, applications: Iterable[types.DecisionRequest], *, at_once: int = 500
    ) -> Iterator[types.BatchResult]:
        """Decides many applications, and returns a result for each, in order: {"index", "decision" or "error"}."""
        waiting: list[types.DecisionRequest] = []
        begun = 0
        for application in applications:
            waiting.append(application)
            if len(waiting) == at_once:
                yield from self._decide_some(waiting, begun)
                begun += len(waiting)
                waiting = []
        if waiting:
            yield from self._decide_some(waiting, begun)

    def _decide_some(self, some: list[types.DecisionRequest], begun: int) -> Iterator[types.BatchResult]:
        for result in self.create_decisions({"items": list(some)})["results"]:
            result["index"] += begun
            yield result

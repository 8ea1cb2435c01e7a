"""Checks that an event was sent by Verdict."""

from __future__ import annotations

import base64
import hashlib
import hmac
import time
from typing import Mapping, Optional

from .problem import VerdictError


class InvalidSignature(VerdictError):
    """The event was not signed with the secret, or is too old."""


def verify_webhook(
    secret: str, headers: Mapping[str, str], body: bytes, *, tolerance: float = 300.0, now: Optional[float] = None
) -> None:
    """Raises InvalidSignature unless the body was signed with the secret within the tolerance, in seconds.

    Give the body as it arrived: parsed and written again it would have other bytes.
    """
    given = {name.lower(): value for name, value in headers.items()}
    try:
        identifier, timestamp, signatures = (
            given["webhook-id"],
            given["webhook-timestamp"],
            given["webhook-signature"],
        )
    except KeyError as missing:
        raise InvalidSignature(f"the header {missing.args[0]} is missing") from None
    try:
        age = abs((time.time() if now is None else now) - int(timestamp))
    except ValueError:
        raise InvalidSignature("webhook-timestamp is not a number") from None
    if age > tolerance:
        raise InvalidSignature("the event is too old, or from the future")
    key = base64.b64decode(secret.removeprefix("whsec_"))
    signed = f"{identifier}.{timestamp}.".encode() + body
    expected = base64.b64encode(hmac.new(key, signed, hashlib.sha256).digest())
    for signature in signatures.split():
        version, _, value = signature.partition(",")
        if version == "v1" and hmac.compare_digest(value.encode(), expected):
            return
    raise InvalidSignature("no signature is right")

"""Webhooks: checks that a request is from the service and fresh, and reads its event."""

from __future__ import annotations

import dataclasses
import hashlib
import hmac
import json
import re
import time
from dataclasses import dataclass
from typing import Any, Iterable, Mapping, Optional, Protocol, Sequence, Tuple, Union, runtime_checkable

from ._read import parse

_SIGNATURE = "x-webhook-signature"
# Sent for a day after a rotation, for receivers that still have the old secret.
_PREVIOUS_SIGNATURE = "x-webhook-signature-previous"
_TIMESTAMP = "x-webhook-timestamp"


@runtime_checkable
class Headers(Protocol):
    """A mapping, or what a framework has instead: the headers of Flask are not one."""

    def items(self) -> Iterable[Tuple[str, str]]: ...


@dataclass(frozen=True)
class WebhookEvent:
    id: str
    """The same on every redelivery: remember the ones you have handled."""
    type: str
    """`otp.approved`, `otp.failed`, `delivery.delivered`, `delivery.failed`. Ignore others."""
    payload: Mapping[str, Any]
    """`otp_id` and `status`; in events of deliveries also `delivery_id`."""


class WebhookVerificationError(Exception):
    """The webhook is not to be trusted: answer 400 and do nothing else."""

    def __init__(self, reason: str, message: str) -> None:
        super().__init__(message)
        self.reason = reason
        """`missing_header`, `stale`, `mismatch` or `malformed`."""

    def __reduce__(self) -> Any:
        return type(self), (self.reason, str(self))


def verify_webhook(
    raw_body: bytes,
    headers: Headers,
    secret: Union[str, Sequence[str]],
    *,
    tolerance_seconds: float = 300,
) -> WebhookEvent:
    """Returns the event if its signature is valid for one of the secrets.

    raw_body: exactly the bytes that arrived; JSON that was parsed and written again has another signature.
    headers: those of your framework, whatever the case of their names. Raises WebhookVerificationError.
    """
    if not isinstance(raw_body, (bytes, bytearray, memoryview)):
        raise TypeError("Pass the raw body, before any JSON parsing: bytes.")
    keys = _secrets(secret)
    timestamp = _header(headers, _TIMESTAMP)
    given = (_header(headers, _SIGNATURE), _header(headers, _PREVIOUS_SIGNATURE))
    signatures = [one for one in given if one is not None]
    if timestamp is None or not signatures:
        raise WebhookVerificationError("missing_header", "The request has no signature.")
    is_time = re.fullmatch(r"[0-9]{1,12}", timestamp)
    if not is_time or abs(time.time() - int(timestamp)) > tolerance_seconds:
        raise WebhookVerificationError("stale", "The timestamp is not a recent one.")
    body = bytes(raw_body)
    # All of them are checked even if one matches, so that the time says nothing.
    matches = [
        hmac.compare_digest(_sign(key, timestamp, body).encode(), signature.lower().encode(errors="replace"))
        for key in keys
        for signature in signatures
    ]
    if True not in matches:
        raise WebhookVerificationError("mismatch", "No secret matches the signature of this body.")
    event = parse(body)
    if not isinstance(event, dict) or not isinstance(event.get("payload"), dict):
        raise WebhookVerificationError("malformed", "The body is not an event.")
    if not isinstance(event.get("id"), str) or not isinstance(event.get("type"), str):
        raise WebhookVerificationError("malformed", "The body is not an event.")
    return WebhookEvent(event["id"], event["type"], event["payload"])


def sign_test_payload(event: WebhookEvent, secret: str) -> tuple[bytes, dict[str, str]]:
    """The body and the headers of a request as the service would send it, to test your endpoint."""
    body = json.dumps(dataclasses.asdict(event), separators=(",", ":")).encode()
    timestamp = str(int(time.time()))
    [key] = _secrets(secret)
    signature = _sign(key, timestamp, body)
    return body, {
        "Content-Type": "application/json",
        "X-Webhook-Timestamp": timestamp,
        "X-Webhook-Signature": signature,
    }


def _sign(secret: str, timestamp: str, body: bytes) -> str:
    return hmac.new(secret.encode(), timestamp.encode() + b"." + body, hashlib.sha256).hexdigest()


def _secrets(secret: Union[str, Sequence[str]]) -> Sequence[str]:
    keys = [secret] if isinstance(secret, str) else list(secret or [])
    # An environment variable that is not set must not become a key that everybody knows. A secret that was read from a
    # file with its line break would refuse every webhook.
    if not keys or not all(isinstance(one, str) and re.fullmatch(r"[!-~]+", one) for one in keys):
        raise ValueError(
            "Pass the signing secret (whsec_…), or a list of them, each alone: without blanks or a line break."
        )
    return keys


def _header(headers: Headers, name: str) -> Optional[str]:
    values = [value for key, value in headers.items() if key.lower() == name]
    # A header that came twice is not trusted.
    return values[0] if len(values) == 1 and isinstance(values[0], str) else None

"""Turns an answer that is not a success into the error that says what to do."""

from __future__ import annotations

import re
from typing import Any, Mapping, NoReturn, Type

from ._facts import Facts
from .errors import (
    AppPausedError,
    AuthenticationError,
    CodeNotExpectedError,
    CountersignError,
    GeoBlockedError,
    InsufficientFundsError,
    InvalidRecipientError,
    IpReputationBlockedError,
    NoEnabledChannelError,
    OtpNotFoundError,
    OtpNotPendingError,
    RateLimitError,
    RecipientBlockedError,
    ResendCooldownError,
    ResendNotAllowedError,
    RuleBlockedError,
    UnavailableError,
    ValidationError,
)

_BY_TYPE: Mapping[str, Type[CountersignError]] = {
    one.__name__: one
    for one in (
        ValidationError,
        InvalidRecipientError,
        InsufficientFundsError,
        AppPausedError,
        GeoBlockedError,
        IpReputationBlockedError,
        RuleBlockedError,
        RecipientBlockedError,
        NoEnabledChannelError,
        ResendNotAllowedError,
        ResendCooldownError,
        OtpNotFoundError,
        OtpNotPendingError,
        CodeNotExpectedError,
    )
}


def refuse(status: int, headers: Mapping[str, str], answer: Any, request_id: str) -> NoReturn:
    answer = answer if isinstance(answer, dict) else {}
    error = answer.get("error")
    error = error if isinstance(error, dict) else {}
    kind, message, details = error.get("type"), error.get("message"), error.get("details")
    known_id = answer.get("request_id")
    # Only whole seconds: the service sends no dates.
    seconds = headers.get("Retry-After") or ""
    facts = Facts(
        type=kind if isinstance(kind, str) else "UnexpectedAnswer",
        message=message if isinstance(message, str) else unexpected(status),
        status=status,
        request_id=known_id if isinstance(known_id, str) else request_id,
        details=details if isinstance(details, dict) else {},
        retry_after=int(seconds) if re.fullmatch(r"[0-9]{1,9}", seconds) else (1 if status == 429 else None),
    )
    raise _class_of(facts)(facts)


def _class_of(facts: Facts) -> Type[CountersignError]:
    if facts.status in (502, 503, 504):
        return UnavailableError
    if facts.status == 429 and facts.type != "ResendCooldownError":
        return RateLimitError
    if facts.status == 401:
        return AuthenticationError
    if facts.type == "InvalidIdempotencyKeyError":
        return ValidationError
    return _BY_TYPE.get(facts.type, CountersignError)


def unexpected(status: int) -> str:
    """The message if the service did not answer itself: a proxy's page, a redirect, another program at this address."""
    # The service is there, so the message must not suggest a wrong address.
    if status in (429, 502, 503, 504):
        return f"Something in front of Countersign answered for it ({status})."
    what = "a redirect" if 300 <= status < 400 else "not one of Countersign"
    return f"The answer was {what} ({status}). Is base_url right?"

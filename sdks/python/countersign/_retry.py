"""When a call is made once more, and after how long."""

from __future__ import annotations

import random

from .errors import ConnectionFailedError, CountersignError, RateLimitError, UnavailableError

_FIRST_DELAY_S = 0.25
_LONGEST_DELAY_S = 4.0
# Somebody waits for the answer: a longer wait is the caller's decision.
_LONGEST_OBEYED_RETRY_AFTER_S = 5


def is_worth_repeating(error: CountersignError) -> bool:
    if isinstance(error, ConnectionFailedError):
        return True
    # Away for a moment, or at a limit that will soon allow it, unless the service says that it takes longer.
    if isinstance(error, (UnavailableError, RateLimitError)):
        return (error.retry_after or 0) <= _LONGEST_OBEYED_RETRY_AFTER_S
    # Everything else is an answer, such as a refusal or a bug, and the same call would get it again.
    return False


def delay_of(error: CountersignError, retries: int) -> float:
    """The delay doubles, and half of it is random, so that callers who failed together do not return together."""
    if error.retry_after:
        return error.retry_after + random.random() * _FIRST_DELAY_S
    return min(_FIRST_DELAY_S * 2.0**retries, _LONGEST_DELAY_S) * (0.5 + random.random() / 2)

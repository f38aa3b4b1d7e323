"""The settings of a client."""

from __future__ import annotations

import re
import urllib.parse
from typing import Callable, Optional

_LONGEST_TIMEOUT_S = 600.0
_MOST_RETRIES = 10


def bearer(key: str) -> Callable[[], str]:
    """The key is inside a function, so that neither printing nor pickling a client shows it."""
    return lambda: "Bearer " + key


def problem_of(key: object) -> Optional[str]:
    if isinstance(key, str) and re.fullmatch(r"otp_sk_[\x21-\x7e]+", key):
        return None
    if isinstance(key, str) and key.startswith("otp_pk_"):
        return "This is a publishable key, for devices. A backend needs a server key (otp_sk_…)."
    return (
        "Pass a server key (otp_sk_…) to Countersign(key, base_url=…), alone: "
        "without quotes, blanks or a line break."
    )


_ADDRESS = re.compile(r"https?://[^/:?#@\\\s][^?#@\\\s]*")


def address_of(base_url: object) -> str:
    """Also accepts the address that the API's reference shows, which ends in `/api/v1`."""
    # If a variable was not set, the key must not go to whatever the default would be.
    if not isinstance(base_url, str) or not _ADDRESS.fullmatch(base_url) or not _has_host(base_url):
        raise ValueError(
            "base_url must be http:// or https:// and a host, "
            "without password, query, fragment, blanks or a line break."
        )
    scheme, host, path, _, _ = urllib.parse.urlsplit(base_url)
    trimmed = re.sub(r"/*(/api/v1)?/*$", "", path)
    # What is already escaped is not escaped again.
    return f"{scheme}://{host}" + urllib.parse.quote(trimmed, safe="/%:@!$&'()*+,;=~")


def _has_host(address: str) -> bool:
    try:
        parts = urllib.parse.urlsplit(address)
        (parts.hostname or "").encode("idna")
        return parts.port is None or parts.port > 0
    except ValueError:
        return False


def pace_of(timeout: float, max_retries: int) -> tuple[float, int]:
    if not isinstance(timeout, (int, float)) or not 0 < timeout <= _LONGEST_TIMEOUT_S:
        raise ValueError(f"timeout must be a number, more than 0 and at most {_LONGEST_TIMEOUT_S:g} seconds.")
    if not isinstance(max_retries, int) or not 0 <= max_retries <= _MOST_RETRIES:
        raise ValueError(f"max_retries must be a whole number from 0 to {_MOST_RETRIES}.")
    return timeout, max_retries

"""One class for each case that a caller may handle differently. All of them are a CountersignError."""

from __future__ import annotations

from typing import Any, Mapping, Optional, Sequence

from ._facts import Facts


class CountersignError(Exception):
    """The base class of all errors of a call. Catch the classes that you can handle."""

    def __init__(self, facts: Facts) -> None:
        super().__init__(facts.message)
        self._facts = facts
        self.type = facts.type
        """The `type` of the API's error body; if no answer came, the name of the class."""
        self.message = facts.message
        self.status = facts.status
        """The HTTP status; None if no answer came."""
        self.request_id = facts.request_id
        """Identifies this call in the service's log, even if no answer came."""
        self.details = facts.details
        """The details of the API's error body, unchanged."""
        self.retry_after = facts.retry_after
        """Seconds, if the service said so."""

    def __reduce__(self) -> Any:
        # Task queues pass errors from process to process.
        return type(self), (self._facts,)


class ValidationError(CountersignError):
    """422: the code has a digit too few or too many, or the call is wrong. `fields` says where."""

    @property
    def fields(self) -> Sequence[Mapping[str, str]]:
        if self.type == "InvalidIdempotencyKeyError":
            return [{"path": "idempotency-key", "message": self.message}]
        fields = self.details.get("fields")
        return fields if isinstance(fields, list) else []


class InvalidRecipientError(CountersignError):
    """422: ask the person for another number or address."""


class AuthenticationError(CountersignError):
    """401: the key is unknown, revoked, or of the wrong kind."""


class InsufficientFundsError(CountersignError):
    """402: top up the balance."""


class AppPausedError(CountersignError):
    """403: somebody has paused the app. Pending verifications go on."""


class GeoBlockedError(CountersignError):
    """403: the app does not send to this country."""


class IpReputationBlockedError(CountersignError):
    """403: the person's address is a known source of abuse."""


class RuleBlockedError(CountersignError):
    """403: one of the app's own rules refuses it; `details["rule"]` is its name."""


class RecipientBlockedError(CountersignError):
    """403: somebody has blocked this recipient in the company."""


class NoEnabledChannelError(CountersignError):
    """409 on send: nothing that is enabled can reach the recipient."""


class ResendNotAllowedError(CountersignError):
    """409 on resend: the send attempts are spent, or the channel cannot be used. Start a new verification."""


class RateLimitError(CountersignError):
    """429: a limit. The same call may pass after `retry_after` seconds."""

    @property
    def scope(self) -> Optional[str]:
        """Which limit it was; None if something in between refused, and not the service."""
        scope = self.details.get("scope")
        return scope if isinstance(scope, str) else None


class ResendCooldownError(CountersignError):
    """429 on resend: possible again after `retry_after` seconds."""


class OtpNotFoundError(CountersignError):
    """404: the app has no such verification."""


class OtpNotPendingError(CountersignError):
    """409: the verification is over."""

    @property
    def otp_status(self) -> Optional[str]:
        """`approved`, `failed` or `expired`."""
        return self.details.get("otp_status")


class CodeNotExpectedError(CountersignError):
    """409 on verify: the person's WhatsApp message finishes this one."""


class TokenNotFoundError(CountersignError):
    """404 on exchange: the token proves nothing. Do not retry; let the person verify again."""


class UnavailableError(CountersignError):
    """502, 503 or 504, after the retries: the service is away for now."""


class ConnectionFailedError(CountersignError):
    """No answer, after the retries: whether the call took effect is not known."""


class TimedOutError(ConnectionFailedError):
    """No answer within the timeout, after the retries: whether the call took effect is not known."""

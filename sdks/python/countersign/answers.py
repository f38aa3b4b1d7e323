"""The answers of the service."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Mapping, Optional, Sequence


@dataclass(frozen=True)
class Verification:
    otp_id: str
    status: str
    """`pending`, `approved`, `failed` or `expired`."""
    channel: str
    """`sms`, `whatsapp`, `telegram` or `email`."""
    masked_recipient: str
    """May be logged and shown."""
    action_url: Optional[str]
    """A `wa.me` link for the person to open, in the two WhatsApp link modes; otherwise None."""
    completion: str
    """`code`: the person types a code. `inbound`: their WhatsApp message approves, and there is no code."""


@dataclass(frozen=True)
class VerifyResult:
    otp_id: str
    status: str
    matched: bool
    """Whether the code was right. A wrong code is a result, not an error."""
    channel: str
    attempts_remaining: int
    verified_at: Optional[str]
    verification_token: Optional[str]
    """Always None with a server key: only devices get tokens."""
    proof: Optional[str] = None
    """On a match, a JWT that any service can check. Only if the app has turned proofs on."""


@dataclass(frozen=True)
class Delivery:
    delivery_id: str
    channel: str
    status: str
    """`queued`, `sent`, `delivered` or `failed`."""
    created_at: str
    updated_at: str
    attempts: int = 0
    error: Optional[Mapping[str, str]] = None
    """`code` and `message`, if the message failed."""


@dataclass(frozen=True)
class VerificationDetails(Verification):
    recipient_type: str
    created_at: str
    expires_at: str
    verified_at: Optional[str]
    attempts_remaining: int
    sends_remaining: int
    resend_available_at: Optional[str]
    """None when no resend can follow."""
    deliveries: Sequence[Delivery]
    """Oldest first."""


@dataclass(frozen=True)
class ProvenRecipient:
    """Proof that a person controls `recipient`."""

    otp_id: str
    recipient: str
    """In full: an E.164 phone number or an email address."""
    recipient_type: str
    """`phone` or `email`."""
    channel: str
    verified_at: str

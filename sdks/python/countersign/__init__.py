"""A client of Countersign for Python backends: start a verification, check a code, exchange a token, check webhooks.

It needs only the standard library of Python 3.9 or newer. Copy this folder beside your code, or install the outer one.

    from countersign import Countersign

    countersign = Countersign(os.environ["COUNTERSIGN_KEY"], base_url="https://codes.example.com")
    sent = countersign.send("+44 7400 123456", client_ip=request.remote_addr)
    if countersign.verify(sent.otp_id, code).matched: ...
"""

from ._transport import logger
from ._version import __version__
from .answers import Delivery, ProvenRecipient, Verification, VerificationDetails, VerifyResult
from .client import Countersign
from .errors import (
    AppPausedError,
    AuthenticationError,
    CodeNotExpectedError,
    ConnectionFailedError,
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
    TimedOutError,
    TokenNotFoundError,
    UnavailableError,
    ValidationError,
)
from .webhooks import WebhookEvent, WebhookVerificationError, sign_test_payload, verify_webhook

__all__ = [
    "AppPausedError",
    "AuthenticationError",
    "CodeNotExpectedError",
    "ConnectionFailedError",
    "Countersign",
    "CountersignError",
    "Delivery",
    "GeoBlockedError",
    "InsufficientFundsError",
    "InvalidRecipientError",
    "IpReputationBlockedError",
    "NoEnabledChannelError",
    "OtpNotFoundError",
    "OtpNotPendingError",
    "ProvenRecipient",
    "RateLimitError",
    "RecipientBlockedError",
    "ResendCooldownError",
    "ResendNotAllowedError",
    "RuleBlockedError",
    "TimedOutError",
    "TokenNotFoundError",
    "UnavailableError",
    "ValidationError",
    "Verification",
    "VerificationDetails",
    "VerifyResult",
    "WebhookEvent",
    "WebhookVerificationError",
    "__version__",
    "logger",
    "sign_test_payload",
    "verify_webhook",
]

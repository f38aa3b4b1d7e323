"""Countersign from a Python backend: start a verification, check a code, exchange a device's token, check webhooks.

The standard library alone, Python 3.9 or newer. Copy this folder beside your code, or install the one around it.

    from countersign import Countersign

    countersign = Countersign(os.environ["COUNTERSIGN_KEY"], base_url="https://codes.example.com")
    sent = countersign.send("+44 7400 123456", client_ip=request.remote_addr)
    if countersign.verify(sent.otp_id, code).matched: ...
"""

from __future__ import annotations

import dataclasses
import hashlib
import hmac
import http.client
import json
import logging
import random
import re
import secrets
import socket
import time
import unicodedata
import urllib.error
import urllib.parse
import urllib.request
import uuid
from dataclasses import dataclass, field
from typing import Any, Callable, Mapping, NoReturn, Optional, Sequence, Type, TypeVar, Union

__version__ = "0.1.0"

logger = logging.getLogger("countersign")
"""Hears of every attempt at the level DEBUG. It is told no key, no code and no recipient."""

# ---------------------------------------------------------------- what the service answers


@dataclass(frozen=True)
class Verification:
    otp_id: str
    status: str
    """`pending`, `approved`, `failed` or `expired`."""
    channel: str
    """`sms`, `whatsapp`, `telegram` or `email`."""
    masked_recipient: str
    """Good to log and to show."""
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
    """Always None with a server key: only devices are given tokens."""
    proof: Optional[str] = None
    """A JWT that any service can check, on a match. Only where the app has turned proofs on."""


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
    """`code` and `message`, where it failed."""


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


@dataclass(frozen=True)
class WebhookEvent:
    id: str
    """The same on every redelivery: remember the ones you have handled."""
    type: str
    """`otp.approved`, `otp.failed`, `delivery.delivered`, `delivery.failed`. Leave alone what you do not know."""
    payload: Mapping[str, Any]
    """`otp_id`, `status`, and `delivery_id` for the types of deliveries."""


# ---------------------------------------------------------------- errors


@dataclass(frozen=True)
class _Facts:
    type: str
    message: str
    status: Optional[int]
    request_id: str
    details: Mapping[str, Any] = field(default_factory=dict)
    retry_after: Optional[int] = None


class CountersignError(Exception):
    """Every error of a call. Catch the class that you have an answer to."""

    def __init__(self, facts: _Facts) -> None:
        super().__init__(facts.message)
        self._facts = facts
        self.type = facts.type
        """The `type` of the API's error body; where no answer came, the name of the class."""
        self.message = facts.message
        self.status = facts.status
        """The HTTP status; None where no answer came."""
        self.request_id = facts.request_id
        """Leads to this call in the service's log, also when no answer came."""
        self.details = facts.details
        """As the service sent it."""
        self.retry_after = facts.retry_after
        """Seconds, where the service said so."""

    def __reduce__(self) -> Any:
        # Queues of tasks hand errors from process to process.
        return type(self), (self._facts,)


class ValidationError(CountersignError):
    """422: fix the call. `fields` says where."""

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
    """403: somebody has paused the app. What is pending goes on."""


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
        """Whose limit; None when it was not the service that refused but something in between."""
        scope = self.details.get("scope")
        return scope if isinstance(scope, str) else None


class ResendCooldownError(CountersignError):
    """429 on resend: possible again after `retry_after` seconds."""


class OtpNotFoundError(CountersignError):
    """404: no such verification in this app."""


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

# ---------------------------------------------------------------- the client

_Answer = TypeVar("_Answer")

_FIRST_DELAY_S = 0.25
_LONGEST_DELAY_S = 4.0
# Somebody waits for the answer: a longer wait is the caller's decision.
_LONGEST_OBEYED_RETRY_AFTER_S = 5
_LONGEST_TIMEOUT_S = 600.0
_MOST_RETRIES = 10
_LARGEST_ANSWER_BYTES = 1_048_576


class Countersign:
    """The service, as your backend sees it. Make one and keep it: threads may share it."""

    def __init__(self, key: str, *, base_url: str, timeout: float = 10.0, max_retries: int = 2) -> None:
        """key: a server key, `otp_sk_…`. timeout: seconds that one attempt may take."""
        problem, self._authorization = _problem_of(key), _bearer(key)
        # What reports errors with their variables would report it, also another secret that was passed by mistake.
        del key
        if problem:
            raise ValueError(problem)
        self._base_url = _address(base_url)
        self._timeout, self._max_retries = _pace(timeout, max_retries)
        self._sleep: Callable[[float], None] = time.sleep
        # Also leaves redirects alone: one would turn POST into GET, or carry the key elsewhere.
        self._opener = urllib.request.build_opener(_NoRedirects)

    def send(
        self,
        recipient: str,
        *,
        client_ip: Optional[str] = None,
        locale: Optional[str] = None,
        idempotency_key: Optional[str] = None,
        timeout: Optional[float] = None,
        max_retries: Optional[int] = None,
    ) -> Verification:
        """Starts a verification. The app's routing chooses the channel.

        recipient: an E.164 phone number (`+` and digits) or an email address; blanks, dashes, dots and brackets
        are taken out. client_ip: address of the person, not of your server; without it all sends of the app share
        a tight limit. idempotency_key: the same key within 24 hours gets the first answer again and sends nothing,
        whatever the recipient. Make it from something random in the form, and the recipient. Made up when empty.
        """
        # An empty one too: the service takes it for none, and a retry would send twice.
        key = idempotency_key or str(uuid.uuid4())
        if not re.fullmatch(r"[\x21-\x7e]*", key):
            raise ValueError("idempotency_key must be ASCII, without spaces.")
        body = {"recipient": _recipient(recipient), "locale": locale, "client_ip": client_ip}
        call = _Call("POST", "/otp/send", body, {"Idempotency-Key": key})
        return self._call(Verification, call, timeout, max_retries)

    def resend(
        self, otp_id: str, *, channel: Optional[str] = None, timeout: Optional[float] = None
    ) -> Verification:
        """Sends again on the next channel, or on a named one. Never retried by itself: it might send twice."""
        call = _Call("POST", "/otp/resend", {"otp_id": otp_id, "channel": channel}, is_repeatable=False)
        return self._call(Verification, call, timeout, None)

    def verify(
        self,
        otp_id: str,
        code: str,
        *,
        timeout: Optional[float] = None,
        max_retries: Optional[int] = None,
    ) -> VerifyResult:
        """Checks a code. A wrong one is a result: look at `matched`. Blanks and dashes are taken out."""
        # The service answers a repeated right code as it did the first time.
        call = _Call("POST", "/otp/verify", {"otp_id": otp_id, "code": _code(code)})
        return self._call(VerifyResult, call, timeout, max_retries)

    def get(
        self, otp_id: str, *, timeout: Optional[float] = None, max_retries: Optional[int] = None
    ) -> VerificationDetails:
        """Looks a verification up."""
        call = _Call("GET", "/otp/" + urllib.parse.quote(otp_id, safe=""))
        return self._call(VerificationDetails, call, timeout, max_retries)

    def exchange(
        self,
        verification_token: str,
        *,
        timeout: Optional[float] = None,
        max_retries: Optional[int] = None,
    ) -> ProvenRecipient:
        """Exchanges a device's token for the recipient that it proves. This is the only proof: what a device says
        of itself, it can be made to say. The same key may repeat it."""
        call = _Call("POST", "/verifications/exchange", {"verification_token": verification_token})
        try:
            return self._call(ProvenRecipient, call, timeout, max_retries)
        except CountersignError as error:
            # The API gives a bad token no type of its own.
            if error.status == 404 and error.type == "HTTPException":
                raise TokenNotFoundError(error._facts) from None
            raise

    def _call(
        self, kind: Type[_Answer], call: _Call, timeout: Optional[float], max_retries: Optional[int]
    ) -> _Answer:
        timeout, most = _pace(
            self._timeout if timeout is None else timeout,
            self._max_retries if max_retries is None else max_retries,
        )
        request_id = "req_" + secrets.token_hex(16)
        retries = 0
        while True:
            try:
                answer = self._attempt(kind, call, timeout, request_id)
                logger.debug("%s %s %s: answered", call.method, call.path, request_id)
                return answer
            except CountersignError as error:
                logger.debug("%s %s %s: %s", call.method, call.path, request_id, error.type)
                if retries >= most or not _is_worth_repeating(call, error):
                    raise
                delay = _delay(error, retries)
            self._sleep(delay)
            retries += 1

    def _attempt(self, kind: Type[_Answer], call: _Call, timeout: float, request_id: str) -> _Answer:
        answered: Union[tuple[int, Mapping[str, str], bytes], BaseException]
        try:
            answered = self._exchange(call, timeout, request_id)
        except BaseException as error:
            # Their frames hold the headers, and what reports errors with their variables would report the key.
            answered = _bare(error)
        # Raised out here, or the failure would go along as the context of what is raised, frames and all.
        if isinstance(answered, BaseException):
            self._fail(answered, timeout, request_id)
        status, headers, body = answered
        parsed = _parse(body)
        if not 200 <= status < 300:
            _refuse(status, headers, parsed, request_id)
        answer = _read(kind, parsed)
        if answer is None:
            raise CountersignError(_Facts("UnexpectedAnswer", _unexpected(status), status, request_id))
        return answer

    def _exchange(self, call: _Call, timeout: float, request_id: str) -> tuple[int, Mapping[str, str], bytes]:
        deadline = time.monotonic() + timeout
        with self._open(call, timeout, request_id) as response:
            return response.status, response.headers, _read_all(response, deadline)

    def _open(self, call: _Call, timeout: float, request_id: str) -> Any:
        headers = {
            "Accept": "application/json",
            "Authorization": self._authorization(),
            "User-Agent": "countersign-python/" + __version__,
            "X-Request-Id": request_id,
            **call.headers,
        }
        data = None
        if call.body is not None:
            headers["Content-Type"] = "application/json"
            data = json.dumps({name: value for name, value in call.body.items() if value is not None}).encode()
        url = self._base_url + "/api/v1" + call.path
        request = urllib.request.Request(url, data=data, headers=headers, method=call.method)
        try:
            return self._opener.open(request, timeout=timeout)
        except urllib.error.HTTPError as refusal:
            return refusal

    def _fail(self, failure: BaseException, timeout: float, request_id: str) -> NoReturn:
        if isinstance(failure, urllib.error.URLError) and isinstance(failure.reason, Exception):
            failure = _bare(failure.reason)
        if isinstance(failure, (socket.timeout, TimeoutError)):
            raise TimedOutError(self._no_answer("TimedOutError", request_id, timeout))
        if isinstance(failure, (OSError, http.client.HTTPException)):
            raise ConnectionFailedError(self._no_answer("ConnectionFailedError", request_id)) from failure
        # Somebody interrupts, or a bug.
        raise failure

    def _no_answer(self, kind: str, request_id: str, timeout: Optional[float] = None) -> _Facts:
        within = "" if timeout is None else f" within {timeout:g} s"
        return _Facts(kind, f"No answer from {self._base_url}{within}.", None, request_id)


@dataclass(frozen=True)
class _Call:
    method: str
    path: str
    body: Optional[Mapping[str, Any]] = field(default=None, repr=False)
    headers: Mapping[str, str] = field(default_factory=dict, repr=False)
    is_repeatable: bool = True
    """Whether making it twice is the same as making it once."""


class _NoRedirects(urllib.request.HTTPRedirectHandler):
    def redirect_request(self, *args: Any, **kwargs: Any) -> None:
        return None


def _bare(error: BaseException) -> BaseException:
    """Without the frames that it, or what it came of, has gone through."""
    error.__cause__ = error.__context__ = None
    return error.with_traceback(None)


def _bearer(key: str) -> Callable[[], str]:
    """Inside a function, so that neither printing a client nor pickling it shows the key."""
    return lambda: "Bearer " + key


def _problem_of(key: object) -> Optional[str]:
    if isinstance(key, str) and re.fullmatch(r"otp_sk_[\x21-\x7e]+", key):
        return None
    if isinstance(key, str) and key.startswith("otp_pk_"):
        return "This is a publishable key, for devices. A backend needs a server key (otp_sk_…)."
    return "Pass a server key (otp_sk_…) to Countersign(key, base_url=…)."


def _address(base_url: object) -> str:
    """Also of the address that the API's reference shows, which ends in `/api/v1`."""
    # A variable that was not set must not send the key to whatever is found instead.
    if not isinstance(base_url, str) or not re.fullmatch(r"https?://[^/:?#@\\\s][^?#@\\\s]*", base_url):
        raise ValueError("base_url must be http:// or https:// and a host, without password, query or fragment.")
    trimmed = base_url.rstrip("/")
    return trimmed[: -len("/api/v1")].rstrip("/") if trimmed.endswith("/api/v1") else trimmed


def _pace(timeout: float, max_retries: int) -> tuple[float, int]:
    if not 0 < timeout <= _LONGEST_TIMEOUT_S:
        raise ValueError(f"timeout must be more than 0 and at most {_LONGEST_TIMEOUT_S:g} seconds.")
    if not 0 <= max_retries <= _MOST_RETRIES:
        raise ValueError(f"max_retries must be from 0 to {_MOST_RETRIES}.")
    return timeout, max_retries


# Blanks of every kind, and what is put between digits to read them better.
_SEPARATORS = re.compile(r"[\s\u200b-\u200f\u2060\ufeff().\-\u2010-\u2015/]")


def _recipient(written: str) -> str:
    """What cannot be read is left as it is, for the service to judge. `+44 (0) 7400` stays wrong: which digits to
    leave out is not for us to guess."""
    if not isinstance(written, str):
        raise TypeError("recipient must be a string.")
    trimmed = written.strip()
    if "@" in trimmed:
        return trimmed
    digits = _SEPARATORS.sub("", _in_ascii(trimmed))
    return digits if re.fullmatch(r"\+[0-9]+", digits) else trimmed


def _code(written: str) -> str:
    if not isinstance(written, str):
        raise TypeError("code must be a string: a number has lost its leading zeros.")
    return re.sub(r"[\s-]", "", _in_ascii(written))


def _in_ascii(text: str) -> str:
    """Digits of other scripts, and what input methods make full-width."""
    return re.sub(r"\d", lambda digit: str(unicodedata.decimal(digit.group())), unicodedata.normalize("NFKC", text))


def _is_worth_repeating(call: _Call, error: CountersignError) -> bool:
    if not call.is_repeatable:
        return False
    if isinstance(error, ConnectionFailedError):
        return True
    # Away for a moment, or at a limit that is about to let this through, unless the moment is said to be long.
    if isinstance(error, (UnavailableError, RateLimitError)):
        return (error.retry_after or 0) <= _LONGEST_OBEYED_RETRY_AFTER_S
    # Everything else is an answer: refusals, bugs. The same question gets it again.
    return False


def _delay(error: CountersignError, retries: int) -> float:
    """Doubling, with a random half so that callers who failed together do not return together."""
    if error.retry_after:
        return error.retry_after + random.random() * _FIRST_DELAY_S
    return min(_FIRST_DELAY_S * 2.0**retries, _LONGEST_DELAY_S) * (0.5 + random.random() / 2)


def _read_all(response: Any, deadline: float) -> bytes:
    """The timeout of a socket begins anew with every byte, so the whole is held to the deadline here."""
    chunks: list[bytes] = []
    length = 0
    while True:
        chunk = response.read1(65_536)
        if time.monotonic() > deadline:
            raise TimeoutError
        if not chunk:
            break
        chunks.append(chunk)
        length += len(chunk)
        if length > _LARGEST_ANSWER_BYTES:
            # No answer of the service is so long, and nobody waits for the end of what nobody reads.
            return b""
    declared = response.headers.get("Content-Length", "")
    if declared.isdecimal() and length < int(declared):
        raise http.client.IncompleteRead(b"")
    return b"".join(chunks)


def _parse(body: bytes) -> Any:
    try:
        return json.loads(body)
    except (ValueError, RecursionError):
        return None


def _refuse(status: int, headers: Mapping[str, str], answer: Any, request_id: str) -> NoReturn:
    answer = answer if isinstance(answer, dict) else {}
    error = answer.get("error")
    error = error if isinstance(error, dict) else {}
    kind, message, details = error.get("type"), error.get("message"), error.get("details")
    known_id = answer.get("request_id")
    # Only whole seconds: the service sends no dates.
    seconds = headers.get("Retry-After") or ""
    facts = _Facts(
        type=kind if isinstance(kind, str) else "UnexpectedAnswer",
        message=message if isinstance(message, str) else _unexpected(status),
        status=status,
        request_id=known_id if isinstance(known_id, str) else request_id,
        details=details if isinstance(details, dict) else {},
        retry_after=int(seconds) if re.fullmatch(r"[0-9]{1,9}", seconds) else (1 if status == 429 else None),
    )
    raise _class_of(facts)(facts)


def _class_of(facts: _Facts) -> Type[CountersignError]:
    if facts.status in (502, 503, 504):
        return UnavailableError
    if facts.status == 429 and facts.type != "ResendCooldownError":
        return RateLimitError
    if facts.status == 401:
        return AuthenticationError
    if facts.type == "InvalidIdempotencyKeyError":
        return ValidationError
    return _BY_TYPE.get(facts.type, CountersignError)


def _unexpected(status: int) -> str:
    """Not an answer of the service: a proxy's page, a redirect, another program at this address."""
    what = "a redirect" if 300 <= status < 400 else "not one of Countersign"
    return f"The answer was {what} ({status}). Is base_url right?"


# By what the fields of answers are declared to be.
_KINDS: Mapping[str, tuple[type, ...]] = {
    "str": (str,),
    "Optional[str]": (str, type(None)),
    "bool": (bool,),
    "int": (int,),
    "Sequence[Delivery]": (list,),
    "Optional[Mapping[str, str]]": (dict, type(None)),
}


def _read(kind: Type[_Answer], answer: Any) -> Optional[_Answer]:
    """None where something is missing that is promised: what answers may be another program. Fields and words that are
    newer than this file are let through."""
    if not isinstance(answer, dict):
        return None
    values: dict[str, Any] = {}
    for one in dataclasses.fields(kind):  # type: ignore[arg-type]
        if one.name not in answer and one.default is not dataclasses.MISSING:
            continue
        value: Any = answer.get(one.name, dataclasses.MISSING)
        is_of_kind = isinstance(value, _KINDS[str(one.type)])
        if not is_of_kind:
            return None
        if one.type == "Sequence[Delivery]":
            value = [_read(Delivery, part) for part in value]
            if None in value:
                return None
        values[one.name] = value
    return kind(**values)


# ---------------------------------------------------------------- webhooks

_SIGNATURE = "x-webhook-signature"
# For a day after a rotation, for receivers that still hold the old secret.
_PREVIOUS_SIGNATURE = "x-webhook-signature-previous"
_TIMESTAMP = "x-webhook-timestamp"


class WebhookVerificationError(Exception):
    """Answer 400 and do nothing else."""

    def __init__(self, reason: str, message: str) -> None:
        super().__init__(message)
        self.reason = reason
        """`missing_header`, `stale`, `mismatch` or `malformed`."""

    def __reduce__(self) -> Any:
        return type(self), (self.reason, str(self))


def verify_webhook(
    raw_body: bytes,
    headers: Mapping[str, str],
    secret: Union[str, Sequence[str]],
    *,
    tolerance_seconds: float = 300,
) -> WebhookEvent:
    """Returns the event if its signature holds for the secret, or for one of several.

    raw_body: exactly the bytes that arrived; JSON that was parsed and written again has another signature.
    headers: those of your framework, whatever the case of their names. Raises WebhookVerificationError.
    """
    if not isinstance(raw_body, (bytes, bytearray, memoryview)):
        raise TypeError("Pass the raw body, before any JSON parsing: bytes.")
    keys = _secrets(secret)
    timestamp = _header(headers, _TIMESTAMP)
    signatures = [one for one in (_header(headers, _SIGNATURE), _header(headers, _PREVIOUS_SIGNATURE)) if one]
    if timestamp is None or not signatures:
        raise WebhookVerificationError("missing_header", "The request has no signature.")
    is_time = re.fullmatch(r"[0-9]{1,12}", timestamp)
    if not is_time or abs(time.time() - int(timestamp)) > tolerance_seconds:
        raise WebhookVerificationError("stale", "The timestamp is not a recent one.")
    body = bytes(raw_body)
    # All of them, whichever matches: the time taken says nothing.
    matches = [
        hmac.compare_digest(_sign(key, timestamp, body).encode(), signature.lower().encode(errors="replace"))
        for key in keys
        for signature in signatures
    ]
    if True not in matches:
        raise WebhookVerificationError("mismatch", "No secret matches the signature of this body.")
    event = _parse(body)
    if not isinstance(event, dict) or not isinstance(event.get("payload"), dict):
        raise WebhookVerificationError("malformed", "The body is not an event.")
    if not isinstance(event.get("id"), str) or not isinstance(event.get("type"), str):
        raise WebhookVerificationError("malformed", "The body is not an event.")
    return WebhookEvent(event["id"], event["type"], event["payload"])


def sign_test_payload(event: WebhookEvent, secret: str) -> tuple[bytes, dict[str, str]]:
    """A request as the service would send it, for the tests of your endpoint: its body and its headers."""
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
    # An unset environment variable must not become a key that everybody knows.
    if not keys or not all(isinstance(one, str) and one for one in keys):
        raise ValueError("Pass the signing secret (whsec_…), or a list of them.")
    return keys


def _header(headers: Mapping[str, str], name: str) -> Optional[str]:
    values = [value for key, value in headers.items() if key.lower() == name]
    # One that came twice is not to be trusted.
    return values[0] if len(values) == 1 and isinstance(values[0], str) else None

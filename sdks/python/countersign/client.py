"""The calls that a backend makes."""

from __future__ import annotations

import re
import urllib.parse
import uuid
from typing import Optional, Type

from ._read import Answer
from ._settings import address_of, bearer, pace_of, problem_of
from ._transport import Call, Transport
from ._written import code_of, recipient_of
from .answers import ProvenRecipient, Verification, VerificationDetails, VerifyResult
from .errors import CountersignError, TokenNotFoundError


class Countersign:
    """A client of the service, for your backend. Make one and keep it: threads may share it."""

    def __init__(self, key: str, *, base_url: str, timeout: float = 10.0, max_retries: int = 2) -> None:
        """key: a server key, `otp_sk_…`. timeout: seconds that one attempt may take."""
        problem, authorization = problem_of(key), bearer(key)
        # An error reporter that shows variables would show the key, or another secret that was passed by mistake.
        del key
        if problem:
            raise ValueError(problem)
        self._timeout, self._max_retries = pace_of(timeout, max_retries)
        self._transport = Transport(address_of(base_url), authorization)

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
        are removed. client_ip: address of the person, not of your server; without it all sends of the app share
        a tight limit. idempotency_key: the same key within 24 hours gets the first answer again and sends nothing,
        whatever the recipient. Make it from a random id of the form and the recipient. If empty, one is generated.
        """
        # An empty one is replaced too: the service treats it as none, and a retry would send twice.
        key = idempotency_key or str(uuid.uuid4())
        if not re.fullmatch(r"[\x21-\x7e]*", key):
            raise ValueError("idempotency_key must be ASCII, without spaces.")
        body = {"recipient": recipient_of(recipient), "locale": locale, "client_ip": client_ip}
        call = Call("POST", "/otp/send", body, {"Idempotency-Key": key})
        return self._call(Verification, call, timeout, max_retries)

    def resend(
        self, otp_id: str, *, channel: Optional[str] = None, timeout: Optional[float] = None
    ) -> Verification:
        """Sends again on the next channel, or on a named one. Never retried by itself: it might send twice."""
        call = Call("POST", "/otp/resend", {"otp_id": otp_id, "channel": channel}, is_repeatable=False)
        return self._call(Verification, call, timeout, None)

    def verify(
        self,
        otp_id: str,
        code: str,
        *,
        timeout: Optional[float] = None,
        max_retries: Optional[int] = None,
    ) -> VerifyResult:
        """Checks a code. A wrong code is a result: look at `matched`. A code of another length is a ValidationError.
        Blanks and dashes are removed."""
        # The service answers a repeated right code as it did the first time.
        call = Call("POST", "/otp/verify", {"otp_id": otp_id, "code": code_of(code)})
        return self._call(VerifyResult, call, timeout, max_retries)

    def get(
        self, otp_id: str, *, timeout: Optional[float] = None, max_retries: Optional[int] = None
    ) -> VerificationDetails:
        """Looks a verification up."""
        # Dots alone would lead to another call, if a proxy resolves them as the parent path.
        if not isinstance(otp_id, str) or otp_id in ("", ".", ".."):
            raise ValueError("otp_id is missing, or is no id.")
        call = Call("GET", "/otp/" + urllib.parse.quote(otp_id, safe=""))
        return self._call(VerificationDetails, call, timeout, max_retries)

    def exchange(
        self,
        verification_token: str,
        *,
        timeout: Optional[float] = None,
        max_retries: Optional[int] = None,
    ) -> ProvenRecipient:
        """Exchanges a device's token for the recipient that it proves. This is the only proof: a device can be made
        to say anything. The same key may repeat the call."""
        call = Call("POST", "/verifications/exchange", {"verification_token": verification_token})
        try:
            return self._call(ProvenRecipient, call, timeout, max_retries)
        except CountersignError as error:
            # The API has no error type for a bad token.
            if error.status == 404 and error.type == "HTTPException":
                raise TokenNotFoundError(error._facts) from None
            raise

    def _call(
        self, kind: Type[Answer], call: Call, timeout: Optional[float], max_retries: Optional[int]
    ) -> Answer:
        timeout, max_retries = pace_of(
            self._timeout if timeout is None else timeout,
            self._max_retries if max_retries is None else max_retries,
        )
        return self._transport.call(kind, call, timeout, max_retries)

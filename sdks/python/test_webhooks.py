"""Genuine webhooks and others."""

import hashlib
import hmac
import time
import typing
import unittest

import countersign as sdk


class Webhooks(unittest.TestCase):
    secret = "whsec_of_the_test"
    event = sdk.WebhookEvent("evt_1", "otp.approved", {"otp_id": "otp_1", "status": "approved"})

    def reason(self, *args, **options):
        with self.assertRaises(sdk.WebhookVerificationError) as caught:
            sdk.verify_webhook(*args, **options)
        return caught.exception.reason

    def test_what_the_service_signed_is_an_event_and_nothing_else_is(self):
        body, headers = sdk.sign_test_payload(self.event, self.secret)
        self.assertEqual(sdk.verify_webhook(body, headers, self.secret), self.event)
        lower = {name.lower(): value for name, value in headers.items()}
        self.assertEqual(sdk.verify_webhook(body, lower, ["whsec_other", self.secret]), self.event)
        rotated = {**headers, "X-Webhook-Signature-Previous": headers["X-Webhook-Signature"], "X-Webhook-Signature": "a" * 64}
        self.assertEqual(sdk.verify_webhook(body, rotated, self.secret), self.event)
        self.assertEqual(self.reason(body + b" ", headers, self.secret), "mismatch")
        self.assertEqual(self.reason(body, headers, "whsec_other"), "mismatch")
        self.assertEqual(self.reason(body, {**headers, "x-webhook-signature": "a"}, self.secret), "missing_header")
        self.assertEqual(self.reason(body, {}, self.secret), "missing_header")
        self.assertEqual(self.reason(body, {**headers, "X-Webhook-Signature": ""}, self.secret), "mismatch")
        # How servers pass on bytes that are not text.
        self.assertEqual(self.reason(body, {**headers, "X-Webhook-Signature": "\udcff"}, self.secret), "mismatch")
        for timestamp in ("1700000000", "soon", "١٢٣"):
            self.assertEqual(self.reason(body, {**headers, "X-Webhook-Timestamp": timestamp}, self.secret), "stale")

    def test_headers_need_not_be_a_mapping_since_those_of_flask_are_not(self):
        body, headers = sdk.sign_test_payload(self.event, self.secret)
        pairs = tuple(headers.items())

        class Headers:
            def items(self):
                return iter(pairs)

        self.assertIsInstance(Headers(), typing.get_type_hints(sdk.verify_webhook)["headers"])
        self.assertEqual(sdk.verify_webhook(body, Headers(), self.secret), self.event)

    def test_a_body_that_is_signed_but_no_event_is_malformed(self):
        now = str(int(time.time()))
        for body in (b"", b"[]", b'{"id": "evt_1", "type": "otp.approved"}'):
            signature = hmac.new(self.secret.encode(), now.encode() + b"." + body, hashlib.sha256).hexdigest()
            headers = {"X-Webhook-Timestamp": now, "X-Webhook-Signature": signature}
            self.assertEqual(self.reason(body, headers, self.secret), "malformed")

    def test_a_missing_secret_and_a_parsed_body_are_refused(self):
        body, headers = sdk.sign_test_payload(self.event, self.secret)
        for secret in ("", None, [], [""], self.secret + "\n", " " + self.secret):
            with self.assertRaisesRegex(ValueError, "alone.*line break"):
                sdk.verify_webhook(body, headers, secret)
        self.assertRaises(TypeError, sdk.verify_webhook, body.decode(), headers, self.secret)

"""The client against a service, if COUNTERSIGN_URL names one."""

import contextlib
import io
import json
import os
import re
import time
import unittest
import urllib.parse
import urllib.request

import countersign as sdk
from scripted import HERE, PHONE


@unittest.skipUnless(os.environ.get("COUNTERSIGN_URL"), "COUNTERSIGN_URL names no service")
class Service(unittest.TestCase):
    def setUp(self):
        stage = os.environ
        self.client = sdk.Countersign(stage["COUNTERSIGN_KEY"], base_url=stage["COUNTERSIGN_URL"])

    def code(self, recipient, channel):
        url = os.environ["SIMULATOR_URL"] + "/messages?to=" + urllib.parse.quote(recipient)
        deadline = time.monotonic() + 30
        while time.monotonic() < deadline:
            with urllib.request.urlopen(url) as response:
                texts = [one["text"] for one in json.load(response) if one["channel"] == channel]
            if texts:
                return re.search(r"\d{6}", texts[-1]).group()
            time.sleep(0.05)
        self.fail("no message came")

    def test_a_verification_from_the_send_to_the_right_code(self):
        recipient = os.environ["RECIPIENT"]
        spaced = f" {recipient[:3]} {recipient[3:]} "
        key = "python-" + recipient
        sent = self.client.send(spaced, client_ip="81.2.69.142", locale="en", idempotency_key=key)
        self.assertEqual((sent.status, sent.channel, sent.completion, sent.action_url), ("pending", "sms", "code", None))
        self.assertEqual(self.client.send(recipient, idempotency_key=key), sent)
        self.assertEqual(self.client.resend(sent.otp_id, channel="telegram").channel, "telegram")
        code = self.code(recipient, "telegram")
        wrong = self.client.verify(sent.otp_id, "000001" if code == "000000" else "000000")
        self.assertEqual((wrong.matched, wrong.status, wrong.attempts_remaining), (False, "pending", 4))
        right = self.client.verify(sent.otp_id, f"{code[:3]} {code[3:]}")
        self.assertEqual((right.matched, right.status, right.verification_token), (True, "approved", None))
        details = self.client.get(sent.otp_id)
        self.assertEqual([one.channel for one in details.deliveries], ["sms", "telegram"])
        self.assertEqual((details.recipient_type, details.status), ("phone", "approved"))

    def test_the_programs_of_the_readme_do_what_they_say(self):
        text = (HERE / "README.md").read_text()
        programs = re.findall(r"^```python\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)
        webhook = json.loads(os.environ["WEBHOOK"])
        os.environ["WEBHOOK_SECRET"] = webhook["secret"]
        readme = {}
        for program in programs:
            alone = {}
            exec(program, alone)
            readme.update(alone)
        started = readme["start"]("form", os.environ["README_RECIPIENT"], "81.2.69.142")
        self.assertEqual(readme["start"]("form", os.environ["README_RECIPIENT"], "81.2.69.142"), started)
        otp_id = started["otp_id"]
        for mistyped in ("12345", "1234567", "", "code"):
            self.assertIs(readme["finish"](otp_id, mistyped), False)
        self.assertTrue(readme["finish"](otp_id, self.code(os.environ["README_RECIPIENT"], "sms")))
        self.assertEqual(readme["sign_up"](os.environ["VERIFICATION_TOKEN"]), os.environ["TOKEN_RECIPIENT"])
        self.assertIsNone(readme["sign_up"]("otp_vt_unknown"))
        with contextlib.redirect_stdout(io.StringIO()) as printed:
            self.assertEqual(readme["webhook"](webhook["rawBody"].encode(), webhook["headers"]), 204)
        self.assertIn("evt_", printed.getvalue())
        self.assertEqual(readme["webhook"](b"{}", webhook["headers"]), 400)

    def test_a_cooldown_says_how_long_it_is(self):
        cooling = sdk.Countersign(os.environ["COOLING_KEY"], base_url=os.environ["COUNTERSIGN_URL"])
        sent = cooling.send(os.environ["RECIPIENT"])
        with self.assertRaises(sdk.ResendCooldownError) as caught:
            cooling.resend(sent.otp_id)
        self.assertTrue(0 < caught.exception.retry_after <= 60)

    def test_a_token_is_proof_and_an_unknown_one_is_none(self):
        proven = self.client.exchange(os.environ["VERIFICATION_TOKEN"])
        self.assertEqual((proven.recipient, proven.recipient_type), (os.environ["TOKEN_RECIPIENT"], "phone"))
        self.assertEqual(self.client.exchange(os.environ["VERIFICATION_TOKEN"]), proven)
        self.assertRaises(sdk.TokenNotFoundError, self.client.exchange, "otp_vt_unknown")

    def test_refusals_have_classes_of_their_own(self):
        self.assertRaises(sdk.InvalidRecipientError, self.client.send, "12")
        self.assertRaises(sdk.NoEnabledChannelError, self.client.send, "ada@example.com")
        self.assertRaises(sdk.OtpNotFoundError, self.client.get, "otp_unknown")
        with self.assertRaises(sdk.ValidationError) as caught:
            self.client.send(PHONE, client_ip="here")
        self.assertEqual(caught.exception.fields[0]["path"], "client_ip")
        stranger = sdk.Countersign("otp_sk_unknown", base_url=os.environ["COUNTERSIGN_URL"])
        self.assertRaises(sdk.AuthenticationError, stranger.get, "otp_unknown")

    def test_a_webhook_of_the_service_is_genuine(self):
        webhook = json.loads(os.environ["WEBHOOK"])
        event = sdk.verify_webhook(webhook["rawBody"].encode(), webhook["headers"], webhook["secret"])
        self.assertEqual((event.type, event.payload["status"]), ("otp.approved", "approved"))

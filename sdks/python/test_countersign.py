"""The client against a server that does what its script says, and, where COUNTERSIGN_URL is set, against a service."""

import contextlib
import hashlib
import hmac
import http.server
import io
import json
import os
import pickle
import re
import sys
import threading
import time
import traceback
import unittest
import urllib.parse
import urllib.request
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))

import countersign as sdk  # noqa: E402

SENT = (200, {"otp_id": "otp_1", "status": "pending", "newer": True})
PHONE = "+447400123456"


def refusal(status, kind, details=None, **headers):
    error = {"type": kind, "message": f"about {kind}", "details": details or {}}
    body = {"error": error, "request_id": "req_of_the_service"}
    return (status, body, {name.replace("_", "-"): value for name, value in headers.items()})


DROP, DROP_MIDWAY, TRICKLE = "drop", "drop midway", "trickle"


class Script(http.server.BaseHTTPRequestHandler):
    """Steps are used up in order; the last one stays."""

    def answer(self):
        length = int(self.headers.get("Content-Length") or 0)
        body = json.loads(self.rfile.read(length)) if length else None
        received = self.server.received
        received.append((self.command, self.path, dict(self.headers.items()), body))
        steps = self.server.steps
        step = steps[min(len(received), len(steps)) - 1]
        self.close_connection = True
        if step == DROP:
            return
        if step == DROP_MIDWAY:
            self.wfile.write(b"HTTP/1.1 200 OK\r\nContent-Length: 500\r\n\r\n" + b'{"otp_id": "otp_')
            return
        if step == TRICKLE:
            self.wfile.write(b"HTTP/1.1 200 OK\r\nContent-Length: 5000\r\n\r\n")
            while not self.server.is_over.wait(0.02):
                self.wfile.write(b" ")
            return
        status, content, *headers = step
        raw = content.encode() if isinstance(content, str) else json.dumps(content).encode()
        self.send_response(status)
        for name, value in (headers[0] if headers else {}).items():
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(raw)))
        self.end_headers()
        self.wfile.write(raw)

    do_GET = do_POST = answer

    def log_message(self, *args):
        pass

    def handle_one_request(self):
        try:
            super().handle_one_request()
        except OSError:
            self.close_connection = True


class Quiet(http.server.ThreadingHTTPServer):
    daemon_threads = True
    block_on_close = False


class Scripted(unittest.TestCase):
    def serve(self, *steps, **options):
        server = Quiet(("127.0.0.1", 0), Script)
        server.steps, server.received, server.is_over = steps, [], threading.Event()
        threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True).start()
        self.addCleanup(server.server_close)
        self.addCleanup(server.shutdown)
        self.addCleanup(server.is_over.set)
        client = sdk.Countersign("otp_sk_a", base_url=f"http://127.0.0.1:{server.server_port}", **options)
        self.waits = []
        client._sleep = self.waits.append
        return client, server.received

    def test_a_send_carries_one_idempotency_key_over_all_its_attempts(self):
        client, received = self.serve(DROP, DROP_MIDWAY, SENT)
        self.assertEqual(client.send(PHONE, client_ip="81.2.69.142").otp_id, "otp_1")
        self.assertEqual([one[0:2] for one in received], [("POST", "/api/v1/otp/send")] * 3)
        self.assertEqual(received[0][3], {"recipient": PHONE, "client_ip": "81.2.69.142"})
        for name in ("Idempotency-Key", "X-Request-Id", "Authorization", "User-Agent"):
            self.assertEqual(len({one[2][name] for one in received}), 1, name)
        self.assertEqual(received[0][2]["Authorization"], "Bearer otp_sk_a")
        self.assertTrue(0.125 <= self.waits[0] <= 0.25 <= self.waits[1] <= 0.5, self.waits)

    def test_an_empty_idempotency_key_is_none_given(self):
        client, received = self.serve(SENT)
        for empty in ("", None):
            client.send(PHONE, idempotency_key=empty)
        keys = {one[2].get("Idempotency-Key") for one in received}
        self.assertTrue(len(keys) == 2 and all(keys), keys)

    def test_what_records_the_variables_of_a_failure_does_not_record_the_key(self):
        nobody = sdk.Countersign("otp_sk_hidden", base_url="http://127.0.0.1:9", max_retries=0)
        with self.assertRaises(sdk.ConnectionFailedError) as caught:
            nobody.get("otp_1")
        self.assertIsInstance(caught.exception.__cause__, ConnectionRefusedError)
        error = caught.exception
        while error is not None:
            frames = [frame.f_locals for frame, _ in traceback.walk_tb(error.__traceback__)]
            self.assertNotIn("otp_sk_hidden", repr([list(one.values()) for one in frames]))
            error = error.__cause__ or (None if error.__suppress_context__ else error.__context__)

    def test_a_service_that_is_away_is_asked_again_and_not_before_it_says(self):
        client, received = self.serve((502, "<html>"), refusal(503, "UnavailableError", Retry_After="3"), SENT)
        client.verify("otp_1", "123456")
        self.assertTrue(3 <= self.waits[1] <= 3.25, self.waits)
        client, received = self.serve(refusal(503, "UnavailableError", Retry_After="60"))
        with self.assertRaises(sdk.UnavailableError) as caught:
            client.get("otp_1")
        self.assertEqual((caught.exception.retry_after, len(received)), (60, 1))

    def test_a_limit_is_waited_for_only_where_it_is_short(self):
        limit = {"scope": "recipient", "retry_after": 598}
        client, received = self.serve(refusal(429, "RateLimitExceededError", limit, Retry_After="598"))
        with self.assertRaises(sdk.RateLimitError) as caught:
            client.send(PHONE)
        self.assertEqual((caught.exception.scope, caught.exception.retry_after), ("recipient", 598))
        self.assertEqual(len(received), 1)
        client, received = self.serve(refusal(429, "RateLimitExceededError", Retry_After="1"), SENT)
        client.send(PHONE)
        self.assertEqual(len(received), 2)

    def test_a_resend_is_never_repeated(self):
        for step in (DROP, (503, "")):
            client, received = self.serve(step)
            with self.assertRaises(sdk.CountersignError):
                client.resend("otp_1", channel="sms")
            self.assertEqual([one[3] for one in received], [{"otp_id": "otp_1", "channel": "sms"}])

    def test_what_is_no_answer_of_the_service_is_no_success(self):
        for step in ((200, "<html>"), (200, "[]"), (200, ""), (500, '{"error": 7}'), (400, "[]")):
            client, received = self.serve(step)
            with self.assertRaises(sdk.CountersignError) as caught:
                client.send(PHONE)
            self.assertEqual((caught.exception.type, caught.exception.status), ("UnexpectedAnswer", step[0]))
            self.assertRegex(caught.exception.request_id, "^req_[0-9a-f]{32}$")
            self.assertEqual(len(received), 1)

    def test_a_redirect_is_not_followed(self):
        client, received = self.serve((307, "", {"Location": "http://127.0.0.1:9/"}))
        with self.assertRaisesRegex(sdk.CountersignError, "redirect"):
            client.send(PHONE)

    def test_the_timeout_holds_for_the_whole_answer(self):
        client, _ = self.serve(TRICKLE, max_retries=1)
        with self.assertRaises(sdk.TimedOutError) as caught:
            client.get("otp_1", timeout=0.1)
        self.assertIsInstance(caught.exception, sdk.ConnectionFailedError)
        # Counted here and not at the server, which a busy machine may not have let begin.
        self.assertEqual((caught.exception.status, len(self.waits)), (None, 1))

    def test_an_error_survives_the_way_to_another_process(self):
        client, _ = self.serve(refusal(409, "OtpNotPendingError", {"otp_status": "expired"}))
        with self.assertRaises(sdk.OtpNotPendingError) as caught:
            client.verify("otp_1", "123456")
        copy = pickle.loads(pickle.dumps(caught.exception))
        self.assertEqual((type(copy), copy.otp_status, str(copy)), (sdk.OtpNotPendingError, "expired", "about OtpNotPendingError"))

    def test_recipients_and_codes_are_read_as_people_write_them(self):
        written = json.loads((HERE.parent / "written.json").read_text())
        client, received = self.serve(SENT)
        for given, read in written["recipients"]:
            client.send(given)
            self.assertEqual(received[-1][3]["recipient"], read)
        for given, read in written["codes"]:
            client.verify("otp_1", given)
            self.assertEqual(received[-1][3]["code"], read)
        self.assertRaises(TypeError, client.verify, "otp_1", 12345)

    def test_nothing_is_sent_with_a_wrong_key_address_pace_or_header(self):
        for base_url in (None, "", "codes.example.com", "http://", "http://:3000", "https://a.example/?a=b", "ftp://a.example"):
            self.assertRaises(ValueError, sdk.Countersign, "otp_sk_a", base_url=base_url)
        with self.assertRaisesRegex(ValueError, "^(?!.*hidden).*password"):
            sdk.Countersign("otp_sk_a", base_url="https://user:hidden@a.example")
        for key in (None, "", "otp_pk_a", "otp_sk_", "otp_sk_a\n"):
            self.assertRaises(ValueError, sdk.Countersign, key, base_url="https://codes.example.com")
        client, received = self.serve(SENT)
        for options in ({"timeout": 0}, {"max_retries": 11}, {"idempotency_key": "a b"}):
            self.assertRaises(ValueError, client.send, PHONE, **options)
        self.assertEqual(received, [])
        for base_url in ("https://a.example/", "https://a.example/api/v1", "https://a.example/api/v1/"):
            self.assertEqual(sdk.Countersign("otp_sk_a", base_url=base_url)._base_url, "https://a.example")


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
        # As servers hand over bytes that are no text.
        self.assertEqual(self.reason(body, {**headers, "X-Webhook-Signature": "\udcff"}, self.secret), "mismatch")
        for timestamp in ("1700000000", "soon", "١٢٣"):
            self.assertEqual(self.reason(body, {**headers, "X-Webhook-Timestamp": timestamp}, self.secret), "stale")

    def test_a_body_that_is_signed_but_no_event_is_malformed(self):
        now = str(int(time.time()))
        for body in (b"", b"[]", b'{"id": "evt_1", "type": "otp.approved"}'):
            signature = hmac.new(self.secret.encode(), now.encode() + b"." + body, hashlib.sha256).hexdigest()
            headers = {"X-Webhook-Timestamp": now, "X-Webhook-Signature": signature}
            self.assertEqual(self.reason(body, headers, self.secret), "malformed")

    def test_a_missing_secret_and_a_parsed_body_are_refused(self):
        body, headers = sdk.sign_test_payload(self.event, self.secret)
        for secret in ("", None, [], [""]):
            self.assertRaises(ValueError, sdk.verify_webhook, body, headers, secret)
        self.assertRaises(TypeError, sdk.verify_webhook, body.decode(), headers, self.secret)


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
        exec("\n".join(programs), readme)
        otp_id = readme["start"]("form", os.environ["README_RECIPIENT"], "81.2.69.142")
        self.assertEqual(readme["start"]("form", os.environ["README_RECIPIENT"], "81.2.69.142"), otp_id)
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


if __name__ == "__main__":
    unittest.main()

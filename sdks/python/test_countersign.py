"""What a call sends, repeats and refuses to send."""

import contextlib
import json
import pickle
import socket
from unittest import mock

import countersign as sdk
from scripted import (
    DROP,
    DROP_HEADERS,
    DROP_MIDWAY,
    ENDLESS_HINTS,
    HERE,
    PHONE,
    SENT,
    TRICKLE,
    TRICKLE_HEADERS,
    ScriptedCase,
    refusal,
)


NO_HOSTS = ("https://a.example:99999", "https://a.example:port", "https://[::1", "https://a..example", "https://.")


class Calls(ScriptedCase):
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

    def test_a_service_that_is_away_is_asked_again_and_not_before_it_says(self):
        client, received = self.serve((502, "<html>"), refusal(503, "UnavailableError", Retry_After="3"), SENT)
        client.send(PHONE)
        self.assertTrue(3 <= self.waits[1] <= 3.25, self.waits)
        client, received = self.serve((502, "<html>"))
        with self.assertRaisesRegex(sdk.UnavailableError, r"^Something in front of Countersign answered for it \(502\)\.$"):
            client.get("otp_1")
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

    def test_a_call_without_an_answer_says_why(self):
        nobody = sdk.Countersign("otp_sk_a", base_url="http://127.0.0.1:9", max_retries=0)
        with self.assertRaises(sdk.ConnectionFailedError) as caught:
            nobody.get("otp_1")
        self.assertEqual(str(caught.exception), "No answer from http://127.0.0.1:9: Connection refused.")

    def test_an_answer_that_is_cut_off_is_none_wherever_the_cut_is(self):
        for step in (DROP, DROP_HEADERS, DROP_MIDWAY):
            client, received = self.serve(step, SENT)
            self.assertEqual((client.send(PHONE).otp_id, len(received)), ("otp_1", 2), step)
            client, _ = self.serve(step)
            with self.assertRaises(sdk.ConnectionFailedError):
                client.resend("otp_1")

    def test_an_id_that_is_none_is_refused_before_anything_is_sent(self):
        client, received = self.serve(SENT)
        for otp_id in ("", ".", "..", None):
            with self.assertRaisesRegex(ValueError, "otp_id is missing"):
                client.get(otp_id)
        self.assertEqual(received, [])

    def test_a_resend_is_never_repeated(self):
        for step in (DROP, (503, "")):
            client, received = self.serve(step)
            with self.assertRaises(sdk.CountersignError):
                client.resend("otp_1", channel="sms")
            self.assertEqual([one[3] for one in received], [{"otp_id": "otp_1", "channel": "sms"}])

    def test_a_redirect_is_not_followed(self):
        client, received = self.serve((307, "", {"Location": "http://127.0.0.1:9/"}))
        with self.assertRaisesRegex(sdk.CountersignError, "redirect"):
            client.send(PHONE)

    def test_the_timeout_holds_for_the_whole_answer(self):
        for step in (TRICKLE, TRICKLE_HEADERS, ENDLESS_HINTS):
            client, _ = self.serve(step, max_retries=1)
            with self.assertRaises(sdk.TimedOutError) as caught:
                client.send(PHONE, timeout=0.1)
            self.assertIsInstance(caught.exception, sdk.ConnectionFailedError)
            # Counted here and not at the server, which may not have begun on a busy machine.
            self.assertEqual((caught.exception.status, len(self.waits)), (None, 1))

    def test_the_addresses_of_a_host_share_the_timeout(self):
        waited = []

        def swallow(connecting, _):
            waited.append(connecting.gettimeout())
            raise socket.timeout

        def resolve(host, port, *_, **__):
            found = [host] if host[0].isdigit() else ["192.0.2.1", "192.0.2.2"]
            return [(socket.AF_INET, socket.SOCK_STREAM, 6, "", (one, port)) for one in found]

        client = sdk.Countersign("otp_sk_a", base_url="http://a.example", timeout=10, max_retries=0)
        with mock.patch("socket.getaddrinfo", resolve), mock.patch("socket.socket.connect", swallow):
            self.assertRaises(sdk.TimedOutError, client.get, "otp_1")
        # Nothing was really waited for, so that the second may use what the first has left.
        self.assertTrue(len(waited) == 2 and waited[0] <= 5 and waited[1] <= 10, waited)

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
            with contextlib.suppress(sdk.CountersignError):
                client.verify("otp_1", given)
            self.assertEqual(received[-1][3]["code"], read)
        self.assertRaises(TypeError, client.verify, "otp_1", 12345)
        self.assertRaises(TypeError, client.send, None)

    def test_nothing_is_sent_with_a_wrong_key_address_pace_or_header(self):
        for base_url in (None, "", "codes.example.com", "http://", "http://:3000", "https://a.example/?a=b", "ftp://a.example", *NO_HOSTS):
            self.assertRaises(ValueError, sdk.Countersign, "otp_sk_a", base_url=base_url)
        with self.assertRaisesRegex(ValueError, "^(?!.*hidden).*password"):
            sdk.Countersign("otp_sk_a", base_url="https://user:hidden@a.example")
        with self.assertRaisesRegex(ValueError, "line break"):
            sdk.Countersign("otp_sk_a", base_url="https://a.example\r")
        for key in (None, "", "otp_pk_a", "otp_sk_", "otp_sk_a\n"):
            with self.assertRaisesRegex(ValueError, "publishable|alone.*line break"):
                sdk.Countersign(key, base_url="https://codes.example.com")
        client, received = self.serve(SENT)
        for options in ({"timeout": 0}, {"timeout": "10"}, {"max_retries": 11}, {"max_retries": "2"}, {"idempotency_key": "a b"}):
            self.assertRaises(ValueError, client.send, PHONE, **options)
        for otp_id in ("", ".", ".."):
            self.assertRaises(ValueError, client.get, otp_id)
        self.assertEqual(received, [])
        for base_url in ("https://a.example/", "https://a.example/api/v1", "https://a.example/api/v1/"):
            self.assertEqual(sdk.Countersign("otp_sk_a", base_url=base_url)._transport.base_url, "https://a.example")

    def test_an_address_may_have_a_path_in_any_script(self):
        client, received = self.serve(SENT)
        path = sdk.Countersign("otp_sk_a", base_url=client._transport.base_url + "/größe/%C3%A4/")
        path.send(PHONE)
        self.assertEqual(received[0][1], "/gr%C3%B6%C3%9Fe/%C3%A4/api/v1/otp/send")

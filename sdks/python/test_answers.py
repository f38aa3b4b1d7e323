"""What counts as an answer of the service, and what does not."""

import gzip
import json
import zlib

import countersign as sdk
from scripted import ANSWERS, ENDLESS, HINTED, PHONE, SENT, ScriptedCase, refusal

CALLS = {
    "send": lambda client: client.send(PHONE),
    "resend": lambda client: client.resend("otp_1"),
    "verify": lambda client: client.verify("otp_1", "123456"),
    "get": lambda client: client.get("otp_1"),
    "exchange": lambda client: client.exchange("otp_vt_1"),
}


def spoilt(answer):
    """Invalid variants of an answer, each with what is wrong with it."""
    yield "nothing at all", {}
    for name, value in answer.items():
        yield f"no {name}", {other: answer[other] for other in answer if other != name}
        yield f"{name} of another kind", {**answer, name: {"other": "kind"}}
        if value is not None:
            yield f"{name} is null", {**answer, name: None}


class Answers(ScriptedCase):
    def test_what_is_no_answer_of_the_service_is_no_success(self):
        for step in ((200, "<html>"), (200, "[]"), (200, ""), (200, "[" * 100_000), (500, '{"error": 7}'), (400, "[]")):
            client, received = self.serve(step)
            with self.assertRaises(sdk.CountersignError) as caught:
                client.send(PHONE)
            self.assertEqual((caught.exception.type, caught.exception.status), ("UnexpectedAnswer", step[0]))
            self.assertRegex(caught.exception.request_id, "^req_[0-9a-f]{32}$")
            self.assertEqual(len(received), 1)

    def test_an_answer_without_what_is_promised_of_it_is_none(self):
        for name, call in CALLS.items():
            cases = list(spoilt(ANSWERS[name]))
            if name == "get":
                cases += [(f"a delivery is {one}", {**ANSWERS[name], "deliveries": [one]}) for one in ({}, 7, None)]
            client, _ = self.serve((200, ANSWERS[name]), *((200, body) for _, body in cases))
            call(client)
            for why, _ in cases:
                with self.subTest(f"{name}: {why}"), self.assertRaises(sdk.CountersignError) as caught:
                    call(client)
                self.assertEqual((caught.exception.type, caught.exception.status), ("UnexpectedAnswer", 200))
                self.assertIn("not one of Countersign", str(caught.exception))

    def test_an_answer_without_end_is_not_read_to_its_end(self):
        client, received = self.serve(ENDLESS, SENT)
        client.send(PHONE)
        self.assertEqual(len(received), 2)

    def test_what_comes_before_an_answer_is_passed_over(self):
        client, received = self.serve(HINTED)
        self.assertEqual(client.resend("otp_1").otp_id, "otp_1")
        self.assertEqual(len(received), 1)

    def test_an_answer_that_came_compressed_unasked_is_read(self):
        for encoding, compress in (("gzip", gzip.compress), ("x-gzip", gzip.compress), ("Deflate", zlib.compress)):
            zipped = {"Content-Encoding": encoding}
            status, body, headers = refusal(409, "ResendNotAllowedError")
            client, received = self.serve(
                (200, compress(json.dumps(SENT[1]).encode()), zipped),
                (status, compress(json.dumps(body).encode()), {**headers, **zipped}),
            )
            self.assertEqual(client.send(PHONE).otp_id, "otp_1")
            self.assertEqual(received[0][2]["Accept-Encoding"], "identity")
            self.assertRaises(sdk.ResendNotAllowedError, client.resend, "otp_1")

    def test_what_only_says_that_it_is_compressed_is_read_as_it_is_and_what_swells_is_none(self):
        zipped = {"Content-Encoding": "gzip"}
        client, _ = self.serve((*SENT, zipped), (200, gzip.compress(b" " * 2_000_000 + b"{}"), zipped))
        self.assertEqual(client.send(PHONE).otp_id, "otp_1")
        with self.assertRaises(sdk.CountersignError) as caught:
            client.send(PHONE)
        self.assertEqual((caught.exception.type, caught.exception.status), ("UnexpectedAnswer", 200))

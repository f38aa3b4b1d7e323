"""Places where the key must not be seen."""

import http.client
import pickle
import traceback

import countersign as sdk
from countersign._transport import Call
from scripted import DROP, TRICKLE, ScriptedCase


class Secrecy(ScriptedCase):
    def catch_without_key(self, kind, call):
        """Returns the error, and asserts that neither its frames nor its causes, even suppressed ones, have the key."""
        caught = None
        try:
            call()
        # Not with assertRaises, which clears the frames.
        except kind as error:
            caught = error
        seen, error = [], caught
        while error is not None:
            for frame, _ in traceback.walk_tb(error.__traceback__):
                if frame.f_code.co_filename != __file__:
                    seen += [(name, value, getattr(value, "__dict__", None)) for name, value in frame.f_locals.items()]
            seen.append((error, vars(error)))
            error = error.__cause__ or error.__context__
        self.assertTrue(len(seen) > 1, seen)
        self.assertNotIn("otp_sk_hidden", repr(seen))
        return caught

    def test_what_records_the_variables_of_a_failure_does_not_record_the_key(self):
        for base_url, kind, cause in (
            ("http://127.0.0.1:9", sdk.ConnectionFailedError, ConnectionRefusedError),
            (self.serve(DROP)[0]._transport.base_url, sdk.ConnectionFailedError, http.client.RemoteDisconnected),
            (self.serve((401, "<html>"))[0]._transport.base_url, sdk.AuthenticationError, type(None)),
            (self.serve((200, "{}"))[0]._transport.base_url, sdk.CountersignError, type(None)),
            (self.serve(TRICKLE)[0]._transport.base_url, sdk.TimedOutError, type(None)),
        ):
            timeout = 0.1 if kind is sdk.TimedOutError else 10
            client = sdk.Countersign("otp_sk_hidden", base_url=base_url, timeout=timeout, max_retries=0)
            error = self.catch_without_key(kind, lambda: client.get("otp_1"))
            self.assertIsInstance(error.__cause__, cause)

    def test_who_interrupts_a_call_is_not_shown_the_key(self):
        client = sdk.Countersign("otp_sk_hidden", base_url="http://127.0.0.1:9")

        def interrupt(*args, **kwargs):
            raise KeyboardInterrupt

        client._transport.opener.open = interrupt
        self.catch_without_key(KeyboardInterrupt, lambda: client.get("otp_1"))

    def test_a_client_and_what_it_refuses_to_be_made_of_show_no_key(self):
        client = sdk.Countersign("otp_sk_hidden", base_url="http://127.0.0.1:9")
        self.assertNotIn("otp_sk_hidden", repr(client) + repr(vars(client)) + repr(vars(client._transport)))
        self.assertRaises((TypeError, AttributeError, pickle.PicklingError), pickle.dumps, client)
        for key, options in (
            ("otp_sk_hidden", {"base_url": ""}),
            ("otp_sk_hidden", {"base_url": "http://" + "a" * 64 + ".example"}),
            ("otp_sk_hidden", {"base_url": "http://a.example", "timeout": 0}),
            ("otp_sk_hidden and more", {"base_url": "http://a.example"}),
        ):
            self.catch_without_key(ValueError, lambda: sdk.Countersign(key, **options))
        call = Call("POST", "/otp/verify", {"code": "123456"}, {"Idempotency-Key": "hidden"})
        self.assertNotRegex(repr(call), "123456|hidden")

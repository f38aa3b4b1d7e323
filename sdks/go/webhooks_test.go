package countersign

import (
	"errors"
	"net/http"
	"strings"
	"testing"
)

func TestWhatTheServiceSignedIsAnEventAndNothingElseIs(t *testing.T) {
	const secret = "whsec_of_the_test"
	event := WebhookEvent{ID: "evt_1", Type: "otp.approved", Payload: WebhookPayload{OtpID: "otp_1", Status: "approved"}}
	body, header, err := SignTestPayload(event, secret)
	check(t, err == nil, err)
	with := func(name string, values ...string) http.Header {
		changed := header.Clone()
		changed[http.CanonicalHeaderKey(name)] = values
		return changed
	}
	const signatureHeader = "X-Webhook-Signature"
	rotated := with(signatureHeader, strings.Repeat("a", 64))
	rotated.Set("X-Webhook-Signature-Previous", header.Get(signatureHeader))
	cases := map[string]struct {
		body    []byte
		header  http.Header
		secrets []string
		err     error
	}{
		"genuine":            {body, header, []string{secret}, nil},
		"one of two secrets": {body, header, []string{"whsec_other", secret}, nil},
		"a rotated secret":   {body, rotated, []string{secret}, nil},
		"another body":       {append([]byte(" "), body...), header, []string{secret}, ErrWebhookMismatch},
		"another secret":     {body, header, []string{"whsec_other"}, ErrWebhookMismatch},
		"no signature":       {body, http.Header{}, []string{secret}, ErrWebhookUnsigned},
		"two signatures":     {body, with(signatureHeader, header.Get(signatureHeader), "a"), []string{secret}, ErrWebhookUnsigned},
		"an old timestamp":   {body, with("X-Webhook-Timestamp", "1700000000"), []string{secret}, ErrWebhookStale},
		"no timestamp":       {body, with("X-Webhook-Timestamp", "soon"), []string{secret}, ErrWebhookStale},
	}
	for name, one := range cases {
		t.Run(name, func(t *testing.T) {
			got, err := VerifyWebhook(one.body, one.header, one.secrets...)
			check(t, errors.Is(err, one.err) && (err != nil || *got == event), err)
		})
	}
	for _, secrets := range [][]string{nil, {""}, {secret, ""}, {secret + "\n"}, {" " + secret}} {
		_, err := VerifyWebhook(body, header, secrets...)
		check(t, err != nil && strings.Contains(err.Error(), "line break"), secrets, err)
	}
	for text, expected := range map[string]error{
		"":   ErrWebhookMalformed,
		"[]": ErrWebhookMalformed,
		"{}": ErrWebhookMalformed,
		`{"id": "evt_1", "type": "otp.approved"}`:                        ErrWebhookMalformed,
		`{"id": "evt_1", "type": "newer.one", "payload": {"new": 1}}`:    nil,
		`{"id": "evt_1", "type": "newer.one", "payload": {"status": 1}}`: nil,
	} {
		now := header.Get("X-Webhook-Timestamp")
		signed := http.Header{"X-Webhook-Timestamp": {now}, signatureHeader: {signature(secret, now, []byte(text))}}
		_, err = VerifyWebhook([]byte(text), signed, secret)
		check(t, errors.Is(err, expected), text, err)
	}
}

package countersign

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"strings"
	"testing"
	"time"
)

const phone = "+447400123456"

type received struct {
	method, path string
	header       http.Header
	body         map[string]string
}

type step func(http.ResponseWriter)

func answer(status int, body string, headers ...string) step {
	return func(w http.ResponseWriter) {
		for at := 0; at < len(headers); at += 2 {
			w.Header().Set(headers[at], headers[at+1])
		}
		w.WriteHeader(status)
		io.WriteString(w, body)
	}
}

func refuse(status int, kind, details string, headers ...string) step {
	body := `{"error": {"type": "` + kind + `", "message": "about it", "details": ` + details + `}, "request_id": "req_of_the_service"}`
	return answer(status, body, headers...)
}

func drop(http.ResponseWriter) { panic(http.ErrAbortHandler) }

func dropMidway(w http.ResponseWriter) {
	w.Header().Set("Content-Length", "500")
	io.WriteString(w, `{"otp_id": "otp_`)
	panic(http.ErrAbortHandler)
}

var sent = answer(200, `{"otp_id": "otp_1", "status": "pending", "action_url": null, "newer": true}`)

// A server that does what its script says; steps are used up in order, and the last one stays.
func serve(t *testing.T, steps ...step) (client *Client, log *[]received, waits *[]time.Duration) {
	t.Helper()
	log, waits = &[]received{}, &[]time.Duration{}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		one := received{method: r.Method, path: r.URL.Path, header: r.Header}
		json.NewDecoder(r.Body).Decode(&one.body)
		*log = append(*log, one)
		at := len(*log)
		if at > len(steps) {
			at = len(steps)
		}
		steps[at-1](w)
	}))
	t.Cleanup(server.Close)
	client, err := New("otp_sk_a", Options{BaseURL: server.URL})
	if err != nil {
		t.Fatal(err)
	}
	client.sleep = func(_ context.Context, delay time.Duration) error {
		*waits = append(*waits, delay)
		return nil
	}
	return client, log, waits
}

func check(t *testing.T, isAsItShouldBe bool, what ...any) {
	t.Helper()
	if !isAsItShouldBe {
		t.Fatal(what...)
	}
}

func TestASendCarriesOneIdempotencyKeyOverAllItsAttempts(t *testing.T) {
	client, log, waits := serve(t, drop, dropMidway, sent)
	verification, err := client.Send(context.Background(), SendRequest{Recipient: phone, ClientIP: "81.2.69.142"})
	check(t, err == nil && verification.OtpID == "otp_1", err)
	check(t, len(*log) == 3 && (*log)[0].path == "/api/v1/otp/send", *log)
	first := (*log)[0]
	check(t, len(first.body) == 2 && first.body["client_ip"] == "81.2.69.142", first.body)
	for _, name := range []string{"Idempotency-Key", "X-Request-Id", "Authorization"} {
		for _, one := range *log {
			check(t, one.header.Get(name) != "" && one.header.Get(name) == first.header.Get(name), name)
		}
	}
	check(t, (*waits)[0] >= firstDelay/2 && (*waits)[0] <= firstDelay && (*waits)[1] >= firstDelay, *waits)
}

func TestWhatIsRepeatedAndWhatIsNot(t *testing.T) {
	limit := `{"scope": "recipient", "retry_after": 598}`
	cases := map[string]struct {
		steps    []step
		attempts int
		kind     error
	}{
		"away for a moment":        {[]step{answer(502, "<html>"), refuse(503, "UnavailableError", "{}", "Retry-After", "3"), sent}, 3, nil},
		"away for long":            {[]step{refuse(503, "UnavailableError", "{}", "Retry-After", "60")}, 1, Unavailable},
		"a limit that is over":     {[]step{refuse(429, "RateLimitExceededError", limit, "Retry-After", "1"), sent}, 2, nil},
		"a limit that stays":       {[]step{refuse(429, "RateLimitExceededError", limit, "Retry-After", "598")}, 1, RateLimited},
		"nobody there":             {[]step{drop}, 3, NoAnswer},
		"a bug":                    {[]step{refuse(500, "InternalError", "{}")}, 1, Kind("InternalError")},
		"a redirect":               {[]step{answer(307, "", "Location", "http://127.0.0.1:9/")}, 1, Unexpected},
		"a page":                   {[]step{answer(200, "<html>")}, 1, Unexpected},
		"a list":                   {[]step{answer(200, "[]")}, 1, Unexpected},
		"nothing":                  {[]step{answer(200, "")}, 1, Unexpected},
		"an error of another form": {[]step{answer(400, `{"error": 7}`)}, 1, Unexpected},
	}
	for name, one := range cases {
		t.Run(name, func(t *testing.T) {
			client, log, _ := serve(t, one.steps...)
			_, err := client.Verify(context.Background(), "otp_1", "123456")
			check(t, len(*log) == one.attempts, len(*log))
			check(t, (err == nil) == (one.kind == nil) && (err == nil || errors.Is(err, one.kind)), err)
			var refusal *Error
			check(t, err == nil || errors.As(err, &refusal) && strings.HasPrefix(refusal.RequestID, "req_"), err)
		})
	}
	client, log, _ := serve(t, drop)
	_, err := client.Resend(context.Background(), "otp_1", "sms")
	check(t, errors.Is(err, NoAnswer) && len(*log) == 1, "a resend might send twice", err)
}

func TestTheTimeoutHoldsForTheWholeAnswerAndTheContextForAllAttempts(t *testing.T) {
	quiet := make(chan struct{})
	client, _, waits := serve(t, func(w http.ResponseWriter) {
		w.(http.Flusher).Flush()
		<-quiet
	})
	defer close(quiet)
	client.timeout, client.maxRetries = 50*time.Millisecond, 1
	_, err := client.Get(context.Background(), "otp_1")
	// Counted here and not at the server, which a busy machine may not have let begin.
	check(t, errors.Is(err, NoAnswer) && errors.Is(err, context.DeadlineExceeded) && len(*waits) == 1, err)
	ctx, giveUp := context.WithCancel(context.Background())
	giveUp()
	_, err = client.Get(ctx, "otp_1")
	check(t, errors.Is(err, context.Canceled) && !errors.Is(err, NoAnswer), err)
}

func TestRecipientsAndCodesAreReadAsPeopleWriteThem(t *testing.T) {
	text, err := os.ReadFile("../written.json")
	var written struct{ Recipients, Codes [][2]string }
	check(t, err == nil && json.Unmarshal(text, &written) == nil && len(written.Recipients) > 0, err)
	for _, pair := range written.Recipients {
		check(t, recipientOf(pair[0]) == pair[1], pair)
	}
	for _, pair := range written.Codes {
		check(t, codeOf(pair[0]) == pair[1], pair)
	}
}

func TestNothingIsSentWithAWrongKeyAddressPaceOrHeader(t *testing.T) {
	for _, address := range []string{
		"", "codes.example.com", "http://", "http://:3000", "https://a.example/?a=b", "ftp://codes.example.com", "https://user:hidden@a.example",
	} {
		_, err := New("otp_sk_a", Options{BaseURL: address})
		check(t, err != nil && !strings.Contains(err.Error(), "hidden"), address, err)
	}
	for _, key := range []string{"", "otp_pk_a", "otp_sk_", "otp_sk_a\n", "another secret"} {
		_, err := New(key, Options{BaseURL: "https://a.example"})
		check(t, err != nil && !strings.Contains(err.Error(), "another"), key, err)
	}
	_, err := New("otp_sk_a", Options{BaseURL: "https://a.example", MaxRetries: 11})
	check(t, err != nil)
	for _, address := range []string{"https://a.example/", "https://a.example/api/v1", "https://a.example/api/v1/"} {
		client, err := New("otp_sk_a", Options{BaseURL: address})
		check(t, err == nil && client.baseURL == "https://a.example", address, err)
	}
	client, log, _ := serve(t, sent)
	_, err = client.Send(context.Background(), SendRequest{Recipient: phone, IdempotencyKey: "a b"})
	check(t, err != nil && len(*log) == 0, err)
}

func TestPrintingAClientDoesNotPrintItsKey(t *testing.T) {
	client, err := New("otp_sk_hidden", Options{BaseURL: "https://a.example"})
	check(t, err == nil, err)
	for _, format := range []string{"%v", "%+v", "%#v", "%s"} {
		for _, one := range []any{client, *client, struct{ client Client }{*client}} {
			check(t, !strings.Contains(fmt.Sprintf(format, one), "hidden"), format)
		}
	}
}

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
	for _, secrets := range [][]string{nil, {""}, {secret, ""}} {
		_, err := VerifyWebhook(body, header, secrets...)
		check(t, err != nil, secrets)
	}
	for text, expected := range map[string]error{
		"":   ErrWebhookMalformed,
		"[]": ErrWebhookMalformed,
		"{}": ErrWebhookMalformed,
		`{"id": "evt_1", "type": "otp.approved"}`:                     ErrWebhookMalformed,
		`{"id": "evt_1", "type": "newer.one", "payload": {"new": 1}}`: nil,
	} {
		now := header.Get("X-Webhook-Timestamp")
		signed := http.Header{"X-Webhook-Timestamp": {now}, signatureHeader: {signature(secret, now, []byte(text))}}
		_, err = VerifyWebhook([]byte(text), signed, secret)
		check(t, errors.Is(err, expected), text, err)
	}
}

func TestAgainstAService(t *testing.T) {
	address := os.Getenv("COUNTERSIGN_URL")
	if address == "" {
		t.Skip("COUNTERSIGN_URL names no service")
	}
	open := func(key string) *Client {
		client, err := New(key, Options{BaseURL: address})
		check(t, err == nil, err)
		return client
	}
	ctx := context.Background()
	client, cooling := open(os.Getenv("COUNTERSIGN_KEY")), open(os.Getenv("COOLING_KEY"))
	recipient := os.Getenv("RECIPIENT")

	request := SendRequest{Recipient: " " + recipient[:3] + " " + recipient[3:], ClientIP: "81.2.69.142", Locale: "en", IdempotencyKey: "go-" + recipient}
	verification, err := client.Send(ctx, request)
	check(t, err == nil && verification.Status == "pending" && verification.Channel == "sms" && verification.ActionURL == "", err)
	again, err := client.Send(ctx, request)
	check(t, err == nil && *again == *verification, err)
	moved, err := client.Resend(ctx, verification.OtpID, "telegram")
	check(t, err == nil && moved.Channel == "telegram", err)
	code := codeFor(t, recipient, "telegram")
	wrong := "000000"
	if code == wrong {
		wrong = "000001"
	}
	result, err := client.Verify(ctx, verification.OtpID, wrong)
	check(t, err == nil && !result.Matched && result.AttemptsRemaining == 4 && result.VerifiedAt == nil, err)
	result, err = client.Verify(ctx, verification.OtpID, code[:3]+" "+code[3:])
	check(t, err == nil && result.Matched && result.Status == "approved" && result.VerifiedAt != nil, err)
	details, err := client.Get(ctx, verification.OtpID)
	check(t, err == nil && details.Status == "approved" && details.RecipientType == "phone" && len(details.Deliveries) == 2, err)

	proven, err := client.Exchange(ctx, os.Getenv("VERIFICATION_TOKEN"))
	check(t, err == nil && proven.Recipient == os.Getenv("TOKEN_RECIPIENT") && !proven.VerifiedAt.IsZero(), err)

	refused := func(kind Kind, err error) *Error {
		var refusal *Error
		check(t, errors.Is(err, kind) && errors.As(err, &refusal), kind, err)
		return refusal
	}
	_, err = client.Exchange(ctx, "otp_vt_unknown")
	refused(TokenNotFound, err)
	_, err = client.Send(ctx, SendRequest{Recipient: "12"})
	refused(InvalidRecipient, err)
	_, err = client.Send(ctx, SendRequest{Recipient: phone, ClientIP: "here"})
	check(t, refused(Invalid, err).Fields[0].Path == "client_ip", err)
	_, err = client.Get(ctx, "otp_unknown")
	refused(OtpNotFound, err)
	_, err = open("otp_sk_unknown").Get(ctx, "otp_unknown")
	refused(Unauthenticated, err)
	cold, err := cooling.Send(ctx, SendRequest{Recipient: recipient})
	check(t, err == nil, err)
	_, err = cooling.Resend(ctx, cold.OtpID, "")
	check(t, refused(ResendCooldown, err).RetryAfter > 0, err)

	var webhook struct {
		RawBody, Secret string
		Headers         map[string]any
	}
	check(t, json.Unmarshal([]byte(os.Getenv("WEBHOOK")), &webhook) == nil)
	header := http.Header{}
	for name, value := range webhook.Headers {
		if text, isText := value.(string); isText {
			header.Set(name, text)
		}
	}
	event, err := VerifyWebhook([]byte(webhook.RawBody), header, webhook.Secret)
	check(t, err == nil && event.Type == "otp.approved" && event.Payload.Status == "approved", err)
}

func codeFor(t *testing.T, recipient, channel string) string {
	t.Helper()
	address := os.Getenv("SIMULATOR_URL") + "/messages?to=" + url.QueryEscape(recipient)
	for deadline := time.Now().Add(30 * time.Second); time.Now().Before(deadline); time.Sleep(50 * time.Millisecond) {
		response, err := http.Get(address)
		check(t, err == nil, err)
		var messages []struct{ Channel, Text string }
		err = json.NewDecoder(response.Body).Decode(&messages)
		response.Body.Close()
		check(t, err == nil, err)
		for _, message := range messages {
			if message.Channel == channel {
				for at := 0; at+6 <= len(message.Text); at++ {
					if six := message.Text[at : at+6]; strings.Trim(six, "0123456789") == "" {
						return six
					}
				}
			}
		}
	}
	t.Fatal("no message came")
	return ""
}

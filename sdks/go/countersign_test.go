package countersign

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"os"
	"strings"
	"testing"
	"time"
)

func TestASendCarriesOneIdempotencyKeyOverAllItsAttempts(t *testing.T) {
	client, heard, waits := serve(t, drop, dropMidway, sent)
	verification, err := client.Send(context.Background(), SendRequest{Recipient: phone, ClientIP: "81.2.69.142"})
	check(t, err == nil && verification.OtpID == "otp_1", err)
	log := heard.read()
	check(t, len(log) == 3 && log[0].path == "/api/v1/otp/send", log)
	first := log[0]
	check(t, len(first.body) == 2 && first.body["client_ip"] == "81.2.69.142", first.body)
	for _, name := range []string{"Idempotency-Key", "X-Request-Id", "Authorization"} {
		for _, one := range log {
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
		"more than any answer has": {[]step{answer(200, strings.Repeat(" ", largestAnswerBytes)+"{}")}, 1, Unexpected},
		"an answer and too much":   {[]step{answer(200, whole+strings.Repeat(" ", largestAnswerBytes))}, 1, Unexpected},
		"a type of another status": {[]step{refuse(400, "RateLimitExceededError", "{}")}, 1, RateLimited},
		"a type that is ours":      {[]step{refuse(400, "ConnectionError", "{}")}, 1, NoAnswer},
		"an error of another form": {[]step{answer(400, `{"error": 7}`)}, 1, Unexpected},
	}
	for name, one := range cases {
		t.Run(name, func(t *testing.T) {
			client, heard, _ := serve(t, one.steps...)
			_, err := client.Send(context.Background(), SendRequest{Recipient: phone})
			check(t, len(heard.read()) == one.attempts, len(heard.read()))
			check(t, (err == nil) == (one.kind == nil) && (err == nil || errors.Is(err, one.kind)), err)
			var refusal *Error
			check(t, err == nil || errors.As(err, &refusal) && strings.HasPrefix(refusal.RequestID, "req_"), err)
		})
	}
	client, heard, _ := serve(t, drop)
	_, err := client.Resend(context.Background(), "otp_1", "sms")
	check(t, errors.Is(err, NoAnswer) && len(heard.read()) == 1, "a resend might send twice", err)
}

func TestAResendIsNotLostOnAConnectionThatTheOtherSideIsClosing(t *testing.T) {
	closing := func(w http.ResponseWriter) {
		connection, buffered, _ := http.NewResponseController(w).Hijack()
		fmt.Fprintf(buffered, "HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n%s", len(whole), whole)
		buffered.Flush()
		connection.Close()
	}
	client, _, _ := serve(t, closing)
	for range make([]int, 50) {
		_, err := client.Send(context.Background(), SendRequest{Recipient: phone})
		check(t, err == nil, err)
		_, err = client.Resend(context.Background(), "otp_1", "")
		check(t, err == nil, err)
	}
}

func TestACallerWhoHasNoTimeToWaitIsToldAtOnceWhatToWaitFor(t *testing.T) {
	limited := refuse(429, "RateLimitExceededError", "{}", "Retry-After", "5")
	sendWithin := func(patience time.Duration) (heard *log, waits *[]time.Duration, err error) {
		client, heard, waits := serve(t, limited, sent)
		ctx, stop := context.WithTimeout(context.Background(), patience)
		defer stop()
		_, err = client.Send(ctx, SendRequest{Recipient: phone})
		return heard, waits, err
	}
	heard, waits, err := sendWithin(4 * time.Second)
	check(t, errors.Is(err, RateLimited) && len(heard.read()) == 1 && len(*waits) == 0, err, *waits)
	heard, waits, err = sendWithin(time.Minute)
	check(t, err == nil && len(heard.read()) == 2 && len(*waits) == 1, err, *waits)
}

func TestACallWithoutAnAnswerSaysWhy(t *testing.T) {
	client, _, _ := serve(t, dropMidway)
	_, err := client.Get(context.Background(), "otp_1")
	check(t, errors.Is(err, NoAnswer) && strings.Contains(err.Error(), "no answer from "+client.baseURL+": "), err)
	nobody, _ := New("otp_sk_a", Options{BaseURL: "http://127.0.0.1:9", MaxRetries: -1})
	_, err = nobody.Get(context.Background(), "otp_1")
	check(t, errors.Is(err, NoAnswer) && strings.Contains(err.Error(), "http://127.0.0.1:9: dial tcp 127.0.0.1:9: connect"), err)
}

func TestAnErrorAlwaysHasAMessage(t *testing.T) {
	for message, step := range map[string]step{
		"not one of Countersign (422); is BaseURL right?": answer(422, `{"error": {"type": "ValidationError", "message": 7}}`),
		"about it":                            answer(422, `{"error": {"message": "about it"}}`),
		"a redirect (302); is BaseURL right?": answer(302, "<html>"),
		"something in front of Countersign answered for it (502)": answer(502, "<html>"),
		"something in front of Countersign answered for it (429)": answer(429, "<html>"),
	} {
		client, _, _ := serve(t, step)
		_, err := client.Get(context.Background(), "otp_1")
		check(t, err != nil && strings.Contains(err.Error(), message+" ("), message, err)
	}
}

func TestAnAnswerWithoutWhatIsPromisedOfItIsNone(t *testing.T) {
	text, err := os.ReadFile("../answers.json")
	var answers map[string]map[string]any
	check(t, err == nil && json.Unmarshal(text, &answers) == nil, err)
	ctx := context.Background()
	calls := map[string]func(*Client) error{
		"send":     func(c *Client) error { _, err := c.Send(ctx, SendRequest{Recipient: phone}); return err },
		"resend":   func(c *Client) error { _, err := c.Resend(ctx, "otp_1", ""); return err },
		"verify":   func(c *Client) error { _, err := c.Verify(ctx, "otp_1", "123456"); return err },
		"get":      func(c *Client) error { _, err := c.Get(ctx, "otp_1"); return err },
		"exchange": func(c *Client) error { _, err := c.Exchange(ctx, "otp_vt_1"); return err },
	}
	for name, call := range calls {
		try := func(answered map[string]any) error {
			body, err := json.Marshal(answered)
			check(t, err == nil, err)
			client, _, _ := serve(t, answer(200, string(body)))
			return call(client)
		}
		check(t, try(answers[name]) == nil, name)
		for field, value := range answers[name] {
			// The caller never sees this field: only devices get tokens.
			if field == "verification_token" {
				continue
			}
			delete(answers[name], field)
			check(t, errors.Is(try(answers[name]), Unexpected), name, "without", field)
			answers[name][field] = map[string]any{"other": "kind"}
			check(t, errors.Is(try(answers[name]), Unexpected), name, "with another kind of", field)
			answers[name][field] = nil
			check(t, errors.Is(try(answers[name]), Unexpected) == (value != nil), name, "with null for", field)
			answers[name][field] = value
		}
	}
	for _, delivery := range []any{map[string]any{}, 7, nil} {
		answers["get"]["deliveries"] = []any{delivery}
		body, err := json.Marshal(answers["get"])
		check(t, err == nil, err)
		client, _, _ := serve(t, answer(200, string(body)))
		check(t, errors.Is(calls["get"](client), Unexpected), delivery)
	}
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
	// Counted here and not at the server, which may not have begun on a busy machine.
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
		"https://a.example:99999", "https://a.example:port", "https://[::1", "https://a.example\r", "https://a.example/a b",
	} {
		_, err := New("otp_sk_a", Options{BaseURL: address})
		check(t, err != nil && !strings.Contains(err.Error(), "hidden") && strings.Contains(err.Error(), "line break"), address, err)
	}
	for _, key := range []string{"", "otp_pk_a", "otp_sk_", "otp_sk_a\n", "another secret"} {
		_, err := New(key, Options{BaseURL: "https://a.example"})
		check(t, err != nil && !strings.Contains(err.Error(), "another"), key, err)
		check(t, strings.Contains(err.Error(), "publishable") || strings.Contains(err.Error(), "line break"), key, err)
	}
	_, err := New("otp_sk_a", Options{BaseURL: "https://a.example", MaxRetries: 11})
	check(t, err != nil)
	for _, address := range []string{"https://a.example/", "https://a.example/api/v1", "https://a.example/api/v1/"} {
		client, err := New("otp_sk_a", Options{BaseURL: address})
		check(t, err == nil && client.baseURL == "https://a.example", address, err)
	}
	client, heard, _ := serve(t, sent)
	_, err = client.Send(context.Background(), SendRequest{Recipient: phone, IdempotencyKey: "a b"})
	check(t, err != nil && len(heard.read()) == 0, err)
	for _, otpID := range []string{"", ".", ".."} {
		_, err = client.Get(context.Background(), otpID)
		check(t, err != nil && len(heard.read()) == 0, otpID, err)
	}
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

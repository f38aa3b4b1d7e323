package countersign

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"net/url"
	"os"
	"strings"
	"testing"
	"time"
)

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

// Package countersign is a client of Countersign for Go backends: start a verification, check a code, exchange a
// device's token, check webhooks. It needs only the standard library of Go 1.21 or newer: copy it into your module.
//
//	client, err := countersign.New(os.Getenv("COUNTERSIGN_KEY"), countersign.Options{BaseURL: "https://codes.example.com"})
//	sent, err := client.Send(ctx, countersign.SendRequest{Recipient: "+44 7400 123456", ClientIP: ip})
//	result, err := client.Verify(ctx, sent.OtpID, code)
//	if err == nil && result.Matched { … }
package countersign

import (
	"context"
	"errors"
	"net/http"
	"net/url"
)

// Version is sent with every call.
const Version = "0.1.0"

// SendRequest says whom to verify.
type SendRequest struct {
	// Recipient is an E.164 phone number (+ and digits) or an email address. Blanks, dashes, dots, brackets are removed.
	Recipient string
	// Locale is the language of the message, such as en or pt-BR. Empty means the app's default.
	Locale string
	// ClientIP is the address of the person, not of your server. Without it all sends of the app share a tight limit.
	ClientIP string
	// IdempotencyKey: the same key within 24 hours gets the first answer again and sends nothing, whatever the recipient.
	// Make it from a random id of the form and the recipient. If it is empty, one is generated.
	IdempotencyKey string
}

// Send starts a verification. The app's routing chooses the channel.
func (c *Client) Send(ctx context.Context, request SendRequest) (*Verification, error) {
	key := request.IdempotencyKey
	if key == "" {
		key = randomHex()
	}
	if !fitsHeader(key) {
		return nil, errors.New("countersign: IdempotencyKey must be ASCII, without spaces")
	}
	body := map[string]string{"recipient": recipientOf(request.Recipient)}
	setIfGiven(body, "locale", request.Locale)
	setIfGiven(body, "client_ip", request.ClientIP)
	return answerOf[Verification](ctx, c, call{method: "POST", path: "/otp/send", body: body, idempotencyKey: key})
}

// Resend sends again on the next channel of the app's order, or on a named one. It is never retried by itself: it
// might send twice.
func (c *Client) Resend(ctx context.Context, otpID, channel string) (*Verification, error) {
	body := map[string]string{"otp_id": otpID}
	setIfGiven(body, "channel", channel)
	return answerOf[Verification](ctx, c, call{method: "POST", path: "/otp/resend", body: body, isOnce: true})
}

// Verify checks a code. A wrong code is a result: look at Matched. A code of another length is the error Invalid.
// Blanks and dashes are removed.
func (c *Client) Verify(ctx context.Context, otpID, code string) (*VerifyResult, error) {
	body := map[string]string{"otp_id": otpID, "code": codeOf(code)}
	// The service answers a repeated right code as it did the first time.
	return answerOf[VerifyResult](ctx, c, call{method: "POST", path: "/otp/verify", body: body})
}

// Get looks a verification up.
func (c *Client) Get(ctx context.Context, otpID string) (*VerificationDetails, error) {
	// Dots alone would lead to another call, if a proxy resolves them as the parent path.
	if otpID == "" || otpID == "." || otpID == ".." {
		return nil, errors.New("countersign: otpID is missing, or is no id")
	}
	return answerOf[VerificationDetails](ctx, c, call{method: "GET", path: "/otp/" + url.PathEscape(otpID)})
}

// Exchange returns the recipient that a device's token proves. This is the only proof: a device can be made to say
// anything. The same key may repeat the call.
func (c *Client) Exchange(ctx context.Context, verificationToken string) (*ProvenRecipient, error) {
	body := map[string]string{"verification_token": verificationToken}
	proven, err := answerOf[ProvenRecipient](ctx, c, call{method: "POST", path: "/verifications/exchange", body: body})
	var refusal *Error
	// The API has no error type for a bad token.
	if errors.As(err, &refusal) && refusal.Status == http.StatusNotFound && refusal.Type == "HTTPException" {
		refusal.Kind = TokenNotFound
	}
	return proven, err
}

func setIfGiven(body map[string]string, name, value string) {
	if value != "" {
		body[name] = value
	}
}

// Package countersign is Countersign from a Go backend: start a verification, check a code, exchange a device's
// token, check webhooks. The standard library alone, Go 1.21 or newer: copy the folder into your module.
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

// SendRequest is whom to verify.
type SendRequest struct {
	// Recipient is an E.164 phone number (+ and digits) or an email address. Blanks, dashes, dots and brackets are taken out.
	Recipient string
	// Locale is the language of the message, such as en or pt-BR; the app's, if it is empty.
	Locale string
	// ClientIP is the address of the person, not of your server. Without it all sends of the app share a tight limit.
	ClientIP string
	// IdempotencyKey gets the first answer again within 24 hours and sends nothing, whatever the recipient: make it
	// from something random in the form, and the recipient. Made up if it is empty.
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

// Verify checks a code. A wrong one is a result: look at Matched. One of another length is Invalid. Blanks and dashes
// are taken out.
func (c *Client) Verify(ctx context.Context, otpID, code string) (*VerifyResult, error) {
	body := map[string]string{"otp_id": otpID, "code": codeOf(code)}
	// The service answers a repeated right code as it did the first time.
	return answerOf[VerifyResult](ctx, c, call{method: "POST", path: "/otp/verify", body: body})
}

// Get looks a verification up.
func (c *Client) Get(ctx context.Context, otpID string) (*VerificationDetails, error) {
	// Dots alone would lead to another call, where somebody in between takes them for the way up.
	if otpID == "" || otpID == "." || otpID == ".." {
		return nil, errors.New("countersign: otpID is missing, or is no id")
	}
	return answerOf[VerificationDetails](ctx, c, call{method: "GET", path: "/otp/" + url.PathEscape(otpID)})
}

// Exchange gives the recipient that a device's token proves. This is the only proof: what a device says of itself,
// it can be made to say. The same key may repeat it.
func (c *Client) Exchange(ctx context.Context, verificationToken string) (*ProvenRecipient, error) {
	body := map[string]string{"verification_token": verificationToken}
	proven, err := answerOf[ProvenRecipient](ctx, c, call{method: "POST", path: "/verifications/exchange", body: body})
	var refusal *Error
	// The API gives a bad token no type of its own.
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

package countersign

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"net/http"
	"strconv"
	"strings"
	"time"
)

// WebhookEvent is an event that the service sends to your endpoint.
type WebhookEvent struct {
	// ID is the same on every redelivery: remember the ones you have handled.
	ID string `json:"id"`
	// Type is otp.approved, otp.failed, delivery.delivered or delivery.failed. Ignore types that you do not know.
	Type    string         `json:"type"`
	Payload WebhookPayload `json:"payload"`
}

// WebhookPayload says which verification or delivery an event is about, and its status.
type WebhookPayload struct {
	OtpID string `json:"otp_id"`
	// DeliveryID is empty in the events of verifications.
	DeliveryID string `json:"delivery_id,omitempty"`
	Status     string `json:"status"`
}

// The errors of VerifyWebhook: answer 400 and do nothing else.
var (
	ErrWebhookUnsigned  = errors.New("countersign: the request has no signature")
	ErrWebhookStale     = errors.New("countersign: the timestamp is not a recent one")
	ErrWebhookMismatch  = errors.New("countersign: no secret matches the signature of this body")
	ErrWebhookMalformed = errors.New("countersign: the body is not an event")
)

// WebhookTolerance is how far the timestamp of a webhook may be from now, either way.
const WebhookTolerance = 5 * time.Minute

// VerifyWebhook returns the event if its signature is valid for one of the secrets. rawBody must be exactly the bytes
// that arrived: JSON that was parsed and written again has another signature.
func VerifyWebhook(rawBody []byte, header http.Header, secrets ...string) (*WebhookEvent, error) {
	timestamp, hasTimestamp := single(header, "X-Webhook-Timestamp")
	current, hasCurrent := single(header, "X-Webhook-Signature")
	// Sent for a day after a rotation, for receivers that still have the old secret.
	previous, hasPrevious := single(header, "X-Webhook-Signature-Previous")
	if len(secrets) == 0 || !areSecrets(secrets) {
		// An unset environment variable must not become a key that everybody knows. A secret that was read from a file
		// with its line break would refuse every webhook.
		return nil, errors.New("countersign: pass the signing secret (whsec_…), or several, each alone: without blanks or a line break")
	}
	if !hasTimestamp || (!hasCurrent && !hasPrevious) {
		return nil, ErrWebhookUnsigned
	}
	seconds, err := strconv.ParseUint(timestamp, 10, 40)
	if err != nil || time.Since(time.Unix(int64(seconds), 0)).Abs() > WebhookTolerance {
		return nil, ErrWebhookStale
	}
	matches := 0
	for _, secret := range secrets {
		expected := []byte(signature(secret, timestamp, rawBody))
		// All of them are checked even if one matches, so that the time says nothing.
		for _, given := range []string{current, previous} {
			if hmac.Equal(expected, []byte(strings.ToLower(given))) {
				matches++
			}
		}
	}
	if matches == 0 {
		return nil, ErrWebhookMismatch
	}
	var event struct {
		ID, Type string
		Payload  map[string]any
	}
	if json.Unmarshal(rawBody, &event) != nil || event.ID == "" || event.Type == "" || event.Payload == nil {
		return nil, ErrWebhookMalformed
	}
	// In a newer type of event these fields may not be strings.
	text := func(name string) string { value, _ := event.Payload[name].(string); return value }
	payload := WebhookPayload{OtpID: text("otp_id"), DeliveryID: text("delivery_id"), Status: text("status")}
	return &WebhookEvent{ID: event.ID, Type: event.Type, Payload: payload}, nil
}

// SignTestPayload returns the body and the headers of a request as the service would send it, to test your endpoint.
func SignTestPayload(event WebhookEvent, secret string) ([]byte, http.Header, error) {
	body, err := json.Marshal(event)
	timestamp := strconv.FormatInt(time.Now().Unix(), 10)
	header := http.Header{}
	header.Set("Content-Type", "application/json")
	header.Set("X-Webhook-Timestamp", timestamp)
	header.Set("X-Webhook-Signature", signature(secret, timestamp, body))
	return body, header, err
}

func signature(secret, timestamp string, body []byte) string {
	mac := hmac.New(sha256.New, []byte(secret))
	mac.Write([]byte(timestamp + "."))
	mac.Write(body)
	return hex.EncodeToString(mac.Sum(nil))
}

// A header that came twice is not trusted.
func single(header http.Header, name string) (string, bool) {
	values := header.Values(name)
	if len(values) != 1 {
		return "", false
	}
	return values[0], true
}

func areSecrets(list []string) bool {
	for _, one := range list {
		if one == "" || !fitsHeader(one) {
			return false
		}
	}
	return true
}

package countersign

import (
	"encoding/json"
	"time"
)

// Verification is what Send and Resend answer.
type Verification struct {
	OtpID string `json:"otp_id"`
	// Status is pending, approved, failed or expired.
	Status string `json:"status"`
	// Channel is sms, whatsapp, telegram or email.
	Channel string `json:"channel"`
	// MaskedRecipient may be logged and shown.
	MaskedRecipient string `json:"masked_recipient"`
	// ActionURL is a wa.me link for the person to open, in the two WhatsApp link modes; otherwise empty.
	ActionURL string `json:"action_url"`
	// Completion is code if the person types a code, inbound if their WhatsApp message approves.
	Completion string `json:"completion"`
}

// VerifyResult is what Verify answers. A wrong code is a result, not an error.
type VerifyResult struct {
	OtpID             string     `json:"otp_id"`
	Status            string     `json:"status"`
	Matched           bool       `json:"matched"`
	Channel           string     `json:"channel"`
	AttemptsRemaining int        `json:"attempts_remaining"`
	VerifiedAt        *time.Time `json:"verified_at"`
	// Proof is a JWT that any service can check. It is there on a match, if the app has turned proofs on.
	Proof string `json:"proof"`
}

// Delivery is one message of a verification.
type Delivery struct {
	DeliveryID string `json:"delivery_id"`
	Channel    string `json:"channel"`
	// Status is queued, sent, delivered or failed.
	Status    string    `json:"status"`
	CreatedAt time.Time `json:"created_at"`
	UpdatedAt time.Time `json:"updated_at"`
	Attempts  int       `json:"attempts"`
	// Error says why the message failed, if it did.
	Error *struct {
		Code    string `json:"code"`
		Message string `json:"message"`
	} `json:"error"`
}

// VerificationDetails is what Get answers.
type VerificationDetails struct {
	Verification
	RecipientType     string     `json:"recipient_type"`
	CreatedAt         time.Time  `json:"created_at"`
	ExpiresAt         time.Time  `json:"expires_at"`
	VerifiedAt        *time.Time `json:"verified_at"`
	AttemptsRemaining int        `json:"attempts_remaining"`
	SendsRemaining    int        `json:"sends_remaining"`
	// ResendAvailableAt is nil when no resend can follow.
	ResendAvailableAt *time.Time `json:"resend_available_at"`
	// Deliveries are oldest first.
	Deliveries []Delivery `json:"deliveries"`
}

// ProvenRecipient is proof that a person controls Recipient.
type ProvenRecipient struct {
	OtpID string `json:"otp_id"`
	// Recipient is in full: an E.164 phone number or an email address.
	Recipient string `json:"recipient"`
	// RecipientType is phone or email.
	RecipientType string    `json:"recipient_type"`
	Channel       string    `json:"channel"`
	VerifiedAt    time.Time `json:"verified_at"`
}

// fields are the fields of an answer. Another program may answer 200 to everything, so an answer that lacks a field
// is not valid. Fields and values that are newer than this package are let through.
type fields map[string]json.RawMessage

type answerType interface{ isWhole(fields) bool }

// names tells whether all of these fields are present, even as null.
func (f fields) names(names ...string) bool {
	for _, name := range names {
		if _, isThere := f[name]; !isThere {
			return false
		}
	}
	return true
}

// has tells whether all of these fields are present and not null.
func (f fields) has(names ...string) bool {
	for _, name := range names {
		if value := f[name]; value == nil || string(value) == "null" {
			return false
		}
	}
	return true
}

func (Verification) isWhole(f fields) bool {
	return f.has("otp_id", "status", "channel", "masked_recipient", "completion") && f.names("action_url")
}

func (VerifyResult) isWhole(f fields) bool {
	return f.has("otp_id", "status", "matched", "channel", "attempts_remaining") && f.names("verified_at")
}

func (Delivery) isWhole(f fields) bool {
	return f.has("delivery_id", "channel", "status", "created_at", "updated_at", "attempts") && f.names("error")
}

func (v VerificationDetails) isWhole(f fields) bool {
	var deliveries []fields
	if json.Unmarshal(f["deliveries"], &deliveries) != nil {
		return false
	}
	for _, delivery := range deliveries {
		if !(Delivery{}).isWhole(delivery) {
			return false
		}
	}
	return v.Verification.isWhole(f) && f.names("verified_at", "resend_available_at") &&
		f.has("recipient_type", "created_at", "expires_at", "attempts_remaining", "sends_remaining", "deliveries")
}

func (ProvenRecipient) isWhole(f fields) bool {
	return f.has("otp_id", "recipient", "recipient_type", "channel", "verified_at")
}

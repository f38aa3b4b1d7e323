package countersign

import (
	"fmt"
	"time"
)

// Kind tells errors apart that a caller may handle differently: errors.Is(err, countersign.RateLimited).
type Kind string

func (k Kind) Error() string { return string(k) }

// The kinds of errors, with what to do about each.
const (
	Invalid             Kind = "ValidationError"          // 422: wrong code length, or a wrong call; Fields says where
	InvalidRecipient    Kind = "InvalidRecipientError"    // 422: ask the person for another number or address
	Unauthenticated     Kind = "AuthenticationError"      // 401: the key is unknown, revoked, or of the wrong kind
	InsufficientFunds   Kind = "InsufficientFundsError"   // 402: top up the balance
	AppPaused           Kind = "AppPausedError"           // 403: somebody has paused the app
	GeoBlocked          Kind = "GeoBlockedError"          // 403: the app does not send to this country
	IPReputationBlocked Kind = "IpReputationBlockedError" // 403: the person's address is a known source of abuse
	RuleBlocked         Kind = "RuleBlockedError"         // 403: a rule of the app; Details["rule"] is its name
	RecipientBlocked    Kind = "RecipientBlockedError"    // 403: somebody has blocked this recipient
	NoEnabledChannel    Kind = "NoEnabledChannelError"    // 409 on send: nothing enabled can reach the recipient
	ResendNotAllowed    Kind = "ResendNotAllowedError"    // 409 on resend: start a new verification
	RateLimited         Kind = "RateLimitExceededError"   // 429: may pass after RetryAfter; Details["scope"] says whose limit
	ResendCooldown      Kind = "ResendCooldownError"      // 429 on resend: possible again after RetryAfter
	OtpNotFound         Kind = "OtpNotFoundError"         // 404: the app has no such verification
	OtpNotPending       Kind = "OtpNotPendingError"       // 409: the verification is over; Details["otp_status"] says how
	CodeNotExpected     Kind = "CodeNotExpectedError"     // 409 on verify: the person's WhatsApp message finishes it
	TokenNotFound       Kind = "TokenNotFoundError"       // 404 on exchange: do not retry; let the person verify again
	Unavailable         Kind = "UnavailableError"         // 502, 503, 504 after the retries: try later
	NoAnswer            Kind = "ConnectionError"          // after the retries: not known whether it took effect
	Unexpected          Kind = "UnexpectedAnswer"         // not an answer of the service: is BaseURL right?
)

// Error is every error of a call except that of its context. Compare it with a Kind by errors.Is, or use errors.As.
type Error struct {
	Kind Kind
	// Type is the type of the API's error body; if no answer came, that of the Kind.
	Type    string
	Message string
	// Status is the HTTP status; 0 if no answer came.
	Status int
	// RequestID identifies this call in the service's log, even if no answer came.
	RequestID string
	// RetryAfter is how long to wait, if the service said so.
	RetryAfter time.Duration
	// Details are as the service sent them.
	Details map[string]any
	// Fields says what is wrong with a call that is Invalid.
	Fields []Field
	cause  error
}

// Field is a part of a call, and what is wrong with it.
type Field struct {
	Path    string `json:"path"`
	Message string `json:"message"`
}

func (e *Error) Error() string {
	return fmt.Sprintf("countersign: %s: %s (%s)", e.Type, e.Message, e.RequestID)
}

// Is tells whether the error is of a Kind.
func (e *Error) Is(target error) bool {
	kind, isKind := target.(Kind)
	return isKind && kind == e.Kind
}

func (e *Error) Unwrap() error { return e.cause }

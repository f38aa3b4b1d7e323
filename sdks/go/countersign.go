// Package countersign is Countersign from a Go backend: start a verification, check a code, exchange a device's
// token, check webhooks. One file, the standard library alone, Go 1.21 or newer: copy it into your module.
//
//	client, err := countersign.New(os.Getenv("COUNTERSIGN_KEY"), countersign.Options{BaseURL: "https://codes.example.com"})
//	sent, err := client.Send(ctx, countersign.SendRequest{Recipient: "+44 7400 123456", ClientIP: ip})
//	result, err := client.Verify(ctx, sent.OtpID, code)
//	if err == nil && result.Matched { … }
package countersign

import (
	"bytes"
	"context"
	"crypto/hmac"
	cryptorand "crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/rand"
	"net"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"
	"unicode"
)

// Version is sent with every call.
const Version = "0.1.0"

const (
	firstDelay   = 250 * time.Millisecond
	longestDelay = 4 * time.Second
	// Somebody waits for the answer: a longer wait is the caller's decision.
	longestObeyedRetryAfter = 5 * time.Second
	defaultTimeout          = 10 * time.Second
	longestTimeout          = 10 * time.Minute
	defaultMaxRetries       = 2
	mostRetries             = 10
	largestAnswerBytes      = 1 << 20
)

// Verification is what Send and Resend answer.
type Verification struct {
	OtpID string `json:"otp_id"`
	// Status is pending, approved, failed or expired.
	Status string `json:"status"`
	// Channel is sms, whatsapp, telegram or email.
	Channel string `json:"channel"`
	// MaskedRecipient is good to log and to show.
	MaskedRecipient string `json:"masked_recipient"`
	// ActionURL is a wa.me link for the person to open, in the two WhatsApp link modes; otherwise empty.
	ActionURL string `json:"action_url"`
	// Completion is code if the person types a code, inbound if their WhatsApp message approves.
	Completion string `json:"completion"`
}

// VerifyResult is what became of a code. A wrong one is a result, not an error.
type VerifyResult struct {
	OtpID             string     `json:"otp_id"`
	Status            string     `json:"status"`
	Matched           bool       `json:"matched"`
	Channel           string     `json:"channel"`
	AttemptsRemaining int        `json:"attempts_remaining"`
	VerifiedAt        *time.Time `json:"verified_at"`
	// Proof is a JWT that any service can check, on a match, where the app has turned proofs on.
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
	// Error says why it failed, where it did.
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

// fields are those of an answer as it came. Something else may answer 200 to everything, so an answer without what is
// promised of it is none; fields and words that are newer than this file are let through.
type fields map[string]json.RawMessage

type answerType interface{ isWhole(fields) bool }

// names tells whether all of them are there, if only as null.
func (f fields) names(names ...string) bool {
	for _, name := range names {
		if _, isThere := f[name]; !isThere {
			return false
		}
	}
	return true
}

// has tells whether all of them are there and have a value.
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

// Kind is what a caller can decide by: errors.Is(err, countersign.RateLimited).
type Kind string

func (k Kind) Error() string { return string(k) }

// The kinds of errors, with what to do about each.
const (
	Invalid             Kind = "ValidationError"          // 422: fix the call; Fields says where
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
	OtpNotFound         Kind = "OtpNotFoundError"         // 404: no such verification in this app
	OtpNotPending       Kind = "OtpNotPendingError"       // 409: over; Details["otp_status"] says how
	CodeNotExpected     Kind = "CodeNotExpectedError"     // 409 on verify: the person's WhatsApp message finishes it
	TokenNotFound       Kind = "TokenNotFoundError"       // 404 on exchange: do not retry; let the person verify again
	Unavailable         Kind = "UnavailableError"         // 502, 503, 504 after the retries: try later
	NoAnswer            Kind = "ConnectionError"          // after the retries: not known whether it took effect
	Unexpected          Kind = "UnexpectedAnswer"         // not an answer of the service: is BaseURL right?
)

// Error is every error of a call but that of its context. Compare with a Kind by errors.Is, or read it by errors.As.
type Error struct {
	Kind Kind
	// Type is the type of the API's error body; where no answer came, that of the Kind.
	Type    string
	Message string
	// Status is the HTTP status; 0 where no answer came.
	Status int
	// RequestID leads to this call in the service's log, also when no answer came.
	RequestID string
	// RetryAfter is how long to wait, where the service said so.
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

// Options of a client. Only BaseURL has to be set.
type Options struct {
	// BaseURL is where the service is. An empty one is refused.
	BaseURL string
	// Timeout is how long one attempt may take: ten seconds, if it is zero.
	Timeout time.Duration
	// MaxRetries is how often a call that may be repeated is, after its first attempt: twice, if it is zero; never, if it is negative.
	MaxRetries int
	// HTTPClient makes the calls, in place of one of its own. Redirects are not followed whatever it says.
	HTTPClient *http.Client
}

// Client is the service, as your backend sees it. Make one and keep it: goroutines may share it.
type Client struct {
	baseURL    string
	timeout    time.Duration
	maxRetries int
	http       *http.Client
	sleep      func(context.Context, time.Duration) error
	// The key is inside a function, so that printing a client does not print it.
	authorize func(http.Header)
}

// New makes a client from a server key, otp_sk_….
func New(key string, options Options) (*Client, error) {
	if strings.HasPrefix(key, "otp_pk_") {
		return nil, errors.New("countersign: this is a publishable key, for devices; a backend needs a server key (otp_sk_…)")
	}
	// The value is not shown: what was passed by mistake may be another secret.
	if !strings.HasPrefix(key, "otp_sk_") || key == "otp_sk_" || !fitsHeader(key) {
		return nil, errors.New("countersign: pass a server key (otp_sk_…) to New")
	}
	address, err := url.Parse(options.BaseURL)
	// A variable that was not set must not send the key to whatever is found instead.
	if err != nil || (address.Scheme != "http" && address.Scheme != "https") || address.Hostname() == "" ||
		// A password would stand in the message of every error.
		address.User != nil || strings.ContainsAny(options.BaseURL, "?#") {
		return nil, errors.New("countersign: BaseURL must be http:// or https:// and a host, without password, query or fragment")
	}
	client := &Client{timeout: options.Timeout, maxRetries: options.MaxRetries, sleep: sleep}
	// Also of the address that the API's reference shows, which ends in /api/v1.
	trimmed := strings.TrimRight(options.BaseURL, "/")
	client.baseURL = strings.TrimRight(strings.TrimSuffix(trimmed, "/api/v1"), "/")
	if client.timeout == 0 {
		client.timeout = defaultTimeout
	}
	if client.maxRetries == 0 {
		client.maxRetries = defaultMaxRetries
	}
	if client.timeout < 0 || client.timeout > longestTimeout || client.maxRetries > mostRetries {
		return nil, fmt.Errorf("countersign: Timeout is at most %v, MaxRetries at most %d", longestTimeout, mostRetries)
	}
	own := http.Client{}
	if options.HTTPClient != nil {
		own = *options.HTTPClient
	}
	// A redirect would turn POST into GET, or carry the key elsewhere.
	own.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	client.http = &own
	client.authorize = func(header http.Header) { header.Set("Authorization", "Bearer "+key) }
	return client, nil
}

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

// Verify checks a code. A wrong one is a result: look at Matched. Blanks and dashes are taken out.
func (c *Client) Verify(ctx context.Context, otpID, code string) (*VerifyResult, error) {
	body := map[string]string{"otp_id": otpID, "code": codeOf(code)}
	// The service answers a repeated right code as it did the first time.
	return answerOf[VerifyResult](ctx, c, call{method: "POST", path: "/otp/verify", body: body})
}

// Get looks a verification up.
func (c *Client) Get(ctx context.Context, otpID string) (*VerificationDetails, error) {
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

// ASCII, without blanks.
func fitsHeader(text string) bool {
	for _, letter := range text {
		if letter <= ' ' || letter > '~' {
			return false
		}
	}
	return true
}

type call struct {
	method, path   string
	body           map[string]string
	idempotencyKey string
	// isOnce is said of what must not be made twice.
	isOnce bool
}

func answerOf[Answer answerType](ctx context.Context, c *Client, what call) (*Answer, error) {
	var body []byte
	if what.body != nil {
		var err error
		if body, err = json.Marshal(what.body); err != nil {
			return nil, err
		}
	}
	requestID := "req_" + randomHex()
	for retries := 0; ; retries++ {
		answered := new(Answer)
		failure := c.attempt(ctx, what, body, requestID, answered, (*answered).isWhole)
		if failure == nil {
			return answered, nil
		}
		// The caller has given up, and is told so by the error of the context.
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		if what.isOnce || retries >= c.maxRetries || !isWorthRepeating(failure) {
			return nil, failure
		}
		if err := c.sleep(ctx, delayOf(failure, retries)); err != nil {
			return nil, err
		}
	}
}

func (c *Client) attempt(ctx context.Context, what call, body []byte, requestID string, answered any, isWhole func(fields) bool) *Error {
	limited, stop := context.WithTimeout(ctx, c.timeout)
	defer stop()
	request, err := http.NewRequestWithContext(limited, what.method, c.baseURL+"/api/v1"+what.path, bytes.NewReader(body))
	if err != nil {
		return c.noAnswer(err, requestID)
	}
	request.Header.Set("Accept", "application/json")
	c.authorize(request.Header)
	request.Header.Set("User-Agent", "countersign-go/"+Version)
	request.Header.Set("X-Request-Id", requestID)
	if body != nil {
		request.Header.Set("Content-Type", "application/json")
	}
	if what.idempotencyKey != "" {
		request.Header.Set("Idempotency-Key", what.idempotencyKey)
	}
	response, err := c.http.Do(request)
	if err != nil {
		return c.noAnswer(err, requestID)
	}
	defer response.Body.Close()
	text, err := io.ReadAll(io.LimitReader(response.Body, largestAnswerBytes))
	if err != nil {
		return c.noAnswer(err, requestID)
	}
	if response.StatusCode < 200 || response.StatusCode > 299 {
		return refusalOf(response, text, requestID)
	}
	var there fields
	if json.Unmarshal(text, &there) != nil || json.Unmarshal(text, answered) != nil || !isWhole(there) {
		return refusalOf(response, nil, requestID)
	}
	return nil
}

func (c *Client) noAnswer(cause error, requestID string) *Error {
	message := "no answer from " + c.baseURL
	var late net.Error
	if errors.As(cause, &late) && late.Timeout() {
		message += " within " + c.timeout.String()
	}
	return &Error{Kind: NoAnswer, Type: string(NoAnswer), Message: message, RequestID: requestID, cause: cause}
}

func refusalOf(response *http.Response, text []byte, requestID string) *Error {
	var answer struct {
		Error struct {
			Type    string         `json:"type"`
			Message string         `json:"message"`
			Details map[string]any `json:"details"`
		} `json:"error"`
		RequestID string `json:"request_id"`
	}
	// What cannot be read stays empty, and is said to be unexpected.
	_ = json.Unmarshal(text, &answer)
	refusal := &Error{
		Type: answer.Error.Type, Message: answer.Error.Message, Details: answer.Error.Details,
		Status: response.StatusCode, RequestID: answer.RequestID, RetryAfter: retryAfterOf(response),
	}
	if refusal.RequestID == "" {
		refusal.RequestID = requestID
	}
	if refusal.Type == "" {
		refusal.Type, refusal.Message = string(Unexpected), unexpected(response.StatusCode)
	}
	refusal.Kind = kindOf(refusal)
	refusal.Fields = fieldsOf(refusal)
	return refusal
}

func kindOf(refusal *Error) Kind {
	switch {
	case refusal.Status >= 502 && refusal.Status <= 504:
		return Unavailable
	case refusal.Status == http.StatusTooManyRequests && refusal.Type != string(ResendCooldown):
		return RateLimited
	case refusal.Status == http.StatusUnauthorized:
		return Unauthenticated
	case refusal.Type == "InvalidIdempotencyKeyError":
		return Invalid
	}
	return Kind(refusal.Type)
}

func fieldsOf(refusal *Error) []Field {
	if refusal.Type == "InvalidIdempotencyKeyError" {
		return []Field{{Path: "idempotency-key", Message: refusal.Message}}
	}
	list, _ := refusal.Details["fields"].([]any)
	var fields []Field
	for _, one := range list {
		entry, _ := one.(map[string]any)
		path, _ := entry["path"].(string)
		message, _ := entry["message"].(string)
		fields = append(fields, Field{Path: path, Message: message})
	}
	return fields
}

// Not an answer of the service: a proxy's page, a redirect, another program at this address.
func unexpected(status int) string {
	if status >= 300 && status < 400 {
		return fmt.Sprintf("the answer was a redirect (%d); is BaseURL right?", status)
	}
	return fmt.Sprintf("the answer was not one of Countersign (%d); is BaseURL right?", status)
}

// Only whole seconds: the service sends no dates.
func retryAfterOf(response *http.Response) time.Duration {
	seconds, err := strconv.ParseUint(response.Header.Get("Retry-After"), 10, 30)
	if err == nil {
		return time.Duration(seconds) * time.Second
	}
	if response.StatusCode == http.StatusTooManyRequests {
		return time.Second
	}
	return 0
}

func isWorthRepeating(failure *Error) bool {
	switch failure.Kind {
	// Nobody answered, or the connection broke on the way.
	case NoAnswer:
		return true
	// Away for a moment, or at a limit that is about to let this through, unless the moment is said to be long.
	case Unavailable, RateLimited:
		return failure.RetryAfter <= longestObeyedRetryAfter
	}
	// Everything else is an answer: refusals, bugs. The same question gets it again.
	return false
}

// Doubling, with a random half so that callers who failed together do not return together.
func delayOf(failure *Error, retries int) time.Duration {
	if failure.RetryAfter > 0 {
		return failure.RetryAfter + time.Duration(rand.Int63n(int64(firstDelay)))
	}
	backoff := firstDelay << retries
	if backoff > longestDelay {
		backoff = longestDelay
	}
	return backoff/2 + time.Duration(rand.Int63n(int64(backoff/2)))
}

func sleep(ctx context.Context, delay time.Duration) error {
	timer := time.NewTimer(delay)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

func randomHex() string {
	random := make([]byte, 16)
	// It fails only where the system has no randomness, and then nothing is safe.
	if _, err := cryptorand.Read(random); err != nil {
		panic(err)
	}
	return hex.EncodeToString(random)
}

// recipientOf leaves what cannot be read as it is, for the service to judge. "+44 (0) 7400" stays wrong: which
// digits to leave out is not for us to guess.
func recipientOf(written string) string {
	trimmed := strings.TrimSpace(written)
	if strings.Contains(trimmed, "@") {
		return trimmed
	}
	digits := strings.Map(func(written rune) rune {
		letter := inASCII(written)
		if isSeparator(letter) {
			return -1
		}
		return letter
	}, trimmed)
	if len(digits) < 2 || digits[0] != '+' || strings.Trim(digits[1:], "0123456789") != "" {
		return trimmed
	}
	return digits
}

// Blanks of every kind, and what is put between digits to read them better.
func isSeparator(letter rune) bool {
	switch {
	case unicode.IsSpace(letter), strings.ContainsRune("().-/\u2060\ufeff", letter):
		return true
	case letter >= 0x200b && letter <= 0x200f, letter >= 0x2010 && letter <= 0x2015:
		return true
	}
	return false
}

func codeOf(written string) string {
	return strings.Map(func(written rune) rune {
		letter := inASCII(written)
		if letter == '-' || unicode.IsSpace(letter) {
			return -1
		}
		return letter
	}, written)
}

// inASCII reads digits of other scripts, and what input methods make full-width.
func inASCII(letter rune) rune {
	switch {
	case letter >= 0xff01 && letter <= 0xff5e:
		return letter - 0xfee0
	// Mathematical digits: five zeros to nines, one behind the other.
	case letter >= 0x1d7ce && letter <= 0x1d7ff:
		return '0' + (letter-0x1d7ce)%10
	case letter < 0x80 || !unicode.IsDigit(letter):
		return letter
	}
	// In every script the digits stand in a row, from its zero on.
	worth := '0'
	for ; worth < '9' && unicode.IsDigit(letter-1); letter-- {
		worth++
	}
	return worth
}

// WebhookEvent is what the service tells your endpoint.
type WebhookEvent struct {
	// ID is the same on every redelivery: remember the ones you have handled.
	ID string `json:"id"`
	// Type is otp.approved, otp.failed, delivery.delivered or delivery.failed. Leave alone what you do not know.
	Type    string         `json:"type"`
	Payload WebhookPayload `json:"payload"`
}

// WebhookPayload is whom an event is about, and what became of it.
type WebhookPayload struct {
	OtpID string `json:"otp_id"`
	// DeliveryID is empty in the events of verifications.
	DeliveryID string `json:"delivery_id,omitempty"`
	Status     string `json:"status"`
}

// What can be wrong with a webhook: answer 400 and do nothing else.
var (
	ErrWebhookUnsigned  = errors.New("countersign: the request has no signature")
	ErrWebhookStale     = errors.New("countersign: the timestamp is not a recent one")
	ErrWebhookMismatch  = errors.New("countersign: no secret matches the signature of this body")
	ErrWebhookMalformed = errors.New("countersign: the body is not an event")
)

// WebhookTolerance is how far the timestamp of a webhook may be from now, either way.
const WebhookTolerance = 5 * time.Minute

// VerifyWebhook returns the event if its signature holds for the secret, or for one of several. rawBody is exactly
// what arrived: JSON that was parsed and written again has another signature.
func VerifyWebhook(rawBody []byte, header http.Header, secrets ...string) (*WebhookEvent, error) {
	timestamp, hasTimestamp := single(header, "X-Webhook-Timestamp")
	current, hasCurrent := single(header, "X-Webhook-Signature")
	// For a day after a rotation, for receivers that still hold the old secret.
	previous, hasPrevious := single(header, "X-Webhook-Signature-Previous")
	if len(secrets) == 0 || containsEmpty(secrets) {
		// An unset environment variable must not become a key that everybody knows.
		return nil, errors.New("countersign: pass the signing secret (whsec_…), or several")
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
		// All of them, whichever matches: the time taken says nothing.
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
		Payload  *WebhookPayload
	}
	if json.Unmarshal(rawBody, &event) != nil || event.ID == "" || event.Type == "" || event.Payload == nil {
		return nil, ErrWebhookMalformed
	}
	return &WebhookEvent{ID: event.ID, Type: event.Type, Payload: *event.Payload}, nil
}

// SignTestPayload makes a request as the service would, for the tests of your endpoint: its body and its headers.
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

// One that came twice is not to be trusted.
func single(header http.Header, name string) (string, bool) {
	values := header.Values(name)
	if len(values) != 1 {
		return "", false
	}
	return values[0], true
}

func containsEmpty(list []string) bool {
	for _, one := range list {
		if one == "" {
			return true
		}
	}
	return false
}

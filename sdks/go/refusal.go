package countersign

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strconv"
	"time"
)

func refusalOf(response *http.Response, text []byte, requestID string) *Error {
	var answer struct {
		Error struct {
			Type    string         `json:"type"`
			Message string         `json:"message"`
			Details map[string]any `json:"details"`
		} `json:"error"`
		RequestID string `json:"request_id"`
	}
	// An answer that cannot be parsed stays empty, and becomes an Unexpected error.
	_ = json.Unmarshal(text, &answer)
	refusal := &Error{
		Type: answer.Error.Type, Message: answer.Error.Message, Details: answer.Error.Details,
		Status: response.StatusCode, RequestID: answer.RequestID, RetryAfter: retryAfterOf(response),
	}
	if refusal.RequestID == "" {
		refusal.RequestID = requestID
	}
	if refusal.Type == "" {
		refusal.Type = string(Unexpected)
	}
	if refusal.Message == "" {
		refusal.Message = unexpected(response.StatusCode)
	}
	refusal.Kind = kindOf(refusal)
	refusal.Fields = fieldsOf(refusal)
	return refusal
}

func kindOf(refusal *Error) Kind {
	switch {
	case isAway(refusal.Status):
		return Unavailable
	case isLimit(refusal):
		return RateLimited
	case refusal.Status == http.StatusUnauthorized:
		return Unauthenticated
	case refusal.Type == "InvalidIdempotencyKeyError":
		return Invalid
	}
	return Kind(refusal.Type)
}

func isAway(status int) bool { return status >= 502 && status <= 504 }

func isLimit(refusal *Error) bool {
	return refusal.Status == http.StatusTooManyRequests && refusal.Type != string(ResendCooldown)
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

// The message if the service did not answer itself: a proxy's page, a redirect, another program at this address.
func unexpected(status int) string {
	switch {
	// The service is there, so the message must not suggest a wrong address.
	case status == http.StatusTooManyRequests, isAway(status):
		return fmt.Sprintf("something in front of Countersign answered for it (%d)", status)
	case status >= 300 && status < 400:
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

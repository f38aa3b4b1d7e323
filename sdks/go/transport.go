package countersign

import (
	"bytes"
	"context"
	cryptorand "crypto/rand"
	"encoding/hex"
	"encoding/json"
	"errors"
	"io"
	"net"
	"net/http"
	"net/url"
	"time"
)

const largestAnswerBytes = 1 << 20

type call struct {
	method, path   string
	body           map[string]string
	idempotencyKey string
	// isOnce marks a call that must not be made twice.
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
		// The caller has given up, so the error is that of the context.
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		if what.isOnce || retries >= c.maxRetries || !isWorthRepeating(failure) {
			return nil, failure
		}
		delay := delayOf(failure, retries)
		// If the deadline leaves no time for another attempt, the failure is returned at once.
		if deadline, isSet := ctx.Deadline(); isSet && time.Until(deadline) <= delay {
			return nil, failure
		}
		if err := c.sleep(ctx, delay); err != nil {
			return nil, err
		}
	}
}

func (c *Client) attempt(ctx context.Context, what call, body []byte, requestID string, answered any, isWhole func(fields) bool) *Error {
	limited, stop := context.WithTimeout(ctx, c.timeout)
	defer stop()
	request, err := c.requestOf(limited, what, body, requestID)
	if err != nil {
		return c.noAnswer(err, requestID)
	}
	client := c.http
	if what.isOnce {
		client = c.once
	}
	response, err := client.Do(request)
	if err != nil {
		return c.noAnswer(err, requestID)
	}
	defer response.Body.Close()
	text, err := io.ReadAll(io.LimitReader(response.Body, largestAnswerBytes+1))
	if err != nil {
		return c.noAnswer(err, requestID)
	}
	if len(text) > largestAnswerBytes {
		// No answer of the service is so long. The rest is not read.
		text = nil
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

func (c *Client) requestOf(ctx context.Context, what call, body []byte, requestID string) (*http.Request, error) {
	request, err := http.NewRequestWithContext(ctx, what.method, c.baseURL+"/api/v1"+what.path, bytes.NewReader(body))
	if err != nil {
		return nil, err
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
	return request, nil
}

func (c *Client) noAnswer(cause error, requestID string) *Error {
	message := "no answer from " + c.baseURL
	var late net.Error
	var said *url.Error
	switch {
	case errors.As(cause, &late) && late.Timeout():
		message += " within " + c.timeout.String()
	// The text of a url.Error would repeat the address.
	case errors.As(cause, &said):
		message += ": " + said.Err.Error()
	default:
		message += ": " + cause.Error()
	}
	return &Error{Kind: NoAnswer, Type: string(NoAnswer), Message: message, RequestID: requestID, cause: cause}
}

func randomHex() string {
	random := make([]byte, 16)
	// This fails only if the system has no randomness, and then nothing is safe.
	if _, err := cryptorand.Read(random); err != nil {
		panic(err)
	}
	return hex.EncodeToString(random)
}

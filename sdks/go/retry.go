package countersign

import (
	"context"
	"math/rand"
	"time"
)

const (
	firstDelay   = 250 * time.Millisecond
	longestDelay = 4 * time.Second
	// Somebody waits for the answer: a longer wait is the caller's decision.
	longestObeyedRetryAfter = 5 * time.Second
)

func isWorthRepeating(failure *Error) bool {
	switch {
	// Nobody answered, or the connection broke on the way.
	case failure.Status == 0:
		return true
	// Away for a moment, or at a limit that will soon allow it, unless the service says that it takes longer.
	case isAway(failure.Status), isLimit(failure):
		return failure.RetryAfter <= longestObeyedRetryAfter
	}
	// Everything else is an answer, such as a refusal or a bug, and the same call would get it again.
	return false
}

// The delay doubles, and half of it is random, so that callers who failed together do not return together.
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

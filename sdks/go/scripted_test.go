package countersign

import (
	"context"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"
	"time"
)

const phone = "+447400123456"

type received struct {
	method, path string
	header       http.Header
	body         map[string]string
}

// A log is written to by the server's goroutines, even by one whose connection the test has already seen break.
type log struct {
	mutex sync.Mutex
	list  []received
}

func (l *log) add(one received) (count int) {
	l.mutex.Lock()
	defer l.mutex.Unlock()
	l.list = append(l.list, one)
	return len(l.list)
}

func (l *log) read() []received {
	l.mutex.Lock()
	defer l.mutex.Unlock()
	return append([]received(nil), l.list...)
}

type step func(http.ResponseWriter)

func answer(status int, body string, headers ...string) step {
	return func(w http.ResponseWriter) {
		for at := 0; at < len(headers); at += 2 {
			w.Header().Set(headers[at], headers[at+1])
		}
		w.WriteHeader(status)
		io.WriteString(w, body)
	}
}

func refuse(status int, kind, details string, headers ...string) step {
	body := `{"error": {"type": "` + kind + `", "message": "about it", "details": ` + details + `}, "request_id": "req_of_the_service"}`
	return answer(status, body, headers...)
}

func drop(http.ResponseWriter) { panic(http.ErrAbortHandler) }

func dropMidway(w http.ResponseWriter) {
	w.Header().Set("Content-Length", "500")
	io.WriteString(w, `{"otp_id": "otp_`)
	panic(http.ErrAbortHandler)
}

const whole = `{"otp_id": "otp_1", "status": "pending", "channel": "sms", "masked_recipient": "+44****56",
	"action_url": null, "completion": "code", "newer": true}`

var sent = answer(200, whole)

// A server that does what its script says; steps are used up in order, and the last one stays.
func serve(t *testing.T, steps ...step) (client *Client, heard *log, waits *[]time.Duration) {
	t.Helper()
	heard, waits = &log{}, &[]time.Duration{}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		one := received{method: r.Method, path: r.URL.Path, header: r.Header}
		json.NewDecoder(r.Body).Decode(&one.body)
		at := heard.add(one)
		if at > len(steps) {
			at = len(steps)
		}
		steps[at-1](w)
	}))
	t.Cleanup(server.Close)
	client, err := New("otp_sk_a", Options{BaseURL: server.URL})
	if err != nil {
		t.Fatal(err)
	}
	client.sleep = func(_ context.Context, delay time.Duration) error {
		*waits = append(*waits, delay)
		return nil
	}
	return client, heard, waits
}

func check(t *testing.T, isAsItShouldBe bool, what ...any) {
	t.Helper()
	if !isAsItShouldBe {
		t.Fatal(what...)
	}
}

package countersign

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"
)

const (
	defaultTimeout    = 10 * time.Second
	longestTimeout    = 10 * time.Minute
	defaultMaxRetries = 2
	mostRetries       = 10
)

// Options of a client. Only BaseURL has to be set.
type Options struct {
	// BaseURL is the address of the service. An empty one is refused.
	BaseURL string
	// Timeout is how long one attempt may take. Zero means ten seconds.
	Timeout time.Duration
	// MaxRetries is how often a call that may be repeated is tried again. Zero means twice, a negative number never.
	MaxRetries int
	// HTTPClient makes the calls instead of the default one. Redirects are never followed.
	HTTPClient *http.Client
}

// Client is a client of the service, for your backend. Make one and keep it: goroutines may share it.
type Client struct {
	baseURL    string
	timeout    time.Duration
	maxRetries int
	http       *http.Client
	// once makes the calls that must not be made twice.
	once  *http.Client
	sleep func(context.Context, time.Duration) error
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
		return nil, errors.New("countersign: pass a server key (otp_sk_…) to New, alone: without quotes, blanks or a line break")
	}
	address, err := addressOf(options.BaseURL)
	if err != nil {
		return nil, err
	}
	client := &Client{baseURL: address, timeout: options.Timeout, maxRetries: options.MaxRetries, sleep: sleep}
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
	client.http, client.once = &own, onOwnConnections(own)
	client.authorize = func(header http.Header) { header.Set("Authorization", "Bearer "+key) }
	return client, nil
}

// onOwnConnections opens a connection for each call. The other side may be closing a kept one, which shows only when a
// call on it is lost, and a call that must not be made twice cannot be repeated then.
func onOwnConnections(client http.Client) *http.Client {
	transport := client.Transport
	if transport == nil {
		transport = http.DefaultTransport
	}
	// A transport of another type is left as it is.
	if kept, isKnown := transport.(*http.Transport); isKnown {
		fresh := kept.Clone()
		fresh.DisableKeepAlives = true
		client.Transport = fresh
	}
	return &client
}

// addressOf also accepts the address that the API's reference shows, which ends in /api/v1.
func addressOf(baseURL string) (string, error) {
	address, err := url.Parse(baseURL)
	// If a variable was not set, the key must not go to whatever the default would be.
	if err != nil || (address.Scheme != "http" && address.Scheme != "https") || address.Hostname() == "" || !isPort(address.Port()) ||
		// A password would appear in every error message.
		address.User != nil || strings.ContainsAny(baseURL, "?# \t\r\n") {
		return "", errors.New("countersign: BaseURL must be http:// or https:// and a host, without password, query, fragment, blanks or a line break")
	}
	trimmed := strings.TrimRight(baseURL, "/")
	return strings.TrimRight(strings.TrimSuffix(trimmed, "/api/v1"), "/"), nil
}

func isPort(text string) bool {
	_, err := strconv.ParseUint(text, 10, 16)
	return text == "" || err == nil
}

// Whether the text is ASCII without blanks.
func fitsHeader(text string) bool {
	for _, letter := range text {
		if letter <= ' ' || letter > '~' {
			return false
		}
	}
	return true
}

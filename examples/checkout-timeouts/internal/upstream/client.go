// Package upstream talks to the payment gateway.
package upstream

import (
	"context"
	"fmt"
	"net/http"
	"net/url"
	"time"
)

// Client charges cards at the gateway.
type Client struct {
	base string
	http *http.Client
}

// New makes a client whose single calls end after timeout.
func New(base string, timeout time.Duration) *Client {
	return &Client{base: base, http: &http.Client{Timeout: timeout}}
}

// Charge asks the gateway to charge an order and tries again when it fails.
func (c *Client) Charge(ctx context.Context, order string) error {
	return withRetry(ctx, func(ctx context.Context) error {
		target := c.base + "/charge?order=" + url.QueryEscape(order)
		req, err := http.NewRequestWithContext(ctx, http.MethodPost, target, nil)
		if err != nil {
			return err
		}
		resp, err := c.http.Do(req)
		if err != nil {
			return err
		}
		defer resp.Body.Close()
		if resp.StatusCode != http.StatusOK {
			return fmt.Errorf("gateway: status %d", resp.StatusCode)
		}
		return nil
	})
}

// Package checkout serves the checkout endpoint.
package checkout

import (
	"context"
	"net/http"
	"time"

	"example.com/checkout/internal/pool"
)

// Charger charges an order.
type Charger interface {
	Charge(ctx context.Context, order string) error
}

// Handler charges the order that the request names.
type Handler struct {
	Pool    *pool.Pool
	Gateway Charger
}

// ServeHTTP answers within two seconds, one way or the other.
func (h *Handler) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	ctx, cancel := context.WithTimeout(r.Context(), 2*time.Second)
	defer cancel()

	if err := h.Pool.Acquire(ctx); err != nil {
		http.Error(w, "busy", http.StatusServiceUnavailable)
		return
	}
	if err := h.Gateway.Charge(ctx, r.FormValue("order")); err != nil {
		http.Error(w, "payment gateway failed", http.StatusGatewayTimeout)
		return
	}
	h.Pool.Release()
	w.WriteHeader(http.StatusNoContent)
}

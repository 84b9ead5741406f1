package checkout

import (
	"context"
	"net/http"
	"net/http/httptest"
	"testing"

	"example.com/checkout/internal/pool"
)

type charger func(context.Context, string) error

func (c charger) Charge(ctx context.Context, order string) error { return c(ctx, order) }

func TestChargedOrderAnswersNoContent(t *testing.T) {
	h := &Handler{Pool: pool.New(1), Gateway: charger(func(context.Context, string) error { return nil })}
	w := httptest.NewRecorder()
	h.ServeHTTP(w, httptest.NewRequest(http.MethodPost, "/checkout?order=17", nil))
	if w.Code != http.StatusNoContent {
		t.Errorf("status %d, want %d", w.Code, http.StatusNoContent)
	}
	if n := h.Pool.InUse(); n != 0 {
		t.Errorf("%d slots in use after a good request, want 0", n)
	}
}

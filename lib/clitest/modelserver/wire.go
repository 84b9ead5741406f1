package modelserver

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
)

// obj is a JSON object.
type obj = map[string]any

func (t *turn) json(status int, v any) {
	t.w.Header().Set("Content-Type", "application/json")
	t.w.WriteHeader(status)
	// The client may be gone; then nobody waits for the answer.
	_ = json.NewEncoder(t.w).Encode(v)
}

// events begins a server-sent event stream.
func (t *turn) events() {
	h := t.w.Header()
	h.Set("Content-Type", "text/event-stream")
	h.Set("Cache-Control", "no-cache")
	h.Set("Request-Id", "req_"+t.id)
	h.Set("X-Request-Id", "req_"+t.id)
	t.w.WriteHeader(http.StatusOK)
}

func (t *turn) event(name string, v any) {
	data, err := json.Marshal(v)
	if err != nil {
		panic(err) // only literals of this package come here
	}
	if name != "" {
		fmt.Fprintf(t.w, "event: %s\n", name)
	}
	fmt.Fprintf(t.w, "data: %s\n\n", data)
	t.flush()
}

func (t *turn) raw0(text string) {
	_, _ = io.WriteString(t.w, text)
	t.flush()
}

func (t *turn) flush() {
	if f, ok := t.w.(http.Flusher); ok {
		f.Flush()
	}
}

// cut drops the connection without an end of the answer.
func (t *turn) cut() { panic(http.ErrAbortHandler) }

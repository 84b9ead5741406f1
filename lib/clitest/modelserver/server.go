// Package modelserver is a stand-in model server on loopback, so that the real
// agent CLIs run in tests without an account. It speaks four dialects
// (Messages, Responses, Chat Completions, generateContent) and reports the
// same token counts for every call, which is the truth that a usage collector
// must find again.
package modelserver

import (
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"sync"
	"time"
)

// Counts are the tokens that a model call reports.
type Counts struct{ Input, CacheRead, CacheWrite, Output, Reasoning int }

// Truth is what every finished call reports; CacheWrite by Messages alone.
var Truth = Counts{Input: 1201, CacheRead: 3407, CacheWrite: 509, Output: 77, Reasoning: 13}

// Call is one model call that was answered, or begun.
type Call struct {
	Dialect  string // messages, responses, chat, generate
	Model    string
	Scenario string
	Side     bool // asked for something beside the conversation: a title, a route
	Finished bool // the usage was sent whole
}

// Options change what the server answers.
type Options struct {
	// Command is the shell command of the tool call in the scenario "tool",
	// made from the request's text; nil stands for a small fixed one.
	Command func(request string) string
	// Default is the scenario of a request that names none; "" is "plain".
	Default string
}

// Server answers on a loopback port of its own until Close.
type Server struct {
	options  Options
	listener net.Listener
	http     *http.Server
	stopped  chan struct{}

	mu    sync.Mutex
	calls []*Call
}

// Start opens a server on a free loopback port.
func Start(options Options) (*Server, error) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	s := &Server{options: options, listener: listener, stopped: make(chan struct{})}
	s.http = &http.Server{Handler: http.HandlerFunc(s.serve), ReadHeaderTimeout: 10 * time.Second}
	go func() {
		_ = s.http.Serve(listener) // ends with ErrServerClosed
	}()
	return s, nil
}

// URL is the base address, without a final slash.
func (s *Server) URL() string { return "http://" + s.listener.Addr().String() }

// Close ends the server and every answer that hangs.
func (s *Server) Close() error {
	close(s.stopped)
	return s.http.Close()
}

// Calls returns what was asked so far, in order of arrival.
func (s *Server) Calls() []Call {
	s.mu.Lock()
	defer s.mu.Unlock()
	out := make([]Call, len(s.calls))
	for i, c := range s.calls {
		out[i] = *c
	}
	return out
}

// Finished counts the calls of the conversation itself that were answered
// whole, and Side those beside it.
func (s *Server) Finished() (conversation, side int) {
	for _, c := range s.Calls() {
		switch {
		case c.Finished && c.Side:
			side++
		case c.Finished:
			conversation++
		}
	}
	return conversation, side
}

var scenarioForm = regexp.MustCompile(`SCENARIO=(\w+)`)

// turn is one request, understood.
type turn struct {
	server   *Server
	call     *Call
	id       string
	scenario string
	raw      string
	body     request
	w        http.ResponseWriter
	r        *http.Request
}

// request holds the fields of all dialects that matter here.
type request struct {
	Model  string `json:"model"`
	Stream bool   `json:"stream"`
	Tools  []struct {
		Name     string `json:"name"`
		Type     string `json:"type"`
		Function struct {
			Name string `json:"name"`
		} `json:"function"`
		FunctionDeclarations []struct {
			Name string `json:"name"`
		} `json:"functionDeclarations"`
	} `json:"tools"`
	Messages []struct {
		Role    string          `json:"role"`
		Content json.RawMessage `json:"content"`
	} `json:"messages"`
	GenerationConfig struct {
		ResponseMimeType   string          `json:"responseMimeType"`
		ResponseJSONSchema json.RawMessage `json:"responseJsonSchema"`
	} `json:"generationConfig"`
}

// route finds the dialect of a path by its ending.
var routes = []struct {
	suffix  string
	dialect string
	answer  func(*turn)
}{
	{"/messages", "messages", (*turn).messages},
	{"/responses", "responses", (*turn).responses},
	{"/chat/completions", "chat", (*turn).chat},
	{":streamGenerateContent", "generate", func(t *turn) { t.generate(true) }},
	{":generateContent", "generate", func(t *turn) { t.generate(false) }},
}

// fixed are the answers to the questions around a model call.
var fixed = []struct{ suffix, answer string }{
	{"/count_tokens", `{"input_tokens":1201}`},
	{":countTokens", `{"totalTokens":1201}`},
	{"/models", `{"object":"list","data":[{"id":"stub-model","object":"model","created":1,"owned_by":"stub","context_length":200000,"display_name":"Stub","supports_reasoning":false}],"models":[]}`},
}

// failures are the scenarios that answer with an HTTP error.
var failures = map[string]struct {
	status        int
	kind, status2 string
}{
	"err400": {400, "invalid_request_error", "INVALID_ARGUMENT"},
	"err401": {401, "authentication_error", "UNAUTHENTICATED"},
	"err429": {429, "rate_limit_error", "RESOURCE_EXHAUSTED"},
	"err500": {500, "api_error", "INTERNAL"},
}

func (s *Server) serve(w http.ResponseWriter, r *http.Request) {
	raw, err := io.ReadAll(r.Body)
	if err != nil {
		return
	}
	for _, f := range fixed {
		if strings.HasSuffix(r.URL.Path, f.suffix) {
			w.Header().Set("Content-Type", "application/json")
			_, _ = io.WriteString(w, f.answer)
			return
		}
	}
	for _, route := range routes {
		if strings.HasSuffix(r.URL.Path, route.suffix) {
			t := s.begin(w, r, raw, route.dialect)
			if !t.refused() {
				route.answer(t)
			}
			return
		}
	}
	http.Error(w, `{"error":{"message":"no such path"}}`, http.StatusNotFound)
}

func (s *Server) begin(w http.ResponseWriter, r *http.Request, raw []byte, dialect string) *turn {
	t := &turn{server: s, raw: string(raw), w: w, r: r}
	// A body that is no JSON leaves the fields empty; the answer is the same.
	_ = json.Unmarshal(raw, &t.body)
	t.scenario = s.options.Default
	if t.scenario == "" {
		t.scenario = "plain"
	}
	if all := scenarioForm.FindAllStringSubmatch(t.raw, -1); len(all) > 0 {
		t.scenario = all[len(all)-1][1]
	}
	t.call = &Call{Dialect: dialect, Model: t.body.Model, Scenario: t.scenario}
	s.mu.Lock()
	s.calls = append(s.calls, t.call)
	t.id = fmt.Sprintf("stub%04d", len(s.calls))
	s.mu.Unlock()
	return t
}

// refused answers the scenarios in which no reply is begun: "hang" and "drop",
// and "longtool" when the tool has been called, so that a CLI that lets a tool
// go on by itself does not end before it.
func (t *turn) refused() bool {
	switch {
	case t.scenario == "drop":
		t.cut()
	case t.scenario == "hang", t.scenario == "longtool" && t.toolCalled():
		t.hang()
		return true
	}
	f, ok := failures[t.scenario]
	if !ok {
		return false
	}
	if f.status == http.StatusTooManyRequests {
		t.w.Header().Set("Retry-After", "1")
	}
	t.json(f.status, obj{"type": "error", "error": obj{
		"type": f.kind, "message": fmt.Sprintf("stub says %d", f.status), "code": f.status, "status": f.status2,
	}})
	return true
}

// hang keeps the connection open until the client or the server goes.
func (t *turn) hang() {
	if f, ok := t.w.(http.Flusher); ok {
		f.Flush()
	}
	select {
	case <-t.r.Context().Done():
	case <-t.server.stopped:
	}
}

func (t *turn) finish() {
	t.server.mu.Lock()
	t.call.Finished = true
	t.server.mu.Unlock()
}

func (t *turn) side() {
	t.server.mu.Lock()
	t.call.Side = true
	t.server.mu.Unlock()
}

// toolMarks stand in a request that brings a tool's answer, in any dialect.
var toolMarks = []string{
	`"type":"tool_result"`, `"type":"function_call_output"`, `"type":"custom_tool_call_output"`, `"type":"local_shell_call_output"`,
	`"role":"tool"`, `"functionResponse"`,
}

// toolCalled tells whether the conversation has a tool call behind it.
func (t *turn) toolCalled() bool {
	return slices.ContainsFunc(toolMarks, func(mark string) bool { return strings.Contains(t.raw, mark) })
}

// tool is the first of names that the request offers, when the scenario wants
// a tool call and none was answered yet.
func (t *turn) tool(names ...string) string {
	if !t.wantsTool() {
		return ""
	}
	return t.offered(names...)
}

// wantsTool tells whether the scenario wants a tool call now.
func (t *turn) wantsTool() bool {
	return (t.scenario == "tool" || t.scenario == "longtool") && !t.toolCalled() && !t.call.Side
}

// offered is the first of names that the request offers, or "".
func (t *turn) offered(names ...string) string {
	offered := map[string]bool{}
	for _, tool := range t.body.Tools {
		offered[tool.Name], offered[tool.Type], offered[tool.Function.Name] = true, true, true
		for _, f := range tool.FunctionDeclarations {
			offered[f.Name] = true
		}
	}
	for _, name := range names {
		if offered[name] {
			return name
		}
	}
	return ""
}

func (t *turn) command() string {
	switch {
	case t.scenario == "longtool":
		return "sleep 300"
	case t.server.options.Command != nil:
		return t.server.options.Command(t.raw)
	}
	return "echo made-by-tool > made.txt; echo tool-said-hello"
}

func (t *turn) text() string {
	if t.scenario == "big" {
		return strings.Repeat("B", 300_000)
	}
	return "STUB-REPLY scenario=" + t.scenario + " snowman=\u2603 done."
}

// pieces sends the text in four parts; it says false when the scenario cuts
// the connection between them.
func (t *turn) pieces(send func(string)) bool {
	text := []rune(t.text())
	step := (len(text) + 3) / 4
	for i := 0; i < len(text); i += step {
		send(string(text[i:min(i+step, len(text))]))
		switch {
		case t.scenario == "cut" && i > 0:
			return false
		case t.scenario == "slow":
			time.Sleep(1500 * time.Millisecond)
		}
	}
	return true
}

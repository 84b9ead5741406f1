package modelserver

import (
	"context"
	"encoding/json"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"
)

var dialects = []struct {
	name, path, tool, usage string
	offer                   string
}{
	{"messages", "/v1/messages", `"tool_use"`, `"output_tokens":77`, `{"name":"Bash"}`},
	{"responses", "/v1/responses", `"function_call"`, `"output_tokens":77`, `{"type":"function","name":"exec_command"}`},
	{"chat", "/v1/chat/completions", `"tool_calls"`, `"completion_tokens":77`, `{"type":"function","function":{"name":"Shell"}}`},
	{"generate", "/v1beta/models/x:streamGenerateContent", `"functionCall"`, `"candidatesTokenCount":77`, `{"functionDeclarations":[{"name":"run_shell_command"}]}`},
}

func start(t *testing.T, options Options) *Server {
	t.Helper()
	s, err := Start(options)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	return s
}

func ask(t *testing.T, s *Server, path, scenario, tool string) (int, string, error) {
	t.Helper()
	body, err := json.Marshal(map[string]any{
		"model": "stub", "stream": true, "prompt": "Say hi. SCENARIO=" + scenario,
		"tools": []json.RawMessage{json.RawMessage(tool)},
	})
	if err != nil {
		t.Fatal(err)
	}
	resp, err := http.Post(s.URL()+path, "application/json", strings.NewReader(string(body)))
	if err != nil {
		return 0, "", err
	}
	defer resp.Body.Close()
	text, err := io.ReadAll(resp.Body)
	return resp.StatusCode, string(text), err
}

func TestEachDialectAnswersAndReportsTheTruth(t *testing.T) {
	for _, d := range dialects {
		t.Run(d.name, func(t *testing.T) {
			s := start(t, Options{Command: func(string) string { return "echo mine" }})
			for _, scenario := range []string{"plain", "think", "tool", "big"} {
				_, text, err := ask(t, s, d.path, scenario, d.offer)
				if err != nil || !strings.Contains(text, d.usage) {
					t.Errorf("%s: %v, usage %s missing in %.300s", scenario, err, d.usage, text)
				}
				if scenario == "think" && !strings.Contains(text, "stub thought") {
					t.Errorf("no thought in %.300s", text)
				}
				if got := strings.Contains(text, d.tool); scenario == "tool" && (!got || !strings.Contains(text, "echo mine")) {
					t.Errorf("%s: tool call missing in %.300s", scenario, text)
				}
			}
			if n, side := s.Finished(); n != 4 || side != 0 {
				t.Errorf("Finished() = %d, %d, want 4, 0", n, side)
			}
		})
	}
}

func TestToolsThatArePartOfTheInputAreCalledByAProgram(t *testing.T) {
	s := start(t, Options{})
	body := `{"stream":true,"input":[{"tools":[{"type":"custom","name":"exec"}]},"SCENARIO=tool"]}`
	resp, err := http.Post(s.URL()+"/v1/responses", "application/json", strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	text, err := io.ReadAll(resp.Body)
	if err != nil || !strings.Contains(string(text), `"custom_tool_call"`) || !strings.Contains(string(text), "tools.exec_command") {
		t.Errorf("%v, no program in %.300s", err, text)
	}
}

func TestFailuresAreNoFinishedCalls(t *testing.T) {
	for _, d := range dialects {
		s := start(t, Options{})
		for scenario, want := range map[string]int{"err400": 400, "err401": 401, "err429": 429, "err500": 500} {
			if status, _, err := ask(t, s, d.path, scenario, d.offer); err != nil || status != want {
				t.Errorf("%s %s: status %d, %v, want %d", d.name, scenario, status, err, want)
			}
		}
		if _, text, err := ask(t, s, d.path, "cut", d.offer); err == nil || text == "" {
			t.Errorf("%s cut: %v after %q, want a part of an answer", d.name, err, text)
		}
		if _, text, err := ask(t, s, d.path, "drop", d.offer); err == nil || text != "" {
			t.Errorf("%s drop: %v after %q, want no answer", d.name, err, text)
		}
		if n, _ := s.Finished(); n != 0 {
			t.Errorf("%s: %d finished calls, want 0", d.name, n)
		}
	}
}

func TestALongToolIsCalledOnceAndThenNothingIsSaid(t *testing.T) {
	for _, d := range dialects {
		s := start(t, Options{Default: "longtool"})
		_, text, err := ask(t, s, d.path, "longtool", d.offer)
		if err != nil || !strings.Contains(text, "sleep 300") {
			t.Errorf("%s: %v, no tool call in %.300s", d.name, err, text)
		}
		ctx, cancel := context.WithCancel(t.Context())
		req, err := http.NewRequestWithContext(ctx, http.MethodPost, s.URL()+d.path, strings.NewReader("["+strings.Join(toolMarks, ",")+"]"))
		if err != nil {
			t.Fatal(err)
		}
		done := make(chan error, 1)
		go func() {
			resp, err := http.DefaultClient.Do(req)
			if err == nil {
				_, err = io.Copy(io.Discard, resp.Body)
				_ = resp.Body.Close()
			}
			done <- err
		}()
		for len(s.Calls()) < 2 {
			time.Sleep(time.Millisecond)
		}
		cancel()
		if err := <-done; err == nil {
			t.Errorf("%s: the call after the tool was answered", d.name)
		}
		if n, _ := s.Finished(); n != 1 {
			t.Errorf("%s: %d finished calls, want 1", d.name, n)
		}
	}
}

func TestHangEndsWithTheServer(t *testing.T) {
	s, err := Start(Options{Default: "hang"})
	if err != nil {
		t.Fatal(err)
	}
	done := make(chan struct{})
	go func() {
		defer close(done)
		if resp, err := http.Post(s.URL()+"/v1/messages", "application/json", strings.NewReader("{}")); err == nil {
			_, _ = io.Copy(io.Discard, resp.Body)
			_ = resp.Body.Close()
		}
	}()
	for len(s.Calls()) == 0 {
		time.Sleep(time.Millisecond)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	select {
	case <-done:
	case <-time.After(10 * time.Second):
		t.Fatal("the hanging call outlived the server")
	}
}

func TestSideCallsAreToldApart(t *testing.T) {
	for _, tt := range []struct {
		name, path, body string
		side             bool
	}{
		{"no tools", "/v1/chat/completions", `{"stream":true}`, true},
		{"a reminder after a reply", "/v1/chat/completions", `{"tools":[{"name":"Shell"}],"messages":[{"role":"assistant"},{"role":"user","content":"<system-reminder>say it short"}]}`, true},
		{"a reminder after a question", "/v1/chat/completions", `{"tools":[{"name":"Shell"}],"messages":[{"role":"user"},{"role":"user","content":"<system-reminder>be kind"}]}`, false},
		{"a question after a reply", "/v1/chat/completions", `{"tools":[{"name":"Shell"}],"messages":[{"role":"assistant"},{"role":"user","content":[{"text":"hi"}]}]}`, false},
		{"a route", "/m:generateContent", `{"generationConfig":{"responseMimeType":"application/json"}}`, true},
		{"a question", "/m:generateContent", `{}`, false},
		{"a tool for a title", "/v1/responses", `{"tools":[{"type":"function","name":"session_title"}]}`, true},
		{"a shell", "/v1/responses", `{"tools":[{"type":"function","name":"shell"}]}`, false},
		{"a program", "/v1/responses", `{"tools":[{"type":"function","name":"x"}],"input":[{"tools":[{"type":"custom","name":"exec"}]}]}`, false},
	} {
		s := start(t, Options{Default: "tool"})
		resp, err := http.Post(s.URL()+tt.path, "application/json", strings.NewReader(tt.body))
		if err != nil {
			t.Fatal(err)
		}
		_, _ = io.Copy(io.Discard, resp.Body)
		_ = resp.Body.Close()
		if n, side := s.Finished(); n+side != 1 || side == 1 != tt.side {
			t.Errorf("%s: Finished() = %d, %d, want side %v", tt.name, n, side, tt.side)
		}
	}
}

package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"okstra/lib/cli"
)

// place is a folder with homes of CLIs (home) and a project (proj).
type place struct {
	t    *testing.T
	root string
}

func newPlace(t *testing.T) place {
	p := place{t, t.TempDir()}
	if err := os.Mkdir(filepath.Join(p.root, "home"), 0o755); err != nil {
		t.Fatal(err)
	}
	return p
}

func (p place) proj() string { return filepath.Join(p.root, "proj") }

func (p place) write(name string, lines ...string) {
	p.t.Helper()
	path := filepath.Join(p.root, name)
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		p.t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(strings.Join(lines, "\n")+"\n"), 0o644); err != nil {
		p.t.Fatal(err)
	}
}

// touch sets the time at which a file was changed.
func (p place) touch(name, at string) {
	p.t.Helper()
	moment, err := time.Parse(time.RFC3339, at)
	if err == nil {
		err = os.Chtimes(filepath.Join(p.root, name), moment, moment)
	}
	if err != nil {
		p.t.Fatal(err)
	}
}

func (p place) run(args ...string) (stdout string) {
	p.t.Helper()
	var out, errs bytes.Buffer
	std := cli.IO{In: strings.NewReader(""), Out: &out, Err: &errs, Env: cli.Env{Get: func(string) string { return "" }}}
	if status := cli.Main(std, args, app()); status != 0 {
		p.t.Fatalf("%v: status %d: %s", args, status, errs.String())
	}
	return out.String()
}

type object = map[string]any

// collect runs collect over a team state: the roster's workers and the rows of
// the ledger. It gives the lead's block and the workers', one a line.
func (p place) collect(lead object, workers []object, ledger any, flags ...string) string {
	p.t.Helper()
	state := object{
		"schemaVersion": "2.0", "kind": "okstra-team-state", "runId": "jobs:pay:timeouts:error-analysis:001", "taskType": "error-analysis",
		"projectRoot": p.proj(), "runManifestPath": "none.json", "hostRuntime": "codex", "entryMode": "current-session",
		"startedAt": "2026-09-08T10:00:00Z", "endedAt": "2026-09-08T11:00:00Z",
		"team": object{"teamName": "okstra-t"}, "teamCreate": object{"attempted": true, "status": "ok"},
		"lead": lead, "workers": workers, "workerDispatches": ledger, "usageSummary": nil, "phaseTimeline": nil,
	}
	raw, err := json.Marshal(state)
	if err != nil {
		p.t.Fatal(err)
	}
	p.write("state.json", string(raw))
	args := append([]string{"collect", "--home", filepath.Join(p.root, "home"), "--now", "2026-09-08T12:00:00Z"}, flags...)
	var doc struct {
		Lead    holder   `json:"lead"`
		Workers []holder `json:"workers"`
	}
	if err := json.Unmarshal([]byte(p.run(append(args, filepath.Join(p.root, "state.json"))...)), &doc); err != nil {
		p.t.Fatal(err)
	}
	lines := []string{"lead " + doc.Lead.String()}
	for _, w := range doc.Workers {
		lines = append(lines, w.WorkerID+" "+w.String())
	}
	return strings.Join(lines, "\n")
}

// holder is a participant with its block.
type holder struct {
	WorkerID string `json:"workerId"`
	Usage    struct {
		Source    string   `json:"source"`
		Total     *int64   `json:"totalTokens"`
		Sessions  []string `json:"sessionIds"`
		StartedAt string   `json:"startedAt"`
		Duration  int64    `json:"durationMs"`
		Cost      any      `json:"costUsd"`
		Complete  *bool    `json:"costComplete"`
		Status    string   `json:"cliExecutionStatus"`
		Reason    string   `json:"reason"`
	} `json:"usage"`
}

func (h holder) String() string {
	u := h.Usage
	if u.Total == nil {
		reason := "with a reason"
		if u.Reason == "" {
			reason = "WITHOUT A REASON"
		}
		return strings.TrimSpace(fmt.Sprintf("%s %s %s %ds", u.Source, reason, u.Status, u.Duration/1000))
	}
	return strings.TrimSpace(fmt.Sprintf("%s %d tokens in %d from %s %s %ds", u.Source, *u.Total, len(u.Sessions), u.StartedAt[11:19], u.Status, u.Duration/1000))
}

func codexLead() object {
	return object{"role": "leader", "agent": "Codex lead", "provider": "codex", "model": "gpt-5.6-sol", "sessionId": leadID, "usage": nil}
}

func noLead() object {
	return object{"role": "leader", "agent": "Lead", "provider": "codex", "model": "gpt-5.6-sol", "sessionId": "", "usage": nil}
}

func roster(id, provider, prompt string) object {
	return object{
		"workerId": id, "role": "analyser", "agent": id + "-worker", "provider": provider, "model": "m", "modelExecutionValue": "m",
		"promptPath": prompt, "status": "completed", "resultPath": "", "usage": nil,
	}
}

// wrapped writes the status file of a prompt whose wrapper ran for a while.
func (p place) wrapped(prompt, provider, from, to string, usage string) {
	if usage == "" {
		usage = "null"
	}
	p.write("proj/"+prompt+".status.json", fmt.Sprintf(`{"schemaVersion":"1.0","kind":"okstra-dispatch-status","state":"exited","exitCode":0,"provider":%q,"modelExecutionValue":"Gemini 3.1 Pro (Low)","startedAt":"2026-09-08T%sZ","endedAt":"2026-09-08T%sZ","usage":%s}`, provider, from, to, usage))
}

func codexLine(clock, kind, payload string) string {
	return fmt.Sprintf(`{"timestamp":"2026-09-08T%s.000Z","type":%q,"payload":%s}`, clock, kind, payload)
}

func tokenCount(clock string, total, last int64) string {
	count := func(n int64) string {
		return fmt.Sprintf(`{"input_tokens":%d,"cached_input_tokens":0,"output_tokens":0,"reasoning_output_tokens":0,"total_tokens":%d}`, n, n)
	}
	return codexLine(clock, "event_msg", fmt.Sprintf(`{"type":"token_count","info":{"total_token_usage":%s,"last_token_usage":%s}}`, count(total), count(last)))
}

// rollout writes a Codex thread that began at a time in a folder.
func (p place) rollout(id, clock, cwd, model string, lines ...string) {
	head := []string{
		codexLine(clock, "session_meta", fmt.Sprintf(`{"id":%q,"timestamp":"2026-09-08T%s.000Z","cwd":%q,"source":"exec"}`, id, clock, cwd)),
		codexLine(clock, "turn_context", fmt.Sprintf(`{"turn_id":"t-%s","model":%q,"cwd":%q}`, id, model, cwd)),
	}
	p.write("home/.codex/sessions/2026/09/08/rollout-2026-09-08T"+strings.ReplaceAll(clock, ":", "-")+"-"+id+".jsonl", append(head, lines...)...)
}

func (p place) claude(path, session, id, clock, agent, team string, in int64) {
	p.write("home/.claude/projects/"+path, fmt.Sprintf(
		`{"message":{"model":"claude-opus-4-8","id":%q,"type":"message","role":"assistant","content":[],"stop_reason":"end_turn","usage":{"input_tokens":%d,"output_tokens":0}},"isSidechain":false,"cwd":"/w","sessionId":%q,"agentName":%q,"teamName":%q,"requestId":"r-%s","type":"assistant","uuid":"u-%s","timestamp":"2026-09-08T%s.000Z"}`,
		id, in, session, agent, team, id, id, clock))
}

// grok writes a session with a prompt of so many tokens for each number.
func (p place) grok(cwd, session string, tokens ...int64) {
	escape := strings.NewReplacer("/", "%2F").Replace
	dir := "home/.grok/sessions/" + escape(cwd) + "/" + session
	p.write(dir+"/summary.json", fmt.Sprintf(`{"current_model_id":"grok-4.7","cwd":%q}`, cwd))
	var lines []string
	for i, n := range tokens {
		at := time.Date(2026, 9, 8, 10, 6, i, 0, time.UTC)
		lines = append(lines, fmt.Sprintf(`{"timestamp":%d,"method":"session/update","params":{"sessionId":%q,"update":{"sessionUpdate":"turn_completed","prompt_id":"%s-%d","usage":{"inputTokens":%d,"outputTokens":0,"cachedReadTokens":0,"cacheCreationTokens":0,"reasoningTokens":0,"totalTokens":%d,"modelCalls":1,"numTurns":1}},"_meta":{"eventId":"%s-%d","agentTimestampMs":%d}}}`,
			at.Unix(), session, session, i, n, n, session, i, at.UnixMilli()))
	}
	if tokens == nil { // killed in a tool: nothing was completed
		lines = []string{fmt.Sprintf(`{"timestamp":%d,"method":"session/update","params":{"sessionId":%q,"update":{"sessionUpdate":"tool_call"},"_meta":{"totalTokens":9000}}}`, time.Date(2026, 9, 8, 10, 6, 0, 0, time.UTC).Unix(), session)}
	}
	p.write(dir+"/updates.jsonl", lines...)
}

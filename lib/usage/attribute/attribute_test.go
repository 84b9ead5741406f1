package attribute

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"okstra/lib/run"
	"okstra/lib/transcript"
)

const lead = "11111111-1111-4111-8111-111111111111"

func at(clock string) int64 { return transcript.Instant("2026-09-08T" + clock + "Z") }

// session is a transcript with one reply of so many tokens.
type session struct {
	provider, id, path, agent, team, cwd, parent, clock string
	tokens                                              int64
}

func (s session) read(i int) (*transcript.File, transcript.Event) {
	if s.provider == "" {
		s.provider = "claude"
	}
	if s.path == "" {
		s.path = "projects/-w-jobs/" + s.id + ".jsonl"
	}
	if s.clock == "" {
		s.clock = "10:10:00"
	}
	f := &transcript.File{Provider: s.provider, Path: s.path, Session: s.id, Agent: s.agent, Team: s.team, CWD: s.cwd, Parent: s.parent}
	return f, transcript.Event{
		Provider: s.provider, Session: s.id, Agent: s.agent, CWD: s.cwd, At: at(s.clock), TS: "2026-09-08T" + s.clock + "Z",
		Counts: transcript.Counts{Output: s.tokens}, File: i,
	}
}

// ledger builds a team state from a roster and raw ledger rows.
func ledger(t *testing.T, roster []string, rows string) run.TeamState {
	t.Helper()
	state := run.TeamState{WorkerDispatches: json.RawMessage(rows)}
	for _, id := range roster {
		state.Workers = append(state.Workers, run.Worker{WorkerID: id})
	}
	return state
}

func share(t *testing.T, state run.TeamState, status map[string]*run.Status, sessions ...session) string {
	t.Helper()
	r := Run{
		LeadSession: lead, Team: "okstra-t", Root: "/w/jobs",
		Owners: Owners(state, func(p string) *run.Status { return status[p] }),
		Window: transcript.Window{Since: time.Unix(0, at("10:00:00")), Until: time.Unix(0, at("11:00:00"))},
	}
	var events []transcript.Event
	for i, s := range sessions {
		f, e := s.read(i)
		r.Files = append(r.Files, f)
		events = append(events, e)
	}
	shares := Attribute(r, events)
	sum := func(list []transcript.Event) (n int64) {
		for _, e := range list {
			n += e.Total()
		}
		return n
	}
	var out strings.Builder
	out.WriteString(fmt.Sprintf("lead %d", sum(shares.Lead)))
	for i, list := range shares.Workers {
		out.WriteString(fmt.Sprintf(" %s %d", state.Workers[i].WorkerID, sum(list)))
	}
	return fmt.Sprintf("%s fold %d", out.String(), sum(shares.Unattributed))
}

func agentFile(leadID, name string) string {
	return "projects/-w-jobs/" + leadID + "/subagents/agent-a" + name + "-0123abc.jsonl"
}

func inProcess(name string, tokens int64) session {
	return session{id: lead, path: agentFile(lead, name), agent: name, tokens: tokens}
}

func TestAttribution(t *testing.T) {
	window := func(from, to string) *run.Status {
		return &run.Status{State: "exited", StartedAt: "2026-09-08T" + from + "Z", EndedAt: "2026-09-08T" + to + "Z"}
	}
	for _, tt := range []struct {
		name     string
		roster   []string
		rows     string
		status   map[string]*run.Status
		sessions []session
		want     string
	}{
		{
			name: "behaviour 12: five dispatches, five sessions", roster: []string{"scope"},
			rows:     `[{"assignmentRef":"assignment:analysis:scope","sessionId":"a"},{"assignmentRef":"assignment:reverify-r1:scope","sessionId":"b"},{"workerId":"scope","sessionId":"c"},{"assignmentRef":"x/scope","sessionId":"d"},{"assignmentRef":"assignment:critic:scope/","sessionId":" e "}]`,
			sessions: []session{{id: "a", tokens: 1}, {id: "b", tokens: 2}, {id: "c", tokens: 4}, {id: "d", tokens: 8}, {id: "e", tokens: 16}},
			want:     "lead 0 scope 31 fold 0",
		},
		{
			name: "behaviour 14: a ledger that is no list, rows that are no objects", roster: []string{"scope"}, rows: `{}`,
			sessions: []session{{id: "a", tokens: 1}}, want: "lead 0 scope 0 fold 0",
		},
		{
			name: "behaviour 14: rows null and 7", roster: []string{"scope"}, rows: `[null,7,{"workerId":"scope","sessionId":"a"}]`,
			sessions: []session{{id: "a", tokens: 1}}, want: "lead 0 scope 1 fold 0",
		},
		{
			name: "behaviour 15: a roster row without worker id owns nothing", roster: []string{"", "scope"}, rows: `[{"workerId":"scope","sessionId":"a"},{"sessionId":"b"}]`,
			sessions: []session{{id: "a", tokens: 1}, {id: "b", tokens: 2}}, want: "lead 0  0 scope 1 fold 0",
		},
		{
			name: "behaviour 16: attempt 1 a pane, attempt 2 in process; both ways once", roster: []string{"scope"}, rows: `[{"workerId":"scope","sessionId":"a"}]`,
			sessions: []session{{id: "a", tokens: 1}, inProcess("scope-worker", 2), {id: "a", agent: "scope-worker", team: "okstra-t", tokens: 4}},
			want:     "lead 0 scope 7 fold 0",
		},
		{
			name: "a ledger row that names the lead's own session does not take it", roster: []string{"scope"},
			rows:     fmt.Sprintf(`[{"workerId":"scope","sessionId":%q}]`, lead),
			sessions: []session{{id: lead, tokens: 1}, inProcess("scope-worker", 2)},
			want:     "lead 1 scope 2 fold 0",
		},
		{
			name: "behaviours 17, 18: outside the window", roster: []string{"scope"}, rows: `[{"workerId":"scope","sessionId":"a"}]`,
			sessions: []session{{id: "a", tokens: 1, clock: "12:00:00"}, {id: lead, path: agentFile(lead, "scope-worker"), agent: "scope-worker", tokens: 2, clock: "12:00:00"}},
			want:     "lead 0 scope 0 fold 0",
		},
		{
			name: "behaviour 19: a team session that a dispatch names is no part of the fold", roster: []string{"scope"}, rows: `[{"workerId":"scope","sessionId":"a"}]`,
			sessions: []session{{id: "a", team: "okstra-t", tokens: 1}, {id: "b", team: "okstra-t", tokens: 2}, {id: "c", team: "other", tokens: 4}},
			want:     "lead 0 scope 1 fold 2",
		},
		{
			name: "behaviour 20: all workers nameless", roster: []string{"scope"}, rows: `[]`,
			sessions: []session{{id: "b", team: "okstra-t", tokens: 2}, {id: lead, team: "okstra-t", tokens: 8}}, want: "lead 8 scope 0 fold 2",
		},
		{
			name: "behaviour 21: variants of names", roster: []string{"claude", "report-writer"}, rows: `[]`,
			sessions: []session{inProcess("claude-worker-002", 1), inProcess("claude-worker-reverify-r1", 2), inProcess("claude-worker-executor", 4), inProcess("report-writer-impl", 8), inProcess("report-writer", 16), inProcess("claudette", 32)},
			want:     "lead 32 claude 7 report-writer 24 fold 0",
		},
		{
			name: "behaviour 22: the longest name wins", roster: []string{"claude", "claude-2"}, rows: `[]`,
			sessions: []session{inProcess("claude-2-worker", 1), inProcess("claude-worker", 2)}, want: "lead 0 claude 2 claude-2 1 fold 0",
		},
		{
			name: "behaviour 34: sub-agents of another lead session", roster: []string{"scope"}, rows: `[]`,
			sessions: []session{{id: "other", path: agentFile("other", "scope-worker"), agent: "scope-worker", tokens: 1}}, want: "lead 0 scope 0 fold 0",
		},
		{
			name: "what a thread spawned belongs to the thread's owner", roster: []string{"scope"}, rows: `[{"workerId":"scope","sessionId":"a"}]`,
			sessions: []session{
				{provider: "codex", id: "a", tokens: 1},
				{provider: "codex", id: "b", parent: "a", tokens: 2},
				{provider: "codex", id: "c", parent: "b", tokens: 4},
				{provider: "codex", id: "d", parent: lead, tokens: 8},
			},
			want: "lead 8 scope 7 fold 0",
		},
		{
			name: "behaviours 8, 11: no id, found by place and time", roster: []string{"scope", "other"},
			rows:   `[{"workerId":"scope","provider":"grok","promptPath":"p1","worktreePath":"/w/.wt/s1"},{"workerId":"other","provider":"grok","promptPath":"p2"}]`,
			status: map[string]*run.Status{"p1": window("10:05:00", "10:20:00"), "p2": window("10:08:00", "10:30:00")},
			sessions: []session{
				{provider: "grok", id: "a", cwd: "/w/.wt/s1", tokens: 1},
				{provider: "grok", id: "b", cwd: "/w/jobs", tokens: 2},
				{provider: "grok", id: "c", cwd: "/w/jobs", clock: "10:06:00", tokens: 4},
				{provider: "grok", id: "d", cwd: "/w/jobs", clock: "10:04:00", tokens: 8},
				{provider: "codex", id: "e", cwd: "/w/jobs", tokens: 16},
				{provider: "grok", id: "f", cwd: "/w/elsewhere", tokens: 32},
			},
			want: "lead 0 scope 5 other 2 fold 0",
		},
		{
			name: "of dispatches that started at once, the first of the ledger has the session", roster: []string{"scope", "other"},
			rows:     `[{"workerId":"other","provider":"grok","promptPath":"p2"},{"workerId":"scope","provider":"grok","promptPath":"p1"}]`,
			status:   map[string]*run.Status{"p1": window("10:05:00", "10:20:00"), "p2": window("10:05:00", "10:30:00")},
			sessions: []session{{provider: "grok", id: "a", cwd: "/w/jobs", tokens: 1}},
			want:     "lead 0 scope 0 other 1 fold 0",
		},
		{
			name: "a dispatch whose own session is there takes no other", roster: []string{"scope"},
			rows:     `[{"workerId":"scope","provider":"codex","promptPath":"p1","sessionId":"a"}]`,
			status:   map[string]*run.Status{"p1": window("10:05:00", "10:20:00")},
			sessions: []session{{provider: "codex", id: "a", cwd: "/w/jobs", tokens: 1}, {provider: "codex", id: "b", cwd: "/w/jobs", tokens: 2}},
			want:     "lead 0 scope 1 fold 0",
		},
		{
			name: "a session of the ledger counts while its wrapper ran", roster: []string{"scope"},
			rows:   `[{"workerId":"scope","provider":"codex","promptPath":"p1","sessionId":"a"},{"workerId":"scope","provider":"codex","promptPath":"p2","sessionId":"b"},{"workerId":"scope","promptPath":"p3","sessionId":"b"}]`,
			status: map[string]*run.Status{"p1": window("10:05:00", "10:10:00"), "p2": window("10:05:00", "10:10:00"), "p3": window("10:40:00", "10:45:00")},
			sessions: []session{
				{provider: "codex", id: "a", clock: "10:10:00", tokens: 1},
				{provider: "codex", id: "a", clock: "10:30:00", tokens: 2},
				{provider: "codex", id: "b", clock: "10:30:00", tokens: 4},
				{provider: "codex", id: "b", clock: "10:41:00", tokens: 8},
				{provider: "codex", id: "c", parent: "a", clock: "10:06:00", tokens: 16},
				{provider: "codex", id: "c", parent: "a", clock: "10:11:00", tokens: 32},
			},
			want: "lead 0 scope 25 fold 0",
		},
		{
			name: "one found by place and time, too", roster: []string{"scope"}, rows: `[{"workerId":"scope","provider":"grok","promptPath":"p1"}]`,
			status:   map[string]*run.Status{"p1": window("10:05:00", "10:10:00")},
			sessions: []session{{provider: "grok", id: "a", cwd: "/w/jobs", clock: "10:06:00", tokens: 1}, {provider: "grok", id: "a", cwd: "/w/jobs", clock: "10:30:00", tokens: 2}},
			want:     "lead 0 scope 1 fold 0",
		},
		{
			name: "Claude's counts in the run's window", roster: []string{"scope"}, rows: `[{"workerId":"scope","promptPath":"p1","sessionId":"a"}]`,
			status:   map[string]*run.Status{"p1": window("10:05:00", "10:10:00")},
			sessions: []session{{id: "a", clock: "10:06:00", tokens: 1}, {id: "a", clock: "10:30:00", tokens: 2}},
			want:     "lead 0 scope 3 fold 0",
		},
		{
			name: "a dispatch without a status file has no window of its own", roster: []string{"scope"},
			rows:     `[{"workerId":"scope","provider":"codex","sessionId":"a"}]`,
			sessions: []session{{provider: "codex", id: "a", clock: "10:59:00", tokens: 1}}, want: "lead 0 scope 1 fold 0",
		},
		{
			name: "the team's agent whose name fits nobody is in the fold", roster: []string{"scope"}, rows: `[]`,
			sessions: []session{{id: "x", agent: "claude-worker", team: "okstra-t", tokens: 4}, {id: "y", agent: "claude-worker", team: "another", tokens: 8}},
			want:     "lead 0 scope 0 fold 4",
		},
		{
			name: "replay: a session is found in whatever provider's transcript", roster: []string{"scope"},
			rows:     `[{"workerId":"scope","provider":"replay","sessionId":"a"},{"workerId":"scope","provider":"replay","sessionId":"k"}]`,
			sessions: []session{{provider: "codex", id: "a", tokens: 1}, {provider: "kimi", id: "session_k", tokens: 2}}, want: "lead 0 scope 3 fold 0",
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if got := share(t, ledger(t, tt.roster, tt.rows), tt.status, tt.sessions...); got != tt.want {
				t.Errorf("shares = %s, want %s", got, tt.want)
			}
		})
	}
}

func TestASessionResumedElsewhereIsStillTheWorkers(t *testing.T) {
	state := ledger(t, []string{"scope"}, `[{"workerId":"scope","sessionId":"z"}]`)
	original, _ := session{id: "z"}.read(1)
	resumed, e := session{id: "a", tokens: 5}.read(0) // sorts first, so the event is booked there
	e.Copies = []int{1}
	shares := Attribute(Run{Owners: Owners(state, func(string) *run.Status { return nil }), Files: []*transcript.File{resumed, original}}, []transcript.Event{e})
	if len(shares.Workers[0]) != 1 {
		t.Errorf("shares = %+v, want the event with scope", shares)
	}
}

// The copy of a reply in a resumed session is the resumed session's, whoever
// resumed it.
func TestALeadThatWasResumedKeepsWhatItUsedBefore(t *testing.T) {
	first, e := session{id: "first", tokens: 5}.read(0)
	resumed, _ := session{id: lead}.read(1)
	e.Copies = []int{1}
	shares := Attribute(Run{LeadSession: lead, Files: []*transcript.File{first, resumed}}, []transcript.Event{e})
	if len(shares.Lead) != 1 {
		t.Errorf("shares = %+v, want the event with the lead", shares)
	}
}

func TestAStatusFileThatCannotBeReadProvesNothing(t *testing.T) {
	unreadable, exited := Dispatch{Status: &run.Status{}}, Dispatch{Status: &run.Status{State: "exited"}}
	for _, tt := range []struct {
		dispatches []Dispatch
		want       string
	}{
		{nil, ""},
		{[]Dispatch{{}}, "not-started"},
		{[]Dispatch{{}, unreadable, {}}, ""},
		{[]Dispatch{unreadable, exited, unreadable}, "exited"},
	} {
		if got := (Owner{WorkerID: "w", Dispatches: tt.dispatches}).ExecutionStatus(); got != tt.want {
			t.Errorf("%d dispatches: %q, want %q", len(tt.dispatches), got, tt.want)
		}
	}
}

func TestWallIsTheSumOfTheWrappersSpans(t *testing.T) {
	o := Owner{WorkerID: "scope"}
	for _, span := range []string{"10:00:00-10:01:00", "10:00:30-10:02:00", "10:50:00-"} {
		from, to, _ := strings.Cut(span, "-")
		s := &run.Status{State: "exited", StartedAt: "2026-09-08T" + from + "Z"}
		if to != "" {
			s.EndedAt = "2026-09-08T" + to + "Z"
		}
		o.Dispatches = append(o.Dispatches, Dispatch{Status: s})
	}
	o.Dispatches = append(o.Dispatches, Dispatch{})
	w := transcript.Window{Until: time.Unix(0, at("11:00:00"))}
	if got, want := o.Wall(w), 60*time.Second+90*time.Second+10*time.Minute; got != want {
		t.Errorf("wall = %s, want %s: a wrapper without an end runs to the run's end", got, want)
	}
	if got := o.ExecutionStatus(); got != "exited" {
		t.Errorf("status = %q, want the last readable one", got)
	}
}

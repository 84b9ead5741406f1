// Package attribute says which sessions belong to which worker of a run: by
// the dispatch ledger first, then by the names that agents go by.
//
// Rule: docs/usage.md, "Who used it".
package attribute

import (
	"slices"
	"strings"
	"time"

	"okstra/lib/run"
	"okstra/lib/transcript"
	"okstra/lib/transcript/claude"
)

// Dispatch is one row of the ledger with what its status file says. Status is
// nil when there is no readable one.
type Dispatch struct {
	Row    run.LedgerRow
	Status *run.Status
}

// Owner is a worker of the roster with its dispatches. A row of the roster
// that names no worker owns nothing: without that rule it would own everything.
type Owner struct {
	WorkerID   string
	Dispatches []Dispatch
}

// SessionIDs are the ids that the ledger names, trimmed, each once, in
// recorded order.
func (o Owner) SessionIDs() []string {
	var ids []string
	if o.WorkerID == "" {
		return nil
	}
	for _, d := range o.Dispatches {
		id := strings.TrimSpace(d.Row.SessionID)
		if id == "" && d.Status != nil {
			id = strings.TrimSpace(d.Status.SessionID)
		}
		if id != "" && !slices.Contains(ids, id) {
			ids = append(ids, id)
		}
	}
	return ids
}

// Wall is the time that the wrappers of the dispatches ran, one after the
// other or side by side: the sum of their spans.
func (o Owner) Wall() time.Duration {
	var sum time.Duration
	for _, d := range o.Dispatches {
		if d.Status == nil {
			continue
		}
		from, err1 := time.Parse(time.RFC3339, d.Status.StartedAt)
		to, err2 := time.Parse(time.RFC3339, d.Status.EndedAt)
		if err1 == nil && err2 == nil && to.After(from) {
			sum += to.Sub(from)
		}
	}
	return sum
}

// ExecutionStatus is what the last dispatch with a readable status proves, ""
// when no dispatch was made.
func (o Owner) ExecutionStatus() string {
	if len(o.Dispatches) == 0 {
		return ""
	}
	status := "not-started"
	for _, d := range o.Dispatches {
		if d.Status != nil && d.Status.State != "" {
			status = d.Status.State
		}
	}
	return status
}

// Owners groups the ledger by the workers of the roster.
func Owners(state run.TeamState, status func(promptPath string) *run.Status) []Owner {
	rows, _ := state.Ledger()
	owners := make([]Owner, len(state.Workers))
	for i, w := range state.Workers {
		owners[i].WorkerID = w.WorkerID
	}
	for _, row := range rows {
		key := row.WorkerKey()
		i := slices.IndexFunc(owners, func(o Owner) bool { return o.WorkerID == key })
		if key == "" || i < 0 {
			continue
		}
		owners[i].Dispatches = append(owners[i].Dispatches, Dispatch{row, status(row.PromptPath)})
	}
	return owners
}

// Run is what the sessions are attributed over.
type Run struct {
	LeadSession string
	Team        string
	Owners      []Owner
	Window      transcript.Window
	Files       []*transcript.File
}

// Shares are the events inside the window by who used them. Workers are in
// the order of Run.Owners.
type Shares struct {
	Lead         []transcript.Event
	Workers      [][]transcript.Event
	Unattributed []transcript.Event
}

// Attribute gives each event inside the window to one owner at most. Sessions
// that the ledger names come first, for they are certain; then agents by the
// longest name that fits; then what carries the team's name but no agent's.
func Attribute(r Run, events []transcript.Event) Shares {
	s := Shares{Workers: make([][]transcript.Event, len(r.Owners))}
	byID, parents := r.byID(), r.parents()
	for _, e := range events {
		if !r.Window.Holds(e.At) {
			continue
		}
		lead := r.LeadSession != "" && sameSession(e.Session, r.LeadSession)
		owner, named := r.byName(e)
		switch i, known := r.owner(byID, parents, e); {
		case known && !(lead && named):
			s.Workers[i] = append(s.Workers[i], e)
		case named:
			s.Workers[owner] = append(s.Workers[owner], e)
		case r.foldable(e):
			s.Unattributed = append(s.Unattributed, e)
		case lead:
			s.Lead = append(s.Lead, e)
		}
	}
	return s
}

func plainID(id string) string { return strings.TrimPrefix(id, "session_") }

func sameSession(a, b string) bool { return plainID(a) == plainID(b) }

// byID maps sessions to the owners whose dispatches name them. A session that
// two workers name is the first one's.
func (r Run) byID() map[string]int {
	ids := map[string]int{}
	for i, o := range r.Owners {
		for _, id := range o.SessionIDs() {
			if _, taken := ids[plainID(id)]; !taken {
				ids[plainID(id)] = i
			}
		}
	}
	return ids
}

// parents maps a session to the one that started it.
func (r Run) parents() map[string]string {
	parents := map[string]string{}
	for _, f := range r.Files {
		if f.Parent != "" {
			parents[f.Session] = f.Parent
		}
	}
	return parents
}

// owner finds the owner of an event's session, or of the session that started
// its file: what a thread spawned belongs to whoever owns the thread.
func (r Run) owner(ids map[string]int, parents map[string]string, e transcript.Event) (int, bool) {
	if i, ok := ids[plainID(e.Session)]; ok {
		return i, true
	}
	seen := map[string]bool{}
	for id := r.Files[e.File].Parent; id != "" && !seen[id]; id = parents[id] {
		seen[id] = true
		if i, ok := ids[plainID(id)]; ok {
			return i, true
		}
	}
	return 0, false
}

// byName finds the worker that an in-process agent of the lead's session is,
// by the longest of the workers' names that fits.
func (r Run) byName(e transcript.Event) (int, bool) {
	if e.Agent == "" || r.LeadSession == "" {
		return 0, false
	}
	f := r.Files[e.File]
	if lead := claude.LeadOfFile(f.Path); lead != "" && lead != r.LeadSession || lead == "" && !sameSession(e.Session, r.LeadSession) && f.Team != r.Team {
		return 0, false
	}
	best, length := 0, 0
	for i, o := range r.Owners {
		if o.WorkerID == "" {
			continue
		}
		for _, prefix := range []string{o.WorkerID, run.AgentName(o.WorkerID)} {
			if (e.Agent == prefix || strings.HasPrefix(e.Agent, prefix+"-")) && len(prefix) > length {
				best, length = i, len(prefix)
			}
		}
	}
	return best, length > 0
}

// foldable says whether an event is the team's and nobody's.
func (r Run) foldable(e transcript.Event) bool {
	f := r.Files[e.File]
	return e.Agent == "" && f.Team != "" && f.Team == r.Team && !sameSession(e.Session, r.LeadSession)
}

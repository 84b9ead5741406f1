package attribute

import (
	"cmp"
	"math"
	"slices"
	"strings"
	"time"

	"okstra/lib/run"
	"okstra/lib/transcript"
)

// Dispatch is one row of the ledger with what its status file says. Status is
// nil when there is no readable one.
type Dispatch struct {
	Row    run.LedgerRow
	Status *run.Status
	order  int  // of the row in the ledger
	again  bool // a row before it names the same status file
}

// Again reports whether an earlier row of the ledger names the same status file:
// what that says of its wrapper counts once.
func (d Dispatch) Again() bool { return d.again }

func (d Dispatch) sessionID() string {
	if id := strings.TrimSpace(d.Row.SessionID); id != "" || d.Status == nil {
		return id
	}
	return strings.TrimSpace(d.Status.SessionID)
}

// Provider is whose CLI was dispatched: the row says it, else the roster.
func (d Dispatch) Provider(o Owner) string {
	if d.Row.Provider != "" {
		return d.Row.Provider
	}
	return o.Provider
}

// span is a time from an instant to an instant, both included.
type span struct{ from, to int64 }

func (s span) holds(at int64) bool { return s.from <= at && at <= s.to }

// always is the span of a dispatch of which no status file tells when it ran.
var always = span{math.MinInt64, math.MaxInt64}

// span is the time that the wrapper ran: by its status file, up to the run's end
// when it did not end. Without a status file there is none: the dispatch is known
// by its session id only.
func (d Dispatch) span(w transcript.Window) (s span, ok bool) {
	if d.Status == nil {
		return always, false
	}
	from, to := transcript.Instant(d.Status.StartedAt), transcript.Instant(d.Status.EndedAt)
	if from != transcript.NoTime && to == transcript.NoTime && !w.Until.IsZero() {
		to = w.Until.UnixNano()
	}
	if from == transcript.NoTime || to == transcript.NoTime || to < from {
		return always, false
	}
	// Status files hold whole seconds: the last one belongs to the span.
	return span{from, to + int64(time.Second) - 1}, true
}

// Owner is a worker of the roster with its dispatches. A row of the roster
// that names no worker owns nothing: without that rule it would own everything.
type Owner struct {
	WorkerID   string
	Provider   string
	Dispatches []Dispatch
}

// Owners groups the ledger by the workers of the roster. status reads the status
// file of a prompt, nil for none; for two names of one file it gives one pointer.
func Owners(state run.TeamState, status func(promptPath string) *run.Status) []Owner {
	rows, _ := state.Ledger()
	owners := make([]Owner, len(state.Workers))
	for i, w := range state.Workers {
		owners[i] = Owner{WorkerID: w.WorkerID, Provider: w.Provider}
	}
	seen := make(map[*run.Status]bool)
	for n, row := range rows {
		key := row.WorkerKey()
		i := slices.IndexFunc(owners, func(o Owner) bool { return o.WorkerID == key })
		if key == "" || i < 0 {
			continue
		}
		d := Dispatch{Row: row, Status: status(row.PromptPath), order: n}
		d.again = d.Status != nil && seen[d.Status]
		seen[d.Status] = true
		owners[i].Dispatches = append(owners[i].Dispatches, d)
	}
	return owners
}

// dispatches are the owner's, if it is anybody.
func (o Owner) dispatches() []Dispatch {
	if o.WorkerID == "" {
		return nil
	}
	return o.Dispatches
}

// SessionIDs are the ids that the ledger names, trimmed, each once, in
// recorded order.
func (o Owner) SessionIDs() []string {
	var ids []string
	for _, d := range o.dispatches() {
		if id := d.sessionID(); id != "" && !slices.Contains(ids, id) {
			ids = append(ids, id)
		}
	}
	return ids
}

// Prefixes are the names that the worker's agents begin with.
func (o Owner) Prefixes() []string {
	if o.WorkerID == "" {
		return nil
	}
	names := []string{o.WorkerID}
	if agent := run.AgentName(o.WorkerID); agent != o.WorkerID {
		names = append(names, agent)
	}
	return names
}

// Wall is the time that the wrappers of the dispatches ran, one after the
// other or side by side: the sum of their spans.
func (o Owner) Wall(w transcript.Window) time.Duration {
	var sum time.Duration
	for _, d := range o.Dispatches {
		if ran, timed := d.span(w); timed && !d.again {
			sum += time.Duration(ran.to - ran.from).Truncate(time.Second)
		}
	}
	return sum
}

// Started is when the first wrapper started, by its status file; NoTime when none
// tells.
func (o Owner) Started() int64 {
	first := int64(transcript.NoTime)
	for _, d := range o.Dispatches {
		if d.Status == nil {
			continue
		}
		at := transcript.Instant(d.Status.StartedAt)
		if first == transcript.NoTime || at != transcript.NoTime && at < first {
			first = at
		}
	}
	return first
}

// Touches reports whether a wrapper ran inside a window, be it in part. One of
// which nobody knows when it ran belongs to its run all the same.
func (d Dispatch) Touches(w transcript.Window) bool {
	ran, timed := d.span(w)
	if timed {
		return (w.Since.IsZero() || ran.to >= w.Since.UnixNano()) && (w.Until.IsZero() || ran.from <= w.Until.UnixNano())
	}
	at := int64(transcript.NoTime)
	if d.Status != nil {
		at = transcript.Instant(cmp.Or(d.Status.EndedAt, d.Status.StartedAt))
	}
	return at == transcript.NoTime || w.Holds(at)
}

// ExecutionStatus is what the last dispatch with a readable status proves. A
// dispatch without a status file was not started; of one whose file cannot be read
// nothing is known. It is "" then, and when no dispatch was made.
func (o Owner) ExecutionStatus() string {
	if len(o.Dispatches) == 0 {
		return ""
	}
	status := "not-started"
	for _, d := range o.Dispatches {
		switch {
		case d.Status == nil:
		case d.Status.State != "":
			status = d.Status.State
		case status == "not-started":
			status = ""
		}
	}
	return status
}

// Package attribute says which sessions belong to which worker of a run: by
// the dispatch ledger first, then by the names that agents go by, then by place
// and time.
//
// Rule: docs/usage.md, "Who used it".
package attribute

import (
	"cmp"
	"math"
	"slices"
	"strings"

	"okstra/lib/run"
	"okstra/lib/transcript"
	"okstra/lib/transcript/claude"
)

// Run is what the sessions are attributed over.
type Run struct {
	LeadSession string
	Team        string
	Root        string // the project's root
	Owners      []Owner
	Window      transcript.Window
	Files       []*transcript.File

	// Real resolves the links in a path, for CLIs that record where they ran by
	// its real name. Nil: no path has another name.
	Real func(path string) string
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
// longest name that fits; then sessions that began where and while a dispatch
// ran; then what carries the team's name but no agent's.
func Attribute(r Run, events []transcript.Event) Shares {
	s := Shares{Workers: make([][]transcript.Event, len(r.Owners))}
	m := newMatcher(r, events)
	for _, e := range events {
		if !r.Window.Holds(e.At) {
			continue
		}
		switch who := m.owner(&e); who {
		case nobody:
		case theLead:
			s.Lead = append(s.Lead, e)
		case theTeam:
			s.Unattributed = append(s.Unattributed, e)
		default:
			s.Workers[who] = append(s.Workers[who], e)
		}
	}
	return s
}

// Who an event may belong to besides the workers, who are counted from 0.
const (
	nobody = -1 - iota
	theLead
	theTeam
)

// matcher holds what attribution looks up for every event.
type matcher struct {
	Run
	named   map[string][]claim // sessions of the ledger → the dispatches that name them, the likeliest first
	parents map[string]string  // session → the one that started it
	placed  map[string]claim   // sessions found by place and time
	leads   []string           // of each file: the session in whose folder of agents it lies
}

func newMatcher(r Run, events []transcript.Event) *matcher {
	m := &matcher{Run: r, named: make(map[string][]claim), parents: make(map[string]string)}
	for i, o := range r.Owners {
		for _, d := range o.dispatches() {
			// The lead's session is the lead's, whatever a row calls it: agents in it are
			// told by their names.
			if id := plainID(d.sessionID()); id != "" && !m.isLead(id) {
				ran, timed := d.span(r.Window)
				m.named[id] = append(m.named[id], claim{ran, i, d.order, timed})
			}
		}
	}
	m.rank(events)
	m.leads = make([]string, len(r.Files))
	for i, f := range r.Files {
		if f.Provider == claude.Provider {
			m.leads[i] = claude.LeadOfFile(f.Path)
		}
		if f.Parent != "" {
			m.parents[plainID(f.Session)] = plainID(f.Parent)
		}
	}
	m.placed = m.place(events)
	return m
}

// rank puts the dispatches that name one session into order: the one that started
// last before the session first, then the others as they stand in the ledger.
func (m *matcher) rank(events []transcript.Event) {
	var began map[string]int64
	for id, claims := range m.named {
		if len(claims) == 1 {
			continue
		}
		if began == nil {
			began = m.began(events)
		}
		at, known := began[id]
		before := func(c claim) int64 {
			if !known || !c.timed || c.from > at {
				return math.MinInt64
			}
			return c.from
		}
		slices.SortFunc(claims, func(a, b claim) int {
			return cmp.Or(cmp.Compare(before(b), before(a)), cmp.Compare(a.order, b.order))
		})
	}
}

// began is when each session began, as far as that is known.
func (m *matcher) began(events []transcript.Event) map[string]int64 {
	began := make(map[string]int64)
	note := func(session string, at int64) {
		id := plainID(session)
		if first, ok := began[id]; !ok || at < first {
			began[id] = at
		}
	}
	for _, f := range m.Files {
		if f.Started != 0 {
			note(f.Session, f.Started)
		}
	}
	for i := range events {
		if e := &events[i]; e.At != transcript.NoTime {
			note(e.Session, e.At)
		}
	}
	return began
}

func (m *matcher) owner(e *transcript.Event) int {
	byName, named := m.byName(e)
	if m.isLead(e.Session) {
		if named {
			return byName
		}
		return theLead
	}
	if claims := m.byID(e); claims != nil {
		return claimed(claims, e)
	}
	if named {
		return byName
	}
	if c, ok := m.placed[plainID(e.Session)]; ok {
		if !c.holds(e.At) {
			return nobody
		}
		return c.owner
	}
	switch {
	case m.isHeld(e, m.isLead) || m.descends(e, m.isLead):
		return theLead
	case m.isTeams(e):
		return theTeam
	}
	return nobody
}

// claimed is whose an event is of those whose dispatches name its session: the
// likeliest's, except that with a CLI that is known to run only inside its wrapper
// somebody's wrapper must have run then.
func claimed(claims []claim, e *transcript.Event) int {
	if e.Provider == claude.Provider {
		return claims[0].owner
	}
	for _, c := range claims {
		if c.holds(e.At) {
			return c.owner
		}
	}
	return nobody
}

// plainID drops what one of the CLIs puts before the ids of its folders.
func plainID(id string) string { return strings.TrimPrefix(strings.TrimSpace(id), "session_") }

func (m *matcher) isLead(session string) bool {
	return m.LeadSession != "" && plainID(session) == plainID(m.LeadSession)
}

// byID finds the dispatches that name the session of an event: its own, one that
// holds it or a copy of it, or one that started its session, for what a thread
// spawned belongs to whoever owns the thread. Of several sessions that hold copies,
// the one that the ledger names first counts: nothing may depend on how files are
// called.
func (m *matcher) byID(e *transcript.Event) []claim {
	if len(m.named) == 0 {
		return nil
	}
	if claims := m.named[plainID(e.Session)]; claims != nil {
		return claims
	}
	var found []claim
	m.isHeld(e, func(session string) bool {
		if claims := m.named[plainID(session)]; claims != nil && (found == nil || claims[0].order < found[0].order) {
			found = claims
		}
		return false
	})
	if found == nil {
		m.descends(e, func(session string) bool {
			found = m.named[plainID(session)]
			return found != nil
		})
	}
	return found
}

// isHeld reports whether a session fits whose file holds the event or a copy of it:
// a resumed session begins with the rows, and under the id, of the one before.
func (m *matcher) isHeld(e *transcript.Event, fits func(string) bool) bool {
	return fits(m.Files[e.File].Session) || slices.ContainsFunc(e.Copies, func(i int) bool { return fits(m.Files[i].Session) })
}

// descends reports whether a session above the event's own fits.
func (m *matcher) descends(e *transcript.Event, fits func(string) bool) bool {
	seen := make(map[string]bool)
	for id := m.Files[e.File].Parent; id != "" && !seen[id]; id = m.parents[plainID(id)] {
		if fits(id) {
			return true
		}
		seen[id] = true
	}
	return false
}

// byName finds the worker that an agent of this run is by its name, or that started
// it: an agent's own agents lie in its folder. Only agents of the lead's session or of
// the run's team are of this run.
func (m *matcher) byName(e *transcript.Event) (int, bool) {
	f := m.Files[e.File]
	if e.Provider != claude.Provider {
		return 0, false
	}
	lead := m.leads[e.File]
	if e.Agent == "" && lead == "" || lead != "" && !m.isLead(lead) || lead == "" && !m.isLead(e.Session) && (f.Team == "" || f.Team != m.Team) {
		return 0, false
	}
	if who, ok := m.called(e.Agent); ok || lead == "" {
		return who, ok
	}
	for _, name := range claude.AgentsAbove(f.Path) {
		if who, ok := m.called(name); ok {
			return who, true
		}
	}
	return 0, false
}

// called is the worker whose agents go by a name.
func (m *matcher) called(name string) (int, bool) {
	best, length := 0, 0
	for i, o := range m.Owners {
		for _, prefix := range o.Prefixes() {
			if (name == prefix || strings.HasPrefix(name, prefix+"-")) && len(prefix) > length {
				best, length = i, len(prefix)
			}
		}
	}
	return best, length > 0
}

// isTeams reports whether an event is the team's and no worker's: its agent has no
// name, or one that fits nobody of the roster. The lead's own session never is, nor
// what lies in the folder of another lead's agents.
func (m *matcher) isTeams(e *transcript.Event) bool {
	f := m.Files[e.File]
	if f.Team == "" || f.Team != m.Team || m.isLead(e.Session) {
		return false
	}
	lead := m.leads[e.File]
	return lead == "" || m.isLead(lead)
}

// place finds the sessions of dispatches whose own id leads to no transcript: a
// session of the same provider that began in the dispatch's directory or the
// project's while its wrapper ran. Of several dispatches the one that started
// last before it has it; of those that started at once, the first of the ledger.
func (m *matcher) place(events []transcript.Event) map[string]claim {
	present := make(map[string]bool)
	for _, f := range m.Files {
		present[plainID(f.Session)] = true
	}
	claims := make(map[string]claim)
	for session, s := range m.starts(events) {
		if m.named[session] != nil || m.isLead(session) || s.provider == claude.Provider {
			continue
		}
		for i, o := range m.Owners {
			for _, d := range o.dispatches() {
				ran, timed := d.span(m.Window)
				if id := d.sessionID(); !timed || id != "" && present[plainID(id)] || d.Provider(o) != s.provider {
					continue
				}
				best, taken := claims[session]
				worse := taken && (ran.from < best.from || ran.from == best.from && d.order > best.order)
				if !ran.holds(s.at) || !m.isHere(s.cwd, d.Row) || worse {
					continue
				}
				claims[session] = claim{ran, i, d.order, true}
			}
		}
	}
	return claims
}

// claim is a dispatch that a session was found for.
type claim struct {
	span
	owner, order int
	timed        bool // the span is known
}

func (m *matcher) isHere(cwd string, row run.LedgerRow) bool {
	return m.isPath(cwd, m.Root) || m.isPath(cwd, run.Abs(m.Root, row.WorktreePath))
}

func (m *matcher) isPath(cwd, path string) bool {
	if cwd == "" || path == "" {
		return false
	}
	return cwd == path || m.Real != nil && cwd == m.Real(path)
}

// start is when and where a session began.
type start struct {
	at            int64
	provider, cwd string
}

// starts are the sessions without a parent, by id.
func (m *matcher) starts(events []transcript.Event) map[string]start {
	starts := make(map[string]start)
	for i := range events {
		e := &events[i]
		f := m.Files[e.File]
		if f.Parent != "" || e.At == transcript.NoTime {
			continue
		}
		at := e.At
		if f.Started != 0 {
			at = min(at, f.Started)
		}
		id := plainID(e.Session)
		if s, ok := starts[id]; !ok || at < s.at {
			starts[id] = start{at, e.Provider, e.CWD}
		}
	}
	return starts
}

// Knows reports whether a transcript of a session was read, whatever is in it.
func (r Run) Knows(session string) bool {
	return slices.ContainsFunc(r.Files, func(f *transcript.File) bool { return plainID(f.Session) == plainID(session) })
}

// Names reports whether a session is the lead's, or one that the ledger names.
func (r Run) Names(session string) bool {
	same := func(id string) bool { return id != "" && plainID(id) == plainID(session) }
	return same(r.LeadSession) || slices.ContainsFunc(r.Owners, func(o Owner) bool { return slices.ContainsFunc(o.SessionIDs(), same) })
}

// SessionStart is the earliest start, inside the window, that the headers of
// the events' sessions tell; NoTime when none does.
func (r Run) SessionStart(events []transcript.Event) int64 {
	first := int64(transcript.NoTime)
	var seen []int
	for i := range events {
		if slices.Contains(seen, events[i].File) {
			continue
		}
		seen = append(seen, events[i].File)
		at := r.Files[events[i].File].Started
		if at != 0 && r.Window.Holds(at) && (first == transcript.NoTime || at < first) {
			first = at
		}
	}
	return first
}

// Lost are the dispatches of a worker of which nothing was found although their
// CLI ran to its end inside the window: no transcript of their session, and no
// event of the worker's while they ran. A CLI that keeps transcripts leaves one of
// every such run; a dispatch that failed may have used nothing. They are named by
// their session, else by their prompt.
func (r Run) Lost(o Owner, events []transcript.Event) []string {
	var lost []string
	for _, d := range o.Dispatches {
		id := d.sessionID()
		name := cmp.Or(id, d.Row.PromptPath)
		ran, timed := d.span(r.Window)
		switch {
		case !timed || d.Status.State != "exited" || d.Status.ExitCode == nil || *d.Status.ExitCode != 0:
		case !r.Window.Holds(ran.from) || id != "" && r.Knows(id) || slices.Contains(lost, name):
		case slices.ContainsFunc(events, func(e transcript.Event) bool { return ran.holds(e.At) }):
		default:
			lost = append(lost, name)
		}
	}
	return lost
}

package collect

import (
	"cmp"
	"fmt"
	"strings"
	"time"

	"okstra/lib/run"
	"okstra/lib/transcript"
	"okstra/lib/usage"
	"okstra/lib/usage/attribute"
)

// block makes the block of a participant. A session that began inside the window
// starts the block, even before its first reply.
func (c *collection) block(events []transcript.Event, fallback string) *usage.Block {
	b := usage.NewBlock(events, c.Prices, fallback)
	if at := c.run.SessionStart(events); at != transcript.NoTime {
		if first := run.Stamp(time.Unix(0, at)); b.StartedAt == "" || first < b.StartedAt {
			b.StartedAt = first
		}
	}
	return &b
}

// lead is the part of the lead.
func (c *collection) lead(events []transcript.Event) usage.Part {
	l := c.Team.Lead
	p := usage.Part{Role: run.RoleLeader, Label: cmp.Or(l.Agent, run.RoleLeader), Provider: l.Provider, Lead: true}
	switch {
	case len(events) > 0:
		b := c.block(events, text(l.Model))
		first, last := transcript.Instant(b.StartedAt), transcript.Instant(b.EndedAt)
		b.DurationMs = max(0, (last-first)/int64(time.Millisecond))
		p.Block, p.Lacks = b, lacks(nil, b.Incomplete)
	case c.undated():
		p.Missing = &usage.Unavailable{Source: usage.SourceUnavailable, Reason: noStart}
	case l.SessionID == "":
		p.Missing = &usage.Unavailable{Source: usage.SourceUnavailable, Reason: "the team state names no session of the lead"}
	case c.run.Knows(l.SessionID):
		p.Missing = &usage.Unavailable{Source: usage.SourceUnavailable, Reason: fmt.Sprintf("session %s used nothing in the run's window", l.SessionID)}
	default:
		p.Missing = &usage.Unavailable{Source: usage.SourceUnavailable, Reason: fmt.Sprintf("no transcript of session %s was found; the project is %s", l.SessionID, cmp.Or(c.Root, "not known"))}
	}
	return p
}

// worker is the part of the i-th worker.
func (c *collection) worker(i int, o attribute.Owner, events []transcript.Event) usage.Part {
	w := c.Team.Workers[i]
	p := usage.Part{Role: w.Role, WorkerID: w.WorkerID, Label: cmp.Or(w.Agent, w.Role), Provider: w.Provider}
	wall, status := o.Wall(c.run.Window).Milliseconds(), o.ExecutionStatus()
	model := cmp.Or(text(w.ModelExecutionValue), text(w.Model))
	if len(events) > 0 {
		p.Block = c.block(events, model)
		p.Lacks = lacks(c.run.Lost(o, events), p.Block.Incomplete)
	} else if noted := c.snapshots(o); len(noted) > 0 {
		b := usage.NewBlock(noted, c.Prices, model)
		b.StartedAt = cmp.Or(o.Started(), b.StartedAt)
		p.Block = &b
	}
	if p.Block != nil {
		p.Block.DurationMs, p.Block.CLIExecutionStatus = wall, status
		return p
	}
	p.Missing = &usage.Unavailable{Source: usage.SourceUnavailable, CLIExecutionStatus: status, DurationMs: wall, Reason: c.reason(o, status)}
	return p
}

// snapshots are the events that status files hold, of providers that leave no
// transcript: of the others only a transcript proves what was used. One without a
// time belongs to its run all the same.
func (c *collection) snapshots(o attribute.Owner) []transcript.Event {
	var events []transcript.Event
	for _, d := range o.Dispatches {
		if d.Status == nil || c.Transcribed(d.Provider(o)) {
			continue
		}
		if e, ok := usage.FromStatus(*d.Status); ok && (e.At == transcript.NoTime || c.run.Window.Holds(e.At)) {
			events = append(events, e)
		}
	}
	return events
}

// reason says why nothing could be measured.
func (c *collection) reason(o attribute.Owner, status string) string {
	ids := o.SessionIDs()
	switch {
	case o.WorkerID == "":
		return "the roster row names no worker, so no session can be its"
	case c.undated():
		return noStart
	case len(o.Dispatches) == 0:
		return fmt.Sprintf("no dispatch of this worker stands in the ledger, and no agent named %s used anything in the run's window", strings.Join(o.Prefixes(), " or "))
	}
	sessions := "its dispatches have no session id, and no session began where and while they ran"
	if len(ids) > 0 {
		sessions = fmt.Sprintf("no transcript of its sessions (%s) has usage in the run's window", strings.Join(ids, ", "))
	}
	return fmt.Sprintf("wrapper %s, but %s; neither has an agent named %s", cmp.Or(status, "left a status file that cannot be read"), sessions, strings.Join(o.Prefixes(), " or "))
}

func text(s *string) string {
	if s == nil {
		return ""
	}
	return *s
}

// lacks says what a figure does not hold: lost dispatches, and records that the CLI
// itself calls incomplete.
func lacks(lost []string, incomplete int) string {
	var reasons []string
	if len(lost) > 0 {
		reasons = append(reasons, "no transcript of "+strings.Join(lost, ", ")+" was found, whose CLI ran to its end")
	}
	if incomplete > 0 {
		reasons = append(reasons, fmt.Sprintf("the CLI itself calls %d of its records incomplete", incomplete))
	}
	if len(reasons) == 0 {
		return ""
	}
	return "the figure is too low: " + strings.Join(reasons, "; ")
}

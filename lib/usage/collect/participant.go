package collect

import (
	"cmp"
	"fmt"
	"strings"
	"time"

	"okstra/lib/price"
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
	} else if noted := c.snapshots(o); len(noted.events) > 0 {
		b := usage.NewBlock(noted.events, c.Prices, price.ModelID(model))
		if at := o.Started(); at != transcript.NoTime {
			b.StartedAt = run.Stamp(time.Unix(0, at))
		}
		p.Block, p.Lacks = &b, tooLow(noted.lacks()...)
	}
	if p.Block != nil {
		p.Block.DurationMs, p.Block.CLIExecutionStatus = wall, status
		return p
	}
	p.Missing = &usage.Unavailable{Source: usage.SourceUnavailable, CLIExecutionStatus: status, DurationMs: wall, Reason: c.reason(o, status)}
	return p
}

// noted is what status files hold of use.
type noted struct {
	events  []transcript.Event
	outside int // wrappers whose use lies outside the window
	bad     int // counts that are none
}

// snapshots are the events that status files hold, of providers that leave no
// transcript: of the others only a transcript proves what was used. What a wrapper
// noted cannot be divided: it counts if the wrapper ran in the window at all.
func (c *collection) snapshots(o attribute.Owner) (n noted) {
	for _, d := range o.Dispatches {
		if d.Status == nil || d.Again() || c.Transcribed(d.Provider(o)) {
			continue
		}
		e, bad := usage.FromStatus(*d.Status)
		switch {
		case e.IsZero() && bad == 0:
		case !d.Touches(c.run.Window):
			n.outside++
		default:
			n.bad += bad
			if !e.IsZero() {
				n.events = append(n.events, e)
			}
		}
	}
	return n
}

func (n noted) lacks() []string {
	if n.bad == 0 {
		return nil
	}
	return []string{fmt.Sprintf("%d of the numbers that its wrappers noted are no counts", n.bad)}
}

const unreadable = "left a status file that cannot be read"

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
	switch n := c.snapshots(o); {
	case n.bad > 0:
		return fmt.Sprintf("wrapper %s, but %s", cmp.Or(status, unreadable), n.lacks()[0])
	case n.outside > 0:
		return fmt.Sprintf("wrapper %s, but what it noted was used outside the run's window", cmp.Or(status, unreadable))
	}
	sessions := "its dispatches have no session id, and no session began where and while they ran"
	if len(ids) > 0 {
		sessions = fmt.Sprintf("no transcript of its sessions (%s) has usage in the run's window", strings.Join(ids, ", "))
	}
	return fmt.Sprintf("wrapper %s, but %s; neither has an agent named %s", cmp.Or(status, unreadable), sessions, strings.Join(o.Prefixes(), " or "))
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
	return tooLow(reasons...)
}

func tooLow(reasons ...string) string {
	if len(reasons) == 0 {
		return ""
	}
	return "the figure is too low: " + strings.Join(reasons, "; ")
}

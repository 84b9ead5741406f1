package main

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"okstra/lib/cli"
	"okstra/lib/jsondoc"
	"okstra/lib/price"
	"okstra/lib/run"
	"okstra/lib/schema"
	"okstra/lib/transcript"
	"okstra/lib/usage"
	"okstra/lib/usage/attribute"
	"okstra/lib/usage/scan"
)

const teamStateKind = "okstra-team-state"

func collectFlags(f *cli.Flags) cli.Body {
	s := declareScan(f)
	write := f.Bool("write")
	report := f.String("report", "")
	prices := declarePrices(f)
	f.Time("now")
	file := f.Input("team-state")
	return func(ctx context.Context, std cli.IO) error {
		if *write && file.Name() == "-" {
			return cli.Usagef("--write needs the team state as a file")
		}
		if *report != "" && !*write {
			return cli.Usagef("--report goes with --write")
		}
		t, err := prices.table(std)
		if err != nil {
			return err
		}
		c := &collector{std: std, scan: s, table: t}
		if *write {
			unlock, err := lock(ctx, file.Name(), *report)
			if err != nil {
				return err
			}
			defer unlock()
		}
		if err := c.read(file); err != nil {
			return err
		}
		summary, doc, err := c.collect(ctx)
		if err != nil {
			return err
		}
		if !*write {
			return std.Document(json.RawMessage(doc.Raw))
		}
		if err := c.commit(file.Name(), doc, *report, summary); err != nil {
			return err
		}
		return std.Document(summary)
	}
}

// collector collects the usage of one run.
type collector struct {
	std   cli.IO
	scan  scanFlags
	table *price.Table
	doc   jsondoc.Doc
	state run.TeamState
	root  string
	run   attribute.Run
}

// block makes the block of a participant. A session that began inside the window
// starts the block, even before its first reply.
func (c *collector) block(events []transcript.Event, fallback string) *usage.Block {
	b := usage.NewBlock(events, c.table, fallback)
	if at := c.run.SessionStart(events); at != transcript.NoTime {
		if first := run.Stamp(time.Unix(0, at)); b.StartedAt == "" || first < b.StartedAt {
			b.StartedAt = first
		}
	}
	return &b
}

func (c *collector) read(file *cli.Input) (err error) {
	if c.doc, err = file.Doc(c.std); err != nil {
		return err
	}
	if err := schema.Decode(c.doc, teamStateKind, &c.state); err != nil {
		return err
	}
	if c.root = c.state.ProjectRoot; c.root == "" {
		if abs, err := filepath.Abs(file.Name()); err == nil {
			c.root = run.RootAbove(abs)
		}
	}
	return nil
}

// window is the run's, unless the caller names bounds.
func (c *collector) window() (since, until time.Time, err error) {
	since, until = *c.scan.since, *c.scan.until
	if since.IsZero() {
		if since, err = moment(c.doc.Name, "startedAt", c.state.StartedAt); err != nil {
			return since, until, err
		}
		if since.IsZero() {
			since = c.created()
		}
	}
	if until.IsZero() && c.state.EndedAt != "" {
		until, err = moment(c.doc.Name, "endedAt", c.state.EndedAt)
	} else if until.IsZero() {
		until = c.std.Env.Now()
	}
	return since, until, err
}

// created is when the run was planned, for a team state that does not say when
// it started.
func (c *collector) created() time.Time {
	var manifest run.Manifest
	if c.state.RunManifestPath == "" {
		return time.Time{}
	}
	if _, err := run.Load(run.Abs(c.root, c.state.RunManifestPath), "okstra-run-manifest", &manifest); err != nil {
		return time.Time{}
	}
	at, err := time.Parse(time.RFC3339, manifest.CreatedAt)
	if err != nil {
		return time.Time{}
	}
	return at
}

func moment(name, key, text string) (time.Time, error) {
	if text == "" {
		return time.Time{}, nil
	}
	t, err := time.Parse(time.RFC3339, text)
	if err != nil {
		return t, cli.BadInput(fmt.Errorf("%s: /%s: %q is no time (expected RFC 3339)", name, key, text))
	}
	return t, nil
}

// collect makes the blocks and puts them into the document.
func (c *collector) collect(ctx context.Context) (usage.Summary, jsondoc.Doc, error) {
	since, until, err := c.window()
	if err != nil {
		return usage.Summary{}, c.doc, err
	}
	windowed := c.scan
	windowed.since = &since
	scanned, err := windowed.run(ctx, c.std, nil, nil)
	if err != nil {
		return usage.Summary{}, c.doc, err
	}
	owners := attribute.Owners(c.state, c.status)
	c.run = attribute.Run{
		LeadSession: c.state.Lead.SessionID, Team: c.state.Name(), Root: c.root, Owners: owners,
		Window: transcript.Window{Since: since, Until: until}, Files: scanned.Files,
		Real: realPath(map[string]string{}),
	}
	shares := attribute.Attribute(c.run, scanned.Events)
	timeline := c.timeline(since, until)
	parts := []usage.Part{c.lead(shares.Lead)}
	doc, err := c.doc.Set("/lead/usage", block(parts[0]))
	for i := range c.state.Workers {
		part := c.worker(i, owners[i], shares.Workers[i])
		parts = append(parts, part)
		if err == nil {
			doc, err = doc.Set(fmt.Sprintf("/workers/%d/usage", i), block(part))
		}
	}
	if err != nil {
		return usage.Summary{}, doc, err
	}
	collected := usage.Collected{At: run.Stamp(c.std.Env.Now()), Since: since, Until: until, Skipped: skipped(scanned, shares), Timeline: timeline}
	if len(shares.Unattributed) > 0 {
		nameless := usage.NewBlock(shares.Unattributed, c.table, "")
		collected.Nameless = &nameless
	}
	summary := usage.Summarise(parts, collected)
	if doc, err = doc.Set("/usageSummary", summary); err == nil {
		doc, err = doc.Set("/phaseTimeline", timeline)
	}
	return summary, doc, err
}

// realPath resolves the links in paths, each once. A path that leads nowhere has
// no other name.
func realPath(known map[string]string) func(string) string {
	return func(path string) string {
		if _, ok := known[path]; !ok {
			known[path] = path
			if real, err := filepath.EvalSymlinks(path); err == nil {
				known[path] = real
			}
		}
		return known[path]
	}
}

// block is what stands in the team state for a part.
func block(p usage.Part) any {
	if p.Block != nil {
		return p.Block
	}
	return p.Missing
}

// skipped counts the unreadable lines of the files that the run's events are
// in; other files are no matter of this run.
func skipped(r scan.Result, s attribute.Shares) int64 {
	files := map[int]bool{}
	for _, list := range append(slices.Clone(s.Workers), s.Lead, s.Unattributed) {
		for _, e := range list {
			files[e.File] = true
		}
	}
	var n int64
	for i := range files {
		n += r.Files[i].Skipped
	}
	return n
}

func (c *collector) lead(events []transcript.Event) usage.Part {
	l := c.state.Lead
	p := usage.Part{Role: run.RoleLeader, Label: cmp.Or(l.Agent, run.RoleLeader), Provider: l.Provider, Lead: true}
	switch {
	case len(events) > 0:
		b := c.block(events, text(l.Model))
		first, last := transcript.Instant(b.StartedAt), transcript.Instant(b.EndedAt)
		b.DurationMs = max(0, (last-first)/int64(time.Millisecond))
		p.Block = b
	case l.SessionID == "":
		p.Missing = &usage.Unavailable{Source: usage.SourceUnavailable, Reason: "the team state names no session of the lead"}
	case c.run.Knows(l.SessionID):
		p.Missing = &usage.Unavailable{Source: usage.SourceUnavailable, Reason: fmt.Sprintf("session %s used nothing in the run's window", l.SessionID)}
	default:
		p.Missing = &usage.Unavailable{Source: usage.SourceUnavailable, Reason: fmt.Sprintf("no transcript of session %s was found; the project is %s", l.SessionID, cmp.Or(c.root, "not known"))}
	}
	return p
}

func (c *collector) worker(i int, o attribute.Owner, events []transcript.Event) usage.Part {
	w := c.state.Workers[i]
	p := usage.Part{Role: w.Role, WorkerID: w.WorkerID, Label: cmp.Or(w.Agent, w.Role), Provider: w.Provider}
	wall, status := o.Wall(c.run.Window).Milliseconds(), o.ExecutionStatus()
	model := cmp.Or(text(w.ModelExecutionValue), text(w.Model))
	if len(events) > 0 {
		p.Block = c.block(events, model)
	} else if noted := snapshots(o, c.run.Window); len(noted) > 0 {
		b := usage.NewBlock(noted, c.table, model)
		b.StartedAt = cmp.Or(o.Started(), b.StartedAt)
		p.Block = &b
	}
	if p.Block != nil {
		p.Block.DurationMs, p.Block.CLIExecutionStatus = wall, status
		return p
	}
	p.Missing = &usage.Unavailable{Source: usage.SourceUnavailable, CLIExecutionStatus: status, DurationMs: wall, Reason: reason(o, status)}
	return p
}

// snapshots are the events that status files hold, for a provider that leaves
// no transcript. One without a time belongs to its run all the same.
func snapshots(o attribute.Owner, w transcript.Window) []transcript.Event {
	var events []transcript.Event
	for _, d := range o.Dispatches {
		if d.Status == nil {
			continue
		}
		if e, ok := usage.FromStatus(*d.Status); ok && (e.At == transcript.NoTime || w.Holds(e.At)) {
			events = append(events, e)
		}
	}
	return events
}

// reason says why nothing could be measured.
func reason(o attribute.Owner, status string) string {
	ids := o.SessionIDs()
	switch {
	case o.WorkerID == "":
		return "the roster row names no worker, so no session can be its"
	case len(o.Dispatches) == 0:
		return fmt.Sprintf("no dispatch of this worker stands in the ledger, and no agent named %s used anything in the run's window", strings.Join(o.Prefixes(), " or "))
	}
	sessions := "its dispatches have no session id, and no session began where and while they ran"
	if len(ids) > 0 {
		sessions = fmt.Sprintf("no transcript of its sessions (%s) has usage in the run's window", strings.Join(ids, ", "))
	}
	return fmt.Sprintf("wrapper %s, but %s; neither has an agent named %s", status, sessions, strings.Join(o.Prefixes(), " or "))
}

func text(s *string) string {
	if s == nil {
		return ""
	}
	return *s
}

// Package collect fills a run's team state in: who used what, by the dispatch
// ledger and the transcripts, and when the lead passed its checkpoints.
//
// [State] is what can be read of the run, its files included; [Collect] is pure
// and [Commit] writes. Rules: docs/usage.md, "Who used it" and "Written together".
package collect

import (
	"fmt"
	"path/filepath"
	"slices"
	"time"

	"okstra/lib/jsondoc"
	"okstra/lib/price"
	"okstra/lib/run"
	"okstra/lib/transcript"
	"okstra/lib/usage"
	"okstra/lib/usage/attribute"
	"okstra/lib/usage/scan"
)

// Found is what was found out for a run.
type Found struct {
	State
	Window  transcript.Window
	At      time.Time // of the collection
	Scanned scan.Result
	Status  func(prompt string) *run.Status // a dispatch's status file, nil for none
	Real    func(path string) string        // a path without links

	// Transcribed says whether the CLI of a provider keeps transcripts that are read.
	Transcribed func(provider string) bool

	Timeline usage.Timeline
	Prices   *price.Table
}

// collection is a collection at work.
type collection struct {
	Found
	run attribute.Run
}

// Collect makes the blocks, the summary and the timeline, and puts them into the
// document.
func Collect(f Found) (usage.Summary, jsondoc.Doc, error) {
	owners := attribute.Owners(f.Team, f.Status)
	c := collection{Found: f, run: attribute.Run{
		LeadSession: f.Team.Lead.SessionID, Team: f.Team.Name(), Root: f.Root, Owners: owners,
		Window: f.Window, Files: f.Scanned.Files, Real: f.Real,
	}}
	if c.undated() {
		c.Scanned.Events, c.Timeline = nil, usage.NewTimeline(usage.SourceUnavailable, nil)
	}
	shares := attribute.Attribute(c.run, c.Scanned.Events)
	parts := []usage.Part{c.lead(shares.Lead)}
	doc, err := f.Doc.Set("/lead/usage", block(parts[0]))
	for i := range f.Team.Workers {
		part := c.worker(i, owners[i], shares.Workers[i])
		parts = append(parts, part)
		if err == nil {
			doc, err = doc.Set(fmt.Sprintf("/workers/%d/usage", i), block(part))
		}
	}
	if err != nil {
		return usage.Summary{}, doc, err
	}
	collected := usage.Collected{
		At: run.Stamp(f.At), Since: f.Window.Since, Until: f.Window.Until,
		Skipped: c.skipped(shares), Timeline: c.Timeline,
	}
	if len(shares.Unattributed) > 0 {
		nameless := usage.NewBlock(shares.Unattributed, f.Prices, "")
		collected.Nameless = &nameless
	}
	summary := usage.Summarise(parts, collected)
	if doc, err = doc.Set("/usageSummary", summary); err == nil {
		doc, err = doc.Set("/phaseTimeline", c.Timeline)
	}
	return summary, doc, err
}

// RealPaths resolves the links in paths, each once. A path that leads nowhere has
// no other name.
func RealPaths() func(string) string {
	known := map[string]string{}
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

// noStart is why nothing can be told from what was used at other times.
const noStart = "nobody knows when the run began: the team state has no startedAt, and no run manifest tells when it was planned"

// undated says whether the run has no beginning. Anything at all would lie in its
// window.
func (c *collection) undated() bool { return c.Window.Since.IsZero() }

// skipped counts the unreadable lines of the files that the run's events are in or
// that are of its sessions, with or without events; other files are no matter of
// this run.
func (c *collection) skipped(s attribute.Shares) int64 {
	files := map[int]bool{}
	for _, list := range append(slices.Clone(s.Workers), s.Lead, s.Unattributed) {
		for _, e := range list {
			files[e.File] = true
		}
	}
	var n int64
	for i, f := range c.Scanned.Files {
		if files[i] || c.run.Names(f.Session) {
			n += f.Skipped
		}
	}
	return n
}

package grouping

import (
	"strings"

	"okstra/lib/finding"
	"okstra/lib/run"
)

// Codes of faults of a critic's file.
const (
	CodeCriticHeader = "critic-header"
	CodeCriticItem   = "critic-item"
	CodeCriticItemID = "critic-item-id"
)

// Critic is what a worker with the critic's prompt found missing.
type Critic struct {
	Worker     string
	WorkerLine int
	Candidates []Item // ids, …
}

// ParseCritic reads a critic's file. Without a candidate it says "None.".
func ParseCritic(name string, src []byte) (Critic, []finding.Finding) {
	s := newSource(name, src)
	p := &criticParser{source: s, items: newItemReader(s, itemCodes{"X", CodeCriticItem, CodeCriticItemID})}
	var code fence
	for i, line := range p.lines {
		p.line(i+1, line, code.inside(line))
	}
	p.items.end(true)
	p.complete()
	p.critic.Candidates = p.items.items
	for i := range p.critic.Candidates {
		p.critic.Candidates[i].WorkerID = p.critic.Worker
	}
	return p.critic, p.done()
}

type criticParser struct {
	*source
	critic Critic
	items  *itemReader
	titled bool
	none   int // line of "None."
}

func (p *criticParser) line(n int, line string, fenced bool) {
	level, text := 0, ""
	if !fenced {
		level, text = heading(line)
	}
	name, value, isLabel := label(line)
	switch {
	case level == 3:
		p.items.end(true)
		p.items.start(n, 0, text)
	case level == 1 && !p.titled && p.items.open == nil:
		p.titled = true
	case level == 1 || level == 2:
		p.items.end(true)
		p.fault(n, CodeCriticItem, "unexpected heading %q (expected \"### X-001 title\")", text)
	case p.items.open != nil || listForm.MatchString(line):
		p.items.line(n, line, fenced)
	case blank(line):
	case !fenced && isLabel && name == "Worker" && p.critic.WorkerLine == 0:
		p.worker(n, value)
	case !fenced && strings.TrimSpace(line) == "None." && p.none == 0:
		p.none = n
	default:
		p.fault(n, CodeCriticHeader, "unexpected text %q (expected \"Worker: worker-id\", then \"### X-001 title\" or \"None.\")", line)
	}
}

func (p *criticParser) worker(n int, value string) {
	p.critic.WorkerLine = n
	if err := run.CheckWorkerID(value); err != nil {
		p.fault(n, CodeCriticHeader, "%v", err)
		return
	}
	p.critic.Worker = value
}

func (p *criticParser) complete() {
	if p.critic.WorkerLine == 0 {
		p.fault(1, CodeCriticHeader, "header has no label \"Worker\"")
	}
	switch {
	case p.none == 0 && len(p.items.items) == 0:
		p.fault(max(len(p.lines), 1), CodeCriticItem, "no candidate (expected \"### X-001 title\" or \"None.\")")
	case p.none > 0 && len(p.items.items) > 0:
		p.fault(p.none, CodeCriticItem, "\"None.\" beside candidates (expected one or the other)")
	}
}

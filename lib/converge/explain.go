package converge

import (
	"fmt"
	"slices"
	"strings"
)

// Explain derives the label of a group from its votes, in words; of a group
// that is still in the queue it derives the label that the votes so far would
// give. It says false when the state has no such group.
func Explain(s State, group string) (string, bool) {
	b, _ := s.replay()
	c := b.claim(group)
	if c == nil {
		return "", false
	}
	t := b.tally(c)
	o := Classify(t)
	var text strings.Builder
	line := func(format string, args ...any) { fmt.Fprintf(&text, format+"\n", args...) }
	line("%s: %s", group, c.Claim)
	for _, p := range b.positions(c, s.missingCodes()) {
		line("  %s: %s%s", p.WorkerID, p.Stance, note(p.Note))
	}
	posture := "the claim weighs as much as one vote per source"
	if t.Adversarial {
		posture = "the burden of proof is on the claim"
	}
	line("s = %d sources, A = %d agree, D = %d disagree, M = %d missing; %s", t.Sources, t.Agree, t.Disagree, t.Missing, posture)
	for _, r := range Table {
		if r.ID == o.Rule.ID {
			break
		}
		line("%s does not hold: %s", r.ID, r.Condition)
	}
	if support, total := t.Support(); o.Rule.ID == "R5" || o.Rule.ID == "R6" {
		line("S = %d of T = %d", support, total)
	}
	line("%s holds: %s, so %s (%s)", o.Rule.ID, o.Rule.Condition, o.Label(), o.Rule.Reason)
	line("were all missing voters to disagree: %s, section %s; to agree: %s, section %s", o.Worst, sectionOf(o.Worst), o.Best, sectionOf(o.Best))
	settled := "settled"
	if !o.Settled {
		settled = "not settled"
	}
	line("section %s, %s", o.Section, settled)
	if flags := b.flags(c, t); len(flags) > 0 {
		line("flags: %s", strings.Join(flags, ", "))
	}
	if slices.Contains(s.Queue, group) {
		line("%s is in the queue: this is what the votes so far would give", group)
	}
	return text.String(), true
}

func note(s string) string {
	if s == "" {
		return ""
	}
	return " (" + strings.ReplaceAll(s, "\n", " ") + ")"
}

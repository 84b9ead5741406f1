package validate

import (
	"slices"

	"okstra/lib/finding"
)

const activityContract = "activity-contract-v1"

var activityRules = []Rule{
	{
		Code: "activity-order", Level: finding.Error, Title: "activity events have a gap", Only: onlyPlanning,
		Checks: "The ids of the run's activity events are not A-001, A-002 and so on in file order, or their times decrease.",
		Why:    "A gap looks like an event that somebody removed.",
		Fails:  "A-001, A-003",
		Passes: "A-001, A-002",
		check:  (*judge).activityOrder,
	},
	{
		Code: "activity-pair", Level: finding.Error, Title: "a dispatch event and its collect event do not pair", Only: onlyPlanning,
		Checks: "A `worker-dispatch` has not exactly one later `worker-collect` of the same assignment and attempt, or the reverse.",
		Why:    "Every worker that was sent out comes back once.",
		Fails:  "worker-dispatch of assignment:analysis:scope-a, attempt 1, alone",
		Passes: "worker-dispatch, and later worker-collect, of the same assignment and attempt",
		check:  (*judge).activityPairs,
	},
	{
		Code: "activity-verification-count", Level: finding.Error, Title: "verification events do not match the rounds", Only: onlyPlanning,
		Checks: "The number of `verification` events is not the number of rounds in the plan-body state.",
		Why:    "One of the two leaves out a round.",
		Fails:  "two rounds, one event",
		Passes: "two rounds, two events",
		check:  func(j *judge) { j.activityCount("verification", j.planRounds(), "rounds of plan verification") },
	},
	{
		Code: "activity-self-fix-count", Level: finding.Error, Title: "self-fix events do not match the rounds", Only: onlyPlanning,
		Checks: "The number of `self-fix` events is not the number of rounds with a `selfFix` in the plan-body state.",
		Why:    "The plan was changed without being announced, or the reverse.",
		Fails:  "a round with a selfFix, no event",
		Passes: "a round with a selfFix, one event",
		check:  func(j *judge) { j.activityCount("self-fix", j.selfFixes(), "rounds with a self-fix") },
	},
	{
		Code: "activity-decision-ref", Level: finding.Error, Title: "a decision of the user is not recorded", Only: onlyPlanning,
		Checks: "A `user-decision` names no clarification item of the report, or an item that was answered in this run has no `user-decision`.",
		Why:    "What the user decided must be traceable to the question.",
		Fails:  `"ref": "C-009" in a run with C-001 and C-002`,
		Passes: `"ref": "C-001"`,
		check:  (*judge).activityDecisions,
	},
}

// activities are the run's activity events, nil when the contract was not
// declared: by the manifest, or by a row that has it.
func (s *subject) activities() []node {
	declared := slices.Contains(s.manifest.root().get("contracts").texts(), activityContract)
	var out []node
	if s.events == nil {
		return nil
	}
	for _, row := range s.events.rows {
		if n := row.node(); n.get("kind").text() != "progress" {
			out = append(out, n)
			declared = declared || n.get("contract").text() == activityContract
		}
	}
	if !declared {
		return nil
	}
	return append([]node{}, out...)
}

func (j *judge) activityOrder() {
	before := node{}
	for i, n := range j.activities() {
		id := n.get("id")
		if due := sprintf("A-%03d", i+1); id.text() != due {
			j.at(id, due, "%s", id.show())
			return
		}
		if at := n.get("at"); before.has() && moment(at).Before(moment(before)) {
			j.at(at, "a time not before "+before.text(), "%s", at.show())
			return
		}
		before = n.get("at")
	}
}

func (j *judge) activityPairs() {
	type key struct {
		ref     string
		attempt int
	}
	open := map[key]node{}
	done := map[key]bool{}
	for _, n := range j.activities() {
		k := key{n.get("assignmentRef").text(), n.get("attempt").whole()}
		_, was := open[k]
		switch n.get("kind").text() {
		case "worker-dispatch":
			if was || done[k] {
				j.at(n.get("assignmentRef"), "one dispatch of each attempt", "%s, attempt %d, which was dispatched before", n.get("assignmentRef").show(), k.attempt)
				continue
			}
			open[k] = n
		case "worker-collect":
			if !was {
				j.at(n.get("assignmentRef"), "an earlier dispatch of the same attempt", "%s, attempt %d, collected without one", n.get("assignmentRef").show(), k.attempt)
				continue
			}
			delete(open, k)
			done[k] = true
		}
	}
	if j.going {
		return // what is out may still come back
	}
	for _, n := range j.activities() {
		k := key{n.get("assignmentRef").text(), n.get("attempt").whole()}
		if sent, ok := open[k]; ok && sent.src == n.src {
			j.at(n.get("assignmentRef"), "a later collect of the same attempt", "%s, attempt %d, never collected", n.get("assignmentRef").show(), k.attempt)
		}
	}
}

func (j *judge) activityCount(kind string, due int, of string) {
	events := j.activities()
	if events == nil || !j.planBody.usable() || j.going {
		return
	}
	have := 0
	last := node{}
	for _, n := range events {
		if n.get("kind").text() == kind {
			have++
			last = n.get("kind")
		}
	}
	if have == due {
		return
	}
	if !last.has() {
		last = j.planBody.root().get("rounds")
	}
	j.at(last, sprintf("%d, the number of %s", due, of), "%s: %s in all", last.show(), finding.Count(have, kind+" event"))
}

// selfFixes counts the rounds behind which the plan was changed.
func (s *subject) selfFixes() int {
	n := 0
	for _, r := range s.planBody.root().get("rounds").list() {
		if r.get("selfFix").isObject() {
			n++
		}
	}
	return n
}

func (j *judge) activityDecisions() {
	events := j.activities()
	if events == nil || !j.report.usable() || j.going {
		return
	}
	items := map[string]node{}
	for _, c := range j.report.root().get("clarificationItems").list() {
		items[c.get("id").text()] = c
	}
	decided := map[string]bool{}
	for _, n := range events {
		if n.get("kind").text() != "user-decision" {
			continue
		}
		ref := n.get("ref")
		decided[ref.text()] = true
		if _, ok := items[ref.text()]; !ok {
			j.at(ref, "a clarification item of the report", "%s, which the report does not have", ref.show())
		}
	}
	before := j.answeredBefore()
	for _, id := range sorted(items) {
		status := items[id].get("status")
		if (status.text() == "answered" || status.text() == "resolved") && !decided[id] && !before[id] {
			j.at(status, "a user-decision event for "+id, "%s without one", status.show())
		}
	}
}

// answeredBefore are the items that the previous report has as closed.
func (s *subject) answeredBefore() map[string]bool {
	out := map[string]bool{}
	previous := s.report.root().find("/header/previousReport")
	if previous.text() == "" {
		return out
	}
	for _, c := range s.foreign(dataOf(previous.text()), previous).root().get("clarificationItems").list() {
		out[c.get("id").text()] = c.get("status").text() != "open"
	}
	return out
}

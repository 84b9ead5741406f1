package validate

import (
	"path"
	"slices"

	"okstra/lib/converge/planbody"
	"okstra/lib/finding"
	"okstra/lib/run"
)

var planRules = []Rule{
	{
		Code: "plan-missing", Level: finding.Error, Title: "the plan was never verified", Only: onlyPlanning,
		Checks: "Plan-body verification is enabled, there are analysis workers, and there is no plan-body state.",
		Why:    "A plan that nobody has read against is not ready for approval.",
		Fails:  "no state/plan-body-implementation-planning-001.json",
		Passes: "the state lies at the manifest's `planBodyStatePath`",
		check:  (*judge).planMissing,
	},
	{
		Code: "plan-gate", Level: finding.Error, Title: "the gate is not what the votes give", Only: onlyPlanning,
		Checks: "The gate of the plan-body state or of one of its rounds is not what the votes give, or the report's gate, rounds or counts differ from the state; the state's rounds cannot have come to be like that, or its voters are not the analysis workers.",
		Why:    "The gate decides whether the user is asked to approve.",
		Fails:  `"gate": "passed" with an item that most voters reject`,
		Passes: `"gate": "blocked-by-disagreement"`,
		check:  (*judge).planGate,
	},
	{
		Code: "plan-approval-marker", Level: finding.Error, Title: "approval is asked for at the wrong gate", Only: onlyPlanning,
		Checks: "`approval.requested` is true and the gate is closed, or the reverse.",
		Why:    "Only a plan that passed is put before the user.",
		Fails:  `"requested": true with gate aborted-non-result`,
		Passes: `"requested": true with gate passed-with-dissent`,
		check:  (*judge).approvalMarker,
	},
	{
		Code: "plan-approval-rows", Level: finding.Error, Title: "a rejected plan item is not put before the user", Only: onlyPlanning,
		Checks: "The gate is closed, and an item that more voters reject than accept has no clarification row that blocks approval.",
		Why:    "The user must be able to settle what the workers could not.",
		Fails:  "P-002 rejected by two of three, and no row with originRefs P-002",
		Passes: `{"originRefs": ["P-002"], "blocks": "approval"}`,
		check:  (*judge).approvalRows,
	},
	{
		Code: "plan-approval-open", Level: finding.Error, Title: "a plan was approved with an open question", Only: onlyPlanning,
		Checks: "`approval.approved` is true, and an open clarification row blocks approval.",
		Why:    "The approval is void until the question is answered.",
		Fails:  `"approved": true beside {"id": "C-001", "status": "open", "blocks": "approval"}`,
		Passes: `"approved": true, and every such row is answered`,
		check:  (*judge).approvalOpen,
	},
}

// Gates of a plan-body verification, best first.
const (
	gatePassed  = "passed"
	gateDissent = "passed-with-dissent"
	gateAborted = "aborted-non-result"
	gateBlocked = "blocked-by-disagreement"
)

func isOpen(gate string) bool { return gate == gatePassed || gate == gateDissent }

// planItem is an item of the plan with the votes on its current text.
type planItem struct {
	id, ref                   string
	agree, disagree, supplied int
	letters                   []string
}

func (p planItem) blocked() bool { return p.disagree > p.agree+p.supplied }

// gateOf decides over items with n voters. Blocked is asked first: were
// aborted first, an added agreeing vote could turn an aborted gate into a
// blocked one.
func gateOf(items []planItem, n int) string {
	gate := gatePassed
	for _, i := range items {
		switch agree := i.agree + i.supplied; {
		case i.blocked():
			return gateBlocked
		case 2*agree < n:
			gate = gateAborted
		case i.disagree > 0 && gate == gatePassed:
			gate = gateDissent
		}
	}
	return gate
}

// planItems counts the votes after a number of rounds, as the plan-body
// commands do. A voter's latest vote on the text that an item had then replaces
// the earlier one; a fix drops the votes on the texts that it changed, whether
// or not anybody votes on the new ones. The fix after the last of the rounds
// counts only where the state ends with it.
func planItems(state node, rounds int) []planItem {
	type vote struct{ verdict, letter, digest string }
	latest := map[[2]string]vote{}
	current := map[string]string{}
	whole := rounds == len(state.get("rounds").list())
	for i, r := range state.get("rounds").list()[:rounds] {
		for _, v := range r.get("verdicts").list() {
			id, digest := v.get("itemId").text(), v.get("digest").text()
			latest[[2]string{id, v.get("workerId").text()}] = vote{v.get("verdict").text(), v.get("letter").text(), digest}
			current[id] = digest
		}
		if i == rounds-1 && !whole {
			break
		}
		for _, id := range r.get("selfFix").get("items").texts() {
			delete(current, id)
			for _, w := range state.get("voters").list() {
				delete(latest, [2]string{id, w.get("workerId").text()})
			}
		}
	}
	var out []planItem
	for _, i := range state.get("items").list() {
		item := planItem{id: i.get("itemId").text(), ref: i.get("ref").text(), letters: []string{}}
		text := current[item.id]
		if whole {
			text = i.get("digest").text()
		}
		for _, w := range state.get("voters").list() {
			v, ok := latest[[2]string{item.id, w.get("workerId").text()}]
			switch {
			case !ok || v.digest != text:
			case v.verdict == "DISAGREE":
				item.disagree++
				item.letters = append(item.letters, v.letter)
			case v.verdict == "SUPPLEMENT":
				item.supplied++
			case v.verdict == "AGREE":
				item.agree++
			}
		}
		slices.Sort(item.letters)
		item.letters = slices.Compact(item.letters)
		out = append(out, item)
	}
	return out
}

func (j *judge) planMissing() {
	var t run.TaskManifest
	if !decode(j.taskManifest, &t) || j.planBody != nil && !j.planBody.missing || len(j.analysts()) == 0 {
		return
	}
	if c := t.Convergence; c != nil && c.PlanBody != nil && c.PlanBody.Enabled != nil && !*c.PlanBody.Enabled {
		return
	}
	by := j.manifest.root().get("planBodyStatePath")
	j.at(by, "a plan-body state", "%s, and there is none", by.show())
}

func (j *judge) planGate() {
	state := j.planBody.root()
	if !j.planBody.sound() {
		return
	}
	voters := len(state.get("voters").list())
	rounds := state.get("rounds").list()
	for i, r := range rounds {
		due := gateOf(planItems(state, i+1), voters)
		if at := r.get("gate"); !r.get("selfFix").isObject() && at.isText() && at.text() != due {
			j.at(at, due+", by the votes", "%s after round %d", at.show(), i+1)
		}
	}
	items := planItems(state, len(rounds))
	if at, due := state.get("gate"), gateOf(items, voters); at.isText() && at.text() != due {
		j.at(at, due+", by the votes", "%s", at.show())
	}
	j.planHistory(state)
	j.reportedGate(state, items, len(rounds))
}

// planHistory reports where the state contradicts itself, its gates aside, and
// voters that are not the plan's.
func (j *judge) planHistory(state node) {
	var s planbody.State
	if decode(j.planBody, &s) {
		for _, f := range planbody.Check(s) {
			if path.Base(f.Pointer) != "gate" {
				at := state.find(f.Pointer)
				j.at(at, "a state as seed, apply and fix make it", "%s", f.Message)
			}
		}
	}
	seats := map[string]string{}
	for _, n := range j.analysts() {
		seats[n.get("workerId").text()] = n.get("roleExecutionRef").text()
	}
	for _, v := range state.get("voters").list() {
		id, ref := v.get("workerId"), v.get("sourceRoleExecutionRef")
		due, known := seats[id.text()]
		switch {
		case len(seats) == 0:
		case !known:
			j.at(id, "an analysis worker of the run manifest", "%s", id.show())
		case due != ref.text():
			j.at(ref, due+", as in the run manifest", "%s for %s", ref.show(), id.text())
		}
	}
}

// reportedGate compares the report with the state.
func (j *judge) reportedGate(state node, items []planItem, rounds int) {
	block := j.report.root().find("/implementationPlanning/planBodyVerification")
	if !block.isObject() {
		if block.null() && rounds > 0 {
			j.at(block, "the outcome of the verification", "null although the state has %s", finding.Count(rounds, "round"))
		}
		return
	}
	if at := block.get("gate"); at.isText() && at.text() != state.get("gate").text() {
		j.at(at, state.get("gate").text()+", as in the plan-body state", "%s", at.show())
	}
	if at := block.get("rounds"); at.has() && at.whole() != rounds {
		j.at(at, sprintf("%d, as in the plan-body state", rounds), "%s", at.show())
	}
	rows := map[string]node{}
	for _, row := range block.get("items").list() {
		rows[row.get("id").text()] = row
	}
	for _, i := range items {
		row, ok := rows[i.id]
		if !ok {
			j.at(block.get("items"), "a row for each item of the plan", "a list without %s", i.id)
			continue
		}
		for _, c := range []struct {
			key string
			due int
		}{{"agree", i.agree}, {"disagree", i.disagree}, {"supplement", i.supplied}} {
			if at := row.get(c.key); at.has() && at.whole() != c.due {
				j.at(at, sprintf("%d, by the votes", c.due), "%s for %s", at.show(), i.id)
			}
		}
		letters := slices.Clone(row.get("letters").texts())
		slices.Sort(letters)
		if at := row.get("letters"); at.isList() && !slices.Equal(slices.Compact(letters), i.letters) {
			j.at(at, join(i.letters, "and")+", by the votes", "%s for %s", join(letters, "and"), i.id)
		}
	}
}

func (j *judge) approvalMarker() {
	gate := j.planBody.root().get("gate")
	requested := j.report.root().find("/implementationPlanning/approval/requested")
	if gate.isText() && requested.has() && requested.yes() != isOpen(gate.text()) {
		j.at(requested, sprintf("%v at gate %s", isOpen(gate.text()), gate.text()), "%s", requested.show())
	}
}

// blocking are the clarification rows that stand in the way of an approval.
func (s *subject) blocking() []node {
	var out []node
	for _, c := range s.report.root().get("clarificationItems").list() {
		if c.get("blocks").text() == "approval" {
			out = append(out, c)
		}
	}
	return out
}

func (j *judge) approvalRows() {
	state := j.planBody.root()
	list := j.report.root().get("clarificationItems")
	if !j.planBody.sound() || !list.isList() || isOpen(state.get("gate").text()) {
		return
	}
	for _, i := range planItems(state, len(state.get("rounds").list())) {
		names := func(c node) bool { return slices.Contains(c.get("originRefs").texts(), i.id) }
		if i.blocked() && !slices.ContainsFunc(j.blocking(), names) {
			j.at(list, "a row that blocks approval for each rejected item", "a list without one for %s", i.id)
		}
	}
}

func (j *judge) approvalOpen() {
	approved := j.report.root().find("/implementationPlanning/approval/approved")
	if !approved.yes() {
		return
	}
	for _, c := range j.blocking() {
		if c.get("status").text() == "open" {
			j.at(approved, "false until "+c.get("id").text()+" is answered", "%s", approved.show())
			return
		}
	}
}

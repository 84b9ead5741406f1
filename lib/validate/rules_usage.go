package validate

import (
	"math/big"
	"slices"
	"strings"

	"okstra/lib/digest"
	"okstra/lib/finding"
	"okstra/lib/run"
)

var usageRules = []Rule{
	{
		Code: "usage-missing", Level: finding.Error, Title: "nobody has asked what a worker consumed",
		Checks: "The lead or a dispatched worker has no usage block; or the run has ended and its team state or report has no usage summary.",
		Why:    "A run whose cost is unknown must say so itself, with a reason.",
		Fails:  `"workerId": "scope-b", "usage": null`,
		Passes: `"usage": {"source": "unavailable", "cliExecutionStatus": "exited", "durationMs": 41000, "reason": "no session in the window"}`,
		check:  (*judge).usageMissing,
	},
	{
		Code: "usage-zero", Level: finding.Error, Title: "a process that ran is said to have consumed nothing",
		Checks: "A block has zero tokens, its source is not `unavailable`, and its process exited.",
		Why:    "Zero hides that the session was not found.",
		Fails:  `"source": "codex-rollout", "totalTokens": 0, "cliExecutionStatus": "exited"`,
		Passes: `"source": "unavailable" with a reason`,
		check:  (*judge).usageZero,
	},
	{
		Code: "usage-reason", Level: finding.Error, Title: "unavailable usage without a reason",
		Checks: "A block is `unavailable` and has no reason; or a process ran for it, and it has no `cliExecutionStatus`.",
		Why:    "Executing and being attributed are two things: a worker that ran is never taken for one that did not.",
		Fails:  `"source": "unavailable", "reason": ""`,
		Passes: `"source": "unavailable", "cliExecutionStatus": "exited", "reason": "no transcript of the session"`,
		check:  (*judge).usageReason,
	},
	{
		Code: "usage-total-zero", Level: finding.Error, Title: "the workers are said to have consumed nothing", Except: notHandoff,
		Checks: "`workerTotalTokens` is 0, and workers were dispatched.",
		Why:    "Nobody works for nothing: the sessions were not found.",
		Fails:  `"workerTotalTokens": 0`,
		Passes: `"workerTotalTokens": 105700, or null with "unavailableReasons"`,
		check:  (*judge).usageTotalZero,
	},
	{
		Code: "usage-total", Level: finding.Error, Title: "a total is not the sum of its parts",
		Checks: "The parts of a block, a summary or its providers do not add up; a row of the summary is not its block's, or a block names a session that is not among its sessions; or the report's summary is not the team state's.",
		Why:    "A number that cannot be added up again was edited, or counted twice.",
		Fails:  `"leadTotalTokens": 53000, "workerTotalTokens": 105700, "grandTotalTokens": 158000`,
		Passes: `"grandTotalTokens": 158700`,
		check:  (*judge).usageTotal,
	},
	{
		Code: "usage-placeholder", Level: finding.Error, Title: "a placeholder stands where a number is due",
		Checks: "A value of a usage summary or block is `{{…}}` or `--`.",
		Why:    "Templates are filled before a report is published; a dash belongs to the page, not to the data.",
		Fails:  `"grandTotalTokens": "{{grandTotal}}"`,
		Passes: `"grandTotalTokens": 158700`,
		check:  (*judge).usagePlaceholder,
	},
	{
		Code: "usage-unmatched-model", Level: finding.Note, Title: "a model has no price",
		Checks: "`unmatchedModels` is not empty.",
		Why:    "The cost of the run is known in part only.",
		Fails:  `"unmatchedModels": ["codex-auto-review"]`,
		Passes: `"unmatchedModels": []`,
		check:  (*judge).usageUnmatched,
	},
}

// usageBlock is what one participant consumed.
type usageBlock struct {
	node
	who string
	ran bool // a process was started for it
}

func (s *subject) usageBlocks() []usageBlock {
	team := s.team.root()
	out := []usageBlock{{team.get("lead", "usage"), "the lead", false}}
	for _, m := range s.roster {
		ran := false
		for _, d := range m.dispatches {
			ran = ran || d.status.usable()
		}
		out = append(out, usageBlock{m.get("usage"), m.id, ran})
	}
	return out
}

// summaries are the usage summaries of the team state and the report.
func (s *subject) summaries() []node {
	var out []node
	for _, n := range []node{s.team.root().get("usageSummary"), s.report.root().get("usageSummary")} {
		if n.isObject() {
			out = append(out, n)
		}
	}
	return out
}

func (j *judge) usageMissing() {
	for i, b := range j.usageBlocks() {
		if b.null() && (i == 0 || len(j.roster[i-1].dispatches) > 0) {
			j.at(b.node, "a usage block", "null for %s", b.who)
		}
	}
	if !j.over() {
		return
	}
	for _, n := range []node{j.team.root().get("usageSummary"), j.report.root().get("usageSummary")} {
		if n.null() {
			j.at(n, "the usage of the run", "null after the run ended")
		}
	}
}

func (j *judge) usageZero() {
	for _, b := range j.usageBlocks() {
		total, ok := b.get("totalTokens").integer()
		if ok && total == 0 && b.get("source").text() != "unavailable" && b.get("cliExecutionStatus").text() == "exited" {
			j.at(b.get("totalTokens"), "an unavailable block with a reason", "0 for %s, whose process exited", b.who)
		}
	}
}

func (j *judge) usageReason() {
	for _, b := range j.usageBlocks() {
		if b.get("source").text() != "unavailable" {
			continue
		}
		if strings.TrimSpace(b.get("reason").text()) == "" {
			j.at(b.get("reason"), "why the usage is unavailable", "%s for %s", b.get("reason").show(), b.who)
		}
		if b.ran && b.get("cliExecutionStatus").text() == "" {
			j.at(b.get("cliExecutionStatus"), "how the process of the worker ended", "%s for %s, for whom a process ran", b.get("cliExecutionStatus").show(), b.who)
		}
	}
}

func (j *judge) usageTotalZero() {
	if len(j.dispatches) == 0 {
		return
	}
	for _, n := range j.summaries() {
		if total, ok := n.get("workerTotalTokens").integer(); ok && total == 0 {
			j.at(n.get("workerTotalTokens"), "a positive number, or null with reasons", "0 although the ledger has %s", finding.Count(len(j.dispatches), "row"))
		}
	}
}

// bucketKeys are the disjoint parts of a block.
var bucketKeys = []string{"inputTokens", "cacheReadTokens", "cacheWrite5mTokens", "cacheWrite1hTokens", "outputTokens"}

func (j *judge) usageTotal() {
	for _, b := range j.usageBlocks() {
		if b.get("source").text() == "unavailable" || !b.isObject() {
			continue
		}
		var parts []node
		for _, key := range bucketKeys {
			parts = append(parts, b.get(key))
		}
		j.sum(b.get("totalTokens"), "the sum of its buckets", parts...)
		if models := b.get("models"); models.isObject() {
			j.sum(b.get("totalTokens"), "the sum of its models", models.members()...)
		}
		if id := b.get("sessionId"); id.text() != "" && b.get("sessionIds").isList() && !slices.Contains(b.get("sessionIds").texts(), id.text()) {
			j.at(id, "one of the sessionIds beside it", "%s", id.show())
		}
	}
	team := j.team.root().get("usageSummary")
	for _, s := range j.summaries() {
		j.summaryTotals(s)
	}
	if team.isObject() && j.over() {
		j.workerTotals(team)
	}
	if report := j.report.root().get("usageSummary"); report.isObject() && team.isObject() && !sameJSON(report, team) {
		j.at(report, "the usage summary of the team state", "another summary than the team state's")
	}
}

// members are the values of an object in order of their keys.
func (n node) members() []node {
	object, _ := n.value.(map[string]any)
	var out []node
	for _, key := range sorted(object) {
		out = append(out, n.get(key))
	}
	return out
}

// sum compares a total with its parts. Parts that are null or absent add
// nothing; a total that is no number is for the schema.
func (j *judge) sum(total node, expected string, parts ...node) {
	have, ok := rational(total)
	if !ok {
		return
	}
	want := new(big.Rat)
	for _, p := range parts {
		if v, ok := rational(p); ok {
			want.Add(want, v)
		}
	}
	if !near(have, want) {
		j.at(total, expected+", "+decimal(want), "%s", total.show())
	}
}

// rational is the exact value of a number as it is written. One that is too
// large or too small for a float counts as none: its exact value could take
// megabytes to write down.
func rational(n node) (*big.Rat, bool) {
	f, ok := n.real()
	digits := mantissa(n.show())
	switch {
	case !ok, f == 0 && strings.ContainsAny(digits, "123456789"):
		return nil, false
	case f == 0:
		return new(big.Rat), true
	}
	return new(big.Rat).SetString(n.show())
}

// mantissa is a number without its exponent.
func mantissa(text string) string {
	if i := strings.IndexAny(text, "eE"); i >= 0 {
		return text[:i]
	}
	return text
}

// near compares sums: whole numbers exactly, money to a millionth of a
// dollar, which is where its writers round.
func near(a, b *big.Rat) bool {
	if a.IsInt() && b.IsInt() {
		return a.Cmp(b) == 0
	}
	diff := new(big.Rat).Sub(a, b)
	return diff.Abs(diff).Cmp(big.NewRat(1, 1_000_000)) <= 0
}

func decimal(r *big.Rat) string {
	if r.IsInt() {
		return r.Num().String()
	}
	return strings.TrimRight(r.FloatString(6), "0")
}

// totals pairs the totals of a summary with the kind of unit they count.
var totals = []struct{ grand, lead, worker, part string }{
	{"grandTotalTokens", "leadTotalTokens", "workerTotalTokens", "totalTokens"},
	{"grandBillableEquivalentTokens", "leadBillableEquivalentTokens", "workerBillableEquivalentTokens", "billableEquivalentTokens"},
	{"costUsd", "leadCostUsd", "workerCostUsd", "costUsd"},
}

func (j *judge) summaryTotals(s node) {
	for _, t := range totals {
		j.sum(s.get(t.grand), "lead and workers", s.get(t.lead), s.get(t.worker))
		var lead, workers, providers []node
		for _, role := range s.get("roles").list() {
			if role.get("role").text() == "leader" {
				lead = append(lead, role.get(t.part))
			} else {
				workers = append(workers, role.get(t.part))
			}
		}
		if len(lead) > 0 {
			j.sum(s.get(t.lead), "the lead's row", lead...)
		}
		fold := s.get("unattributed", unattributedKey(t.part))
		if len(workers) > 0 || fold.has() {
			j.sum(s.get(t.worker), "the workers' rows and what is unattributed", append(workers, fold)...)
		}
		for _, p := range s.get("byProvider").members() {
			providers = append(providers, p.get(t.part))
		}
		if len(providers) > 0 && !fold.has() {
			j.sum(s.get(t.grand), "the sum of the providers", providers...)
		}
	}
}

func unattributedKey(part string) string {
	if part == "totalTokens" {
		return "tokens"
	}
	return part
}

// workerTotals compares the rows of a summary with the blocks that they are
// made of.
func (j *judge) workerTotals(s node) {
	rows := map[string]node{}
	for _, role := range s.get("roles").list() {
		rows[role.get("role").text()+" "+role.get("workerId").text()] = role
	}
	for _, m := range j.roster {
		row, ok := rows[m.role+" "+m.id]
		block := m.get("usage", "totalTokens")
		if have, is := row.get("totalTokens").integer(); ok && is {
			if want, there := block.integer(); !there || want != have {
				j.at(row.get("totalTokens"), "the block of "+m.id+", "+block.show(), "%d", have)
			}
		}
		j.sameCost(row, m.get("usage"), m.id)
	}
	j.costComplete(s)
	lead := j.team.root().get("lead")
	row := rows[run.RoleLeader+" "+lead.get("workerId").text()]
	if have, want := row.get("totalTokens"), lead.get("usage", "totalTokens"); have.has() && want.has() && !equal(have.value, want.value) {
		j.at(have, "the block of the lead, "+want.show(), "%s", have.show())
	}
	j.sameCost(row, lead.get("usage"), "the lead")
}

// costComplete holds what a summary says of all prices against the blocks.
func (j *judge) costComplete(s node) {
	at := s.get("costComplete")
	all := s.get("costUsd").has() && !s.get("costUsd").null()
	for _, b := range j.usageBlocks() {
		if part := b.get("costComplete"); part.has() && !part.yes() {
			all = false
		}
	}
	unnamed := s.get("unattributed")
	if at.has() && at.yes() != all && (at.yes() || !unnamed.isObject()) {
		j.at(at, sprintf("%t, as the blocks and the cost say", all), "%s", at.show())
	}
}

// sameCost compares what a row says of money and its like with the block, and
// where it says that both come from.
func (j *judge) sameCost(row, block node, who string) {
	measured := block.isObject() && block.get("source").text() != "unavailable"
	if row.isObject() && block.isObject() {
		for _, key := range []string{"source", "model", "durationMs", "cliExecutionStatus"} {
			have, due := row.get(key), block.get(key)
			if have.has() && !have.null() && (measured || due.has()) && !equal(have.value, due.value) {
				j.at(have, "the block of "+who+", "+due.show(), "%s", have.show())
			}
		}
	}
	for _, key := range []string{"billableEquivalentTokens", "costUsd"} {
		have, known := rational(row.get(key))
		want, there := rational(block.get(key))
		if known && there && !near(have, want) {
			j.at(row.get(key), "the block of "+who+", "+block.get(key).show(), "%s", row.get(key).show())
		}
	}
}

// sameJSON compares values by their canonical form; what is written alike needs
// none.
func sameJSON(a, b node) bool {
	if equal(a.value, b.value) {
		return true
	}
	x, errX := digest.Canonical(a.raw())
	y, errY := digest.Canonical(b.raw())
	return errX == nil && errY == nil && string(x) == string(y)
}

func (j *judge) usagePlaceholder() {
	for _, b := range j.usageBlocks() {
		j.placeholders(b.node)
	}
	for _, s := range j.summaries() {
		j.placeholders(s)
	}
}

func (j *judge) placeholders(n node) {
	n.walk(func(_ string, value any, at func() node) bool {
		text, _ := value.(string)
		if text = strings.TrimSpace(text); text == "--" || strings.HasPrefix(text, "{{") && strings.HasSuffix(text, "}}") {
			j.at(at(), "a number, or null where none is known", "%s", finding.Quote(text))
		}
		return true
	})
}

func (j *judge) usageUnmatched() {
	for _, n := range j.summaries() {
		if models := n.get("unmatchedModels"); len(models.list()) > 0 {
			j.at(models, "a price for every model", "%s without a price", join(models.texts(), "and"))
			return
		}
	}
}

package render

import (
	"fmt"
	"strings"
)

// usage is part 7: what was consumed and what it cost. What was not measured
// is said to be so; it is never shown as zero.
func usage(summary node) []section {
	head := section{number: "7", title: "Usage and cost", level: 2}
	if summary.isNull() {
		head.body = []block{paragraph(labels("Not measured: no usage has been collected for this run."))}
		return []section{head}
	}
	head.body = append(head.body, usageFacts(summary))
	head.body = append(head.body, usageNotes(summary)...)
	return []section{
		head,
		{number: "7.1", title: "By agent", level: 3, body: []block{agentTable(summary), costChart(summary)}},
		{number: "7.2", title: "By provider", level: 3, body: []block{providerTable(summary)}},
		{number: "7.3", title: "By phase", level: 3, body: phases(summary)},
	}
}

func usageFacts(summary node) table {
	asTime := func(n node) cell { return line(span{kind: plain, text: timeText(n.text())}) }
	t := factsOf("Usage", summary,
		field{"Collected", "collectedAt", asTime},
		field{"From", "window/since", asTime},
		field{"To", "window/until", asTime},
	)
	fact := func(title, value string) {
		t.rows = append(t.rows, []cell{line(span{kind: label, text: title}), line(span{kind: label, text: value})})
	}
	fact("Wall-clock time", durationText(summary.get("wallClockMs")))
	fact("Sum of agent times", durationText(summary.get("cpuSumMs")))
	return t
}

// usageNotes says what the totals leave out.
func usageNotes(summary node) []block {
	var items [][]span
	note := func(text, values string) {
		item := labels(text)
		if values != "" {
			item = append(item, span{kind: plain, text: values})
		}
		items = append(items, item)
	}
	for _, reason := range summary.get("unavailableReasons").texts() {
		note("Not measured: ", reason)
	}
	if models := summary.get("unmatchedModels").texts(); len(models) > 0 {
		note("Without a price, not in the cost: ", strings.Join(models, ", "))
	}
	if models := summary.get("uncertainRates").texts(); len(models) > 0 {
		note("At an uncertain price: ", strings.Join(models, ", "))
	}
	if n, _ := summary.get("placeholderOnly").whole(); n > 0 {
		note(plural(int(n), "reply has", "replies have")+" no final usage in the transcript; the tokens are a lower bound.", "")
	}
	if n, _ := summary.get("skippedLines").whole(); n > 0 {
		note(plural(int(n), "transcript line", "transcript lines")+" could not be read.", "")
	}
	if rest := summary.get("unattributed"); !rest.isNull() {
		note(fmt.Sprintf("%s tokens of %s belong to no worker: ", countText(rest.get("tokens")), sessions(rest)), rest.get("reason").text())
	}
	if len(items) == 0 {
		return nil
	}
	return []block{list{items: items}}
}

func sessions(unattributed node) string {
	n, _ := unattributed.get("sessions").whole()
	return plural(int(n), "session", "sessions")
}

var amountColumns = []column{{title: "Tokens", right: true}, {title: "Billable equivalent", right: true}, {title: "Cost", right: true}}

func amounts(tokens, billable node, cost string) []cell {
	return []cell{
		line(span{kind: label, text: countText(tokens)}),
		line(span{kind: label, text: countText(billable)}),
		line(span{kind: label, text: cost}),
	}
}

func agentTable(summary node) block {
	t := table{caption: "Usage by agent", columns: []column{{title: "Role"}, {title: "Agent"}, {title: "Provider"}, {title: "Model"}, {title: "Source"}}}
	t.columns = append(t.columns, amountColumns...)
	t.columns = append(t.columns, column{title: "Time", right: true})
	for _, role := range summary.get("roles").list() {
		row := []cell{asToken(role.get("role")), asPlain(role.get("label")), orUnknown(asPlain(role.get("provider"))), orUnknown(asPlain(role.get("model"))), asToken(role.get("source"))}
		row = append(row, amounts(role.get("totalTokens"), role.get("billableEquivalentTokens"), usdText(role.get("costUsd"), priced(summary, role)))...)
		t.rows = append(t.rows, append(row, line(span{kind: label, text: durationText(role.get("durationMs"))})))
	}
	total := func(title string, tokens, billable, cost node, complete bool) {
		row := []cell{line(span{kind: label, text: title}), nil, nil, nil, nil}
		row = append(row, amounts(tokens, billable, usdText(cost, complete))...)
		t.rows = append(t.rows, append(row, nil))
	}
	all, lead, workers := completeness(summary)
	if rest := summary.get("unattributed"); !rest.isNull() {
		total("Without a worker", rest.get("tokens"), rest.get("billableEquivalentTokens"), rest.get("costUsd"), true)
	}
	total("Lead", summary.get("leadTotalTokens"), summary.get("leadBillableEquivalentTokens"), summary.get("leadCostUsd"), lead)
	total("Workers", summary.get("workerTotalTokens"), summary.get("workerBillableEquivalentTokens"), summary.get("workerCostUsd"), workers)
	total("Total", summary.get("grandTotalTokens"), summary.get("grandBillableEquivalentTokens"), summary.get("costUsd"), all)
	return t
}

// priced says whether the cost of a role is all of it: not when its model is
// among those without a price.
func priced(summary, role node) bool {
	if role.get("costComplete").v == false {
		return false
	}
	model := role.get("model").text()
	for _, unmatched := range summary.get("unmatchedModels").texts() {
		if model != "" && unmatched == model {
			return false
		}
	}
	return true
}

// whole says whether what is known of a role's cost is all of it: not when
// nobody could measure it, nor when it used something without a price.
func whole(summary, role node) bool {
	return role.get("source").text() != "unavailable" && priced(summary, role)
}

// completeness says of the three totals whether they are all of the cost. A part
// that nobody could measure is missing from a total whatever the prices are. Of
// an incomplete cost that no role explains, the part is that of the workers.
func completeness(summary node) (all, lead, workers bool) {
	all, lead, workers = summary.get("costComplete").v != false, true, true
	for _, role := range summary.get("roles").list() {
		switch {
		case whole(summary, role):
		case role.get("role").text() == "leader":
			lead = false
		default:
			workers = false
		}
	}
	if !all && lead {
		workers = false
	}
	return all && lead && workers, lead, workers
}

func orUnknown(c cell) cell {
	if len(c) == 0 {
		return line(span{kind: label, text: unknown})
	}
	return c
}

func providerTable(summary node) block {
	by := summary.get("byProvider")
	if len(by.keys()) == 0 {
		return none()
	}
	t := table{caption: "Usage by provider", columns: append([]column{{title: "Provider"}}, amountColumns...)}
	for _, name := range by.keys() {
		object, _ := by.v.(map[string]any)
		provider := node{v: object[name]}
		complete := true
		for _, role := range summary.get("roles").list() {
			if role.get("provider").text() == name && !whole(summary, role) {
				complete = false
			}
		}
		row := []cell{line(span{kind: plain, text: name})}
		t.rows = append(t.rows, append(row, amounts(provider.get("totalTokens"), provider.get("billableEquivalentTokens"), usdText(provider.get("costUsd"), complete))...))
	}
	return t
}

func costChart(summary node) chart {
	c := chart{title: "Cost by agent"}
	for _, role := range summary.get("roles").list() {
		b := bar{label: role.get("label").text(), shown: "not measured"}
		if cost, ok := role.get("costUsd").amount(); ok {
			b.parts = []part{{class: "cost", value: cost}}
			b.shown = usdText(role.get("costUsd"), priced(summary, role))
		}
		c.bars = append(c.bars, b)
	}
	return c
}

func phases(summary node) []block {
	rows := summary.get("phases").list()
	if len(rows) == 0 {
		return []block{paragraph(labels("Not measured: the lead left no phase marks."))}
	}
	t := table{caption: "Time by phase", columns: []column{{title: "Phase"}, {title: "Wall-clock time", right: true}}}
	c := chart{title: "Time by phase"}
	for _, row := range rows {
		wall := row.get("wallMs")
		t.rows = append(t.rows, []cell{asToken(row.get("phase")), line(span{kind: label, text: durationText(wall)})})
		b := bar{label: row.get("phase").text(), shown: "not measured"}
		if ms, ok := wall.amount(); ok {
			b.parts = []part{{class: "time", value: ms}}
			b.shown = durationText(wall)
		}
		c.bars = append(c.bars, b)
	}
	return []block{t, c}
}

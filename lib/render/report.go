package render

import (
	"fmt"

	"okstra/lib/jsondoc"
)

const reportKind = "okstra-final-report"

// layOut makes the page of a report. The only data it refuses are those of
// another kind of document.
func layOut(doc jsondoc.Doc) (page, error) {
	v, err := doc.Value()
	if err != nil {
		return page{}, err
	}
	root := node{v: v}
	if kind := root.get("kind").text(); kind != reportKind {
		return page{}, fmt.Errorf("%s: /kind: %q (expected %q)", doc.Name, kind, reportKind)
	}
	p := page{title: titleOf(root.get("header")), facts: headerFacts(root.get("header"))}
	p.sections = append(p.sections, verdictCard(root.get("verdictCard")))
	p.sections = append(p.sections, findings(root)...)
	p.sections = append(p.sections, evidence(root)...)
	p.sections = append(p.sections, openQuestions(root)...)
	p.sections = append(p.sections, risks(root))
	p.sections = append(p.sections, taskBlock(root)...)
	p.sections = append(p.sections, execution(root))
	p.sections = append(p.sections, usage(root.get("usageSummary"))...)
	p.sections = append(p.sections, nextSteps(root)...)
	return p, nil
}

func titleOf(header node) []span {
	return []span{
		{kind: label, text: "Final report: "},
		{kind: plain, text: header.get("taskKey").text()},
		{kind: label, text: ", "},
		{kind: plain, text: header.get("taskType").text() + " " + header.get("runSeq").text()},
	}
}

func headerFacts(header node) table {
	asTime := func(n node) cell { return line(span{kind: plain, text: timeText(n.text())}) }
	return factsOf("Report", header,
		field{"Task", "taskKey", asPlain},
		field{"Task type", "taskType", asToken},
		field{"Run", "runSeq", asPlain},
		field{"Work category", "workCategory", asToken},
		field{"Language", "reportLanguage", asPlain},
		field{"Generated", "generatedAt", asTime},
		field{"Previous report", "previousReport", asCode},
	)
}

func verdictCard(card node) section {
	return section{title: "Verdict", level: 2, body: []block{factsOf("Verdict", card,
		field{"Conclusion", "finalConclusion", asProse},
		field{"Verdict", "verdictToken", asToken},
		field{"Direction", "direction", asToken},
		field{"Approval required", "approvalRequired", asYesNo},
		field{"Next step", "nextStep", asProse},
	)}}
}

func evidence(root node) []section {
	rows := rowsOf("Evidence", root.get("evidence").list(),
		field{"Id", "id", asID},
		field{"Reference", "ref", asCode},
		field{"Summary", "summary", asProse},
		field{"Tickets", "tickets", asRefs},
	)
	tickets := root.get("ticketCoverage").list()
	if len(tickets) == 0 {
		return []section{{number: "2", title: "Evidence", level: 2, body: []block{rows}}}
	}
	return []section{
		{number: "2", title: "Evidence", level: 2},
		{number: "2.1", title: "Evidence cited", level: 3, body: []block{rows}},
		{number: "2.2", title: "Ticket coverage", level: 3, body: []block{rowsOf("Ticket coverage", tickets,
			field{"Ticket", "ticket", asPlain},
			field{"Status", "status", asToken},
			field{"References", "refs", asRefs},
		)}},
	}
}

func openQuestions(root node) []section {
	return []section{
		{number: "3", title: "Open questions", level: 2},
		{number: "3.1", title: "Clarification items", level: 3, body: []block{rowsOf("Clarification items", root.get("clarificationItems").list(),
			field{"Id", "id", asID},
			field{"Kind", "kind", asToken},
			field{"Statement", "statement", asProse},
			field{"Expected form", "expectedForm", asProse},
			field{"Answer", "userInput", asPlain},
			field{"Status", "status", asToken},
			field{"Blocks", "blocks", asToken},
			field{"From", "originRefs", asRefs},
		)}},
		{number: "3.2", title: "Missing information", level: 3, body: []block{rowsOf("Missing information", root.get("missingInformation").list(),
			field{"Id", "id", asID},
			field{"Statement", "statement", asProse},
			field{"Impact", "impact", asProse},
		)}},
	}
}

func risks(root node) section {
	return section{number: "4", title: "Risks", level: 2, body: []block{rowsOf("Risks", root.get("risks").list(),
		field{"Id", "id", asID},
		field{"Risk", "statement", asProse},
		field{"Severity", "severity", asToken},
		field{"Mitigation", "mitigation", asProse},
	)}}
}

func execution(root node) section {
	return section{number: "6", title: "Agent execution status", level: 2, body: []block{rowsOf("Agent execution status", root.get("executionStatus").list(),
		field{"Role", "role", asToken},
		field{"Worker", "workerId", asPlain},
		field{"Status", "status", asToken},
		field{"Model", "model", asPlain},
		field{"Result", "resultPath", asCode},
		field{"Reason", "reason", asProse},
	)}}
}

func nextSteps(root node) []section {
	return []section{
		{number: "8", title: "What comes next", level: 2},
		{number: "8.1", title: "Next steps", level: 3, body: []block{rowsOf("Next steps", root.get("nextSteps").list(),
			field{"Id", "id", asID},
			field{"Action", "action", asProse},
			field{"Phase", "phase", asToken},
			field{"Owner", "owner", asPlain},
		)}},
		{number: "8.2", title: "Follow-up tasks", level: 3, body: []block{rowsOf("Follow-up tasks", root.get("followUpTasks").list(),
			field{"Id", "id", asID},
			field{"Title", "title", asProse},
			field{"Task type", "taskType", asToken},
			field{"Reason", "reason", asProse},
			field{"From", "originRefs", asRefs},
		)}},
	}
}

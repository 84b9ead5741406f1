package validate

import (
	"okstra/lib/finding"
)

var reportRules = []Rule{
	{
		Code: "report-block", Level: finding.Error, Title: "the report's task block is not the run's",
		Checks: "The block of the task type is missing, or the report has the block of another task type.",
		Why:    "The block is what the next phase of the task reads.",
		Fails:  `"errorAnalysis" beside "finalVerification"`,
		Passes: `"errorAnalysis" alone in an error analysis`,
		check:  (*judge).reportBlock,
	},
	{
		Code: "report-ids", Level: finding.Error, Title: "the ids of a list have a gap",
		Checks: "The ids of a list do not ascend from 001 without gap or repeat.",
		Why:    "A gap looks like a row that somebody removed.",
		Fails:  `"E-001", "E-003"`,
		Passes: `"E-001", "E-002"`,
		check:  (*judge).reportIDs,
	},
	{
		Code: "report-ref", Level: finding.Error, Title: "a reference leads nowhere",
		Checks: "An id in a reference names no row of the report, group of the convergence or requirement of the plan, or a position is that of a worker who is not of the run.",
		Why:    "A finding whose evidence cannot be found is a claim without proof.",
		Fails:  `"evidenceRefs": ["E-009"] in a report with two pieces of evidence`,
		Passes: `"evidenceRefs": ["E-001"]`,
		check:  (*judge).reportRefs,
	},
	{
		Code: "report-verdict", Level: finding.Error, Title: "the verdict does not follow from the report", Only: onlyVerification,
		Checks: "The verdict is `accepted` with an acceptance blocker or a blocked requirement, or it is `not-applicable`.",
		Why:    "Accepting means that nothing stands in the way.",
		Fails:  `"verdictToken": "accepted" with blocker K-001`,
		Passes: `"verdictToken": "conditional-accept" with blocker K-001`,
		check:  (*judge).reportVerdict,
	},
	{
		Code: "report-verdict-type", Level: finding.Error, Title: "a verdict where none is due", Except: onlyVerification,
		Checks: "The verdict is another word than `not-applicable`.",
		Why:    "Only a final verification accepts or blocks.",
		Fails:  `"verdictToken": "accepted" in an error analysis`,
		Passes: `"verdictToken": "not-applicable"`,
		check:  (*judge).reportVerdictType,
	},
	{
		Code: "report-status-entry", Level: finding.Error, Title: "a worker's end is missing or told wrongly",
		Checks: "`executionStatus` lacks a worker of the run, has one that the team state lacks or one twice, or contradicts its status, model or result path in the team state. The report writer and the translator may be left out: the report is older than their end.",
		Why:    "A reader must see whose word is missing.",
		Fails:  `"status": "completed" for scope-c, which timed out`,
		Passes: `"status": "timeout", "reason": "no output for 900 s"`,
		check:  (*judge).reportStatus,
	},
	{
		Code: "report-consensus", Level: finding.Error, Title: "a finding stands in the wrong place", Except: notHandoff,
		Checks: "`consensus` and `differences` do not list the state's findings under their sections with their labels, each once.",
		Why:    "The vote decides what is agreed on, not the writer of the report.",
		Fails:  "G-002 under `consensus`, and the state says difference",
		Passes: "every finding once, with its `classification` and `settled`",
		check:  (*judge).reportConsensus,
	},
	{
		Code: "report-critic", Level: finding.Error, Title: "a critic's candidate was dropped", Only: onlyVerification,
		Checks: "A candidate of the acceptance critic is neither an acceptance blocker nor a residual risk, or a confirmed one is no blocker.",
		Why:    "What a critic raised is decided by votes and never lost.",
		Fails:  "two candidates in the state, one row with origin critic",
		Passes: "K-001 for the confirmed one, W-001 for the other",
		check:  (*judge).reportCritic,
	},
	{
		Code: "report-coverage", Level: finding.Error, Title: "a requirement is not accounted for", Only: []string{planning, verification},
		Checks: "A requirement of the task's requirements discovery (planning) or of the plan for the stages at hand (verification) has no coverage row.",
		Why:    "A requirement that nobody mentions is one that nobody meets.",
		Fails:  "Q-002 in the plan, and no row for it",
		Passes: `{"requirementId": "Q-002", "status": "blocked", "blockerRef": "K-001"}`,
		check:  (*judge).reportCoverage,
	},
	{
		Code: "report-ticket", Level: finding.Error, Title: "a ticket is not accounted for",
		Checks: "A row names a ticket that `ticketCoverage` does not list, or `ticketCoverage` lists one that nothing in the run names.",
		Why:    "Whoever opened the ticket looks for it there.",
		Fails:  `"tickets": ["PAY-12"], and no ticketCoverage`,
		Passes: `{"ticket": "PAY-12", "status": "partial", "refs": ["E-001"]}`,
		check:  (*judge).reportTickets,
	},
	{
		Code: "report-clarification", Level: finding.Error, Title: "a question to the user is not in order",
		Checks: "An item is `answered` or `resolved` without input, or `open` with input; or an open item of the previous report is gone.",
		Why:    "An open question that vanishes is never answered.",
		Fails:  `"status": "open", "userInput": "yes, do it"`,
		Passes: `"status": "answered", "userInput": "yes, do it"`,
		check:  (*judge).reportClarifications,
	},
	{
		Code: "report-markdown", Level: finding.Warning, Title: "the rendered report is not the data's",
		Checks: "The Markdown is not byte for byte what okstra-translate render makes of the data.",
		Why:    "The data is the source; a page that was edited by hand says something that nobody has checked.",
		Fails:  "a sentence added to final-report-error-analysis-002.md",
		Passes: "the output of okstra-translate render",
		check:  (*judge).reportMarkdown,
	},
}

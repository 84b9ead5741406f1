package main

import "okstra/lib/cli"

func app() cli.App {
	return cli.App{
		Name: "okstra-converge", Summary: "what is agreed, what is contested, what only one worker saw", Help: appHelp,
		Commands: []cli.Command{
			{Name: "items", Summary: "worker results as items to group", Help: itemsHelp, Flags: itemsFlags},
			{Name: "draft-groups", Summary: "a grouping to start from", Help: draftHelp, Flags: draftFlags},
			{Name: "prepare-groups", Summary: "a grouping as grouped input", Help: prepareHelp, Flags: prepareFlags},
			{Name: "seed", Summary: "the state after round 0", Help: seedHelp, Flags: seedFlags},
			{Name: "queue", Summary: "what to ask each worker", Help: queueHelp, Flags: queueFlags},
			{Name: "apply", Summary: "count the verdicts of a round", Help: applyHelp, Flags: applyFlags},
			{Name: "finalize", Summary: "classify what the rounds left open", Help: finalizeHelp, Flags: finalizeFlags},
			{Name: "summary", Summary: "a final state as report rows", Help: summaryHelp, Flags: summaryFlags},
			{Name: "agreement", Summary: "how much the agreement is worth", Help: agreementHelp, Flags: agreementFlags},
			{Name: "critic gaps", Summary: "a critic's candidates as one more round", Help: criticGapsHelp, Flags: criticGapsFlags},
			{Name: "critic acceptance", Summary: "blockers and risks from a critic's candidates", Help: criticAcceptanceHelp, Flags: criticAcceptanceFlags},
			{Name: "plan-body seed", Summary: "the items of a plan, to be verified", Help: planSeedHelp, Flags: planSeedFlags},
			{Name: "plan-body queue", Summary: "what to ask each worker about the plan", Help: planQueueHelp, Flags: planQueueFlags},
			{Name: "plan-body apply", Summary: "count the verdicts on the plan", Help: planApplyHelp, Flags: planApplyFlags},
			{Name: "plan-body fix", Summary: "record that the plan was changed", Help: planFixHelp, Flags: planFixFlags},
			{Name: "plan-body gate", Summary: "may the user be asked to approve", Help: planGateHelp, Flags: planGateFlags},
			{Name: "explain", Summary: "the classification table, or why a finding has its label", Help: explainHelp, Flags: explainFlags},
		},
	}
}

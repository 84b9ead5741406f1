package validate

import (
	"strings"

	"okstra/lib/finding"
)

var manifestRules = []Rule{
	{
		Code: "manifest-chain", Level: finding.Error, Title: "the way to the approved plan is broken", Only: onlyBuilding,
		Checks: "One of the links from the run manifest to the approved plan is missing or not an object: active run context, run inputs and stage, approved plan path, the plan's data.",
		Why:    "An implementer's planned paths come from that plan; without it nothing says what may be changed.",
		Fails:  `"approvedPlanPath": ""`,
		Passes: `"approvedPlanPath": ".okstra/tasks/pay/checkout-timeouts/runs/implementation-planning/reports/final-report-implementation-planning-001.md"`,
		check:  (*judge).planChain,
	},
	{
		Code: "manifest-role-execution", Level: finding.Error, Title: "a role execution is not clear",
		Checks: "A `roleExecutionRef` stands twice, a row has no worker or no role, its `sourceRoleExecutionRef` names no other row, or a worker id contains `-worker-`.",
		Why:    "The reference decides who is independent of whom, and file names are built from worker ids.",
		Fails:  `two rows with "roleExecutionRef": "re-0003"`,
		Passes: "every row has a reference of its own",
		check:  (*judge).roleExecutions,
	},
	{
		Code: "manifest-inputs", Level: finding.Error, Title: "the run is not the one that was asked for",
		Checks: "The run manifest has another host, report language, translations, workers or models than the run inputs, the context another brief; or the inputs are not `ready`.",
		Why:    "Run inputs are stored as they were confirmed; what was run must be what a person agreed to.",
		Fails:  `"scope-b": "codex/gpt-5.6-sol" in the run inputs, and provider claude for scope-b in the run manifest`,
		Passes: "the workers, models and languages of the run inputs in the run manifest",
		check:  (*judge).inputsAgree,
	},
	{
		Code: "manifest-status", Level: finding.Warning, Title: "the run says it is completed and is not",
		Checks: "`status` is `completed` although this validation has errors.",
		Why:    "Whoever reads only the status would take the run for good.",
		Fails:  `"status": "completed" beside a missing report`,
		Passes: `"status": "completed", and nothing is wrong`,
		check:  (*judge).claimedStatus, last: true,
	},
}

// claimedStatus is judged when all other rules have spoken.
func (j *judge) claimedStatus() {
	status := j.manifest.root().get("status")
	if j.errors > 0 && status.text() == "completed" {
		j.at(status, "failed, or a run without errors", "%s although there are errors", status.show())
	}
}

func (j *judge) roleExecutions() {
	seen, all := map[string]bool{}, map[string]bool{}
	for _, n := range j.manifest.root().get("roleExecutions").list() {
		all[n.get("roleExecutionRef").text()] = true
	}
	for _, n := range j.manifest.root().get("roleExecutions").list() {
		ref := n.get("roleExecutionRef")
		if by := n.get("sourceRoleExecutionRef"); by.isText() && (!all[by.text()] || by.text() == ref.text()) {
			j.at(by, "the roleExecutionRef of another row", "%s", by.show())
		}
		if ref.text() != "" && seen[ref.text()] {
			j.at(ref, "a reference that no other row has", "%s, which stands twice", ref.show())
		}
		seen[ref.text()] = true
		for _, key := range []string{"workerId", "role"} {
			if n.get(key).has() && strings.TrimSpace(n.get(key).text()) == "" {
				j.at(n.get(key), "a "+key, "%s", n.get(key).show())
			}
		}
		if id := n.get("workerId"); strings.Contains(id.text(), "-worker-") {
			j.at(id, `a worker id without "-worker-"`, "%s", id.show())
		}
	}
}

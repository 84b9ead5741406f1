package converge

import (
	"cmp"
	"fmt"
	"slices"

	"okstra/lib/converge/grouping"
	"okstra/lib/finding"
	"okstra/lib/run"
)

// CodeInput is the code of an input such as prepare-groups does not write.
const CodeInput = "input-invariant"

// CheckInput reports what is wrong with a grouped input beyond its schema:
// configuration, identities, roles, references between groups and roster, and
// the order that prepare-groups writes. Findings have pointers and no artifact.
// Rule: docs/converge.md, "Grouped input".
func CheckInput(in Input) []finding.Finding {
	k := &checker{code: func(specific string) string { return cmp.Or(specific, CodeInput) }}
	if err := in.Task.Check(); err != nil {
		k.fault("/task", CodeInput, "%v", err)
	}
	if want := "convergence-input-" + in.Task.Suffix(); in.ArtifactID != want {
		k.fault("/artifactId", CodeInput, "%q (expected %q)", in.ArtifactID, want)
	}
	if in.Config.Adversarial && in.Config.VerificationMode != FullReanalysis {
		k.fault("/config/verificationMode", CodeInput, "%q (expected %q, because the posture is adversarial)", in.Config.VerificationMode, FullReanalysis)
	}
	k.roster(in.Workers, in.Task.TaskType)
	k.groups(in.Workers, in.Groups, false)
	finding.Sort(k.faults)
	return k.faults
}

// roster checks that nobody stands in it twice, under one name or as one role
// execution, and that each role is one that its audience allows.
func (k *checker) roster(workers []Worker, taskType string) {
	names, refs := map[string]bool{}, map[string]string{}
	for i, w := range workers {
		at := fmt.Sprintf("/workers/%d", i)
		if names[w.WorkerID] {
			k.fault(at+"/workerId", k.code("worker-duplicate"), "worker %q stands in the roster twice", w.WorkerID)
		}
		names[w.WorkerID] = true
		if first, taken := refs[w.SourceRoleExecutionRef]; taken {
			k.fault(at+"/sourceRoleExecutionRef", k.code(CodeDuplicate), "worker %q holds role execution %q, which is %q's already", w.WorkerID, w.SourceRoleExecutionRef, first)
		} else {
			refs[w.SourceRoleExecutionRef] = w.WorkerID
		}
		if allowed := allowedRoles(w.Audience, taskType); !slices.Contains(allowed, w.Role) {
			k.fault(at+"/role", k.code(CodeRole), "%s", roleText(w.WorkerID, w.Audience, w.Role, allowed))
		}
		if want := run.ParticipantRef(w.WorkerID); w.ParticipantRef != want {
			k.fault(at+"/participantRef", k.code(""), "%q (expected %q)", w.ParticipantRef, want)
		}
		if i > 0 && compareWorkers(workers[i-1], w) > 0 {
			k.fault(at, k.code(""), "worker %q is out of order (expected analysis, report-writer, lead, then ids)", w.WorkerID)
		}
	}
}

func compareWorkers(a, b Worker) int {
	return cmp.Or(audienceRank(a.Audience)-audienceRank(b.Audience), cmp.Compare(a.WorkerID, b.WorkerID))
}

// groups checks ids, references and order. A state may hold a critic's
// candidates after the lead's groups.
func (k *checker) groups(workers []Worker, groups []Group, candidates bool) {
	known := map[string]bool{}
	for _, w := range workers {
		known[w.WorkerID] = true
	}
	used := make(map[grouping.ItemRef]string, len(groups))
	letter, n := "G", 0
	for i := range groups {
		if candidates && letter == "G" && isCandidate(groups[i].GroupID) {
			letter, n = "X", 0
		}
		n++
		k.group(i, &groups[i], grouping.ID(letter, n), known, used)
	}
}

func (k *checker) group(i int, g *Group, id string, known map[string]bool, used map[grouping.ItemRef]string) {
	bad := func(key, code, format string, args ...any) {
		k.fault(fmt.Sprintf("/groups/%d/%s", i, key), k.code(code), format, args...)
	}
	if g.GroupID != id {
		bad("groupId", "group-id", "%q (expected %q)", g.GroupID, id)
	}
	if !grouping.Visible(g.Claim) {
		bad("claim", "", "%q (expected a text that shows something)", g.Claim)
	}
	if !grouping.Visible(g.Origin.Evidence) {
		bad("origin/evidence", "evidence-empty", "%q (expected a text that shows something)", g.Origin.Evidence)
	}
	for _, w := range g.DiscoveredBy {
		if !known[w] {
			bad("discoveredBy", "worker-unknown", "%q is not in the roster", w)
		}
	}
	if !slices.Contains(g.DiscoveredBy, g.Origin.WorkerID) {
		bad("origin/workerId", "origin-not-discoverer", "%q is not among the discoverers", g.Origin.WorkerID)
	}
	if !increasing(g.DiscoveredBy) {
		bad("discoveredBy", "", "not sorted, or somebody stands there twice")
	}
	if !increasing(g.Tickets) {
		bad("tickets", "", "not sorted, or a ticket stands there twice")
	}
	for j, ref := range g.SourceItems {
		if other, again := used[ref]; again {
			bad(fmt.Sprintf("sourceItems/%d", j), "item-reused", "item %s belongs to group %s already", ref, other)
		}
		used[ref] = g.GroupID
		if !slices.Contains(g.DiscoveredBy, ref.WorkerID) {
			bad(fmt.Sprintf("sourceItems/%d", j), "item-no-discoverer", "worker %q is not among the discoverers", ref.WorkerID)
		}
	}
	if !slices.IsSortedFunc(g.SourceItems, compareRefs) {
		bad("sourceItems", "", "not sorted by worker and item")
	}
	for _, w := range g.DiscoveredBy {
		if isCandidate(id) {
			break // a candidate's text is the critic's file itself
		}
		if !slices.ContainsFunc(g.SourceItems, func(r grouping.ItemRef) bool { return r.WorkerID == w }) {
			bad("discoveredBy", "discoverer-no-item", "discoverer %q has no source item", w)
		}
	}
}

func compareRefs(a, b grouping.ItemRef) int {
	return cmp.Or(cmp.Compare(a.WorkerID, b.WorkerID), cmp.Compare(grouping.Number(a.ItemID), grouping.Number(b.ItemID)), cmp.Compare(a.ItemID, b.ItemID))
}

func increasing(list []string) bool {
	for i := 1; i < len(list); i++ {
		if list[i-1] >= list[i] {
			return false
		}
	}
	return true
}

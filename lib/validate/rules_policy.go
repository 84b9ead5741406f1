package validate

import (
	"slices"
	"strings"

	"okstra/lib/digest"
	"okstra/lib/finding"
	"okstra/lib/jsondoc"
	"okstra/lib/writepolicy"
)

var policyRules = []Rule{
	{
		Code: "policy-payload", Level: finding.Error, Title: "a write policy or enforcement is malformed",
		Checks: "The policy or the enforcement of an attempt or a ledger row breaks the rules of docs/write-policy.md.",
		Why:    "A permission that can be read in two ways permits the wider of the two.",
		Fails:  `"plannedPaths": ["./src"]`,
		Passes: `"plannedPaths": ["src/auth/login.go"]`,
		check:  (*judge).policyPayloads,
	},
	{
		Code: "policy-digest", Level: finding.Error, Title: "a policy is not the one that was in force",
		Checks: "The digest in an attempt sidecar or a journal line is not that of the policy beside it, or the ledger row's is another than the sidecar's.",
		Why:    "The policy was changed after the attempt.",
		Fails:  "a path added to `allowedPaths` afterwards",
		Passes: "the digest that okstra-dispatch policy digest gives",
		check:  (*judge).policyDigests,
	},
	{
		Code: "policy-authority", Level: finding.Error, Title: "a baseline belongs to another batch",
		Checks: "A baseline differs from the attempts that were judged by it in its root, its artifact root or the digests of their policies, in their order.",
		Why:    "Changes would be judged by what other workers were allowed to do.",
		Fails:  "a retry that was judged by the first round's baseline",
		Passes: "a fresh baseline for each round",
		check:  (*judge).policyAuthority,
	},
	{
		Code: "policy-audit-missing", Level: finding.Error, Title: "an attempt was never audited",
		Checks: "The enforcement promises a batch audit, and the ended attempt has no verdict, or one of `error` or `not-needed`.",
		Why:    "Without an audit nobody knows what the worker wrote.",
		Fails:  `"mutationAudit": "batch" beside "verdict": "not-needed"`,
		Passes: `"mutationAudit": "batch" beside "verdict": "clean"`,
		check:  (*judge).policyAudits,
	},
	{
		Code: "policy-violation", Level: finding.Error, Title: "a worker wrote what it must not write",
		Checks: "The audit of an attempt lists a violation.",
		Why:    "Everything that was found after the change was found in a tree that was not the user's.",
		Fails:  `{"path": ".git/hooks/pre-commit", "change": "created", "class": "unplanned"}`,
		Passes: `"violations": []`,
		check:  (*judge).policyViolations,
	},
	{
		Code: "policy-boundary", Level: finding.Error, Title: "more precision is claimed than the kernel gave",
		Checks: "An attempt has no boundary record, or its `boundaryPrecision` is above what the boundary's kind gives: `exact-path` for overlay, `directory-boundary` for landlock, `none` for none.",
		Why:    "Precision is earned by a boundary, not claimed.",
		Fails:  `"boundaryPrecision": "exact-path" with "kind": "landlock"`,
		Passes: `"boundaryPrecision": "directory-boundary" with "kind": "landlock"`,
		check:  (*judge).policyBoundaries,
	},
	{
		Code: "policy-source-mutation", Level: finding.Error, Title: "a run that only reads has changed a source", Except: onlyBuilding,
		Checks: "A file outside `.okstra/` and the assigned artifacts was changed.",
		Why:    "Only an implementation edits; any other run that does has become one without its checks.",
		Fails:  "internal/http/retry.go changed in a final verification",
		Passes: "changes below .okstra/ only",
		check:  (*judge).sourceMutations,
	},
	{
		Code: "policy-planned-paths", Level: finding.Error, Title: "a file was changed that nobody planned", Only: onlyBuilding,
		Checks: "A changed file is neither among the planned nor among the generated paths of the attempt's policy.",
		Why:    "The approved plan says what may change.",
		Fails:  "Makefile changed, which no step of the stage names",
		Passes: "internal/http/retry.go changed, which step 1 names",
		check:  (*judge).plannedMutations,
	},
}

// eachAttempt visits the attempt sidecars of the ledger, in its order.
func (j *judge) eachAttempt(visit func(d *dispatched, sidecar node)) {
	for _, d := range j.dispatches {
		if n := d.sidecar.root(); n.isObject() {
			visit(d, n)
		}
	}
}

// part is a value inside a document as a document of its own.
func (n node) part() jsondoc.Doc { return jsondoc.Doc{Name: n.pointer, Raw: n.raw()} }

func (j *judge) policyPayloads() {
	// The same few enforcements stand in many rows, and are looked up as values:
	// their texts are needed for the first of them only.
	type judged struct {
		value any
		err   error
	}
	var known []judged
	once := func(n node, load func(jsondoc.Doc) error) error {
		for _, k := range known {
			if equal(k.value, n.value) {
				return k.err
			}
		}
		known = append(known, judged{n.value, load(n.part())})
		return known[len(known)-1].err
	}
	check := func(policy, enforcement node) {
		if policy.isObject() {
			if err := once(policy, func(d jsondoc.Doc) error { _, err := writepolicy.Load(d); return err }); err != nil {
				j.at(policy, "a policy by docs/write-policy.md", "a malformed policy: %v", err)
			}
		}
		if enforcement.isObject() {
			if err := once(enforcement, func(d jsondoc.Doc) error { _, err := writepolicy.LoadEnforcement(d); return err }); err != nil {
				j.at(enforcement, "an enforcement by docs/write-policy.md", "a malformed enforcement: %v", err)
			}
		}
	}
	j.eachAttempt(func(_ *dispatched, n node) { check(n.get("writePolicy"), n.get("writeEnforcement")) })
	for _, d := range j.dispatches {
		check(node{}, d.get("writeEnforcement"))
	}
	for _, row := range j.jobs() {
		check(row.get("writePolicy"), row.get("writeEnforcement"))
	}
}

// jobs are the job lines of the journal.
func (s *subject) jobs() []node {
	var out []node
	if s.journal == nil {
		return nil
	}
	for _, row := range s.journal.rows {
		if n := row.node(); n.get("kind").text() == "okstra-job" {
			out = append(out, n)
		}
	}
	return out
}

func (j *judge) policyDigests() {
	check := func(n node) {
		policy, at := n.get("writePolicy"), n.get("writePolicyDigest")
		if policy.null() && at.text() != "" {
			j.at(policy, "the policy that the digest beside it was made of", "null beside %s", at.show())
		}
		if !policy.isObject() || !at.isText() {
			return
		}
		if due, err := digest.JSON(policy.raw()); err == nil && due != at.text() {
			j.at(at, due+", the digest of the policy beside it", "%s", at.show())
		}
	}
	j.eachAttempt(func(d *dispatched, n node) {
		check(n)
		if row, due := d.get("writePolicyDigest"), n.get("writePolicyDigest"); row.isText() && due.isText() && row.text() != due.text() {
			j.at(row, due.text()+", as in the sidecar of the attempt", "%s", row.show())
		}
	})
	for _, row := range j.jobs() {
		check(row)
	}
}

func (j *judge) policyAuthority() {
	type batch struct {
		root, artifactRoot string
		digests            []string
	}
	batches := map[string]*batch{}
	var order []string
	// The order of a batch is that of its job lines; the ledger has its rows in
	// the order in which the jobs were started, which differs from run to run.
	rank := map[string]int{}
	for i, job := range j.jobs() {
		rank[job.get("jobId").text()] = i
	}
	var attempts []node
	j.eachAttempt(func(_ *dispatched, n node) { attempts = append(attempts, n) })
	slices.SortStableFunc(attempts, func(a, b node) int {
		return rank[a.get("jobId").text()] - rank[b.get("jobId").text()]
	})
	for _, n := range attempts {
		base := n.get("baselinePath").text()
		if base == "" {
			continue
		}
		if batches[base] == nil {
			policy := n.get("writePolicy")
			batches[base] = &batch{policy.get("sourcePolicy", "allowedRoot").text(), policy.get("artifactPolicy", "allowedRoot").text(), nil}
			order = append(order, base)
		}
		batches[base].digests = append(batches[base].digests, n.get("writePolicyDigest").text())
	}
	for _, base := range order {
		b, a := batches[base], j.open(base, "mutation-snapshot", document).root()
		if !a.isObject() {
			continue
		}
		for _, part := range []struct{ key, due string }{{"root", b.root}, {"artifactRoot", b.artifactRoot}} {
			if at := a.get(part.key); at.isText() && at.text() != part.due {
				j.at(at, part.due+", as in the policies of the batch", "%s", at.show())
			}
		}
		if at := a.get("policyDigests"); at.isList() && !slices.Equal(at.texts(), b.digests) {
			j.at(at, join(b.digests, "and")+", the policies of the batch in their order", "%s", at.show())
		}
	}
}

func (j *judge) policyAudits() {
	j.eachAttempt(func(_ *dispatched, n node) {
		if n.get("writeEnforcement", "mutationAudit").text() != "batch" || n.get("outcome").null() {
			return
		}
		switch verdict := n.get("audit", "verdict"); verdict.text() {
		case "clean", "violation":
		default:
			if !verdict.has() {
				verdict = n.get("audit")
			}
			j.at(verdict, "clean or violation, because a batch audit is promised", "%s", verdict.show())
		}
	})
}

func (j *judge) policyViolations() {
	j.eachAttempt(func(_ *dispatched, n node) {
		for _, v := range n.get("audit", "violations").list() {
			j.at(v, "no violation", "a violation: %s %s, %s", finding.Quote(v.get("path").text()), v.get("change").text(), v.get("class").text())
		}
	})
}

// earned is the precision that a kind of boundary gives.
var earned = map[string]string{"overlay": "exact-path", "landlock": "directory-boundary", "none": "none"}

func (j *judge) policyBoundaries() {
	j.eachAttempt(func(_ *dispatched, n node) {
		boundary, claimed := n.get("boundary"), n.get("writeEnforcement", "boundaryPrecision")
		if !boundary.isObject() {
			if n.get("writePolicy").isObject() {
				j.at(boundary, "a boundary record", "%s", boundary.show())
			}
			return
		}
		most := earned[boundary.get("kind").text()]
		if most != "" && claimed.isText() && writepolicy.Lower(claimed.text(), most) != claimed.text() {
			j.at(claimed, most+", which is what "+boundary.get("kind").text()+" gives, or less", "%s", claimed.show())
		}
	})
}

// outside are the classes of changes that are nobody's, or that a worker may
// leave behind anywhere.
var outside = []string{"artifact", "scratch", "unattributed"}

// fileChanges visits the changed files of an attempt that are neither its
// artifacts nor below .okstra.
func (j *judge) fileChanges(visit func(n, change node)) {
	j.eachAttempt(func(_ *dispatched, n node) {
		artifacts := n.get("writePolicy", "artifactPolicy", "allowedPaths").texts()
		for _, c := range n.get("audit", "changes").list() {
			name, surface := c.get("path").text(), c.get("surface").text()
			inside := strings.HasPrefix(name, ".okstra/") || name == ".okstra" || slices.Contains(artifacts, name)
			if surface != "tree" && surface != "ignored" || inside || slices.Contains(outside, c.get("class").text()) {
				continue
			}
			visit(n, c)
		}
	})
}

func (j *judge) sourceMutations() {
	j.fileChanges(func(_, c node) {
		j.at(c, "no change outside .okstra/", "a change of a source: %s %s", finding.Quote(c.get("path").text()), c.get("change").text())
	})
}

func (j *judge) plannedMutations() {
	j.fileChanges(func(n, c node) {
		if n.get("writePolicy", "sourcePolicy", "mode").text() != "project-mutation" {
			j.at(c, "no change by a worker that only reads", "a change of a source: %s %s", finding.Quote(c.get("path").text()), c.get("change").text())
			return
		}
		allowed := append(n.get("writePolicy", "sourcePolicy", "plannedPaths").texts(), n.get("writePolicy", "auxiliaryPolicy", "generatedPaths").texts()...)
		if !slices.Contains(allowed, c.get("path").text()) {
			j.at(c, "a planned or generated path: "+join(allowed, "or"), "a change of a file that is not planned: %s %s", finding.Quote(c.get("path").text()), c.get("change").text())
		}
	})
}

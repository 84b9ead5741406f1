package output

import (
	"cmp"
	"maps"
	"slices"
	"strings"

	"okstra/lib/finding"
)

// Statement is an in-toto statement about one run, unsigned: what was judged,
// by which rules, with what result.
type Statement struct {
	Type          string         `json:"_type"`
	Subject       []Descriptor   `json:"subject"`
	PredicateType string         `json:"predicateType"`
	Predicate     TestResultFact `json:"predicate"`
}

// Descriptor names a thing by its digest.
type Descriptor struct {
	Name   string            `json:"name"`
	Digest map[string]string `json:"digest"`
}

// TestResultFact is the predicate test-result.
type TestResultFact struct {
	Result        string       `json:"result"`
	Configuration []Descriptor `json:"configuration"`
	PassedTests   []string     `json:"passedTests"`
	WarnedTests   []string     `json:"warnedTests"`
	FailedTests   []string     `json:"failedTests"`
}

// InToto is a statement about a run. Its subjects are the run's artifacts with
// the digests of their bytes; its tests are the rules; rules is the digest of
// the rule table. A rule that had nothing to judge is in no list. A finding that a baseline knows still stands: a statement is
// about the run, not about what was expected of it.
func InToto(r Run, rules string) Statement {
	s := Statement{
		Type: "https://in-toto.io/Statement/v1", Subject: []Descriptor{},
		PredicateType: "https://in-toto.io/attestation/test-result/v0.1",
		Predicate: TestResultFact{
			Result: "PASSED", Configuration: []Descriptor{{"okstra-validate-rules", sha256Of(rules)}},
			PassedTests: []string{}, WarnedTests: []string{}, FailedTests: []string{},
		},
	}
	for _, subject := range r.Subjects {
		s.Subject = append(s.Subject, Descriptor{subject.Name, sha256Of(subject.Digest)})
	}
	slices.SortFunc(s.Subject, func(a, b Descriptor) int { return strings.Compare(a.Name, b.Name) })
	worst := map[string]finding.Level{}
	for _, f := range r.Findings {
		if have, ok := worst[f.Code]; !ok || f.Level.Compare(have) < 0 {
			worst[f.Code] = f.Level
		}
	}
	p := &s.Predicate
	for _, code := range r.Judged {
		if level, found := worst[code]; !found || level == finding.Note {
			p.PassedTests = append(p.PassedTests, code)
		}
	}
	for _, code := range slices.SortedFunc(maps.Keys(worst), inOrderOf(r.Rules)) {
		switch worst[code] {
		case finding.Error:
			p.FailedTests = append(p.FailedTests, code)
		case finding.Warning:
			p.WarnedTests = append(p.WarnedTests, code)
		}
	}
	switch {
	case len(p.FailedTests) > 0:
		p.Result = "FAILED"
	case len(p.WarnedTests) > 0:
		p.Result = "WARNED"
	}
	return s
}

// inOrderOf sorts the codes of a table as they stand there, others behind them.
func inOrderOf(rules []Rule) func(a, b string) int {
	place := map[string]int{}
	for i, rule := range rules {
		place[rule.Code] = i - len(rules)
	}
	return func(a, b string) int {
		return cmp.Or(cmp.Compare(place[a], place[b]), strings.Compare(a, b))
	}
}

func sha256Of(digest string) map[string]string {
	return map[string]string{"sha256": strings.TrimPrefix(digest, "sha256:")}
}

package schema

import (
	"slices"
	"strings"
	"testing"
)

func walked(t *testing.T, kind string) map[string]Node {
	t.Helper()
	nodes := map[string]Node{}
	if err := Walk(kind, func(pattern string, n Node) {
		if _, twice := nodes[pattern]; twice {
			t.Errorf("%s is visited twice", pattern)
		}
		nodes[pattern] = n
	}); err != nil {
		t.Fatal(err)
	}
	return nodes
}

func TestWalkReachesEveryPlaceOfTheReport(t *testing.T) {
	nodes := walked(t, "okstra-final-report")
	for _, text := range []string{
		"/verdictCard/finalConclusion", "/clarificationItems/*/userInput", "/executionStatus/*/reason", "/consensus/*/claim",
		"/differences/*/positions/*/note", "/evidence/*/tickets/*", "/risks/*/mitigation", "/ticketCoverage/*/refs/*",
		"/requirementsDiscovery/routing/rationale", "/errorAnalysis/validationPath/*", "/errorAnalysis/hypotheses/*/evidenceRefs/*",
		"/implementationPlanning/options/*/tradeOffs/*", "/implementationPlanning/stages/*/stepwiseExecution/*/doneWhen",
		"/implementationPlanning/requirementCoverage/*/stages", "/implementationPlanning/planBodyVerification/items/*/letters/*",
		"/implementation/changedFiles/*/reason", "/implementation/carry/withheldReason", "/finalVerification/readOnlyCommands/*/summary",
		"/releaseHandoff/commands/*/argv/*", "/improvementDiscovery/candidates/*/title", "/usageSummary/roles/*/label",
		"/usageSummary/unattributed/reason", "/usageSummary/unmatchedModels/*",
	} {
		if n, ok := nodes[text]; !ok || !n.Text() {
			t.Errorf("%s: reached %v, %+v", text, ok, n)
		}
	}
	for _, other := range []string{"/verdictCard/approvalRequired", "/usageSummary/byProvider/*/totalTokens", "/finalVerification/stages/*"} {
		if n, ok := nodes[other]; !ok || n.Text() {
			t.Errorf("%s: reached %v, %+v", other, ok, n)
		}
	}
	if n := nodes["/risks/*/severity"]; !slices.Equal(n.Enum, []string{"critical", "high", "low", "medium"}) || !n.Required {
		t.Errorf("severity: %+v", n)
	}
	if n := nodes["/kind"]; !slices.Equal(n.Enum, []string{"okstra-final-report"}) || !n.Text() {
		t.Errorf("kind: %+v", n)
	}
	if n := nodes["/finalVerification"]; n.Required {
		t.Error("a block that depends on the task type is not required under all conditions")
	}
}

// Whatever stands in an example stands somewhere in the walk, so that no
// place escapes those who go by it.
func TestWalkCoversEveryValueOfTheExamples(t *testing.T) {
	for _, e := range examples(t) {
		file := mustChoose(t, e)
		nodes := map[string]Node{}
		root := shared().shape(file)
		root.walk("", true, func(pattern string, n Node) { nodes[pattern] = n })
		v, err := e.doc.Value()
		if err != nil {
			t.Fatal(err)
		}
		for _, place := range places(v, root, "") {
			if _, ok := nodes[place]; !ok {
				t.Errorf("%s: %s is not walked", e.file, place)
			}
		}
	}
}

// places lists the pattern of every value, down to where the schema says
// nothing more.
func places(v any, s *shape, pattern string) []string {
	all := []string{pattern}
	switch v := v.(type) {
	case map[string]any:
		for key, sub := range v {
			switch {
			case s.keys[key] != nil:
				all = append(all, places(sub, s.keys[key], pattern+"/"+escape(key))...)
			case s.rest != nil:
				all = append(all, places(sub, s.rest, pattern+"/*")...)
			}
		}
	case []any:
		for i, sub := range v {
			switch {
			case i < len(s.prefix):
				all = append(all, places(sub, s.prefix[i], pattern+"/"+itoa(i))...)
			case s.items != nil:
				all = append(all, places(sub, s.items, pattern+"/*")...)
			}
		}
	}
	return all
}

func TestWalkRefusesAnUnknownKind(t *testing.T) {
	if err := Walk("okstra-poem", func(string, Node) {}); err == nil || !strings.Contains(err.Error(), "okstra-poem") {
		t.Errorf("error: %v", err)
	}
}

func TestVersions(t *testing.T) {
	for kind, want := range map[string][]string{
		"ledger-row": {"1.0", "2.0"}, "okstra-final-report": {"2.0"}, "job": {"1.0"}, "poem": nil,
	} {
		if got := Versions(kind); !slices.Equal(got, want) {
			t.Errorf("Versions(%q) = %q, want %q", kind, got, want)
		}
	}
}

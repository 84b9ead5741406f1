package grouping

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"okstra/lib/finding"
)

// sound is a grouping without a fault; its lines are the example's of the
// documentation.
const sound = `# Grouping for run checkout-timeouts

## Roster
- scope-a: analysis (analyser)
- scope-b: analysis (analyser)
- scope-c: analysis (analyser)
- report-writer: report-writer (report-writer)
- lead: lead (leader)

## Groups
### G-001 Retry loop ignores the request deadline
Tickets: PAY-12
Origin: scope-a
Origin Evidence: internal/http/retry.go:31-58
Discovered By: scope-a, scope-c
Source Items: scope-a#F-001, scope-c#F-004
### G-002 Pool size is read before the config file is loaded
Tickets:
Origin: scope-b
Origin Evidence: cmd/api/main.go:20
Discovered By: scope-b
Source Items: scope-b#F-002
Captured Evidence: printed value was 0 on a cold start
  while the file holds 16
`

// places are the faults as "line code".
func places(faults []finding.Finding) []string {
	out := []string{}
	for _, f := range faults {
		out = append(out, fmt.Sprintf("%d %s", f.Line, f.Code))
	}
	return out
}

func TestParseReadsTheWholeGrouping(t *testing.T) {
	f, faults := Parse("g.md", []byte(sound))
	if len(faults) > 0 {
		t.Fatal(faults)
	}
	if f.Title != "Grouping for run checkout-timeouts" || len(f.Roster) != 5 || len(f.Groups) != 2 {
		t.Fatalf("%+v", f)
	}
	if diff := cmp.Diff(Seat{"scope-c", "analysis", "analyser", 6}, f.Roster[2]); diff != "" {
		t.Error(diff)
	}
	g := f.Groups[1]
	g.lines = nil
	want := Group{
		ID: "G-002", Claim: "Pool size is read before the config file is loaded", Tickets: []string{}, Origin: "scope-b",
		OriginEvidence: "cmd/api/main.go:20", DiscoveredBy: []string{"scope-b"}, SourceItems: []ItemRef{{"scope-b", "F-002"}},
		CapturedEvidence: "printed value was 0 on a cold start\nwhile the file holds 16", Line: 17,
	}
	if diff := cmp.Diff(want, g, cmp.AllowUnexported(Group{})); diff != "" {
		t.Error(diff)
	}
}

// TestFormsThatAreTheSame: line ends, blank lines, the order of labels and
// groups, and a byte order mark change nothing.
func TestFormsThatAreTheSame(t *testing.T) {
	want := string(Format(must(t, sound)))
	for name, text := range map[string]string{
		"CRLF":                    strings.ReplaceAll(sound, "\n", "\r\n"),
		"blank lines":             strings.ReplaceAll(sound, "\n", "\n\n"),
		"byte order mark":         "\ufeff" + sound,
		"no last newline":         strings.TrimSuffix(sound, "\n"),
		"labels in another order": strings.Replace(sound, "Tickets: PAY-12\nOrigin: scope-a\n", "Origin: scope-a\nTickets: PAY-12\n", 1),
		"blanks around lists":     strings.Replace(sound, "scope-a, scope-c", "scope-a ,scope-c", 1),
	} {
		if got := string(Format(must(t, text))); got != want {
			t.Errorf("%s:\n%s", name, cmp.Diff(want, got))
		}
	}
}

func must(t *testing.T, text string) File {
	t.Helper()
	f, faults := Parse("g.md", []byte(text))
	if len(faults) > 0 {
		t.Fatal(faults)
	}
	return f
}

// TestT7NoTicketIsAnEmptyValue; a word that stands for none is refused, in any
// case.
func TestT7NoTicketIsAnEmptyValue(t *testing.T) {
	for _, value := range []string{"", " ", "PAY-1", "PAY-1, PAY-2", "NONESUCH-1"} {
		if _, faults := Parse("g.md", []byte(withLine("Tickets: PAY-12", "Tickets:"+pad(value)))); len(faults) > 0 {
			t.Errorf("%q: %v", value, faults)
		}
	}
	for _, word := range []string{"-", "none", "n/a", "na", "tbd", "unknown", "?", "None", "N/A", "TBD", "UNKNOWN", "PAY-1, none"} {
		_, faults := Parse("g.md", []byte(withLine("Tickets: PAY-12", "Tickets: "+word)))
		if diff := cmp.Diff([]string{"12 ticket-placeholder"}, places(faults)); diff != "" {
			t.Errorf("%q:\n%s", word, diff)
		}
	}
}

func pad(value string) string {
	if value == "" {
		return ""
	}
	return " " + value
}

// withLine is the sound grouping with one line replaced.
func withLine(line, by string) string { return strings.Replace(sound, line+"\n", by+"\n", 1) }

// TestEveryCodeOfTheGrammar with the lines where it is reported.
func TestEveryCodeOfTheGrammar(t *testing.T) {
	for _, tt := range []struct {
		name string
		text string
		want []string
	}{
		{"an id twice", withLine("### G-002 Pool size is read before the config file is loaded", "### G-001 c"), []string{"17 group-id"}},
		{"a gap", withLine("### G-002 Pool size is read before the config file is loaded", "### G-003 c"), []string{"17 group-id"}},
		{"a malformed id", withLine("### G-002 Pool size is read before the config file is loaded", "### G-2 c"), []string{"17 group-id"}},
		{"a zero in front", withLine("### G-002 Pool size is read before the config file is loaded", "### G-0002 c"), []string{"17 group-id"}},
		{"the number zero", withLine("### G-001 Retry loop ignores the request deadline", "### G-000 c"), []string{"11 group-id", "17 group-id"}},
		{"another letter", withLine("### G-002 Pool size is read before the config file is loaded", "### X-002 c"), []string{"17 group-id"}},
		{"no claim", withLine("### G-002 Pool size is read before the config file is loaded", "### G-002"), []string{"17 grouping-syntax"}},
		{"a label missing", withLine("Origin: scope-b", ""), []string{"17 group-label-missing"}},
		{"all labels missing", withLine("Tickets:\nOrigin: scope-b\nOrigin Evidence: cmd/api/main.go:20\nDiscovered By: scope-b\nSource Items: scope-b#F-002", ""), slices.Repeat([]string{"17 group-label-missing"}, 5)},
		{"a label twice", withLine("Origin: scope-b", "Origin: scope-b\nOrigin: scope-b"), []string{"20 group-label-duplicate"}},
		{"an unknown label", withLine("Origin: scope-b", "Origin: scope-b\nConfidence: high"), []string{"20 group-label-unknown"}},
		{"a label in small letters", withLine("Origin: scope-b", "origin: scope-b"), []string{"17 group-label-missing", "19 group-label-unknown"}},
		{"a ticket twice", withLine("Tickets: PAY-12", "Tickets: PAY-12, PAY-12"), []string{"12 ticket-duplicate"}},
		{"an empty ticket", withLine("Tickets: PAY-12", "Tickets: PAY-12,"), []string{"12 grouping-syntax"}},
		{"an unknown origin", withLine("Origin: scope-b", "Origin: scope-x"), []string{"19 origin-not-discoverer", "19 worker-unknown"}},
		{"an unknown discoverer", withLine("Discovered By: scope-b", "Discovered By: scope-b, scope-x"), []string{"21 discoverer-no-item", "21 worker-unknown"}},
		{"a discoverer twice", withLine("Discovered By: scope-b", "Discovered By: scope-b, scope-b"), []string{"21 worker-duplicate"}},
		{"a worker twice in the roster", withLine("- scope-b: analysis (analyser)", "- scope-a: analysis"), []string{"5 worker-duplicate", "19 worker-unknown", "21 worker-unknown"}},
		{"an unknown audience", withLine("- scope-b: analysis (analyser)", "- scope-b: critics (analyser)"), []string{"5 audience-unknown"}},
		{"an origin that did not find it", withLine("Origin: scope-a", "Origin: scope-b"), []string{"13 origin-not-discoverer"}},
		{"a discoverer without an item", withLine("Source Items: scope-a#F-001, scope-c#F-004", "Source Items: scope-a#F-001"), []string{"15 discoverer-no-item"}},
		{"an item without a discoverer", withLine("Discovered By: scope-a, scope-c", "Discovered By: scope-a"), []string{"16 item-no-discoverer"}},
		{"an item in two groups", withLine("Source Items: scope-b#F-002", "Source Items: scope-b#F-002, scope-b#F-002"), []string{"22 item-reused"}},
		{"an item of another group", strings.Replace(withLine("Source Items: scope-b#F-002", "Source Items: scope-b#F-002, scope-a#F-001"), "Discovered By: scope-b\n", "Discovered By: scope-b, scope-a\n", 1), []string{"22 item-reused"}},
		{"no item id", withLine("Source Items: scope-b#F-002", "Source Items: scope-b#2"), []string{"21 discoverer-no-item", "22 item-unknown"}},
		{"no hash", withLine("Source Items: scope-b#F-002", "Source Items: scope-b"), []string{"21 discoverer-no-item", "22 grouping-syntax"}},
		{"empty evidence", withLine("Origin Evidence: cmd/api/main.go:20", "Origin Evidence:"), []string{"20 evidence-empty"}},
		{"evidence that shows nothing", withLine("Origin Evidence: cmd/api/main.go:20", "Origin Evidence: \u200b\u2060"), []string{"20 evidence-empty"}},
		{"a claim that shows nothing", withLine("### G-001 Retry loop ignores the request deadline", "### G-001 \u200b"), []string{"11 grouping-syntax"}},
		{"blank evidence", withLine("Origin Evidence: cmd/api/main.go:20", "Origin Evidence:  \t "), []string{"20 evidence-empty"}},
		{"a queue", withLine("## Groups", "## Queue\n\n## Groups"), []string{"10 state-in-input"}},
		{"a queue as a label", withLine("Origin: scope-b", "Origin: scope-b\nQueue: G-002"), []string{"20 state-in-input"}},
		{"a classification", withLine("Origin: scope-b", "Origin: scope-b\nClassification: full-consensus"), []string{"20 state-in-input"}},
		{"a classification in small letters", withLine("Origin: scope-b", "Origin: scope-b\nclassification: full-consensus"), []string{"20 state-in-input"}},
		{"a verdict", withLine("Origin: scope-b", "Origin: scope-b\nVerdict: AGREE"), []string{"20 state-in-input"}},
		{"verdicts", sound + "## Verdicts\n", []string{"25 state-in-input"}},
		{"prose in a group", withLine("Origin: scope-b", "Origin: scope-b\nThis one is bad."), []string{"20 grouping-syntax"}},
		{"a value over two lines", withLine("Origin Evidence: cmd/api/main.go:20", "Origin Evidence: cmd/api/main.go:20\n  and more"), []string{"21 grouping-syntax"}},
		{"no roster", "## Groups\n(none)\n", []string{"1 grouping-syntax"}},
		{"no groups", "## Roster\n- a: analysis\n", []string{"1 grouping-syntax"}},
		{"an empty roster", "## Roster\n## Groups\n(none)\n", []string{"1 grouping-syntax"}},
		{"an empty list of groups", "## Roster\n- a: analysis\n## Groups\n", []string{"3 grouping-syntax"}},
		{"none beside groups", withLine("## Groups", "## Groups\n(none)"), []string{"11 grouping-syntax"}},
		{"a roster behind the groups", "## Groups\n(none)\n## Roster\n- a: analysis\n", []string{"3 grouping-syntax"}},
		{"a second roster", withLine("## Groups", "## Roster\n## Groups"), []string{"10 grouping-syntax"}},
		{"a roster line that is none", withLine("- lead: lead (leader)", "- lead (leader)"), []string{"8 grouping-syntax"}},
		{"a worker id that is none", withLine("- lead: lead (leader)", "- Lead: lead (leader)"), []string{"8 grouping-syntax"}},
		{"a worker id with -worker- in it", withLine("- lead: lead (leader)", "- a-worker-b: lead (leader)"), []string{"8 grouping-syntax"}},
		{"no UTF-8", withLine("Tickets: PAY-12", "Tickets: PAY-\xff"), []string{"12 text-encoding"}},
		{"nothing", "", []string{"1 grouping-syntax", "1 grouping-syntax"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			_, faults := Parse("g.md", []byte(tt.text))
			if diff := cmp.Diff(tt.want, places(faults)); diff != "" {
				t.Errorf("%s\n%v", diff, faults)
			}
		})
	}
}

// TestAllFaultsOfAGroupingAreReportedTogether, in order of lines.
func TestAllFaultsOfAGroupingAreReportedTogether(t *testing.T) {
	text := `## Roster
- a: analysis
- a: analysis
- b: jury
## Groups
### G-001 one
Tickets: none, P-1, P-1
Origin: c
Origin Evidence:
Discovered By: a, b
Source Items: a#F-001
Verdict: AGREE
Mood: good
### G-004 two
Origin: a
Origin: a
Source Items: a#F-001, b#F-1
Discovered By: a
`
	_, faults := Parse("g.md", []byte(text))
	want := []string{
		"3 worker-duplicate", "4 audience-unknown",
		"7 ticket-duplicate", "7 ticket-placeholder", "8 origin-not-discoverer", "8 worker-unknown", "9 evidence-empty",
		"10 discoverer-no-item", "12 state-in-input", "13 group-label-unknown",
		"14 group-id", "14 group-label-missing", "14 group-label-missing", "16 group-label-duplicate", "17 item-reused", "17 item-unknown",
	}
	if diff := cmp.Diff(want, places(faults)); diff != "" {
		t.Error(diff)
	}
}

// TestFewerThanTwoAnalystsIsNoFaultOfTheGrouping: seed writes a disabled state.
func TestFewerThanTwoAnalystsIsNoFaultOfTheGrouping(t *testing.T) {
	for _, text := range []string{
		"## Roster\n- a: analysis\n## Groups\n(none)\n",
		"## Roster\n- lead: lead\n## Groups\n### G-001 c\nTickets:\nOrigin: lead\nOrigin Evidence: a.go:1\nDiscovered By: lead\nSource Items: lead#F-001\n",
	} {
		must(t, text)
	}
}

func TestIDs(t *testing.T) {
	for id, want := range map[string]int{
		"G-001": 1, "X-012": 12, "F-999": 999, "G-1000": 1000, "G-123456789": 123456789,
		"G-000": 0, "G-01": 0, "G-1": 0, "G-0001": 0, "G-": 0, "G": 0, "": 0, "-001": 0, "G001": 0, "G-00a": 0, "G-1234567890": 0, "GG-001": 0, "G-٠٠١": 0,
	} {
		if got := Number(id); got != want {
			t.Errorf("Number(%q) = %d, want %d", id, got, want)
		}
	}
	for _, n := range []int{1, 99, 100, 999, 1000, 100000} {
		if got := Number(ID("G", n)); got != n {
			t.Errorf("Number(ID(%d)) = %d", n, got)
		}
	}
}

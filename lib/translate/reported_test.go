package translate

import (
	"strings"
	"testing"
)

// What users of other tools reported and what is decided in this package. The
// comparisons of texts are in lib/translate/check, under the same names.

func TestReported_po4a381_comprehensiveRust318_OneStringIsOneUnit(t *testing.T) {
	long := "First paragraph.\\n\\n* a list\\n    * indented\\n\\nLast one. With two sentences."
	r := reportOf(t, report(path(long, "Short one.")))
	if got := sourcesOf(r); len(got) != 2 || got[1] != "Short one." || !strings.Contains(got[0], "\n    * indented\n") {
		t.Errorf("items %q", got)
	}
}

func TestReported_po4a376_546_7_NothingIsFlowedAnew(t *testing.T) {
	checkLaw(t, []string{
		"```\n- no list\n- at all\n```\n- a list\n- glued to it",
		"one\ntwo  \nthree\\\nfour",
		"    indented\n\n\n\n1. a\n1. b\n\n| a | b |\n|---|---|",
	})
}

func TestReported_jamulus934_InlineMarkupStaysInsideItsUnit(t *testing.T) {
	r := reportOf(t, report(path("Press <b>OK</b> or [read on](x.md), then `go`.")))
	if got := sourcesOf(r); len(got) != 1 {
		t.Errorf("items %q", got)
	}
}

func TestReported_S000_ALevelThreeHeadingAmong164(t *testing.T) {
	raw := string(FormatBlocks("", ids(164), strings.Split(strings.Repeat("text,", 163)+"text", ",")))
	got := faultsOf(t, strings.Replace(raw, "## T-012", "### T-012", 1), 164)
	if len(got) != 1 || got[0] != "34 heading-level" {
		t.Errorf("faults %q", got)
	}
}

func TestReported_i18nKit134_FaultsAreDataWithKeyMissingAndExtra(t *testing.T) {
	id, at := "T-001", "/a"
	doc := NewFindings([]Finding{{Item: &id, Pointer: &at, Check: "placeholder", Level: LevelError, Missing: []string{"{a}"}, Extra: []string{"{b}"}}})
	if f := doc.Findings[0]; *f.Item != id || f.Missing[0] != "{a}" || f.Extra[0] != "{b}" || doc.Errors != 1 {
		t.Errorf("findings %+v", doc)
	}
}

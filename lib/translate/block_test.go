package translate

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// ids gives T-001 to T-n.
func ids(n int) []string {
	list := make([]string, n)
	for i := range list {
		list[i] = ID(i + 1)
	}
	return list
}

// faultsOf is "line check" of every fault, in the order of the file.
func faultsOf(t *testing.T, text string, n int) []string {
	t.Helper()
	got, err := ReadBlocks("T.md", []byte(text), ids(n))
	if err != nil {
		t.Fatal(err)
	}
	var faults []string
	for _, f := range got.Faults {
		faults = append(faults, fmt.Sprintf("%d %s", f.Line, f.Check))
	}
	return faults
}

func TestDamagedHeadingsAreNamed(t *testing.T) {
	for _, tt := range []struct {
		name, text string
		items      int
		want       []string
	}{
		{"wrong level, and no count mismatch after it", "## T-001\na\n### T-002\nb\n", 2, []string{"3 heading-level"}},
		{"wrong level before the first block", "# T-001\na\n", 1, []string{"1 heading-level"}},
		{"a gap", "## T-001\na\n## T-003\nc\n", 3, []string{"3 heading-order", "0 count"}},
		{"a repeat", "## T-001\na\n## T-001\nb\n", 2, []string{"3 heading-order"}},
		{"an exchange", "## T-002\nb\n## T-001\na\n", 2, []string{"1 heading-order", "3 heading-order"}},
		{"white space behind", "## T-001 \na\n", 1, []string{"1 heading-shape"}},
		{"a title", "## T-001: x\na\n", 1, []string{"1 heading-shape"}},
		{"closing hashes", "## T-001 ##\na\n", 1, []string{"1 heading-shape"}},
		{"no space", "##T-001\na\n", 1, []string{"1 heading-shape"}},
		{"one hash, no space", "#T-001\na\n", 1, []string{"1 heading-shape"}},
		{"two spaces", "##  T-001\na\n", 1, []string{"1 heading-shape"}},
		{"no-break space", "##\u00a0T-001\na\n", 1, []string{"1 heading-shape"}},
		{"indented", "   ## T-001\na\n", 1, []string{"1 heading-shape"}},
		{"setext", "T-001\n-----\na\n", 1, []string{"1 heading-shape"}},
		{"setext with equal signs", "T-001\n===\na\n", 1, []string{"1 heading-shape"}},
		{"no id", "## T-1\na\n", 1, []string{"1 heading-shape"}},
		{"CRLF and BOM are as usual", "\ufeff## T-001\r\na\r\n", 1, nil},
		{"text before the first heading", "Translated by me.\n\n## T-001\na\n", 1, nil},
		{"deep indentation is text", "## T-001\n    ## T-002\na\n", 1, nil},
		{"a word that begins like an id is text", "## T-001\n### T-002b is no id\n", 1, nil},
		{"other line ends are text", "## T-001\na\u2028## T-002\u0085## T-003\v## T-004\n", 1, nil},
		{"a fence hides nothing", "## T-001\n```\n## T-002\n```\n", 2, nil},
		{"no setext without an underline", "## T-001\nT-002\ntext\n", 1, nil},
		{"two kinds of mistakes", "## T-001\n\n### T-002\nb\n## T-003\nc\n", 4, []string{"3 heading-level", "0 count", "1 empty"}},
		{"too many", "## T-001\na\n## T-002\nb\n", 1, []string{"0 count"}},
		{"none at all", "hello\n", 2, []string{"0 count"}},
		{"an empty file", "", 1, []string{"0 count"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if diff := cmp.Diff(tt.want, faultsOf(t, tt.text, tt.items)); diff != "" {
				t.Errorf("faults (-want +got)\n%s", diff)
			}
		})
	}
}

func TestAHeadingOfLevelThreeNamesWhatWasFoundAndExpected(t *testing.T) {
	got, err := ReadBlocks("T.md", []byte("## T-001\na\n### T-002\nb\n"), ids(2))
	if err != nil {
		t.Fatal(err)
	}
	line := NewFindings(got.Faults).Lines(got.Name)[0]
	for _, part := range []string{"T.md:3:", `"###"`, `"## T-002"`} {
		if !strings.Contains(line, part) {
			t.Errorf("%q does not name %s", line, part)
		}
	}
	if got.Blocks[1].Text != "b" {
		t.Errorf("the damaged heading opens no block: %+v", got.Blocks)
	}
}

func TestALevelThreeHeadingAmongAThousandItems(t *testing.T) {
	var text strings.Builder
	for i := range 1000 {
		mark := "##"
		if i == 999 {
			mark = "###"
		}
		fmt.Fprintf(&text, "%s %s\ntext\n", mark, ID(i+1))
	}
	if got := faultsOf(t, text.String(), 1000); !slices.Equal(got, []string{"1999 heading-level"}) {
		t.Errorf("faults %q", got)
	}
}

func TestAMissingBlockAtTheEndGivesBothCounts(t *testing.T) {
	raw := FormatBlocks("", ids(163), slices.Repeat([]string{"x"}, 163))
	got, err := ReadBlocks("T.md", raw, ids(164))
	if err != nil {
		t.Fatal(err)
	}
	want := []string{"T.md: error count: 163 blocks for 164 items"}
	if diff := cmp.Diff(want, NewFindings(got.Faults).Lines("T.md")); diff != "" {
		t.Error(diff)
	}
}

func TestEmptyBlocksAreNamedTenInTextAndAllInData(t *testing.T) {
	got, err := ReadBlocks("T.md", FormatBlocks("", ids(12), make([]string, 12)), ids(12))
	if err != nil {
		t.Fatal(err)
	}
	doc := NewFindings(got.Faults)
	if len(doc.Findings) != 1 || !slices.Equal(doc.Findings[0].Missing, ids(12)) {
		t.Fatalf("findings %+v", doc.Findings)
	}
	line := doc.Lines("T.md")[0]
	if !strings.Contains(line, "T-010 and 2 more") || strings.Contains(line, "T-011") {
		t.Errorf("text %q", line)
	}
}

func TestOnlyTheAskedIdsAreExpected(t *testing.T) {
	got, err := ReadBlocks("T.md", []byte("## T-003\nc\n\n## T-012\nl\n"), []string{"T-003", "T-012"})
	if err != nil || len(got.Faults) > 0 {
		t.Fatalf("faults %v, error %v", got.Faults, err)
	}
	got, _ = ReadBlocks("T.md", []byte("## T-004\nc\n\n## T-012\nl\n"), []string{"T-003", "T-012"})
	if len(got.Faults) != 1 || got.Faults[0].Line != 1 || got.Faults[0].Missing[0] != "## T-003" {
		t.Errorf("faults %+v", got.Faults)
	}
}

func TestBytesThatAreNoUTF8AreRefusedWithTheirPlace(t *testing.T) {
	_, err := ReadBlocks("T.md", []byte("## T-001\nab\xff\n"), ids(1))
	if err == nil || err.Error() != "T.md:2:3: not UTF-8" {
		t.Errorf("error %v", err)
	}
}

func TestTheTextFormCountsWhatItLeavesOut(t *testing.T) {
	var found []Finding
	for i := range 13 {
		id := ID(i + 1)
		found = append(found, Finding{Item: &id, Check: "placeholder", Level: LevelError, Line: i + 1, Message: "m"})
	}
	lines := NewFindings(found).Lines("T.md")
	if len(lines) != 11 || lines[10] != "T.md: placeholder: and 3 more" {
		t.Errorf("lines %q", lines)
	}
}

package grouping

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

const answer = `# Reverify
Round: 1
Worker: scope-c

## G-002
Verdict: DISAGREE
Basis: refuted
Evidence: cmd/api/main.go:14-19
Reason: the file is loaded by init() in config.go
  before main runs

## G-001
Verdict: AGREE
Evidence: a.go:1
`

func TestParseVerdictsReadsTheWholeFile(t *testing.T) {
	f, faults := ParseVerdicts("v.md", []byte(answer), Form{Adversarial: true})
	if len(faults) > 0 || f.Round != 1 || f.Worker != "scope-c" || len(f.Votes) != 2 {
		t.Fatalf("%v %+v", faults, f)
	}
	want := Vote{
		ID: "G-002", Verdict: Disagree, Basis: "refuted", Evidence: "cmd/api/main.go:14-19",
		Reason: "the file is loaded by init() in config.go\nbefore main runs", Line: 5,
	}
	if diff := cmp.Diff(want, f.Votes[0]); diff != "" {
		t.Error(diff)
	}
	crlf, _ := ParseVerdicts("v.md", []byte(strings.ReplaceAll(answer, "\n", "\r\n")), Form{Adversarial: true})
	if diff := cmp.Diff(f, crlf); diff != "" {
		t.Errorf("CRLF:\n%s", diff)
	}
}

// TestTheVoteReaderGuessesNothing: what a reader of rankings in prose got wrong
// elsewhere. Names in prose are no votes, the first of two does not win, one
// label is not cut off, and contradictory fields are no vote.
func TestTheVoteReaderGuessesNothing(t *testing.T) {
	const head = "Round: 1\nWorker: w1\n\n"
	for _, tt := range []struct {
		name, text string
		votes      int
		code       string // of the first vote; "" for none or for one that counts
		header     bool   // the file as a whole is refused
	}{
		{"prose that names groups", head + "I would rank G-001 first, then G-002.\n", 0, "", true},
		{"prose in front of the header", "I agree with everything.\nRound: 1\nWorker: w1\n", 0, "", true},
		{"a block twice", head + "## G-001\nVerdict: AGREE\n## G-001\nVerdict: AGREE\n", 1, CodeVerdictDuplicate, false},
		{"an id of two digits", head + "## G-27\nVerdict: AGREE\n", 1, "", false},
		{"both words", head + "## G-001\nVerdict: AGREE DISAGREE\n", 1, CodeVerdictUnknown, false},
		{"AGREE with the basis of a DISAGREE", head + "## G-001\nVerdict: AGREE\nBasis: refuted\n", 1, CodeVerdictBasis, false},
		{"a reason that shows nothing", head + "## G-001\nVerdict: SUPPLEMENT\nEvidence: a.go:1\nReason: \u200b\u2060\n", 1, CodeVerdictReason, false},
		{"evidence that shows nothing", head + "## G-001\nVerdict: SUPPLEMENT\nEvidence: \u200b\u00a0\nReason: r\n", 1, CodeVerdictEvidence, false},
		{"an id in wide digits", head + "## G-\uff10\uff10\uff11\nVerdict: AGREE\n", 1, "", false},
		{"a verdict in lower case", head + "## G-001\nVerdict: agree\n", 1, CodeVerdictUnknown, false},
		{"a heading as a block without an id", head + "##\nVerdict: AGREE\n", 1, "", false},
		{"a verdict below a deeper heading", head + "## G-001\n### my view\nVerdict: AGREE\n", 1, CodeVerdictLabel, false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			f, faults := ParseVerdicts("v.md", []byte(tt.text), Form{})
			if (len(faults) > 0) != tt.header || len(f.Votes) != tt.votes {
				t.Fatalf("%d votes, %v", len(f.Votes), faults)
			}
			if len(f.Votes) == 0 {
				return
			}
			code := ""
			if len(f.Votes[0].Faults) > 0 {
				code = f.Votes[0].Faults[0].Code
			}
			if code != tt.code {
				t.Errorf("%q, want %q: %v", code, tt.code, f.Votes[0].Faults)
			}
		})
	}
}

// TestHeadersThatRefuseTheFile with their lines.
func TestHeadersThatRefuseTheFile(t *testing.T) {
	for text, want := range map[string]string{
		"":                                     "1 verdict-header, 1 verdict-header",
		"Round: 1\n":                           "1 verdict-header",
		"Worker: w1\n":                         "1 verdict-header",
		"Round: one\nWorker: w1\n":             "1 verdict-header",
		"Round: 01\nWorker: w1\n":              "1 verdict-header",
		"Round: 1\nRound: 1\nWorker: w1\n":     "2 verdict-header",
		"Round: 1\nWorker: W1\n":               "2 verdict-header",
		"Round: 1\nWorker: w1\nModel: m\n":     "3 verdict-header",
		"# a\n# b\nRound: 1\nWorker: w1\n":     "2 verdict-header",
		"Round: 1\nWorker: w1\n\xff\n":         "3 text-encoding, 3 verdict-header",
		"# Reverify\n\nRound: 1\nWorker: w1\n": "",
	} {
		f, faults := ParseVerdicts("v.md", []byte(text), Form{})
		if got := strings.Join(places(faults), ", "); got != want {
			t.Errorf("%q: %s, want %s (%+v)", text, got, want, f)
		}
	}
}

// TestLettersOfPlanItems: a letter on each DISAGREE, none elsewhere, no basis.
func TestLettersOfPlanItems(t *testing.T) {
	for _, tt := range []struct{ labels, want string }{
		{"Verdict: AGREE", ""},
		{"Verdict: SUPPLEMENT\nEvidence: a\nReason: r", ""},
		{"Verdict: DISAGREE\nLetter: c\nEvidence: a\nReason: r", ""},
		{"Verdict: DISAGREE\nEvidence: a\nReason: r", CodeVerdictLetter},
		{"Verdict: DISAGREE\nLetter: f\nEvidence: a\nReason: r", CodeVerdictLetter},
		{"Verdict: AGREE\nLetter: c", CodeVerdictLetter},
		{"Verdict: DISAGREE\nLetter: c\nBasis: refuted\nEvidence: a\nReason: r", CodeVerdictBasis},
	} {
		f, faults := ParseVerdicts("v.md", []byte("Round: 1\nWorker: w\n## P-001\n"+tt.labels+"\n"), Form{Adversarial: true, PlanBody: true})
		got := ""
		if len(f.Votes[0].Faults) > 0 {
			got = f.Votes[0].Faults[0].Code
		}
		if len(faults) > 0 || got != tt.want {
			t.Errorf("%q: %q %v, want %q", tt.labels, got, faults, tt.want)
		}
	}
}

// TestTheRecordedFaultDoesNotDependOnTheOrderOfBlocks: of several faults the
// one that says most is the reason of the missing vote.
func TestTheRecordedFaultDoesNotDependOnTheOrderOfBlocks(t *testing.T) {
	good, bad := "## G-001\nVerdict: AGREE\n", "## G-001\nVerdict: so so\nMood: bad\n"
	for _, body := range []string{good + bad, bad + good, bad + bad} {
		f, _ := ParseVerdicts("v.md", []byte("Round: 1\nWorker: w\n"+body), Form{})
		if len(f.Votes) != 1 || f.Votes[0].Faults[0].Code != CodeVerdictDuplicate {
			t.Errorf("%q: %v", body, f.Votes[0].Faults)
		}
	}
}

// TestALongVerdictFileIsReadInOneGo: 20,000 blocks, each looked up by its id.
func TestALongVerdictFileIsReadInOneGo(t *testing.T) {
	var text strings.Builder
	text.WriteString("Round: 1\nWorker: w\n")
	for i := range 20000 {
		fmt.Fprintf(&text, "## %s\nVerdict: AGREE\n", ID("G", i+1))
	}
	if f, faults := ParseVerdicts("v.md", []byte(text.String()), Form{}); len(faults) > 0 || len(f.Votes) != 20000 {
		t.Errorf("%d votes, %v", len(f.Votes), faults)
	}
}

package grouping

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

// FuzzParse: no bytes make it panic, every fault has a line of the file, and
// what has no fault survives being written and read again.
func FuzzParse(f *testing.F) {
	f.Add([]byte(sound))
	f.Add([]byte("## Roster\r\n- a: analysis\r\n## Groups\r\n(none)\r\n"))
	f.Add([]byte("## Roster\n- a: analysis\n## Groups\n### G-001 c\nTickets: -\nVerdict: x\n"))
	f.Add([]byte("\ufeff# t\n## Roster\n- a: analysis ( x )\n## Groups\n### G-001 c\nCaptured Evidence:\n  a\n   b\n"))
	f.Fuzz(func(t *testing.T, src []byte) {
		file, faults := Parse("g.md", src)
		for _, x := range faults {
			if x.Line < 1 || x.Code == "" || x.Message == "" {
				t.Errorf("fault without a place: %+v", x)
			}
		}
		if len(faults) > 0 {
			return
		}
		text := Format(file)
		again, faults := Parse("g.md", text)
		if len(faults) > 0 {
			t.Fatalf("%v\n%s", faults, text)
		}
		if second := Format(again); string(second) != string(text) {
			t.Errorf("written again it is another:\n%s", cmp.Diff(string(text), string(second)))
		}
	})
}

// FuzzParseVerdicts: no bytes make it panic; a file without a fault names round
// and worker, each id has one vote, and a vote without a fault passes the check
// of a stored one.
func FuzzParseVerdicts(f *testing.F) {
	f.Add([]byte(answer), true, false)
	f.Add([]byte("Round: 1\nWorker: w\n## P-001\nVerdict: DISAGREE\nLetter: c\nEvidence: a\n  b\nReason: r\n"), false, true)
	f.Add([]byte("Round: 1\nWorker: w\n## G-001\nVerdict: AGREE\n## G-001\nVerdict: AGREE\n"), false, false)
	f.Add([]byte("Round: 0\nWorker: -\n\xff\n"), false, false)
	f.Fuzz(func(t *testing.T, src []byte, adversarial, planBody bool) {
		form := Form{Adversarial: adversarial, PlanBody: planBody}
		file, faults := ParseVerdicts("v.md", src, form)
		if len(faults) == 0 && (file.Round < 1 || file.Worker == "") {
			t.Errorf("no fault, and round %d of %q", file.Round, file.Worker)
		}
		seen := map[string]bool{}
		for _, v := range file.Votes {
			if seen[v.ID] {
				t.Errorf("two votes on %q", v.ID)
			}
			seen[v.ID] = true
			if code := form.Code(v); len(v.Faults) == 0 && code != "" {
				t.Errorf("vote on %q has no fault, stored it has %s", v.ID, code)
			}
		}
	})
}

// FuzzParseResult: neither results nor critics' files make their parsers panic;
// items of a sound result have ids in order.
func FuzzParseResult(f *testing.F) {
	f.Add([]byte(result))
	f.Add([]byte(critic))
	f.Add([]byte("---\n---\n## 1. a\n~~~\n### F-001 x\n"))
	f.Fuzz(func(t *testing.T, src []byte) {
		r, faults := ParseResult("r.md", src)
		for i, it := range r.Items {
			if len(faults) == 0 && Number(it.ItemID) != i+1 {
				t.Errorf("item %d is %s", i, it.ItemID)
			}
		}
		c, faults := ParseCritic("c.md", src)
		if len(faults) == 0 && c.Worker == "" {
			t.Error("a critic without a name")
		}
		CheckAudit("a.md", src)
	})
}

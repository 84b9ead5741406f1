package translate

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"okstra/lib/digest"
	"okstra/lib/jsondoc"
)

const dataName = "final-report-error-analysis-001.data.json"

// reportOf reads report data from JSON text.
func reportOf(t testing.TB, text string) *Report {
	t.Helper()
	doc, err := jsondoc.Parse(dataName, []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	r, err := NewReport("reports/"+dataName, doc)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// report wraps the inside of a report, after its header.
func report(inside string) string {
	return `{"schemaVersion":"2.0","kind":"okstra-final-report","header":{"taskKey":"shop:pay:x","reportLanguage":"en"}` + inside + `}`
}

func sourcesOf(r *Report) []string {
	var texts []string
	for _, item := range r.Items {
		texts = append(texts, item.Source)
	}
	return texts
}

func TestItemsComeInFileOrderAndEqualTextsShareOne(t *testing.T) {
	r := reportOf(t, report(`,
	  "risks": [{"statement": "Same text.", "id": "R-001"}, {"mitigation": "Later.", "statement": "Same text."}],
	  "verdictCard": {"nextStep": "Go on.", "finalConclusion": "Same text."}`))
	if got := sourcesOf(r); !slices.Equal(got, []string{"Same text.", "Later.", "Go on."}) {
		t.Errorf("sources %q", got)
	}
	if got := r.Items[0].At; !slices.Equal(got, []string{"/risks/0/statement", "/risks/1/statement", "/verdictCard/finalConclusion"}) {
		t.Errorf("locations %q", got)
	}
}

func TestEnumsPathsCommandsAndTheUsersOwnWordsAreNeverAskedFor(t *testing.T) {
	r := reportOf(t, report(`,
	  "verdictCard": {"verdictToken": "accepted text", "direction": "stop it", "nextStep": "Prose one."},
	  "clarificationItems": [{"userInput": "My own words.", "statement": "Prose two."}],
	  "missingInformation": [{"impact": "Prose three."}],
	  "improvementDiscovery": {"candidates": [{"impact": "high impact", "title": "Prose four."}]},
	  "risks": [{"severity": "high risk"}],
	  "unknownKey": {"statement": "Never seen."},
	  "implementation": {"commits": [{"subject": "Fix the loop"}], "changedFiles": [{"path": "a b.go", "reason": "Prose five."}]},
	  "finalVerification": {"readOnlyCommands": [{"command": "go test all of it", "summary": "Prose six."}]},
	  "usageSummary": {"unavailableReasons": ["scope-b: no session in the window"]}`))
	want := []string{"Prose one.", "Prose two.", "Prose three.", "Prose four.", "Prose five.", "Prose six."}
	if got := sourcesOf(r); !slices.Equal(got, want) {
		t.Errorf("sources %q, want %q", got, want)
	}
}

func TestStringsWithoutProseAreLeftOut(t *testing.T) {
	for _, tt := range []struct {
		text string
		want bool
	}{
		{"", false},
		{" \n\t", false},
		{"42 %", false},
		{"→ 3", false},
		{"`go test ./...`", false},
		{" `a b` \n", false},
		{"`` a`b ``", false},
		{"https://example.org/a?b=c", false},
		{"<https://example.org>", false},
		{"mailto:a@example.org", false},
		{"C-001", false},
		{"PAY-12", false},
		{"scope-a#F-001", false},
		{"internal/http/retry.go:31-58", false},
		{"./x", false},
		{"go.mod", false},
		{"docs/", false},
		{"a/b/c", false},
		{"/etc/passwd", false},
		{"~/notes", false},
		{"and/or", true},
		{"Done.", true},
		{"e.g.", true},
		{"`a` and `b`", true},
		{"See C-001", true},
		{"가", true},
		{"`a", true},
		{"`a``", true},
		{"가/나", true},
		{"Use `fmt`.", true},
		{"see https://example.org", true},
		{"Timeout", true},
	} {
		if got := translatable(tt.text); got != tt.want {
			t.Errorf("translatable(%q) = %v, want %v", tt.text, got, tt.want)
		}
	}
}

func TestDigestOfThePublishedStrings(t *testing.T) {
	got, err := digest.Value([]string{"Use `fmt` here.", "Two items remain."})
	if want := "sha256:2b718269fb7ad6a5f59361bbec53bd57779ba06bb558f2199e5f5c4ad4474dd9"; err != nil || got != want {
		t.Errorf("digest %s, error %v, want %s", got, err, want)
	}
}

func TestDigestIsTheCanonicalOneWhateverTheStringsHold(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		prose := rapid.Map(awkwardText(), func(s string) string { return s + "<x & \u2028y>" })
		texts := rapid.SliceOfN(prose, 0, 5).Draw(t, "texts")
		raw, err := json.Marshal(map[string]any{
			"schemaVersion": "2.0", "kind": ReportKind, "header": map[string]string{"reportLanguage": "en"},
			"errorAnalysis": map[string]any{"validationPath": texts},
		})
		if err != nil {
			t.Fatal(err)
		}
		doc, err := jsondoc.Parse(dataName, raw)
		if err != nil {
			t.Fatal(err)
		}
		r, err := NewReport(dataName, doc)
		if err != nil {
			t.Fatal(err)
		}
		s := r.Prepare("ko")
		want, err := digest.Value(map[string]any{
			"kind": s.Kind, "lang": s.Lang, "sourceLang": s.SourceLang, "strings": s.Strings, "locations": s.Locations,
		})
		if err != nil || s.Digest != want {
			t.Fatalf("digest %s, want %s (%v)", s.Digest, want, err)
		}
	})
}

func TestEveryDisagreementOfAPayloadIsNamed(t *testing.T) {
	r := reportOf(t, report(`,"errorAnalysis":{"validationPath":["Alpha text","Beta text","Gamma text"]}`))
	good := r.Prepare("ko")
	for _, tt := range []struct {
		name  string
		edit  func(*Source)
		given string
		want  []string
	}{
		{"nothing", func(*Source) {}, good.Digest, nil},
		{"lang", func(s *Source) { s.Lang = "ja" }, good.Digest, []string{"lang:"}},
		{"source language", func(s *Source) { s.SourceLang = "de" }, good.Digest, []string{"sourceLang:"}},
		{"a string", func(s *Source) { s.Strings[1] = "Beta, edited" }, good.Digest, []string{"strings differ from T-002 on"}},
		{"a string less", func(s *Source) { s.Strings = s.Strings[:2] }, good.Digest, []string{"strings differ from T-003 on"}},
		{"a location", func(s *Source) { s.Locations[0] = []string{"/x"} }, good.Digest, []string{"locations differ from T-001 on"}},
		{"both digests", func(s *Source) { s.Digest = "sha256:0" }, "sha256:1", []string{"digest: sha256:0", "given digest: sha256:1"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s := r.Prepare("ko")
			tt.edit(&s)
			err := r.Agree(s, "ko", tt.given)
			if (err != nil) != (len(tt.want) > 0) || err != nil && !errors.Is(err, ErrChanged) {
				t.Fatalf("error %v", err)
			}
			for _, part := range tt.want {
				if !strings.Contains(err.Error(), part) {
					t.Errorf("%q does not name %q", err, part)
				}
			}
		})
	}
}

func TestAPayloadAsksForEachItemOrReusesIt(t *testing.T) {
	for _, tt := range []struct{ ask, reuse, want string }{
		{`["T-001","T-002"]`, `[]`, ""},
		{`["T-002"]`, `[{"id":"T-001","text":"x"}]`, ""},
		{`["T-002"]`, `[]`, "/ask: T-001 is neither asked for nor reused"},
		{`["T-002","T-001"]`, `[]`, `/ask/1: "T-001" after T-002`},
		{`["T-001","T-002"]`, `[{"id":"T-001","text":"x"}]`, `/reuse/0: "T-001" is in ask already`},
		{`["T-001","T-003"]`, `[]`, `/ask/1: "T-003" (expected an id from T-001 to T-002)`},
		{`["T-001","2"]`, `[]`, `/ask/1: "2"`},
	} {
		text := fmt.Sprintf(`{"schemaVersion":"1.0","kind":"okstra-translation-source","lang":"ko","sourceLang":"en","data":"x.data.json",
			"strings":["a","b"],"locations":[["/a"],["/b"]],"ask":%s,"reuse":%s,"previous":[],"digest":"sha256:0"}`, tt.ask, tt.reuse)
		doc, err := jsondoc.Parse("S.json", []byte(text))
		if err != nil {
			t.Fatal(err)
		}
		_, err = ReadSource(doc)
		if got := fmt.Sprint(err); tt.want == "" && err != nil || tt.want != "" && !strings.Contains(got, tt.want) {
			t.Errorf("ask %s, reuse %s: %s, want %q", tt.ask, tt.reuse, got, tt.want)
		}
	}
}

func TestAReportOfAnotherKindVersionOrNameIsRefused(t *testing.T) {
	for _, tt := range []struct{ path, text, want string }{
		{"x.json", report(""), "expected a name that ends in .data.json"},
		{".data.json", report(""), "expected a name that ends in .data.json"},
		{dataName, `{"schemaVersion":"2.0","kind":"okstra-team-state"}`, `/kind: "okstra-team-state"`},
		{dataName, `{"schemaVersion":"3.0","kind":"okstra-final-report"}`, `/schemaVersion: "3.0"`},
		{dataName, `{"schemaVersion":"2.0","kind":"okstra-final-report","header":{}}`, "/header/reportLanguage: missing"},
		{dataName, `[]`, "expected"},
	} {
		doc, err := jsondoc.Parse(tt.path, []byte(tt.text))
		if err != nil {
			t.Fatal(err)
		}
		if _, err := NewReport(tt.path, doc); err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s: error %v, want %q", tt.text, err, tt.want)
		}
	}
}

package converge

import (
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"okstra/lib/converge/grouping"
	"okstra/lib/jsondoc"
	"okstra/lib/sarif"
	"okstra/lib/schema"
)

// scan reads a log strictly and makes items of it; false when it is no log.
func scan(t *testing.T, raw []byte) (Scan, bool) {
	t.Helper()
	doc, err := jsondoc.Parse("scan.sarif", raw)
	if err != nil {
		return Scan{}, false
	}
	var log sarif.Log
	if doc.Decode(&log) != nil || log.CheckVersion() != nil {
		return Scan{}, false
	}
	s := ScanItems(log, "linter")
	for _, at := range s.At {
		if line, _ := doc.Position(at); line == 0 {
			t.Fatalf("%s is nowhere in %s", at, raw)
		}
	}
	for _, f := range s.Faults {
		if line, _ := doc.Position(f.Pointer); line == 0 && !strings.HasSuffix(f.Pointer, "/message") && f.Pointer != "/runs" {
			t.Fatalf("%s is nowhere in %s", f.Pointer, raw)
		}
	}
	return s, true
}

// Whatever a scanner writes: items fit their schema, are numbered without a
// gap, and can be grouped; and the same log gives the same items.
func FuzzScanItems(f *testing.F) {
	seeds, err := filepath.Glob("../../cmd/okstra-converge/testdata/examples/*.sarif")
	if err != nil || len(seeds) == 0 {
		f.Fatalf("no seed: %v", err)
	}
	for _, name := range seeds {
		raw, err := os.ReadFile(name)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(raw)
	}
	for _, seed := range []string{
		`{"version": "2.1.0"}`, `{"version": "2.1.0", "runs": [null, {"results": null}]}`,
		`{"version": "2.1.0", "runs": [{"results": [{"message": {"text": "a\u001bb\n\u2028c"}, "ruleId": "\n", "ruleIndex": -1, "locations": [{}]}]}]}`,
		`{"version": "2.1.0", "runs": [{"tool": {"driver": {"rules": [{"id": "A", "messageStrings": {"d": {"text": "{0}{{{9}"}}}]}}, "results": [{"rule": {"index": 0}, "message": {"id": "d", "arguments": ["{0}"]}}]}]}`,
		`{"version": "2.1.0", "runs": [{"originalUriBaseIds": {"A": {"uri": "b/", "uriBaseId": "B"}, "B": {"uri": "a/", "uriBaseId": "A"}}, "results": [{"message": {"text": "x"}, "locations": [{"physicalLocation": {"artifactLocation": {"uri": "; c:1, d", "uriBaseId": "A"}, "region": {"startLine": 9, "endLine": 3}}}]}]}]}`,
		`{"version": "2.1.0", "runs": [{"results": [{"message": {"text": "x"}, "locations": [{"physicalLocation": {"artifactLocation": {"uri": "%zz"}, "region": {"startLine": -4}}}, {"logicalLocations": [{"fullyQualifiedName": " "}]}]}]}]}`,
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, raw []byte) {
		s, ok := scan(t, raw)
		if !ok {
			return
		}
		if len(s.At) != len(s.Items) {
			t.Fatalf("%d places of %d items", len(s.At), len(s.Items))
		}
		for i, item := range s.Items {
			line, err := jsondoc.MarshalLine(item)
			if err != nil {
				t.Fatal(err)
			}
			if found := schema.ValidateLine("items", i+1, []byte(strings.TrimSuffix(string(line), "\n")), grouping.ItemKind); len(found) > 0 {
				t.Fatalf("%s: %v", line, found)
			}
			if item.ItemID != grouping.ID("F", i+1) {
				t.Fatalf("item %d is %s", i+1, item.ItemID)
			}
		}
		draft, err := grouping.Draft(s.Items, []grouping.Seat{{WorkerID: "linter", Audience: "analysis"}})
		if err != nil {
			t.Fatalf("draft: %v", err)
		}
		for _, g := range draft.Groups {
			if strings.ContainsAny(g.Claim+g.OriginEvidence, "\n\r\x1b") {
				t.Fatalf("a line of the grouping is broken: %+v", g)
			}
		}
		if again, _ := scan(t, raw); !reflect.DeepEqual(s, again) {
			t.Fatalf("%+v, then %+v", s, again)
		}
	})
}

// What okstra itself writes as SARIF reads back as what it reports; rejected
// findings are suppressed and stay out.
func TestOurOwnSARIFReadsBackAsItems(t *testing.T) {
	s := Seed(inputOf(panel("claude", "codex", "kimi"), true, claimed(1, "w1", "w2"), claimed(2, "w3")), someDigest)
	s = closed(t, s, func(string, string) string { return sayDisagree })
	log, err := SARIF(s, LayoutSingle)
	if err != nil {
		t.Fatal(err)
	}
	got := ScanItems(log, "linter")
	if len(got.Items) != 1 || got.Items[0].Title != "full-consensus: claim 1" || got.Items[0].Evidence[0] != "a.go:10" || len(got.Left) != 1 || got.Left[0].Count != 1 {
		t.Errorf("%+v", got)
	}
}

func TestALongMessageIsCutInTheTitleOnly(t *testing.T) {
	log := sarif.NewLog(sarif.Run{Results: []sarif.Result{{RuleID: "R", Message: sarif.Message{Text: strings.Repeat("ü ", 500)}}}})
	item := ScanItems(log, "linter").Items[0]
	if n := len([]rune(item.Title)); n > maxTitle || !strings.HasSuffix(item.Title, "…") || !strings.HasPrefix(item.Title, "R: ü") {
		t.Errorf("title of %d characters: %s", n, item.Title)
	}
	if !strings.Contains(item.Text, strings.TrimSpace(strings.Repeat("ü ", 500))) {
		t.Errorf("text is cut: %s", item.Text)
	}
}

// No list is not an empty list: of a log without runs nothing can be said, and
// of a run without results it is said that it may not have looked.
func TestWhatAScannerDoesNotListIsNotReadAsClean(t *testing.T) {
	for _, tt := range []struct {
		name, log string
		faults    int
		mute      []string
	}{
		{"no runs", `{"version": "2.1.0"}`, 1, nil},
		{"null for runs", `{"version": "2.1.0", "runs": null}`, 1, nil},
		{"no run", `{"version": "2.1.0", "runs": []}`, 0, nil},
		{"no results", `{"version": "2.1.0", "runs": [{"tool": {"driver": {"name": "x"}}}]}`, 0, []string{"x"}},
		{"null for results", `{"version": "2.1.0", "runs": [{"tool": {"driver": {"name": "x"}}, "results": null}]}`, 0, []string{"x"}},
		{"no result", `{"version": "2.1.0", "runs": [{"tool": {"driver": {"name": "x"}}, "results": []}]}`, 0, nil},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s, ok := scan(t, []byte(tt.log))
			if !ok || len(s.Faults) != tt.faults || !slices.Equal(s.Mute, tt.mute) {
				t.Errorf("%v, faults %v, without a list %q", ok, s.Faults, s.Mute)
			}
		})
	}
}

// The bytes of a path that is no UTF-8 stay tellable: evidence is text.
func TestAPathThatIsNoUTF8IsEncodedInEvidence(t *testing.T) {
	s, ok := scan(t, []byte(`{"version": "2.1.0", "runs": [{"results": [{"message": {"text": "m"}, "locations": [{"physicalLocation": {"artifactLocation": {"uri": "%ff%C3%BC.go"}, "region": {"startLine": 3}}}]}]}]}`))
	if !ok || len(s.Items) != 1 || s.Items[0].Evidence[0] != "%FFü.go:3" {
		t.Errorf("%v %+v", ok, s.Items)
	}
}

// TestAFileKeepsItsNameOnTheWayThroughAGrouping: what a scanner's log names is
// what the log of the state names, whatever a location cannot hold.
func TestAFileKeepsItsNameOnTheWayThroughAGrouping(t *testing.T) {
	for _, uri := range []string{
		"src/my%20file.go", "a%2520b.go", "100%25.go", "100%25%20x.go", "%ED%95%9C.go", "a%23b%3Fc.go", "x/y%3Bz%2C%28a%29.go", "file:///srv/a%20b.go", "file:///C:/x%20y.go",
	} {
		in := sarif.NewLog(sarif.Run{Results: []sarif.Result{{Message: sarif.Message{Text: "m"}, Locations: []sarif.Location{
			{PhysicalLocation: &sarif.PhysicalLocation{ArtifactLocation: sarif.ArtifactLocation{URI: uri}, Region: &sarif.Region{StartLine: 8, EndLine: 9}}},
		}}}})
		evidence := ScanItems(in, "w1").Items[0].Evidence[0]
		g := found(1, "w1")
		g.Origin.Evidence = evidence
		log, err := SARIF(played(t, input(2, false, g), func(string, string, int) string { return "A" }), LayoutSingle)
		if err != nil {
			t.Fatal(err)
		}
		places := log.Runs[0].Results[0].Locations
		if len(places) != 1 || places[0].PhysicalLocation.ArtifactLocation.URI != uri || places[0].PhysicalLocation.Region.EndLine != 9 {
			t.Errorf("%s became %s, and then %+v", uri, evidence, places)
		}
	}
}

package sarif

import (
	"encoding/json"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

func TestAnEmptyRunHasItsListsAndReadsAsARun(t *testing.T) {
	raw, err := json.Marshal(NewLog(Run{Tool: Tool{Driver: Driver{Name: "x"}}}))
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{`"results":[]`, `"rules":[]`, `"version":"2.1.0"`} {
		if !strings.Contains(string(raw), want) {
			t.Errorf("%s lacks %s", raw, want)
		}
	}
	if raw, _ = json.Marshal(NewLog()); !strings.Contains(string(raw), `"runs":[]`) {
		t.Errorf("%s lacks an empty list of runs", raw)
	}
}

func TestURIs(t *testing.T) {
	for _, tt := range []struct{ file, uri string }{
		{"internal/http/retry.go", "internal/http/retry.go"},
		{"a b/c#d?.go", "a%20b/c%23d%3F.go"},
		{"100%.md", "100%25.md"},
		{"c:x/y", "./c:x/y"},
		{"한글/ü.md", "%ED%95%9C%EA%B8%80/%C3%BC.md"},
		{"/srv/shop/a b", "file:///srv/shop/a%20b"},
	} {
		if got := URI(tt.file); got != tt.uri {
			t.Errorf("URI(%q) = %q, want %q", tt.file, got, tt.uri)
		}
		if got := Path(tt.uri); got != tt.file {
			t.Errorf("Path(%q) = %q, want %q", tt.uri, got, tt.file)
		}
	}
	for _, file := range []string{"C:/a b.go", `C:\a b.go`} {
		if at := Place(file, 1, 0).PhysicalLocation.ArtifactLocation; at.URI != "file:///C:/a%20b.go" || at.URIBaseID != "" {
			t.Errorf("Place(%q) = %+v", file, at)
		}
	}
	if got := Path("https://example.com/a"); got != "" {
		t.Errorf("a web address names the file %q", got)
	}
}

func TestEveryPathSurvivesItsURI(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		file := strings.Join(rapid.SliceOfN(rapid.StringMatching(`[^/\x00]{1,8}`), 1, 4).Draw(t, "segments"), "/")
		if file == "." || strings.HasPrefix(file, "./") || strings.ToValidUTF8(file, "") != file {
			t.Skip("no path of a document")
		}
		if got := Path(URI(file)); got != file {
			t.Fatalf("Path(URI(%q)) = %q", file, got)
		}
	})
}

func TestALineThatIsNotKnownHasNoRegion(t *testing.T) {
	if p := Place("a.go", 0, 3).PhysicalLocation; p.Region != nil {
		t.Errorf("region %+v for no line", p.Region)
	}
	if r := Place("a.go", 8, 0).PhysicalLocation.Region; r.StartLine != 8 || r.StartColumn != 0 {
		t.Errorf("region %+v", r)
	}
}

func TestOtherVersionsAreRefused(t *testing.T) {
	for _, raw := range []string{`{"version": "2.0.0", "runs": []}`, `{}`, `[]`, `{"version": "2.1.0", "runs": 5}`} {
		if _, err := Parse([]byte(raw)); err == nil {
			t.Errorf("Parse(%s) is accepted", raw)
		}
	}
	log, err := Parse([]byte(`{"version": "2.1.0", "runs": [{"tool": {"driver": {"name": "x"}}, "results": [{"message": {"text": "m"}}]}]}`))
	if err != nil || len(log.Runs) != 1 || log.Runs[0].Results[0].Message.Text != "m" {
		t.Errorf("Parse: %+v, %v", log, err)
	}
}

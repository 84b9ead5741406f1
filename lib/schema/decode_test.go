package schema

import (
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"testing"

	"okstra/lib/jsondoc"
)

// jsonNumber is a number that is written as it stands.
func jsonNumber(s string) json.RawMessage { return json.RawMessage(s) }

func TestDecode(t *testing.T) {
	var carry struct {
		Stage   int
		Commits []string `json:"commits"`
	}
	doc := mustParse(t, `{"schemaVersion":"1.0","kind":"okstra-stage-carry","stage":2,"result":"PASS","commits":["5f0c0c7"],"later":true}`)
	var typed struct {
		Stage int `json:"stage"`
	}
	if err := Decode(doc, "okstra-stage-carry", &typed); err != nil || typed.Stage != 2 {
		t.Errorf("stage %d, %v", typed.Stage, err)
	}
	if err := Decode(doc, "okstra-stage-carry", &carry); err != nil || len(carry.Commits) != 1 {
		t.Errorf("commits %v, %v", carry.Commits, err)
	}
}

func TestDecodeTellsEveryProblem(t *testing.T) {
	doc := mustParse(t, "{\"schemaVersion\":\"1.0\",\"kind\":\"okstra-stage-carry\",\n\"stage\":\"2\",\"result\":\"pass\"}")
	err := Decode(doc, "okstra-stage-carry", &struct{}{})
	e, ok := errors.AsType[*Error](err)
	if !ok {
		t.Fatalf("error %T", err)
	}
	want := []string{
		`doc:1:1: /commits: missing key "commits" (expected a list of commits)`,
		`doc:2:22: /result: "pass" (expected one of PASS, FAIL, NON-RESULT)`,
		`doc:2:9: /stage: "2" (expected a stage number from 1)`,
	}
	if got := strings.Split(e.Error(), "\n"); !slices.Equal(got, want) {
		t.Errorf("got %q\nwant %q", got, want)
	}
	var parts []string
	for _, part := range e.Unwrap() {
		parts = append(parts, part.Error())
		if s, ok := part.(interface{ ExitStatus() int }); !ok || s.ExitStatus() != 2 {
			t.Errorf("%v has no exit status 2", part)
		}
	}
	if !slices.Equal(parts, want) || e.ExitStatus() != 2 {
		t.Errorf("parts %q, status %d", parts, e.ExitStatus())
	}
}

func TestDecodeIntoATypeThatDoesNotFit(t *testing.T) {
	var wrong struct {
		Stage string `json:"stage"`
	}
	err := Decode(exampleOf(t, "stage-carry"), "stage-carry", &wrong)
	e, ok := errors.AsType[*Error](err)
	if !ok || len(e.Problems) != 1 || e.Problems[0].Pointer != "/stage" || e.Problems[0].Line == 0 {
		t.Errorf("error %T: %v", err, err)
	}
}

func TestDocumentPutTogetherByHandIsNotTrusted(t *testing.T) {
	doc := jsondoc.Doc{Name: "hand", Raw: []byte(`{"kind":`)}
	if got := Validate(doc, "job"); len(got) != 1 || got[0].Code != CodeSchema {
		t.Errorf("findings: %v", got)
	}
	if err := Check(doc, "job"); err == nil {
		t.Error("no error")
	}
}

func TestLinesOfAStreamKeepTheirNumber(t *testing.T) {
	raw := []byte(`{"runId":"a:b:c:error-analysis:001","at":"2026-09-08T19:30:00Z","kind":"progress","line":7}`)
	got := ValidateLine("events.jsonl", 31, raw, "event")
	if len(got) != 1 || line(got[0]) != `events.jsonl:31:90: /line: 7 (expected a text)` {
		t.Errorf("findings: %v", got)
	}
	err := DecodeLine("events.jsonl", 31, raw, "event", &struct{}{})
	if err == nil || err.Error() != `events.jsonl:31:90: /line: 7 (expected a text)` {
		t.Errorf("error: %v", err)
	}
	if err := DecodeLine("events.jsonl", 32, exampleOf(t, "event").Raw, "event", &struct{}{}); err != nil {
		t.Error(err)
	}
}

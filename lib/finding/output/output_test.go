package output

import (
	"encoding/json"
	"encoding/xml"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"okstra/lib/finding"
	"okstra/lib/jsondoc"
	"okstra/lib/schema"
)

const report = ".okstra/tasks/pay/checkout-timeouts/runs/final-verification/reports/final-report-final-verification-001.data.json"

// one is a run with one finding.
func one() Run {
	return Run{
		Run:      ".okstra/tasks/pay/checkout-timeouts/runs/final-verification/manifests/run-manifest-final-verification-001.json",
		TaskType: "final-verification", RunSeq: "001",
		Findings: []finding.Finding{{
			Level: finding.Error, Code: "report-verdict", Artifact: report, Pointer: "/verdictCard/verdictToken", Line: 8, Column: 21,
			Message: `"accepted" with 1 acceptance blocker (K-001)`, Found: "accepted", Expected: "conditional-accept or blocked",
			Fingerprint: "sha256:" + strings.Repeat("3f", 32), Baseline: "new",
		}},
		Subjects: []Subject{{report, "sha256:" + strings.Repeat("b5", 32)}},
		Rules:    []Rule{{Code: "report-verdict", Level: finding.Error, Title: "the verdict does not follow from the report", Help: "Why."}, {Code: "doc-missing", Level: finding.Error}, {Code: "conv-recompute", Level: finding.Error}},
		Judged:   []string{"report-verdict", "doc-missing"},
	}
}

// clean is a run without a finding.
func clean() Run {
	r := one()
	r.Findings = nil
	return r
}

func TestOneFindingInEveryFormat(t *testing.T) {
	sum := strings.Repeat("3f", 32)
	for _, tt := range []struct{ name, got, want string }{
		{"text", Text(one()), "error\treport-verdict\t" + report + "\t8:21\t/verdictCard/verdictToken is \"accepted\" with 1 acceptance blocker (K-001); expected conditional-accept or blocked\n"},
		{"summary", Summary([]Run{one()}, 0), "result=contract-violated errors=1 warnings=0 notes=0"},
		{"summary of two", Summary([]Run{one(), clean()}, 0), "result=contract-violated errors=1 warnings=0 notes=0 runs=2"},
		{"github", GitHub([]Run{one()}), "::error file=" + report + ",line=8,col=21,title=report-verdict::\"accepted\" with 1 acceptance blocker (K-001)\n"},
		{"junit", junit(t, one()), `<testsuites name="okstra-validate" tests="1" failures="1" errors="0" time="0.000"><testsuite name="final-verification-001" tests="1" failures="1" errors="0" skipped="0" time="0.000"><testcase classname="` + report + `" name="report-verdict" time="0.000"><failure type="error" message="&#34;accepted&#34; with 1 acceptance blocker (K-001)">` + report + `:8:21 /verdictCard/verdictToken</failure></testcase></testsuite></testsuites>`},
		{"jsonl", compact(t, Lines(one())[0]), `{"schemaVersion":"1.0","kind":"okstra-validation","run":"` + one().Run + `","level":"error","code":"report-verdict","artifact":"` + report + `","pointer":"/verdictCard/verdictToken","line":8,"column":21,"message":"\"accepted\" with 1 acceptance blocker (K-001)","found":"accepted","expected":"conditional-accept or blocked","fingerprint":"sha256:` + sum + `","baseline":"new"}`},
		{"sarif", compact(t, SARIF([]Run{one()}, nil, "v0.3.0").Runs[0].Results[0]), `{"ruleId":"report-verdict","kind":"fail","level":"error","message":{"text":"\"accepted\" with 1 acceptance blocker (K-001)"},"locations":[{"physicalLocation":{"artifactLocation":{"uri":"` + report + `","uriBaseId":"%SRCROOT%"},"region":{"startLine":8,"startColumn":21}},"logicalLocations":[{"fullyQualifiedName":"/verdictCard/verdictToken"}]}],"partialFingerprints":{"okstraFinding/v1":"` + sum + `"},"baselineState":"new"}`},
		{"intoto", compact(t, InToto(one(), "sha256:77aa")), `{"_type":"https://in-toto.io/Statement/v1","subject":[{"name":"` + report + `","digest":{"sha256":"` + strings.Repeat("b5", 32) + `"}}],"predicateType":"https://in-toto.io/attestation/test-result/v0.1","predicate":{"result":"FAILED","configuration":[{"name":"okstra-validate-rules","digest":{"sha256":"77aa"}}],"passedTests":["doc-missing"],"warnedTests":[],"failedTests":["report-verdict"]}}`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if diff := cmp.Diff(tt.want, tt.got); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestNoFindingInEveryFormat(t *testing.T) {
	for _, tt := range []struct{ name, got, want string }{
		{"text", Text(clean()), ""},
		{"summary", Summary(nil, 0), "result=incomplete errors=0 warnings=0 notes=0 runs=0"},
		{"summary with something lost", Summary([]Run{clean()}, 1), "result=incomplete errors=0 warnings=0 notes=0 unjudged=1"},
		{"github", GitHub([]Run{clean()}), ""},
		{"junit", junit(t, clean()), `<testsuites name="okstra-validate" tests="0" failures="0" errors="0" time="0.000"><testsuite name="final-verification-001" tests="0" failures="0" errors="0" skipped="0" time="0.000"></testsuite></testsuites>`},
		{"junit without a run", junit(t), `<testsuites name="okstra-validate" tests="0" failures="0" errors="0" time="0.000"></testsuites>`},
		{"json", compact(t, JSON([]Run{clean()}).Runs[0].Findings), `[]`},
		{"json without a run", compact(t, JSON(nil)), `{"schemaVersion":"1.0","kind":"okstra-validation","runs":[]}`},
		{"jsonl", compact(t, Lines(clean())), `[]`},
		{"sarif", compact(t, SARIF([]Run{clean()}, nil, "(devel)")), `{"$schema":"https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json","version":"2.1.0","runs":[{"tool":{"driver":{"name":"okstra-validate","rules":[]}},"invocations":[{"executionSuccessful":true}],"columnKind":"unicodeCodePoints","results":[]}]}`},
		{"intoto", compact(t, InToto(clean(), "sha256:77aa").Predicate.Result), `"PASSED"`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if diff := cmp.Diff(tt.want, tt.got); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// compact is v as one line of JSON, as the program writes it.
func compact(t *testing.T, v any) string {
	raw, err := jsondoc.MarshalLine(v)
	if err != nil {
		t.Fatal(err)
	}
	return strings.TrimSpace(string(raw))
}

// junit is the report without the header and the layout.
func junit(t *testing.T, runs ...Run) string {
	raw, err := JUnit(runs)
	if err != nil {
		t.Fatal(err)
	}
	text := strings.TrimPrefix(string(raw), xml.Header)
	for strings.Contains(text, "\n") {
		text = strings.ReplaceAll(strings.ReplaceAll(text, "\n ", "\n"), "\n<", "<")
		text = strings.TrimSuffix(text, "\n")
	}
	return text
}

func TestTheJSONFormsFitTheirSchema(t *testing.T) {
	for _, v := range []any{JSON([]Run{one(), clean(), {Run: "doc.json"}}), JSON(nil), Lines(one())[0]} {
		raw, err := jsondoc.Marshal(v)
		if err != nil {
			t.Fatal(err)
		}
		doc, err := jsondoc.Parse("validation", raw)
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range schema.Validate(doc, "okstra-validation") {
			t.Errorf("%s: %s", f.Pointer, f.Message)
		}
	}
}

// What GitHub and GitLab refuse a file for, or take a clean run for no run
// because of; checked on the text, not on our types.
func TestSARIFHasWhatItsReadersInsistOn(t *testing.T) {
	var log map[string]any
	known := one()
	known.Findings[0].Line, known.Findings[0].Column, known.Findings[0].Artifact = 0, 0, "a b/ü#.md"
	if err := json.Unmarshal([]byte(compact(t, SARIF([]Run{one(), known}, []Fault{{"m.json", "not JSON"}}, "v0.3.0"))), &log); err != nil {
		t.Fatal(err)
	}
	run := log["runs"].([]any)[0].(map[string]any)
	driver := run["tool"].(map[string]any)["driver"].(map[string]any)
	if driver["semanticVersion"] != "0.3.0" || len(driver["rules"].([]any)) != 1 {
		t.Errorf("driver %v", driver)
	}
	results := run["results"].([]any)
	if len(results) != 2 {
		t.Fatalf("%d results", len(results))
	}
	for _, r := range results {
		if _, has := r.(map[string]any)["ruleIndex"]; has || r.(map[string]any)["level"] != "error" {
			t.Errorf("result %v has an index or no level", r)
		}
	}
	place := results[1].(map[string]any)["locations"].([]any)[0].(map[string]any)["physicalLocation"].(map[string]any)
	if _, has := place["region"]; has {
		t.Errorf("a region without a line: %v", place)
	}
	if uri := place["artifactLocation"].(map[string]any)["uri"]; uri != "a%20b/%C3%BC%23.md" {
		t.Errorf("uri %v", uri)
	}
	invocation := run["invocations"].([]any)[0].(map[string]any)
	if invocation["executionSuccessful"] != false || len(invocation["toolExecutionNotifications"].([]any)) != 1 {
		t.Errorf("invocation %v", invocation)
	}
}

func TestGitHubShowsTheWorstAndSaysWhatIsLeftOut(t *testing.T) {
	var r Run
	for i := range 25 {
		level := finding.Levels()[i%2]
		r.Findings = append(r.Findings, finding.Finding{Level: level, Code: "doc-schema", Artifact: "a.json", Line: i + 1, Message: fmt.Sprint(i)})
	}
	r.Findings = append(r.Findings, finding.Finding{Level: finding.Error, Code: "doc-schema", Artifact: "a.json", Message: "known one", Baseline: "unchanged"})
	r.Prefix = "services/shop"
	lines := strings.Split(strings.TrimSpace(GitHub([]Run{r})), "\n")
	if len(lines) != 21 {
		t.Fatalf("%d lines:\n%s", len(lines), strings.Join(lines, "\n"))
	}
	for i, prefix := range map[int]string{0: "::error file=services/shop/a.json,line=1,", 9: "::error ", 10: "::warning ", 20: "::notice "} {
		if !strings.HasPrefix(lines[i], prefix) {
			t.Errorf("line %d: %s", i+1, lines[i])
		}
	}
	if !strings.Contains(lines[9], "(3 more: see the log and the job summary)") || !strings.Contains(lines[19], "(2 more") || !strings.HasSuffix(lines[20], "::known: known one") {
		t.Errorf("lines 10, 20 and 21:\n%s\n%s\n%s", lines[9], lines[19], lines[20])
	}
}

func TestHostileTextsDoNothing(t *testing.T) {
	r := Run{Run: "r", Findings: []finding.Finding{{
		Level: finding.Error, Code: "doc-schema", Artifact: "a,b:c%.json", Pointer: "/x\x1b[31m", Line: 1,
		Message: "100%\n::set-env name=A::b\x1b]0;x\x07 \u202e##[add-mask]y", Expected: "<script>|`x`",
	}}}
	if got := GitHub([]Run{r}); strings.Count(got, "\n") != 1 || strings.ContainsRune(got, 0x1b) || !strings.HasPrefix(got, "::error file=a%2Cb%3Ac%25.json,line=1,title=doc-schema::100%25 ::set-env") {
		t.Errorf("github: %q", got)
	}
	if got := Inert(Text(r)); strings.Count(got, "\n") != 1 || strings.ContainsRune(got, 0x1b) || strings.Contains(got, "##[") {
		t.Errorf("text: %q", got)
	}
	if got := Inert("  ::stop-commands::x\nfine\n"); got != "  : :stop-commands::x\nfine\n" {
		t.Errorf("inert: %q", got)
	}
	if got := StepSummary([]Run{r}, nil); strings.ContainsAny(got, "<>\x1b`") {
		t.Errorf("summary: %q", got)
	}
}

func TestAJobSummaryIsNeverTooLarge(t *testing.T) {
	r := Run{}
	for range 6000 {
		r.Findings = append(r.Findings, finding.Finding{Level: finding.Error, Code: "doc-schema", Artifact: "a.json", Message: strings.Repeat("x", 300)})
	}
	got := StepSummary([]Run{r}, nil)
	if len(got) > maxSummary || !strings.Contains(got, " more: see the log") {
		t.Errorf("%d bytes, ends %q", len(got), got[len(got)-40:])
	}
}

func TestAKnownErrorIsSkippedInJUnit(t *testing.T) {
	r := one()
	r.Findings[0].Baseline = "unchanged"
	r.Findings = append(r.Findings, finding.Finding{Level: finding.Warning, Code: "doc-unknown-key", Artifact: "a.json", Message: "unknown"})
	got := junit(t, r)
	for _, want := range []string{`tests="2" failures="0" errors="0" skipped="1"`, `<skipped message="known from the baseline">`, `<system-out>warning: a.json unknown`} {
		if !strings.Contains(got, want) {
			t.Errorf("%s lacks %s", got, want)
		}
	}
	if root, _, _ := strings.Cut(got, "><testsuite"); strings.Contains(root, "skipped") {
		t.Errorf("the root has %s", root)
	}
}

func TestJUnitIsWellFormedWhateverTheTexts(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.OneOf(rapid.String(), rapid.Map(rapid.SliceOf(rapid.Byte()), func(b []byte) string { return string(b) }))
		r := Run{Run: text.Draw(t, "run")}
		for range rapid.IntRange(0, 3).Draw(t, "findings") {
			r.Findings = append(r.Findings, finding.Finding{
				Level: finding.Error, Code: text.Draw(t, "code"), Artifact: text.Draw(t, "artifact"), Message: text.Draw(t, "message"),
			})
		}
		raw, err := JUnit([]Run{r})
		if err != nil {
			t.Fatal(err)
		}
		dec := xml.NewDecoder(strings.NewReader(string(raw)))
		for {
			if _, err := dec.Token(); err == io.EOF {
				return
			} else if err != nil {
				t.Fatalf("%v\n%s", err, raw)
			}
		}
	})
}

func TestTwoNamesThatXMLCannotHoldStayTwo(t *testing.T) {
	if a, b := legal("a\x1b"), legal("a\x00"); a == b || a != `a\x{1b}` {
		t.Errorf("%q and %q", a, b)
	}
}

// The shape is closed: a key that SARIF does not know, an empty list that is
// null or a line 0 makes code hosts refuse the whole file, and a refused file
// looks like a clean one. The public schema is not part of the tree; where
// somebody has it, the logs are held against it too.
func TestSARIFFitsItsSchema(t *testing.T) {
	hostile := one()
	hostile.Findings = slices.Clone(hostile.Findings)
	for _, place := range []string{"a b/c:d.json", "/etc/passwd", "r\x1b[31m\n", "%41", "\xff", "ünï.md", "?q#f"} {
		f := finding.Finding{Level: finding.Note, Code: "doc-path", Artifact: place, Message: "\x1b[2J\x00", Fingerprint: "sha256:00", Baseline: "new"}
		hostile.Findings = append(hostile.Findings, f)
	}
	schemas := []string{"testdata/sarif-shape.schema.json"}
	if name := os.Getenv("OKSTRA_SARIF_SCHEMA"); name != "" {
		schemas = append(schemas, filepath.Clean(name))
	}
	for i, log := range []any{
		SARIF([]Run{one()}, []Fault{{"m.json", "not JSON"}, {"", "no run named"}}, "v1.2.3-4-g89c3ebb"),
		SARIF([]Run{clean()}, nil, "89c3ebb"), SARIF([]Run{clean()}, nil, "(devel)"), SARIF(nil, nil, ""),
		SARIF([]Run{hostile, one()}, nil, "v0.3.0"),
	} {
		for _, schema := range schemas {
			if err := fits(schema, compact(t, log)); err != nil {
				t.Errorf("log %d, %s: %v", i, schema, err)
			}
		}
	}
}

package writepolicy

import (
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"os"
	"slices"
	"sort"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"okstra/lib/jsondoc"
	"okstra/lib/jsonl"
	"okstra/lib/run"
)

const good = `{"artifactPolicy":{"allowedRoot":"/r","allowedPaths":["a"]},"sourcePolicy":{"mode":"project-mutation","allowedRoot":"/r","plannedPaths":["p"],"protectedPaths":[".git"]},
"gitPolicy":{"mode":"fast-forward-descendant-chain","worktreeGitDir":"/g","gitCommonDir":"/g","expectedBaseCommit":"c","allowedBranchRef":"b","commitMode":"m"},
"auxiliaryPolicy":{"scratchRoots":["/s"],"generatedPaths":["g"],"externalRoots":["/e"]}}`

func TestW1PayloadRefusals(t *testing.T) {
	for _, tt := range []struct {
		name, pointer, value string // what to set; "" deletes
		code                 string
		words                []string
	}{
		{"a section is missing", "/gitPolicy", "", "sections", []string{"gitPolicy"}},
		{"a section too many", "/more", "{}", "sections", []string{"more"}},
		{"section is a list", "/auxiliaryPolicy", "[]", "section-type", []string{"auxiliaryPolicy"}},
		{"section is null", "/artifactPolicy", "null", "section-type", []string{"artifactPolicy"}},
		{"artifact key missing", "/artifactPolicy/allowedPaths", "", "artifact-keys", []string{"allowedPaths"}},
		{"artifact key too many", "/artifactPolicy/x", "1", "artifact-keys", []string{"x"}},
		{"artifact root relative", "/artifactPolicy/allowedRoot", `"r"`, "not-absolute", []string{"artifactPolicy.allowedRoot"}},
		{"artifact root empty", "/artifactPolicy/allowedRoot", `""`, "not-absolute", nil},
		{"artifact root is a number", "/artifactPolicy/allowedRoot", `1`, "not-absolute", nil},
		{"artifact path form", "/artifactPolicy/allowedPaths/0", `"./a"`, "path-form", nil},
		{"artifact paths null", "/artifactPolicy/allowedPaths", `null`, "not-an-array", nil},
		{"source mode", "/sourcePolicy/mode", `"readonly"`, "source-mode", []string{"readonly"}},
		{"source mode is a list", "/sourcePolicy/mode", `[]`, "source-mode", nil},
		{"source mode before keys", "/sourcePolicy", `{"mode":"x"}`, "source-mode", nil},
		{"source key missing", "/sourcePolicy/plannedPaths", "", "source-keys", []string{"plannedPaths"}},
		{"source root", "/sourcePolicy/allowedRoot", `"r"`, "not-absolute", []string{"sourcePolicy.allowedRoot"}},
		{"planned path", "/sourcePolicy/plannedPaths/0", `"a/"`, "path-form", []string{"plannedPaths"}},
		{"protected path", "/sourcePolicy/protectedPaths/0", `""`, "empty-text", []string{"protectedPaths"}},
		{"git mode", "/gitPolicy/mode", `"merge"`, "git-mode", []string{"merge"}},
		{"git mode missing", "/gitPolicy", `{}`, "git-mode", nil},
		{"disabled with more", "/gitPolicy/mode", `"disabled"`, "git-disabled", []string{"commitMode"}},
		{"git key missing", "/gitPolicy/commitMode", "", "git-keys", []string{"commitMode"}},
		{"git key too many", "/gitPolicy/x", "1", "git-keys", []string{"x"}},
		{"auxiliary key missing", "/auxiliaryPolicy/externalRoots", "", "auxiliary-keys", []string{"externalRoots"}},
		{"generated path", "/auxiliaryPolicy/generatedPaths/0", `"../g"`, "path-form", []string{"generatedPaths"}},
		{"scratch root relative", "/auxiliaryPolicy/scratchRoots/0", `"s"`, "not-absolute", []string{"auxiliaryPolicy.scratchRoots"}},
		{"scratch root empty", "/auxiliaryPolicy/scratchRoots/0", `""`, "empty-text", nil},
		{"external roots null", "/auxiliaryPolicy/externalRoots", `null`, "not-an-array", []string{"auxiliaryPolicy.externalRoots"}},
		{"float among the git values", "/gitPolicy/commitMode", `1.5`, "no-canonical-form", nil},
		{"lone surrogate among the git values", "/gitPolicy/commitMode", `"\ud800"`, "no-canonical-form", nil},
	} {
		t.Run(tt.name, func(t *testing.T) {
			doc := parse(t, good)
			var err error
			if tt.value == "" {
				doc, err = doc.Delete(tt.pointer)
			} else if strings.Contains(tt.value, "ud800") {
				// Strict reading refuses it before any rule is asked.
				if _, err := jsondoc.Parse("x", []byte(strings.Replace(good, `"m"`, tt.value, 1))); err == nil {
					t.Error("a lone surrogate was read")
				}
				return
			} else {
				doc, err = doc.Set(tt.pointer, json.RawMessage(tt.value))
			}
			if err != nil {
				t.Fatal(err)
			}
			_, err = Load(doc)
			wantCode(t, err, tt.code, tt.words...)
		})
	}
	for _, text := range []string{"[]", "null", `"x"`, "1"} {
		_, err := Load(parse(t, text))
		wantCode(t, err, "sections")
	}
	if _, err := FromRun(nil); err == nil {
		t.Error("a missing policy was taken")
	}
}

func TestPayloadsThatPass(t *testing.T) {
	for _, tt := range []struct{ name, pointer, value string }{
		{"W4 no artifacts", "/artifactPolicy/allowedPaths", `[]`},
		{"git values of any type", "/gitPolicy/expectedBaseCommit", `{"a":[null,true,12345678901234567890123]}`},
		{"git mode that does not fit the source mode", "/gitPolicy", `{"mode":"disabled"}`},
		{"roots that do not exist, unresolved and twice", "/auxiliaryPolicy/externalRoots", `["/x/../y","/x/../y"]`},
		{"names that look odd", "/sourcePolicy/plannedPaths", `[" ","a b","c\\d","...","한글"]`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			doc, err := parse(t, good).Set(tt.pointer, json.RawMessage(tt.value))
			if err != nil {
				t.Fatal(err)
			}
			if _, err := Load(doc); err != nil {
				t.Error(err)
			}
		})
	}
}

// The digests that the specification gives for its three examples.
func TestDigestsOfTheExamples(t *testing.T) {
	const r = ".okstra/tasks/pay/checkout-timeouts/runs/error-analysis/worker-results/scope-b-worker-"
	shop := func(errors string) run.WritePolicy {
		return run.WritePolicy{
			ArtifactPolicy:  run.ArtifactPolicy{AllowedRoot: "/srv/shop", AllowedPaths: []string{r + "error-analysis-002.md", r + "audit-error-analysis-002.md", r + errors}},
			SourcePolicy:    run.SourcePolicy{Mode: SourceReadonly, AllowedRoot: "/srv/shop", PlannedPaths: []string{}, ProtectedPaths: []string{".okstra", ".git"}},
			GitPolicy:       run.GitPolicy{Mode: GitDisabled},
			AuxiliaryPolicy: run.AuxiliaryPolicy{ScratchRoots: []string{}, GeneratedPaths: []string{}, ExternalRoots: []string{}},
		}
	}
	const i = ".okstra/tasks/tasks/auth/runs/implementation/worker-results/implementer-worker-"
	implementer := run.WritePolicy{
		ArtifactPolicy: run.ArtifactPolicy{AllowedRoot: "/srv/jobs", AllowedPaths: []string{i + "implementation-001.md", i + "audit-implementation-001.md", i + "errors.json"}},
		SourcePolicy:   run.SourcePolicy{Mode: SourceMutation, AllowedRoot: "/home/u/.okstra/worktrees/jobs/tasks/auth", PlannedPaths: []string{"src/auth/login.go", "src/auth/login_test.go"}, ProtectedPaths: []string{".okstra", ".git"}},
		GitPolicy: run.GitPolicy{
			Mode: GitFastForward, WorktreeGitDir: "/srv/jobs/.git/worktrees/auth", GitCommonDir: "/srv/jobs/.git",
			ExpectedBaseCommit: "5f0c0c7e0d3b7a1b1f2a3c4d5e6f708192a3b4c5", AllowedBranchRef: "refs/heads/feat-auth", CommitMode: GitFastForward,
		},
		AuxiliaryPolicy: run.AuxiliaryPolicy{ScratchRoots: []string{}, GeneratedPaths: []string{}, ExternalRoots: []string{}},
	}
	for _, tt := range []struct {
		name   string
		policy run.WritePolicy
		want   string
	}{
		{"implementer in a linked worktree", implementer, "sha256:6354c2672ececd98db3ec7271068835e7f16104616c7499194e77863e83031a7"},
		{"analyser, first attempt", shop("errors.json"), "sha256:36efb8e1a5ccdd27c11499e58d0292bef0e1c805bbe480df8f21e324bc066067"},
		{"analyser, second attempt", shop("errors.attempt-2.json"), "sha256:6da49d637246535f6fa35088410c7bbc611d418abc5eef90be18be3056261f14"},
	} {
		p, err := FromRun(&tt.policy)
		if err != nil || p.Digest != tt.want {
			t.Errorf("%s: digest %s, %v, want %s", tt.name, p.Digest, err, tt.want)
		}
	}
}

func TestW9DigestsOfTheCommittedVectors(t *testing.T) {
	f, err := os.Open("testdata/policies.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	n := 0
	for row, err := range jsonl.Rows(f, "policies.jsonl") {
		if err != nil {
			t.Fatal(err)
		}
		doc := parse(t, string(row.Raw))
		var want struct {
			Digest  string
			Payload json.RawMessage
		}
		if err := doc.Decode(&struct {
			Digest  *string          `json:"digest"`
			Payload *json.RawMessage `json:"payload"`
		}{&want.Digest, &want.Payload}); err != nil {
			t.Fatal(err)
		}
		p, err := Load(parse(t, string(want.Payload)))
		if err != nil || p.Digest != want.Digest {
			t.Errorf("line %d: digest %s, %v, want %s", row.Number, p.Digest, err, want.Digest)
		}
		n++
	}
	if n != 300 {
		t.Errorf("%d vectors, want 300", n)
	}
}

// slowDigest writes the canonical form in the most obvious way: from Go
// values, one rune at a time.
func slowDigest(v any) string {
	var write func(v any) string
	text := func(s string) string {
		var b strings.Builder
		b.WriteByte('"')
		for _, r := range s {
			switch {
			case r == '"' || r == '\\':
				b.WriteString("\\" + string(r))
			case strings.ContainsRune("\b\f\n\r\t", r):
				b.WriteString(map[rune]string{'\b': `\b`, '\f': `\f`, '\n': `\n`, '\r': `\r`, '\t': `\t`}[r])
			case r < 0x20:
				b.WriteString(fmt.Sprintf("\\u%04x", r))
			default:
				b.WriteRune(r)
			}
		}
		return b.String() + `"`
	}
	write = func(v any) string {
		switch v := v.(type) {
		case string:
			return text(v)
		case []string:
			var items []string
			for _, item := range v {
				items = append(items, text(item))
			}
			return "[" + strings.Join(items, ",") + "]"
		case map[string]any:
			var keys []string
			for k := range v {
				keys = append(keys, k)
			}
			sort.Slice(keys, func(i, j int) bool { return slices.Compare([]rune(keys[i]), []rune(keys[j])) < 0 })
			var items []string
			for _, k := range keys {
				items = append(items, text(k)+":"+write(v[k]))
			}
			return "{" + strings.Join(items, ",") + "}"
		}
		panic(fmt.Sprintf("%T", v))
	}
	return fmt.Sprintf("sha256:%x", sha256.Sum256([]byte(write(v))))
}

func drawName(t *rapid.T, label string) string {
	return rapid.StringOfN(rapid.OneOf(rapid.RuneFrom([]rune("<>&\"\\\b\f\n\r\t\x01\x1f\x7f\u2028\u2029한글é\U0001f600 a")), rapid.Rune()), 1, 12, -1).
		Filter(func(s string) bool {
			return !strings.Contains(s, "/") && s != "." && s != ".." && strings.ToValidUTF8(s, "") == s
		}).Draw(t, label)
}

func TestW9DigestEqualsASlowIndependentOne(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		paths := rapid.SliceOfNDistinct(rapid.Custom(func(t *rapid.T) string { return drawName(t, "name") }), 0, 4, rapid.ID[string])
		p := run.WritePolicy{
			ArtifactPolicy:  run.ArtifactPolicy{AllowedRoot: "/" + drawName(t, "root"), AllowedPaths: paths.Draw(t, "allowed")},
			SourcePolicy:    run.SourcePolicy{Mode: SourceReadonly, AllowedRoot: "/" + drawName(t, "source"), PlannedPaths: paths.Draw(t, "planned"), ProtectedPaths: paths.Draw(t, "protected")},
			GitPolicy:       run.GitPolicy{Mode: GitFastForward, AllowedBranchRef: drawName(t, "branch")},
			AuxiliaryPolicy: run.AuxiliaryPolicy{ScratchRoots: []string{}, GeneratedPaths: paths.Draw(t, "generated"), ExternalRoots: []string{"/" + drawName(t, "external")}},
		}
		got, err := FromRun(&p)
		if err != nil {
			t.Fatal(err)
		}
		want := slowDigest(map[string]any{
			"artifactPolicy":  map[string]any{"allowedRoot": p.ArtifactPolicy.AllowedRoot, "allowedPaths": p.ArtifactPolicy.AllowedPaths},
			"sourcePolicy":    map[string]any{"mode": p.SourcePolicy.Mode, "allowedRoot": p.SourcePolicy.AllowedRoot, "plannedPaths": p.SourcePolicy.PlannedPaths, "protectedPaths": p.SourcePolicy.ProtectedPaths},
			"gitPolicy":       map[string]any{"mode": p.GitPolicy.Mode, "worktreeGitDir": "", "gitCommonDir": "", "expectedBaseCommit": "", "allowedBranchRef": p.GitPolicy.AllowedBranchRef, "commitMode": ""},
			"auxiliaryPolicy": map[string]any{"scratchRoots": p.AuxiliaryPolicy.ScratchRoots, "generatedPaths": p.AuxiliaryPolicy.GeneratedPaths, "externalRoots": p.AuxiliaryPolicy.ExternalRoots},
		})
		if got.Digest != want {
			t.Fatalf("digest %s, want %s", got.Digest, want)
		}
	})
}

func TestW10TheOrderOfPathsIsPartOfTheDigest(t *testing.T) {
	a := strings.Replace(good, `["a"]`, `["a","b"]`, 1)
	b := strings.Replace(good, `["a"]`, `["b","a"]`, 1)
	first, _ := Load(parse(t, a))
	second, _ := Load(parse(t, b))
	if first.Digest == second.Digest || first.Digest == "" {
		t.Errorf("digests %s and %s", first.Digest, second.Digest)
	}
}

func TestAPolicySurvivesARoundTripThroughRun(t *testing.T) {
	p, err := Load(parse(t, good))
	if err != nil {
		t.Fatal(err)
	}
	again, err := FromRun(&p.WritePolicy)
	if err != nil || again.Digest != p.Digest {
		t.Errorf("digest %s, %v, want %s", again.Digest, err, p.Digest)
	}
	if _, err := Load(jsondoc.Doc{Name: "payload", Raw: p.Payload()}); err != nil {
		t.Error(err)
	}
}

func FuzzLoad(f *testing.F) {
	f.Add(good)
	f.Add(`{}`)
	f.Add(strings.Replace(good, `"/r"`, `"/\u2028한"`, 1))
	f.Add(strings.Replace(good, `"c"`, `[1,{"a":null}]`, 1))
	f.Add(strings.Replace(good, `"fast-forward-descendant-chain"`, `"disabled"`, 1))
	f.Fuzz(func(t *testing.T, text string) {
		doc, err := jsondoc.Parse("fuzz", []byte(text))
		if err != nil {
			return
		}
		p, err := Load(doc)
		if err != nil {
			if p.Digest != "" || p.payload != nil {
				t.Error("a refused payload left something behind")
			}
			return
		}
		// Law: what was accepted is accepted again, with the same digest.
		again, err := Load(parse(t, string(p.Payload())))
		if err != nil || again.Digest != p.Digest {
			t.Errorf("second time: %s, %v, first %s", again.Digest, err, p.Digest)
		}
	})
}

package schema

import (
	"encoding/json"
	"os/exec"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// patterns lists every pattern of every schema file, sorted, each once.
func patterns(t *testing.T) []string {
	t.Helper()
	var all []string
	var collect func(v any)
	collect = func(v any) {
		switch v := v.(type) {
		case map[string]any:
			if p, ok := v["pattern"].(string); ok {
				all = append(all, p)
			}
			if named, ok := v["patternProperties"].(map[string]any); ok {
				all = append(all, sortedKeys(named)...)
			}
			for _, sub := range v {
				collect(sub)
			}
		case []any:
			for _, sub := range v {
				collect(sub)
			}
		}
	}
	for _, file := range Files() {
		raw, err := File(file)
		if err != nil {
			t.Fatal(err)
		}
		var v any
		if err := json.Unmarshal(raw, &v); err != nil {
			t.Fatal(err)
		}
		collect(v)
	}
	slices.Sort(all)
	return slices.Compact(all)
}

// Texts that tell engines apart: dots, line ends, what \d, \s and $ disagree
// about, characters beyond the basic plane.
var patternProbes = []string{
	"", "/", "a", "a/b", "a//b", "/a/b", "a/", "./a", "a/.", "a/..", "../a", "..", "...", "a/...", ".a", "a/.b/c", "a\nb", "a\n", "\n", " ", "\t", "a b",
	"\u00a0", "\u2028", "a\u2028b", "é", "😀", "a😀/b", "٣", "１２３", "\\", "\"", "1.0", "1.10", "1.01", "2.0", "2", "001", "0001", "1000",
	"E-001", "E-0001", "E-1000", "E-1", "e-001", "G-001", "P-001", "X-1234", "G-001\n", "re-0001", "sha256:" + strings.Repeat("a", 64), "sha256:" + strings.Repeat("A", 64),
	"sha256:" + strings.Repeat("a", 64) + "\n", strings.Repeat("a", 64), strings.Repeat("a", 65), strings.Repeat("0", 40), "5f0c0c7",
	"2026-09-08T19:30:00Z", "2026-09-08T19:30:00Z\n", "2026-13-08T19:30:00Z", "2026-09-08T19:30:60Z", "2026-09-08T19:30:00.123Z", "2026-09-08T19:30:00+09:00",
	"shop:pay:timeouts", "shop:pay:timeouts:error-analysis:002", "pay/timeouts", "participant:scope-a", "assignment:reverify-r1:scope-a", "assignment:x:y:z",
	"scope-a", "Scope", "-a", "a.b_c-d", "claude/opus", "claude/Gemini 3 (High)", "claude/", "claude/a\nb", "ko", "pt-BR", "x", "zh-Hant-TW", "SIGTERM", "SIG", "SIGRTMIN+3",
	"exit-nonzero", "-x", "x-", "a.data.json", "d/a.data.json", "convergence-input-error-analysis-002", "stage_pick@6", "a\n@6", "claude/1", "0644", "0999", "YQ==", "a=b=", "a b/c",
}

// One schema for every reader: the pattern subset means the same to Go's
// engine and to ECMAScript's, with and without its Unicode mode.
func TestPatternsMeanTheSameEverywhere(t *testing.T) {
	all := patterns(t)
	if len(all) < 40 {
		t.Fatalf("only %d patterns found", len(all))
	}
	portable := regexp.MustCompile(`\\[dDwWsSbBpPAzZQEk]|\(\?|\\x|\\u|\[\[:|\*\?|\+\?|\}\?|[*+?}]\+`)
	want := make([][]bool, len(all))
	for i, p := range all {
		if portable.MatchString(p) {
			t.Errorf("%s: not in the portable subset", p)
		}
		re, err := regexp.Compile(p)
		if err != nil {
			t.Fatalf("%s: %v", p, err)
		}
		for _, probe := range patternProbes {
			want[i] = append(want[i], re.MatchString(probe))
		}
	}
	node, err := exec.LookPath("node")
	if err != nil {
		t.Skip("node is not installed: patterns were tried with Go's engine only")
	}
	input, err := json.Marshal(map[string]any{"patterns": all, "probes": patternProbes})
	if err != nil {
		t.Fatal(err)
	}
	for _, flags := range []string{"u", ""} {
		cmd := exec.Command(node, "-e", `
const {patterns, probes} = JSON.parse(require("fs").readFileSync(0, "utf8"));
console.log(JSON.stringify(patterns.map(p => { const re = new RegExp(p, "`+flags+`"); return probes.map(s => re.test(s)); })));`)
		cmd.Stdin = strings.NewReader(string(input))
		out, err := cmd.Output()
		if err != nil {
			t.Fatalf("node: %v", err)
		}
		var got [][]bool
		if err := json.Unmarshal(out, &got); err != nil {
			t.Fatal(err)
		}
		for i, p := range all {
			for j, probe := range patternProbes {
				if got[i][j] != want[i][j] {
					t.Errorf("%s with %q: Go %v, ECMAScript (flags %q) %v", p, probe, want[i][j], flags, got[i][j])
				}
			}
		}
	}
}

func TestPathPatterns(t *testing.T) {
	rel := ruleAt(t, "okstra:schema/common#/$defs/relPath").pattern
	for path, want := range map[string]bool{
		"a": true, "a/b": true, ".okstra/x": true, "...": true, "..a": true, "a/..b": true, "a b": true, `a\b`: true, "a/.git": true, "-": true,
		"": false, ".": false, "..": false, "/a": false, "a/": false, "a//b": false, "./a": false, "a/.": false, "a/..": false, "a/./b": false, "../a": false, "a/../b": false,
	} {
		if got := rel.MatchString(path); got != want {
			t.Errorf("%q: %v, want %v", path, got, want)
		}
	}
}

func ruleAt(t *testing.T, location string) *rule {
	t.Helper()
	l := shared()
	l.mu.Lock()
	defer l.mu.Unlock()
	r, err := l.rule(location)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

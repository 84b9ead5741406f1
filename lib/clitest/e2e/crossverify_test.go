//go:build e2e

package e2e

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"okstra/lib/clitest"
	"okstra/lib/clitest/modelserver"
)

// TestCodexAndClaudeCrossVerify runs the example script with the two real
// CLIs: both write what they promised, judge each other's finding, and
// token-usage finds exactly the tokens that the server reported.
func TestCodexAndClaudeCrossVerify(t *testing.T) {
	t.Parallel()
	l := newPlace(t, modelserver.Options{Default: "tool", Command: Command}, cliNamed("claude"), cliNamed("codex"))
	clitest.NeedTool(t, "sed")
	l.extra = []string{"WORKERS=codex,claude", "TIMEOUT=120s", "GROUP=e2e"}
	if err := os.CopyFS(l.project, os.DirFS(filepath.Join(root(), "examples/checkout-timeouts"))); err != nil {
		t.Fatal(err)
	}
	if err := os.RemoveAll(filepath.Join(l.project, "recordings")); err != nil {
		t.Fatal(err)
	}
	l.write(".gitignore", "/.okstra/\n")
	l.commit()
	output := l.sh(filepath.Join(root(), "examples/cross-verify.sh") + " TASK.md || [ $? -eq 1 ]")
	for _, want := range []string{
		"claude: completed, ok, attempt 1", "codex: completed, ok, attempt 1",
		"full-consensus: G-001 A failed charge never gives its pool slot back",
		"full-consensus: G-002 The retry loop ignores the request deadline",
	} {
		if !strings.Contains(output, want) {
			t.Errorf("the script does not tell %q:\n%s", want, output)
		}
	}
	var sum struct {
		Groups []struct {
			Key                                            map[string]string
			Events, Input, CacheRead, CacheWrite5m, Output int
		}
	}
	text := l.sh("okstra-token-usage events | okstra-token-usage sum --by provider")
	if err := json.Unmarshal([]byte(text), &sum); err != nil {
		t.Fatalf("%v in %s", err, text)
	}
	calls := map[string]int{}
	for _, c := range l.server.Calls() {
		if c.Finished && !c.Side {
			calls[map[string]string{"messages": "claude", "responses": "codex"}[c.Dialect]]++
		}
	}
	if len(sum.Groups) != 2 {
		t.Fatalf("sums of %d providers, want 2: %s", len(sum.Groups), text)
	}
	for _, g := range sum.Groups {
		n, truth, write := calls[g.Key["provider"]], modelserver.Truth, 0
		if g.Key["provider"] == "claude" {
			write = truth.CacheWrite
		}
		if g.Events != n || g.Input != n*truth.Input || g.CacheRead != n*truth.CacheRead || g.CacheWrite5m != n*write || g.Output != n*truth.Output {
			t.Errorf("%s: %+v, want %d calls of %+v", g.Key["provider"], g, n, truth)
		}
	}
	if n := strings.TrimSpace(l.sh("git status --porcelain")); n != "" {
		t.Errorf("the tree is not clean: %s", n)
	}
}

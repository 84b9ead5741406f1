//go:build e2e

package e2e

import (
	"cmp"
	"context"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"okstra/lib/clitest"
	"okstra/lib/clitest/modelserver"
)

// The versions that the tests were written against.
var packages = []string{"@anthropic-ai/claude-code@2.1.197", "@openai/codex@0.171.0"}

// root is the project's folder.
func root(t *testing.T) string {
	t.Helper()
	_, file, _, ok := runtime.Caller(0)
	if !ok {
		t.Fatal("no source file")
	}
	return filepath.Join(filepath.Dir(file), "../../..")
}

// stage is a place to run the CLIs in. It lies inside the project's scratch
// folder, because Codex refuses to work below a temporary directory.
type stage struct {
	dir, bin, clis, project string
	server                  *modelserver.Server
}

func newStage(t *testing.T) *stage {
	t.Helper()
	for _, tool := range []string{"npm", "git", "sh", "sed"} {
		clitest.NeedTool(t, tool)
	}
	scratch := filepath.Join(root(t), ".scratch", "e2e")
	if err := os.MkdirAll(scratch, 0o755); err != nil {
		t.Fatal(err)
	}
	dir, err := os.MkdirTemp(scratch, "run-")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if os.Getenv("OKSTRA_E2E_KEEP") == "" {
			_ = os.RemoveAll(dir)
		}
	})
	s := &stage{dir: dir, bin: filepath.Join(dir, "bin"), project: filepath.Join(dir, "checkout")}
	s.clis = install(t, filepath.Join(scratch, "npm"))
	if output, err := exec.Command("go", "build", "-C", root(t), "-o", s.bin+"/", "./cmd/...").CombinedOutput(); err != nil {
		t.Fatalf("go build: %v\n%s", err, output)
	}
	if s.server, err = modelserver.Start(modelserver.Options{Default: "tool", Command: Command}); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.server.Close() })
	s.prepare(t)
	return s
}

// install puts the CLIs into a folder, once.
func install(t *testing.T, dir string) string {
	t.Helper()
	bin := filepath.Join(dir, "cli")
	if err := os.MkdirAll(bin, 0o755); err != nil {
		t.Fatal(err)
	}
	args := append([]string{"install", "--no-package-lock", "--no-audit", "--no-fund", "--prefix", dir}, packages...)
	if output, err := exec.Command("npm", args...).CombinedOutput(); err != nil {
		t.Skipf("npm cannot install the CLIs here: %v\n%.500s", err, output)
	}
	// npm holds the installer of Claude Code back, so the binary of the
	// platform package is taken.
	found, err := filepath.Glob(filepath.Join(dir, "node_modules/@anthropic-ai/claude-code-*/claude"))
	if err != nil || len(found) == 0 {
		t.Skip("npm has no Claude Code binary for this platform")
	}
	link(t, found[0], filepath.Join(bin, "claude"))
	link(t, filepath.Join(dir, "node_modules/.bin/codex"), filepath.Join(bin, "codex"))
	return bin
}

func link(t *testing.T, from, to string) {
	t.Helper()
	_ = os.Remove(to)
	if err := os.Symlink(from, to); err != nil {
		t.Fatal(err)
	}
}

// prepare lays the project and the homes of the CLIs.
func (s *stage) prepare(t *testing.T) {
	t.Helper()
	if err := os.CopyFS(s.project, os.DirFS(filepath.Join(root(t), "examples/checkout-timeouts"))); err != nil {
		t.Fatal(err)
	}
	config := `model_provider = "stub"
check_for_update_on_startup = false
[analytics]
enabled = false
[model_providers.stub]
name = "stub"
base_url = "` + s.server.URL() + `/v1"
wire_api = "responses"
env_key = "OPENAI_API_KEY"
request_max_retries = 1
stream_max_retries = 1
`
	if err := os.MkdirAll(filepath.Join(s.dir, "tmp"), 0o755); err != nil {
		t.Fatal(err)
	}
	codex := filepath.Join(s.dir, "home", ".codex")
	if err := os.MkdirAll(codex, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(codex, "config.toml"), []byte(config), 0o600); err != nil {
		t.Fatal(err)
	}
	s.sh(t, s.project, `rm -rf recordings && git init -q -b main . && printf '/.okstra/\n' > .gitignore && git add . &&
		git -c user.name=e2e -c user.email=e2e@example.com commit -q -m start`)
}

// env is a clean environment in which the CLIs find only the stand-in.
func (s *stage) env() []string {
	home := filepath.Join(s.dir, "home")
	return []string{
		"PATH=" + strings.Join([]string{s.bin, s.clis, os.Getenv("PATH")}, string(filepath.ListSeparator)),
		"HOME=" + home, "OKSTRA_HOME=" + filepath.Join(home, ".okstra"), "LANG=C.UTF-8", "TERM=dumb", "TMPDIR=" + filepath.Join(s.dir, "tmp"),
		"ANTHROPIC_BASE_URL=" + s.server.URL(), "ANTHROPIC_API_KEY=none", "OPENAI_API_KEY=none",
		"NO_PROXY=127.0.0.1,localhost", "HTTPS_PROXY=http://127.0.0.1:9",
		"WORKERS=codex,claude", "TIMEOUT=120s", "GROUP=e2e", "BOUNDARY=" + cmp.Or(os.Getenv("BOUNDARY"), "overlay,landlock,none"),
	}
}

func (s *stage) sh(t *testing.T, dir, script string) string {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), 8*time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, "sh", "-c", script)
	cmd.Dir, cmd.Env = dir, s.env()
	output, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%s: %v\n%s", script, err, output)
	}
	return string(output)
}

// TestCodexAndClaudeCrossVerify runs the example script with the two real
// CLIs: both write what they promised, judge each other's finding, and
// token-usage finds exactly the tokens that the server reported.
func TestCodexAndClaudeCrossVerify(t *testing.T) {
	s := newStage(t)
	output := s.sh(t, s.project, filepath.Join(root(t), "examples/cross-verify.sh")+" TASK.md || [ $? -eq 1 ]")
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
	text := s.sh(t, s.project, "okstra-token-usage events | okstra-token-usage sum --by provider")
	if err := json.Unmarshal([]byte(text), &sum); err != nil {
		t.Fatalf("%v in %s", err, text)
	}
	calls := map[string]int{}
	for _, c := range s.server.Calls() {
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
	if n := strings.TrimSpace(s.sh(t, s.project, "git status --porcelain")); n != "" {
		t.Errorf("the tree is not clean: %s", n)
	}
}

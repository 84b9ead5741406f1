package okstra_test

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"okstra/lib/clitest"
)

// TestCrossVerifyEndsWhenAnAnswerIsRefused: the script has one answer to each
// question, so that asking again would never end.
func TestCrossVerifyEndsWhenAnAnswerIsRefused(t *testing.T) {
	for _, tool := range []string{"sh", "git", "sed"} {
		clitest.NeedTool(t, tool)
	}
	bin := programs(t)
	script, err := filepath.Abs("examples/cross-verify.sh")
	if err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		name, brief, workers string
		want                 string
	}{
		{"a brief that is not there", "nowhere.md", "claude", `"nowhere.md": no such file`},
		{"a worker that is not installed", "task.md", "nobody", `"nobody"`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			dir := t.TempDir()
			if err := os.WriteFile(filepath.Join(dir, "task.md"), []byte("# A task\n"), 0o644); err != nil {
				t.Fatal(err)
			}
			for _, words := range [][]string{
				{"init", "-q", "."},
				{"-c", "user.name=t", "-c", "user.email=t@example.com", "commit", "-q", "--allow-empty", "-m", "start"},
			} {
				if output, err := exec.Command("git", append([]string{"-C", dir}, words...)...).CombinedOutput(); err != nil {
					t.Fatalf("git: %v: %s", err, output)
				}
			}
			ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
			defer cancel()
			cmd := inDemo(exec.CommandContext(ctx, "sh", script, tt.brief), bin, dir)
			cmd.Dir = dir
			cmd.Env = append(cmd.Env, "WORKERS="+tt.workers, "HOME="+dir, "OKSTRA_HOME="+filepath.Join(dir, ".okstra-home"))
			status, _, stderr := runTool(t, cmd, "")
			if status != 2 || strings.Count(stderr, tt.want) != 1 {
				t.Errorf("status %d, %q, want 2 and %s once", status, stderr, tt.want)
			}
		})
	}
}

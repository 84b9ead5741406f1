package main

import (
	"bytes"
	"context"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// hostile lists what a worker may do to the tree, to git, to its outputs and to
// the dispatcher's own processes, and how that ends. $1 is the promised
// artifact, $2 the prompt. None of it keeps the dispatcher, and none of it
// looks better than it is.
var hostile = []struct {
	name, boundary, script string
	outcome, cause         string
	path                   string // among the changes of the sidecar, "" for any
	slow                   bool
}{
	{"a pipe for HEAD", "none", `echo r >$1; rm .git/HEAD; mkfifo .git/HEAD`, "policy-violation", "ok", ".git/HEAD", false},
	{"a pipe for the config", "none", `echo r >$1; rm .git/config; mkfifo .git/config`, "policy-violation", "ok", ".git/config", false},
	{"a pipe for the index", "none", `echo r >$1; rm .git/index; mkfifo .git/index`, "policy-violation", "ok", ".git/index", false},
	{"a pipe for a branch", "none", `echo r >$1; git branch b; rm .git/refs/heads/b; mkfifo .git/refs/heads/b`, "policy-violation", "ok", ".git/refs/heads/b", false},
	{"a pipe for the reflog", "none", `echo r >$1; rm .git/logs/HEAD; mkfifo .git/logs/HEAD`, "policy-violation", "ok", ".git/logs/HEAD", false},
	{"no repository any more", "none", `echo r >$1; rm -rf .git`, "policy-violation", "ok", ".git", false},
	{"another repository in its place", "none", `echo r >$1; rm -rf .git; git init -q .`, "policy-violation", "ok", ".git/index", false},
	{"a repository inside", "none", `echo r >$1; git init -q sub; echo x >sub/x`, "policy-violation", "ok", "sub/x", false},
	{"a pipe for stderr", "none", `rm $2.stderr; mkfifo $2.stderr; exit 1`, "policy-violation", "exit-nonzero", "@prompts/w00-analysis-error-analysis-001.md.stderr", false},
	{"a pipe for stdout", "none", `rm $2.stdout; mkfifo $2.stdout; exit 1`, "policy-violation", "exit-nonzero", "@prompts/w00-analysis-error-analysis-001.md.stdout", false},
	{"a strange file beside its prompt", "none", `echo r >$1; echo x >$2.evil`, "policy-violation", "ok", "@prompts/w00-analysis-error-analysis-001.md.evil", false},
	{"a sidecar of an attempt that is none", "none", `echo r >$1; echo [] >$2.attempt-7.json`, "policy-violation", "ok", "@prompts/w00-analysis-error-analysis-001.md.attempt-7.json", false},
	{"a payload for a lock", "none", `echo r >$1; echo x >.okstra/locks/tree-00.lock`, "policy-violation", "ok", ".okstra/locks/tree-00.lock", false},
	{"its own prompt rewritten", "none", `echo r >$1; echo "do nothing" >$2`, "policy-violation", "ok", "@prompts/w00-analysis-error-analysis-001.md", false},
	{"its own sidecar forged", "none", `echo r >$1; chmod 600 $2.attempt-1.json`, "policy-violation", "ok", "@prompts/w00-analysis-error-analysis-001.md.attempt-1.json", false},
	{"its own status forged", "none", `echo r >$1; cp $2.status.json s; cp s $2.status.json; rm s`, "policy-violation", "ok", "@prompts/w00-analysis-error-analysis-001.md.status.json", false},
	{"a line in the journal", "none", `echo r >$1; echo [] >>$(dirname $2)/../logs/dispatch-error-analysis-001.jsonl`, "policy-violation", "ok", "@logs/dispatch-error-analysis-001.jsonl", false},
	{"the run manifest changed", "none", `echo r >$1; m=$(dirname $2)/../manifests/run-manifest-error-analysis-001.json; sed s/running/completed/ $m >m; cat m >$m; rm m`, "policy-violation", "ok", "@manifests/run-manifest-error-analysis-001.json", false},
	{"the team state removed", "none", `echo r >$1; rm $(dirname $2)/../state/team-state-error-analysis-001.json; sleep 1`, "policy-violation", "ok", "", false},
	{"a pipe for the artifact", "none", `mkfifo $1`, "failed", "artifact-invalid", "", false},
	{"an artifact of a terabyte", "none", `truncate -s 1T $1`, "failed", "artifact-invalid", "", false},
	{"a folder that nobody may read", "none", `echo r >$1; mkdir -p d/e; echo x >d/e/f; chmod 000 d`, "policy-violation", "ok", "d", false},
	{"names that are no text", "none", `echo r >$1; : >"$(printf 'a\377b')"`, "policy-violation", "ok", `"a\xffb"`, false},
	{"a tree deeper than a path is long", "none", `echo r >$1; perl -e "mkdir('dddddddddd'), chdir('dddddddddd') for 1..600"`, "policy-violation", "ok", "dddddddddd", false},
	{"a loop that renames", "none", `echo r >$1; mkdir a; (setsid sh -c 'while :; do mv a b; mv b a; done' &)`, "policy-violation", "ok", "", false},
	{"its dispatcher's process stopped", "none", `kill -STOP $PPID; echo r >$1; sleep 60`, "lost", "lost", "", true},
	{"all that is stopped", "none", `trap '' TERM; (setsid sleep 60 &) ; kill -STOP $$`, "timeout", "wall", "", true},
	{"an artifact of a terabyte, private", "overlay", `truncate -s 1T $1`, "failed", "artifact-invalid", "", false},
	{"the folder of results removed, private", "overlay", `rm -rf "$(dirname "$1")"`, "policy-violation", "artifact-missing", "", false},
	{"the folder of results a link, private", "overlay", `d=$(dirname "$1"); mkdir x; echo r >x/r; rm -rf "$d"; ln -s "$PWD/x" "$d"; echo r >$1`, "policy-violation", "artifact-missing", "", false},
	{"devices and pipes, private", "overlay", `echo r >$1; mkfifo p; ln -s / root; chmod 0 main.go`, "policy-violation", "ok", "root", false},
}

// Workers that mean ill end like others: judged by what they left, within their
// limits.
func TestHostileWorkers(t *testing.T) {
	for i, tt := range hostile {
		t.Run(tt.name, func(t *testing.T) {
			if testing.Short() && (tt.slow || i%4 != 0) {
				t.Skip("runs whole in make test")
			}
			t.Parallel()
			if strings.Contains(tt.script, "perl") {
				if _, err := exec.LookPath("perl"); err != nil {
					t.Skip("perl is not installed")
				}
			}
			sidecar := runHostile(t, tt.boundary, tt.script, tt.outcome+"/"+tt.cause)
			var record struct {
				Audit struct {
					Changes []struct{ Path string }
				}
			}
			if err := json.Unmarshal(sidecar, &record); err != nil {
				t.Fatalf("%v in %s", err, sidecar)
			}
			path := strings.Replace(tt.path, "@", ".okstra/tasks/pay/slow/runs/error-analysis/", 1)
			found := path == ""
			for _, c := range record.Audit.Changes {
				found = found || c.Path == path
			}
			if !found {
				t.Errorf("%s is not among the changes: %s", path, sidecar)
			}
		})
	}
}

// runHostile runs one job whose worker is the script, wants it to end with an
// outcome and a cause, and gives its sidecar.
func runHostile(t *testing.T, boundary, script, want string) []byte {
	t.Helper()
	dir, jobs := batch(t, 1)
	provider := strings.Replace(quickProvider, `"sh","{resultPath}"]`, `"sh","{resultPath}","{promptPath}"]`, 1)
	from := strings.Index(provider, `"case`)
	raw, err := json.Marshal(script)
	if err != nil {
		t.Fatal(err)
	}
	provider = provider[:from] + string(raw) + provider[from+strings.Index(provider[from:], `,"sh","{result`):]
	for name, text := range map[string]string{"quick.json": provider, "jobs.jsonl": strings.Replace(string(jobs), `"graceSeconds":5`, `"graceSeconds":1`, 1)} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	wall := "30s"
	if strings.Contains(script, "STOP") {
		wall = "1s"
	}
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
	defer cancel()
	whole := command(t, dir, "run", "--boundary", boundary, "--timeout", wall, "--retries", "0", "jobs.jsonl")
	cmd := exec.CommandContext(ctx, whole.Path, whole.Args[1:]...)
	cmd.Dir, cmd.Env = whole.Dir, whole.Env
	var out, said bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &said
	_ = cmd.Run()
	if strings.Contains(said.String(), "no acceptable boundary") {
		t.Skipf("no %s is available here: %s", boundary, said.String())
	}
	list := results(t, out.Bytes())
	if len(list) != 1 {
		t.Fatalf("%d result lines, want 1: status %d, %s", len(list), cmd.ProcessState.ExitCode(), said.String())
	}
	if got := *list[0].Outcome + "/" + *list[0].Cause; got != want {
		t.Errorf("it ended as %s, want %s: %s", got, want, list[0].Message)
	}
	sidecar, err := os.ReadFile(filepath.Join(dir, "shop", list[0].AttemptPath))
	if err != nil {
		t.Fatal(err)
	}
	return sidecar
}

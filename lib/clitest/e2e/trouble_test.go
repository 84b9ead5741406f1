//go:build e2e

package e2e

import (
	"cmp"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"okstra/lib/clitest/modelserver"
)

// trouble is something that goes wrong, and how each CLI's job ends then. A
// CLI without an entry is not tried.
type trouble struct {
	name     string
	scenario string                   // of the model server
	command  string                   // of the model's tool; "" does the job
	boundary string                   // "" for the best
	edit     func(row map[string]any) // of the provider row
	ends     map[string]end           // by CLI
}

// everyone is the same end for all CLIs.
func everyone(e end) map[string]end {
	all := map[string]end{}
	for _, c := range clis {
		all[c.id] = e
	}
	return all
}

// How the CLIs end where a limit ends them: which one depends on the machine
// where the CLI says something now and then, see limitFits.
var (
	timeout    = end{outcome: "timeout"}
	timeoutIn  = end{outcome: "timeout", cause: "wall"}
	noArtifact = end{outcome: "failed", cause: "artifact-missing", exit: new(0)}
	refused    = end{outcome: "failed", cause: "permission-denied", exit: new(0)}
	lost       = end{outcome: "failed", cause: "stream-cut", exit: new(0), mutation: "artifact-only"}
	violation  = end{outcome: "policy-violation", cause: "ok", exit: new(0), mutation: "violation"}
)

func failed(cause string, code int) end {
	return end{outcome: "failed", cause: cause, exit: new(code)}
}

var troubles = []trouble{
	{
		name: "the model service says 400", scenario: "err400",
		ends: map[string]end{
			"claude": failed("provider-error", 1), "codex": failed("provider-error", 1), "grok": failed("provider-error", 1),
			"kimi": failed("provider-error", 1), "gemini": failed("provider-error", 144),
		},
	},
	{
		name: "the model service says 401", scenario: "err401",
		ends: map[string]end{
			"claude": timeout, "codex": failed("auth", 1), "grok": failed("auth", 1), "kimi": failed("auth", 1), "gemini": failed("auth", 145),
		},
	},
	{
		name: "the model service says 429", scenario: "err429",
		ends: map[string]end{
			"claude": timeout, "codex": failed("rate-limit", 1), "grok": failed("rate-limit", 1), "kimi": failed("rate-limit", 1), "gemini": timeout,
		},
	},
	{
		name: "the model service says 500", scenario: "err500",
		ends: map[string]end{
			"claude": timeout, "codex": failed("provider-error", 1), "grok": timeout, "kimi": timeout, "gemini": timeout,
		},
	},
	{
		name: "the connection is cut before the reply", scenario: "drop",
		ends: map[string]end{
			"claude": timeout, "codex": failed("provider-error", 1), "grok": timeout, "kimi": timeout, "gemini": timeout,
		},
	},
	{ // Claude Code asks for the same again in one piece, Gemini gives up.
		name: "the connection is cut in the reply", scenario: "cut",
		ends: map[string]end{
			"claude": noArtifact, "codex": failed("provider-error", 1), "grok": timeout, "kimi": timeout, "gemini": failed("provider-error", 1),
		},
	},
	{name: "the model never answers", scenario: "hang", ends: everyone(timeout)},
	{name: "the model stops in the middle", scenario: "midhang", ends: everyone(timeout)},
	{name: "a tool outlives the limit", scenario: "longtool", ends: everyone(timeoutIn)},
	{ // Codex lets a long tool go on by itself, and ends without it.
		name: "a tool is left running", scenario: "tool", command: longTool(""), boundary: "overlay",
		ends: map[string]end{"codex": noArtifact},
	},
	{
		name: "the CLI refuses the tool", scenario: "tool", edit: withoutApproval,
		ends: map[string]end{"claude": refused, "codex": noArtifact, "grok": refused, "gemini": noArtifact},
	},
	{
		name: "the sandbox of the CLI cannot start", scenario: "tool", edit: withoutVariants,
		ends: map[string]end{"codex": failed("sandbox-broken", 0)},
	},
	{name: "Landlock refuses a write", scenario: "tool", command: strayWrite, boundary: "landlock", ends: everyone(noArtifact)},
	{name: "an overlay catches a write", scenario: "tool", command: strayWrite + "; " + writeResult, boundary: "overlay", ends: everyone(violation)},
	{ // The work is done, but nothing proves that the CLI came to its end.
		name: "nothing takes the output", scenario: "tool", edit: intoFull,
		ends: map[string]end{
			"claude": lost, "codex": failed("disk-full", 101), "grok": failed("disk-full", 1), "kimi": failed("disk-full", 1), "gemini": lost,
		},
	},
}

// strayWrite is what a read-only job must not do.
const strayWrite = "echo made-by-tool > made.txt"

// withoutApproval takes from the row what lets the CLI run tools unasked, or
// has its sandbox stop them.
func withoutApproval(row map[string]any) {
	row["argv"] = slices.DeleteFunc(slices.Clone(row["argv"].([]any)), func(arg any) bool {
		return slices.Contains([]any{"--dangerously-skip-permissions", "--always-approve", "--yolo"}, arg)
	})
	variants := row["variants"].(map[string]any)
	if overlay, ok := variants["overlay"].(map[string]any); ok && overlay["sandbox"] != nil {
		overlay["sandbox"] = "read-only"
	}
	delete(variants, "none")
}

// withoutVariants hides from the dispatcher that the CLI brings a sandbox of
// its own, for which the boundary has to leave room.
func withoutVariants(row map[string]any) {
	for i, arg := range row["argv"].([]any) {
		if arg == "{sandbox}" {
			row["argv"].([]any)[i] = "workspace-write"
		}
	}
	row["variants"] = map[string]any{}
}

// intoFull sends what the CLI prints to a device that takes nothing.
func intoFull(row map[string]any) {
	args := row["argv"].([]any)
	row["argv"] = append([]any{"-c", `exec "$0" "$@" >/dev/full`, row["command"]}, args...)
	row["command"] = "sh"
}

// TestTrouble runs each CLI into each trouble.
func TestTrouble(t *testing.T) {
	for _, trouble := range troubles {
		for _, c := range clis {
			want, ok := trouble.ends[c.id]
			if !ok {
				continue
			}
			t.Run(strings.ReplaceAll(trouble.name, " ", "-")+"/"+c.id, func(t *testing.T) {
				t.Parallel()
				for _, limits := range want.limits() {
					l := newLane(t, c, modelserver.Options{Default: trouble.scenario, Command: func(string) string { return cmp.Or(trouble.command, writeResult) }})
					r := l.dispatch(append(trouble.flags(l), limits.flags()...)...)
					if want.outcome == "timeout" && len(l.server.Calls()) == 0 {
						t.Logf("the machine is busy: %v and no call yet", r)
						continue
					}
					l.ended(r, want, limits)
					return
				}
				t.Error("the CLI never called the model")
			})
		}
	}
}

func (b trouble) flags(l *lane) (flags []string) {
	if b.edit != nil {
		flags = append(flags, "--providers", l.provider(b.edit))
	}
	if b.boundary != "" {
		flags = append(flags, "--boundary", b.boundary)
	}
	return flags
}

// provider writes the row of the lane's CLI, changed, to a file.
func (l *lane) provider(edit func(row map[string]any)) string {
	l.t.Helper()
	text, err := os.ReadFile(filepath.Join(root(), "lib/provider/providers.json"))
	if err != nil {
		l.t.Fatal(err)
	}
	var rows []map[string]any
	if err := json.Unmarshal(text, &rows); err != nil {
		l.t.Fatal(err)
	}
	i := slices.IndexFunc(rows, func(row map[string]any) bool { return row["id"] == l.clis[0].id })
	edit(rows[i])
	if text, err = json.Marshal(rows[i : i+1]); err != nil {
		l.t.Fatal(err)
	}
	path := filepath.Join(l.dir, "providers.json")
	if err := os.WriteFile(path, text, 0o644); err != nil {
		l.t.Fatal(err)
	}
	return path
}

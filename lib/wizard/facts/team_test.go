package facts

import (
	"errors"
	"fmt"
	"os/exec"
	"strings"
	"testing"
	"time"

	"okstra/lib/provider"
)

func timeOf(n int) time.Time { return time.Unix(1_700_000_000+int64(n), 0) }

func (f *fixture) git(args ...string) {
	f.t.Helper()
	cmd := exec.Command("git", append([]string{"-C", f.root, "-c", "user.name=t", "-c", "user.email=t@okstra.invalid"}, args...)...)
	if output, err := cmd.CombinedOutput(); err != nil {
		f.t.Fatalf("git %v: %v\n%s", args, err, output)
	}
}

func ids(p *Project) string {
	var out []string
	for _, one := range p.Providers().Installed {
		name := one.ID
		if !one.Offered {
			name += "(hidden)"
		}
		out = append(out, name)
	}
	return strings.Join(out, " ")
}

func TestProvidersAreThoseOnPath(t *testing.T) {
	f := newFixture(t)
	p := f.project()
	if got := ids(p); got != "claude codex replay(hidden)" {
		t.Errorf("installed %s", got)
	}
	f.path = []string{"agy", "kimi"}
	p = f.project()
	if got := ids(p); got != "kimi antigravity replay(hidden)" {
		t.Errorf("installed %s", got)
	}
	if known := p.Providers().Known; !strings.Contains(fmt.Sprint(known), "claude codex grok kimi") {
		t.Errorf("known %v", known)
	}
	kimi := p.Providers().Installed[0]
	if len(kimi.Models) != 1 || kimi.Models[0].ID != "kimi-k3" || kimi.DefaultModel != "kimi-k3" || !kimi.CanWrite {
		t.Errorf("%+v, want the selectable model alone", kimi)
	}
}

func TestModelsByTheCataloguesOrderAndOnlyInstalledOnes(t *testing.T) {
	p := newFixture(t).project()
	for name, want := range map[string]string{
		"claude/opus": "claude/opus", "claude/OPUS-4-7": "claude/claude-opus-4-7", "opus": "claude/opus", "codex": "codex/gpt-5.6-sol",
		"codex/gpt-5.4-mini": "codex/gpt-5.4-mini", "replay/replay": "replay/replay",
	} {
		if got, err := p.Model(name); err != nil || got != want {
			t.Errorf("%q: %q, %v, want %q", name, got, err, want)
		}
	}
	for name, want := range map[string]string{
		"claude/nothing": "unknown model", "nobody/opus": "nobody", "kimi/kimi-k3": `"kimi" is not on PATH`, "": "unknown model", "claude/": "unknown model",
	} {
		if got, err := p.Model(name); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %q, %v, want %q", name, got, err, want)
		}
	}
}

func TestDefaultsOfTheProjectThenOfTheEnvironment(t *testing.T) {
	f := newFixture(t)
	f.env = map[string]string{
		"OKSTRA_DEFAULT_CLAUDE_MODEL": "claude/sonnet", "OKSTRA_DEFAULT_REPORT_WRITER_MODEL": "codex/gpt-5.6-luna", "OKSTRA_DEFAULT_CODEX_MODEL": "codex/nothing",
		"OKSTRA_DEFAULT_REPORT_LANGUAGE": "JA",
	}
	p := f.project()
	for role, want := range map[string]string{"claude": "claude/sonnet", "report-writer": "codex/gpt-5.6-luna", "codex": "", "lead": ""} {
		if got, ok := p.Defaults(role); got != want || ok != (want != "") {
			t.Errorf("%s: %q, %v, want %q", role, got, ok, want)
		}
	}
	if got := p.SavedLanguage(); got != "ja" {
		t.Errorf("language %q", got)
	}
	f.wantWarnings("OKSTRA_DEFAULT_CODEX_MODEL")
	f.write(".okstra/defaults.json", `{"models": {"claude": "claude/haiku", "report-writer": "kimi/kimi-k3"}, "reportLanguage": "und"}`)
	p = f.project()
	if got, _ := p.Defaults("claude"); got != "claude/haiku" {
		t.Errorf("claude: %q, want the project's own", got)
	}
	if got, _ := p.Defaults("report-writer"); got != "codex/gpt-5.6-luna" {
		t.Errorf("report writer: %q, want the next that can be had", got)
	}
	if got := p.SavedLanguage(); got != "ja" {
		t.Errorf("language %q", got)
	}
	f.wantWarnings("/models/report-writer", "/reportLanguage")
	f.write(".okstra/defaults.json", `{"models": []}`)
	if got, _ := f.project().Defaults("claude"); got != "claude/sonnet" {
		t.Errorf("claude: %q", got)
	}
	f.wantWarnings("defaults.json")
}

func TestACatalogueThatCannotBeReadIsAWarning(t *testing.T) {
	f := newFixture(t)
	p := f.project()
	p.Catalogue = func() (*provider.Catalogue, error) { return nil, errors.New("broken rows") }
	if got := ids(p); got != "" {
		t.Errorf("installed %s", got)
	}
	f.wantWarnings("broken rows")
}

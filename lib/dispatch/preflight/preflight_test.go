package preflight

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"okstra/lib/dispatch/proc"
	"okstra/lib/jsondoc"
	"okstra/lib/provider"
)

func TestMain(m *testing.M) {
	if err := proc.BecomeReaper(); err != nil {
		panic(err)
	}
	os.Exit(m.Run())
}

// fake puts a program into a folder of the machine's PATH.
func fake(t *testing.T, dir, name, script string) {
	t.Helper()
	if err := os.WriteFile(filepath.Join(dir, name), []byte("#!/bin/sh\n"+script), 0o755); err != nil {
		t.Fatal(err)
	}
}

func machine(t *testing.T) (Machine, string) {
	t.Helper()
	home, bin := t.TempDir(), t.TempDir()
	return Machine{Now: time.Now, Environ: []string{"PATH=" + bin + ":/usr/bin:/bin", "HOME=" + home}, Self: "/bin/true", Home: home, TempDir: t.TempDir(), Dir: home}, bin
}

func one(t *testing.T, id string) *provider.Provider {
	t.Helper()
	c, err := provider.Builtin()
	if err != nil {
		t.Fatal(err)
	}
	p, err := c.Provider(id)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func TestWhatTheDoctorSeesOfACLI(t *testing.T) {
	for _, tt := range []struct {
		name, provider, script string
		want                   CLI
		problem                string
	}{
		{"not installed", "codex", "", CLI{Login: "not-seen"}, ""},
		{"the tried version", "codex", `echo "codex-cli 0.171.0"`, CLI{Version: "codex-cli 0.171.0", Verified: "yes", Login: "not-seen"}, ""},
		{"another version", "codex", `echo "codex-cli 0.171.01"`, CLI{Version: "codex-cli 0.171.01", Verified: "other-version", Login: "not-seen"}, ""},
		{"a row that was never tried", "antigravity", `echo; echo " agy 1 "`, CLI{Version: "agy 1", Verified: "unverified"}, ""},
		{"in parentheses", "claude", `echo "2.1.197 (Claude Code)"`, CLI{Version: "2.1.197 (Claude Code)", Verified: "yes", Login: "not-seen"}, ""},
		{"it fails", "kimi", "echo broken >&2; exit 3", CLI{Login: "not-seen"}, "failed to tell its version: broken"},
		{"it fails silently", "kimi", "exit 3", CLI{Login: "not-seen"}, "exit status 3"},
		{"it says nothing", "kimi", "exit 0", CLI{Login: "not-seen"}, "printed no version"},
		{"it cannot be started", "kimi", "", CLI{Login: "not-seen"}, "exec-failed"},
		{"escapes are stripped", "kimi", `printf '\033[31m2.1.0\033[0m\n'`, CLI{Version: "2.1.0", Verified: "yes", Login: "not-seen"}, ""},
		{"it leaves a process behind", "kimi", "setsid sleep 60 & echo 2.1.0", CLI{Version: "2.1.0", Verified: "yes", Login: "not-seen"}, ""},
		{"replay is never unverified", "replay", "", CLI{Path: "/bin/sh", Version: "played"}, ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			m, bin := machine(t)
			p := one(t, tt.provider)
			switch {
			case tt.problem == "exec-failed":
				fake(t, bin, p.Command, "")
				if err := os.WriteFile(filepath.Join(bin, p.Command), []byte("\x7fELFjunk"), 0o755); err != nil {
					t.Fatal(err)
				}
			case tt.script != "":
				fake(t, bin, p.Command, tt.script)
			}
			if tt.provider == "replay" {
				fake(t, bin, "self", "echo played")
				m.Self, tt.want.Path = filepath.Join(bin, "self"), filepath.Join(bin, "self")
			}
			got := m.Check(t.Context(), []*provider.Provider{p}).Providers[0]
			if !strings.Contains(got.Problem, tt.problem) || (tt.problem == "") != (got.Problem == "") {
				t.Errorf("problem %q, want %q", got.Problem, tt.problem)
			}
			tt.want.ID, tt.want.Command, tt.want.Problem = p.ID, strings.ReplaceAll(p.Command, "{self}", m.Self), got.Problem
			if tt.script != "" || tt.problem == "exec-failed" {
				tt.want.Path = filepath.Join(bin, p.Command)
			}
			if got != tt.want {
				t.Errorf("got  %+v\nwant %+v", got, tt.want)
			}
		})
	}
}

func TestALoginIsSeenWhereItLies(t *testing.T) {
	m, _ := machine(t)
	p := one(t, "codex")
	file := filepath.Join(m.Home, ".codex", "auth.json")
	if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if got := m.cli(t.Context(), p); got.Login != "found" || got.LoginFrom != file {
		t.Errorf("login %q from %q, want the file %s", got.Login, got.LoginFrom, file)
	}
	m.Environ = append(m.Environ, "OPENAI_API_KEY=secret")
	got := m.cli(t.Context(), p)
	if got.LoginFrom != "OPENAI_API_KEY" {
		t.Errorf("login from %q, want the variable's name", got.LoginFrom)
	}
	if text, _ := jsondoc.MarshalLine(got); strings.Contains(string(text), "secret") {
		t.Errorf("the key itself is told: %s", text)
	}
}

func TestAProgramIsLookedForInTheGivenPathOnly(t *testing.T) {
	_, bin := machine(t)
	fake(t, bin, "prog", "")
	if err := os.WriteFile(filepath.Join(bin, "data"), nil, 0o644); err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct{ command, path, want string }{
		{"prog", bin, filepath.Join(bin, "prog")},
		{"prog", "/nowhere:" + bin, filepath.Join(bin, "prog")},
		{"prog", "/nowhere", ""},
		{"data", bin, ""},
		{bin + "/prog", "", bin + "/prog"},
		{bin + "/none", "", ""},
		{"sh", "", ""},
	} {
		if got := lookUp(tt.command, []string{"PATH=" + tt.path}); got != tt.want {
			t.Errorf("lookUp(%q) in %q = %q, want %q", tt.command, tt.path, got, tt.want)
		}
	}
}

func TestProblemsOfAMachine(t *testing.T) {
	r := Report{
		Providers:  []CLI{{ID: "a"}, {ID: "b", Problem: "hangs"}},
		Boundaries: []Boundary{{Kind: "overlay"}, {Kind: "landlock"}},
		Disks:      []Disk{{Path: "/", FreeBytes: 1, Problem: "full"}},
	}
	if got := strings.Join(r.Problems(), "; "); !strings.Contains(got, "b: hangs") || !strings.Contains(got, "no kernel boundary") || !strings.Contains(got, "/: full") {
		t.Errorf("problems %q", got)
	}
	r.Boundaries[1].Holds = true
	if got := len(r.Problems()); got != 2 {
		t.Errorf("%d problems, want 2: one boundary is enough", got)
	}
	if d := disk("/nowhere/at/all"); d.Problem == "" {
		t.Error("a missing path has room")
	}
}

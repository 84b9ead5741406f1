package provider

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

func attempt(boundary string) Values {
	return Values{
		Workdir: "/srv/tree", ProjectRoot: "/srv/shop", ArtifactRoot: "/srv/shop", PromptPath: "/srv/shop/p.md", ResultPath: "/srv/shop/r.md",
		SessionID: "11111111-1111-4111-8111-111111111111", ModelExecutionValue: "the-model", Self: "/bin/okstra-dispatch", Boundary: boundary,
	}
}

const sentence = "Read the whole file /srv/shop/p.md and carry out the task that it describes."

func TestArgumentsOfEachCLI(t *testing.T) {
	for _, tt := range []struct {
		provider, boundary, model string
		want                      []string
		stdin                     string
	}{
		{"claude", "overlay", "opus", []string{"claude", "-p", "--output-format", "stream-json", "--verbose", "--session-id", "11111111-1111-4111-8111-111111111111", "--model", "opus", "--dangerously-skip-permissions"}, "/srv/shop/p.md"},
		{"claude", "none", "opus", []string{"claude", "-p", "--output-format", "stream-json", "--verbose", "--session-id", "11111111-1111-4111-8111-111111111111", "--model", "opus"}, "/srv/shop/p.md"},
		{"codex", "overlay", "gpt-5.6-sol", []string{"codex", "exec", "--json", "-C", "/srv/tree", "--model", "gpt-5.6-sol", "--sandbox", "workspace-write", "--add-dir", "/srv/shop"}, "/srv/shop/p.md"},
		{"codex", "landlock", "gpt-5.6-sol", []string{"codex", "exec", "--json", "-C", "/srv/tree", "--model", "gpt-5.6-sol", "--dangerously-bypass-approvals-and-sandbox", "--add-dir", "/srv/shop"}, "/srv/shop/p.md"},
		{"grok", "overlay", "", []string{"grok", "-p", sentence, "--output-format", "streaming-json", "--always-approve", "-s", "11111111-1111-4111-8111-111111111111"}, ""},
		{"grok", "overlay", "grok-9", []string{"grok", "-p", sentence, "--output-format", "streaming-json", "-m", "grok-9", "--always-approve", "-s", "11111111-1111-4111-8111-111111111111"}, ""},
		{"kimi", "landlock", "kimi-k3", []string{"kimi", "-p", sentence, "--output-format", "stream-json"}, ""},
		{"gemini", "none", "", []string{"gemini", "-p", sentence, "--output-format", "stream-json", "--include-directories", "/srv/shop", "--yolo"}, ""},
		{"antigravity", "none", "", []string{"agy", "-p", sentence}, ""},
		{"replay", "none", "replay", []string{"/bin/okstra-dispatch", "__replay", "/srv/shop/p.md"}, ""},
	} {
		t.Run(tt.provider+" "+tt.boundary, func(t *testing.T) {
			v := attempt(tt.boundary)
			v.ModelExecutionValue = tt.model
			l, err := row(t, tt.provider).Launch(v, nil)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tt.want, append([]string{l.Command}, l.Args...)); diff != "" {
				t.Errorf("argv (-want +got):\n%s", diff)
			}
			if l.Stdin != tt.stdin || l.Dir != "/srv/tree" {
				t.Errorf("stdin %q, dir %q", l.Stdin, l.Dir)
			}
		})
	}
}

func TestAnEmptyPlaceholderTakesItsFlagAlong(t *testing.T) {
	value := func(name string) string { return map[string]string{"a": "A"}[name] }
	for _, tt := range []struct{ in, want string }{
		{"-m {empty} -x", "-x"},
		{"-v -m {empty}", "-v"},
		{"-m {a} {empty} x", "-m A x"},       // the flag has its value already
		{"run {empty} x", "run x"},           // a word is no flag
		{"--model={empty} x", "x"},           // the argument is its own flag
		{"-v --model={empty} x", "-v x"},     // and the flag before it stays
		{"-a {empty} {empty}", ""},           // once
		{"-m pre-{a}-{empty} y", "y"},        // one empty part is enough
		{"-m {a} --add-dir {empty}", "-m A"}, // last
	} {
		if got := strings.Join(arguments(strings.Fields(tt.in), value), " "); got != tt.want {
			t.Errorf("arguments(%q) = %q, want %q", tt.in, got, tt.want)
		}
	}
}

func TestTheEnvironmentIsAnAllowList(t *testing.T) {
	environ := []string{
		"PATH=/bin", "HOME=/home/u", "SECRET=x", "ANTHROPIC_API_KEY=k", "CLAUDECODE=1", "CLAUDE_CODE_ENTRYPOINT=cli",
		"GIT_DIR=/elsewhere", "GIT_OPTIONAL_LOCKS=1", "=C:=strange", "novalue", "LANG=",
	}
	v := attempt("overlay")
	v.Root = true
	v.Extra = map[string]string{"TMPDIR": "/tmp/x"}
	l, err := row(t, "claude").Launch(v, environ)
	if err != nil {
		t.Fatal(err)
	}
	want := []string{
		"ANTHROPIC_API_KEY=k", "BROWSER=/bin/false", "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC=1", "DISABLE_AUTOUPDATER=1",
		"GIT_OPTIONAL_LOCKS=0", "HOME=/home/u", "IS_SANDBOX=1", "LANG=", "PATH=/bin", "TMPDIR=/tmp/x",
	}
	if diff := cmp.Diff(want, l.Env); diff != "" {
		t.Errorf("environment (-want +got):\n%s", diff)
	}
	v.Root = false
	if l, _ = row(t, "claude").Launch(v, environ); slices.Contains(l.Env, "IS_SANDBOX=1") {
		t.Error("IS_SANDBOX set for an ordinary user")
	}
	if l, _ = row(t, "gemini").Launch(v, environ); !slices.Contains(l.Env, "GEMINI_CLI_NO_RELAUNCH=true") {
		t.Error("gemini may start itself again")
	}
}

func TestNoWildcardLetsAnOuterSessionIn(t *testing.T) {
	p := Provider{Env: Env{Pass: []string{"CLAUDE*", "CODEX_*"}}}
	for _, name := range outerSession {
		if p.passes(name) {
			t.Errorf("%s passes", name)
		}
	}
	p.Env.Pass = []string{"CLAUDECODE"}
	if p.passes("CLAUDECODE") {
		t.Error("CLAUDECODE passes by its own name")
	}
}

func TestPathsOfACLI(t *testing.T) {
	for _, tt := range []struct {
		name, provider     string
		environ            []string
		writable, progress []string
	}{
		{"default home", "codex", []string{"HOME=/home/u"}, []string{"/home/u/.codex"}, []string{"/home/u/.codex/sessions"}},
		{"variable", "codex", []string{"HOME=/home/u", "CODEX_HOME=/data/c/"}, []string{"/data/c"}, []string{"/data/c/sessions"}},
		{"empty variable is unset", "codex", []string{"HOME=/home/u", "CODEX_HOME="}, []string{"/home/u/.codex"}, []string{"/home/u/.codex/sessions"}},
		{"relative variable", "codex", []string{"HOME=/home/u", "CODEX_HOME=c"}, []string{"/srv/tree/c"}, []string{"/srv/tree/c/sessions"}},
		{"tilde in a variable", "codex", []string{"HOME=/home/u", "CODEX_HOME=~/c"}, []string{"/home/u/c"}, []string{"/home/u/c/sessions"}},
		{"several", "claude", []string{"HOME=/home/u"}, []string{"/home/u/.claude", "/home/u/.claude.json", "/home/u/.cache/claude-cli-nodejs"}, []string{"/home/u/.claude/projects"}},
		{"gemini's home is the folder above", "gemini", []string{"HOME=/home/u", "GEMINI_CLI_HOME=/g"}, []string{"/g/.gemini"}, []string{"/g/.gemini/tmp"}},
		{"no home", "grok", nil, nil, nil},
	} {
		t.Run(tt.name, func(t *testing.T) {
			l, err := row(t, tt.provider).Launch(attempt("none"), tt.environ)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tt.writable, l.Writable); diff != "" {
				t.Errorf("writable (-want +got):\n%s", diff)
			}
			if diff := cmp.Diff(tt.progress, l.Progress); diff != "" {
				t.Errorf("progress (-want +got):\n%s", diff)
			}
		})
	}
}

func TestABoundaryThatIsNotToleratedIsRefused(t *testing.T) {
	p := *row(t, "codex")
	p.Boundaries = []string{"none"}
	if _, err := p.Launch(attempt("landlock"), nil); err == nil || !strings.Contains(err.Error(), `"landlock"`) {
		t.Errorf("got %v, want a refusal that names the boundary", err)
	}
}

// Report 35: an argument holds at most 128 KiB. The prompt's text must not
// stand in one, however long its path may be.
func TestReport35PromptTextNeverStandsInAnArgument(t *testing.T) {
	for _, p := range catalogue(t).Providers() {
		l, err := p.Launch(attempt("none"), []string{"HOME=/home/u"})
		if err != nil {
			t.Fatal(err)
		}
		for _, arg := range l.Args {
			if len(arg) > 4096 {
				t.Errorf("%s: argument of %d bytes", p.ID, len(arg))
			}
		}
		if (l.Stdin == "") == (p.Prompt == PromptStdin) {
			t.Errorf("%s: stdin %q with prompt %q", p.ID, l.Stdin, p.Prompt)
		}
	}
}

func TestCauses(t *testing.T) {
	for _, tt := range []struct{ provider, place, text, want string }{
		{"codex", "stderr", "error: Not inside a trusted directory and --skip…", "untrusted-directory"},
		{"codex", "sessionFile", "bwrap: setting up uid map: Permission denied", "sandbox-broken"},
		{"codex", "stderr", "bwrap: mentioned by the model", ""},
		{"claude", "stderr", "Error: Session ID 11 is already in use.", "session-in-use"},
		{"kimi", "stderr", "anything", ""},
	} {
		got := row(t, tt.provider).CauseOf(func(place, text string) bool { return place == tt.place && strings.Contains(tt.text, text) })
		if got != tt.want {
			t.Errorf("%s %s %q: cause %q, want %q", tt.provider, tt.place, tt.text, got, tt.want)
		}
	}
	both := Provider{Causes: []Cause{{Match: map[string]string{"stderr": "a", "stdout": "b"}, Cause: "c"}}}
	if got := both.CauseOf(func(place, _ string) bool { return place == "stderr" }); got != "" {
		t.Errorf("one of two texts was enough: %q", got)
	}
}

func TestLogin(t *testing.T) {
	p := row(t, "codex")
	if got := p.CredentialVariable([]string{"OPENAI_API_KEY=k"}); got != "OPENAI_API_KEY" {
		t.Errorf("variable %q", got)
	}
	if got := p.CredentialVariable([]string{"OPENAI_API_KEY="}); got != "" {
		t.Errorf("an empty variable counts: %q", got)
	}
	if got, want := p.CredentialFiles([]string{"HOME=/home/u"}), []string{"/home/u/.codex/auth.json"}; !slices.Equal(got, want) {
		t.Errorf("files %v, want %v", got, want)
	}
	if got := row(t, "antigravity").CredentialFiles([]string{"HOME=/h"}); got != nil {
		t.Errorf("antigravity leaves nothing at home, got %v", got)
	}
}

func TestTempDir(t *testing.T) {
	if got := row(t, "codex").TempDirFor("/tmp", "/home/u"); strings.HasPrefix(got, "/tmp") || !filepath.IsAbs(got) {
		t.Errorf("codex would work under %q", got)
	}
	if got := row(t, "claude").TempDirFor("/tmp", "/home/u"); got != "/tmp" {
		t.Errorf("claude: %q", got)
	}
}

func TestTemplatesOfPlainTextStayThemselves(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.StringMatching(`[^{]*`).Draw(t, "text")
		got, filled := expand(text, func(string) string { return "" })
		if got != text || !filled {
			t.Fatalf("expand(%q) = %q, %v", text, got, filled)
		}
	})
}

func FuzzTemplate(f *testing.F) {
	for _, s := range []string{"", "{", "}", "{}", "a{b}c", "{a}{b}", "{{a}}", "{env:X|~/.x}/y", "\x00{\xff}"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		pieces, ok := cut(s)
		if !ok {
			return
		}
		// Law: the pieces are the template.
		var b strings.Builder
		for _, p := range pieces {
			if p.text != "" {
				b.WriteString(p.text)
			} else {
				b.WriteString("{" + p.name + "}")
			}
		}
		if b.String() != s {
			t.Errorf("pieces of %q are %q", s, b.String())
		}
	})
}

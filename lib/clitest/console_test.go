package clitest

import (
	"os"
	"path/filepath"
	"slices"
	"testing"
)

const consolePage = "# Page\n\n```console\n$ printf 'a\\nb\\n'\na\nb\n$ cd sub && false\n[status 1]\n$ pwd\n~/sub\n```\n\n" +
	"```sh\n$ never run\n```\n\n" +
	"````console\n$ cat <<'END'\n> x 1 y\n> ```\n> END\nx … y\n...\n$ seq 9\n1\n...\n8\n9\n$ echo no >&2; exit 3\nno\n````\n"

func TestConsoleBlocksAreRunAndCompared(t *testing.T) {
	dir := t.TempDir()
	page := filepath.Join(dir, "page.md")
	// The last command ends the shell, which a page must not do.
	write(t, page, consolePage[:len(consolePage)-len("$ echo no >&2; exit 3\nno\n````\n")]+"$ (echo no >&2; exit 3)\nno\n[status 3]\n````\n")
	fixture := filepath.Join(dir, "fixture")
	if err := os.MkdirAll(filepath.Join(fixture, "sub"), 0o755); err != nil {
		t.Fatal(err)
	}
	Console(t, page, fixture, dir)
}

func TestConsoleBlocksAreFound(t *testing.T) {
	blocks := consoleBlocks(consolePage)
	if len(blocks) != 2 || blocks[0].line != 4 || len(blocks[0].commands) != 3 || len(blocks[1].commands) != 3 {
		t.Fatalf("blocks = %+v", blocks)
	}
	heredoc := blocks[1].commands[0]
	if want := "cat <<'END'\nx 1 y\n```\nEND"; heredoc.text != want {
		t.Errorf("command = %q, want %q", heredoc.text, want)
	}
	if want := []string{"x … y", "..."}; !slices.Equal(heredoc.want, want) {
		t.Errorf("its output = %q, want %q", heredoc.want, want)
	}
}

func TestConsoleBlockThatEndsItsShellIsReported(t *testing.T) {
	_, err := consoleBlocks(consolePage)[1].run(t.TempDir(), "")
	if err == nil {
		t.Error("a block whose shell exits early is taken for complete")
	}
}

func TestConsoleOutputOfTheMachineIsLeftOut(t *testing.T) {
	dir := t.TempDir()
	block := consoleBlock{commands: []consoleCommand{{text: "echo $HOME $TZ $TERM"}}}
	got, err := block.run(dir, "")
	if err != nil {
		t.Fatal(err)
	}
	if want := []string{"~ UTC dumb"}; !slices.Equal(got[0], want) {
		t.Errorf("prints %q, want %q", got[0], want)
	}
}

func TestMatchLines(t *testing.T) {
	for _, tt := range []struct {
		name      string
		want, got []string
		ok        bool
	}{
		{"nothing", nil, nil, true},
		{"equal", []string{"a", "b"}, []string{"a", "b"}, true},
		{"one more", []string{"a"}, []string{"a", "b"}, false},
		{"one less", []string{"a", "b"}, []string{"a"}, false},
		{"dots for none", []string{"a", "..."}, []string{"a"}, true},
		{"dots for many", []string{"...", "c"}, []string{"a", "b", "c"}, true},
		{"dots twice", []string{"...", "b", "..."}, []string{"a", "b", "c"}, true},
		{"dots do not hide the end", []string{"...", "c"}, []string{"c", "d"}, false},
		{"ellipsis inside", []string{"took … ms"}, []string{"took 12 ms"}, true},
		{"ellipsis is no pattern", []string{"a.c …"}, []string{"abc x"}, false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if got := matchLines(tt.want, tt.got); got != tt.ok {
				t.Errorf("matchLines(%q, %q) = %v", tt.want, tt.got, got)
			}
		})
	}
}

func TestConsoleRewritesThePage(t *testing.T) {
	t.Setenv("UPDATE_SCRIPTS", "1")
	page := filepath.Join(t.TempDir(), "page.md")
	write(t, page, "```console\n$ seq 3\n9\n$ echo new\n$ seq 2\n1\n...\n```\n")
	Console(t, page, "", "")
	text, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	if want := "```console\n$ seq 3\n1\n2\n3\n$ echo new\nnew\n$ seq 2\n1\n...\n```\n"; string(text) != want {
		t.Errorf("page is now\n%s\nwant\n%s", text, want)
	}
}

func write(t *testing.T, name, text string) {
	t.Helper()
	if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

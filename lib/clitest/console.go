package clitest

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"
)

// consoleLimit is the time that one block of a page may take.
const consoleLimit = 2 * time.Minute

// Console runs the ```console blocks of a Markdown page and compares what is
// printed there with what is printed now:
//
//	$ okstra-validate doc broken.json
//	okstra-validate: broken.json:3:1: not JSON: …
//	[status 2]
//
// A line that begins with "$ " is a command; one that begins with "> "
// continues it. The lines below are its output, standard error included;
// "[status N]" is a status that is not 0. A line "..." stands for any lines, a
// "…" inside a line for any text: put them where times, paths and ids would
// stand.
//
// The blocks of a page share one folder, which starts as a copy of fixture
// ("" for an empty one) and is HOME as well; each block begins in it with a
// fresh shell. bin is put in front of PATH. A page without blocks is fine.
// UPDATE_SCRIPTS=1 writes the real output into blocks that have no wildcards.
func Console(t *testing.T, page, fixture, bin string) {
	t.Helper()
	text, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	blocks := consoleBlocks(string(text))
	if len(blocks) == 0 {
		return
	}
	NeedTool(t, "bash")
	dir := t.TempDir()
	if fixture != "" {
		if err := os.CopyFS(dir, os.DirFS(fixture)); err != nil {
			t.Fatal(err)
		}
	}
	lines := strings.SplitAfter(string(text), "\n")
	changed := false
	for _, block := range blocks {
		got, err := block.run(dir, bin)
		if err != nil {
			t.Fatalf("%s:%d: %v", page, block.line, err)
		}
		for i, command := range block.commands {
			if command.matches(got[i]) {
				continue
			}
			if os.Getenv("UPDATE_SCRIPTS") != "" && !command.hasWildcard() {
				command.rewrite(lines, got[i])
				changed = true
				continue
			}
			t.Errorf("%s:%d: $ %s\nprints\n%s\n(expected)\n%s", page, command.line, command.text,
				indent(got[i]), indent(command.want))
		}
	}
	if changed {
		if err := os.WriteFile(page, []byte(strings.Join(lines, "")), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

func indent(lines []string) string { return "\t" + strings.Join(lines, "\n\t") }

// consoleBlock is one fenced block of a page.
type consoleBlock struct {
	line     int // of its first line
	commands []consoleCommand
}

// consoleCommand is a command and what it should print.
type consoleCommand struct {
	line       int // of the command
	text       string
	want       []string // the lines below it, the status line included
	begin, end int      // where those lines stand in the page
}

// consoleBlocks finds the blocks of a page. Lines before the first command of
// a block are a mistake in the page; they show as a command that prints them.
func consoleBlocks(page string) []consoleBlock {
	var blocks []consoleBlock
	inside, fence := false, ""
	for i, line := range strings.Split(page, "\n") {
		trimmed := strings.TrimSpace(line)
		switch {
		case !inside && strings.HasPrefix(trimmed, "```") && strings.Trim(trimmed, "`") == "console":
			inside, fence = true, strings.TrimSuffix(trimmed, "console")
			blocks = append(blocks, consoleBlock{line: i + 2})
		case inside && trimmed == fence:
			inside = false
		case inside:
			block := &blocks[len(blocks)-1]
			block.add(line, i)
		}
	}
	return blocks
}

func (b *consoleBlock) add(line string, index int) {
	n := len(b.commands)
	switch {
	case strings.HasPrefix(line, "$ "):
		b.commands = append(b.commands, consoleCommand{line: index + 1, text: line[2:], begin: index + 1, end: index + 1})
	case n == 0:
		b.commands = append(b.commands, consoleCommand{line: index + 1, text: ":", want: []string{line}, begin: index, end: index + 1})
	case strings.HasPrefix(line, "> ") && len(b.commands[n-1].want) == 0:
		last := &b.commands[n-1]
		last.text += "\n" + line[2:]
		last.begin, last.end = index+1, index+1
	default:
		last := &b.commands[n-1]
		last.want = append(last.want, line)
		last.end = index + 1
	}
}

// mark stands around the status that the script prints after each command.
const mark = "\x1e"

// run executes the commands of a block in one shell and gives the lines that
// each printed.
func (b consoleBlock) run(dir, bin string) ([][]string, error) {
	var script strings.Builder
	for _, command := range b.commands {
		fmt.Fprintf(&script, "%s\nprintf '%s%%d%s' $?\n", command.text, mark, mark)
	}
	ctx, cancel := context.WithTimeout(context.Background(), consoleLimit)
	defer cancel()
	cmd := exec.CommandContext(ctx, "bash", "-c", "exec 2>&1\n"+script.String())
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), fixedEnv(dir)...)
	cmd.Env = append(cmd.Env, "PATH="+bin+string(os.PathListSeparator)+os.Getenv("PATH"))
	cmd.WaitDelay = time.Second
	output, err := cmd.Output()
	parts := bytes.Split(output, []byte(mark))
	if len(parts) != 2*len(b.commands)+1 {
		return nil, fmt.Errorf("the block ends early: %v\n%s", err, output)
	}
	got := make([][]string, len(b.commands))
	for i := range b.commands {
		text := strings.ReplaceAll(string(parts[2*i]), dir, "~")
		if text != "" {
			got[i] = strings.Split(strings.TrimSuffix(text, "\n"), "\n")
		}
		if code, err := strconv.Atoi(string(parts[2*i+1])); err != nil || code != 0 {
			got[i] = append(got[i], fmt.Sprintf("[status %s]", parts[2*i+1]))
		}
	}
	return got, nil
}

func (c consoleCommand) hasWildcard() bool {
	for _, line := range c.want {
		if line == "..." || strings.Contains(line, "…") {
			return true
		}
	}
	return false
}

// matches compares line by line; trailing blank lines of the page do not count.
func (c consoleCommand) matches(got []string) bool {
	want := c.want
	for len(want) > 0 && strings.TrimSpace(want[len(want)-1]) == "" {
		want = want[:len(want)-1]
	}
	return matchLines(want, got)
}

// matchLines is matching with "..." for any number of lines.
func matchLines(want, got []string) bool {
	for i, line := range want {
		if line == "..." {
			for skip := 0; i+skip <= len(got); skip++ {
				if matchLines(want[i+1:], got[i+skip:]) {
					return true
				}
			}
			return false
		}
		if i >= len(got) || !matchLine(line, got[i]) {
			return false
		}
	}
	return len(want) == len(got)
}

// matchLine is equality with "…" for any text.
func matchLine(want, got string) bool {
	if !strings.Contains(want, "…") {
		return want == got
	}
	parts := strings.Split(want, "…")
	for i, part := range parts {
		parts[i] = regexp.QuoteMeta(part)
	}
	return regexp.MustCompile("^" + strings.Join(parts, ".*") + "$").MatchString(got)
}

// rewrite puts the output into the lines of the page. They keep their number:
// surplus goes onto the last one, what is not needed becomes empty.
func (c consoleCommand) rewrite(lines []string, got []string) {
	text := ""
	if len(got) > 0 {
		text = strings.Join(got, "\n") + "\n"
	}
	if c.begin == c.end { // nothing was printed so far: it goes below the command
		lines[c.begin-1] += text
		return
	}
	for i := c.begin; i < c.end; i++ {
		lines[i] = ""
	}
	lines[c.begin] = text
}

package okstra_test

import (
	"io/fs"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// markdown lists the pages that people read: README, CHANGELOG, docs/ and what
// stands beside the examples, recordings left out.
func markdown(t *testing.T) []string {
	t.Helper()
	list := []string{"README.md", "CHANGELOG.md"}
	for _, dir := range []string{"docs", "examples"} {
		err := filepath.WalkDir(dir, func(name string, entry fs.DirEntry, err error) error {
			if err == nil && entry.IsDir() && entry.Name() == "recordings" {
				return filepath.SkipDir
			}
			if err == nil && filepath.Ext(name) == ".md" {
				list = append(list, filepath.ToSlash(name))
			}
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	return list
}

// page is a Markdown file taken apart: prose without its code, code blocks, and
// code spans.
type page struct {
	name   string
	prose  string
	blocks []string
	spans  []string
	slugs  []string // of its headings, as links name them
}

var (
	span    = regexp.MustCompile("`([^`\n]+)`")
	link    = regexp.MustCompile(`\]\(([^)\s]+)\)`)
	notSlug = regexp.MustCompile(`[^\p{L}\p{N} _-]`)
)

func readPage(t *testing.T, name string) page {
	t.Helper()
	text, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	p := page{name: name}
	var prose, block strings.Builder
	fence := ""
	for line := range strings.Lines(string(text)) {
		trimmed := strings.TrimSpace(line)
		switch {
		case fence != "" && trimmed == fence:
			p.blocks = append(p.blocks, block.String())
			block.Reset()
			fence = ""
		case fence != "":
			block.WriteString(line)
		case strings.HasPrefix(trimmed, "```"):
			fence = "```"
		case strings.HasPrefix(line, "    "):
			p.blocks = append(p.blocks, line)
		default:
			prose.WriteString(line)
			if strings.HasPrefix(line, "#") {
				title := notSlug.ReplaceAllString(strings.ToLower(strings.TrimLeft(trimmed, "# ")), "")
				p.slugs = append(p.slugs, strings.ReplaceAll(title, " ", "-"))
			}
		}
	}
	for _, m := range span.FindAllStringSubmatch(prose.String(), -1) {
		p.spans = append(p.spans, m[1])
	}
	p.prose = span.ReplaceAllString(prose.String(), "code")
	return p
}

// links are the targets inside the project: path and anchor, either may be "".
func (p page) links() [][2]string {
	var out [][2]string
	for _, m := range link.FindAllStringSubmatch(p.prose, -1) {
		if strings.Contains(m[1], "://") || strings.HasPrefix(m[1], "mailto:") {
			continue
		}
		target, anchor, _ := strings.Cut(m[1], "#")
		if target != "" {
			target = path.Join(path.Dir(p.name), target)
		}
		out = append(out, [2]string{target, anchor})
	}
	return out
}

func TestEveryLinkInTheDocsResolves(t *testing.T) {
	for _, name := range markdown(t) {
		p := readPage(t, name)
		for _, to := range p.links() {
			target := p
			if to[0] != "" {
				if _, err := os.Stat(to[0]); err != nil {
					t.Errorf("%s links to %s, which does not exist", name, to[0])
					continue
				}
				if path.Ext(to[0]) == ".md" {
					target = readPage(t, to[0])
				}
			}
			if to[1] != "" && !slices.Contains(target.slugs, to[1]) {
				t.Errorf("%s links to #%s of %s, which has the headings %q", name, to[1], target.name, target.slugs)
			}
		}
	}
}

// TestEveryPageCanBeReachedFromTheReadme follows the links: a page that nobody
// finds is a page that nobody reads.
func TestEveryPageCanBeReachedFromTheReadme(t *testing.T) {
	seen, queue := map[string]bool{"README.md": true}, []string{"README.md"}
	for len(queue) > 0 {
		p := readPage(t, queue[0])
		queue = queue[1:]
		for _, to := range p.links() {
			if _, err := os.Stat(to[0]); err == nil && path.Ext(to[0]) == ".md" && !seen[to[0]] {
				seen[to[0]] = true
				queue = append(queue, to[0])
			}
		}
	}
	for _, name := range markdown(t) {
		if !seen[name] {
			t.Errorf("no link leads from README.md to %s", name)
		}
	}
}

// TestEveryPathInTheDocsExists looks at code spans that name a place in the
// source tree.
func TestEveryPathInTheDocsExists(t *testing.T) {
	place := regexp.MustCompile(`^(?:\./)?((?:lib|cmd|docs|examples|testdata|\.ci)/[^\s<>…]+)$`)
	for _, name := range markdown(t) {
		for _, s := range readPage(t, name).spans {
			m := place.FindStringSubmatch(s)
			if m == nil {
				continue
			}
			if found, err := filepath.Glob(strings.TrimSuffix(m[1], "/...")); err != nil || len(found) == 0 {
				t.Errorf("%s names %s, which does not exist", name, s)
			}
		}
	}
}

// hiddenVariables pass between our own processes.
var hiddenVariables = []string{"OKSTRA_REPLAY", "OKSTRA_ENCLOSE", "OKSTRA_ATTEMPT"}

// TestEveryVariableIsDocumented compares the OKSTRA_ variables that programs
// and examples read with those of the pages.
func TestEveryVariableIsDocumented(t *testing.T) {
	variable := regexp.MustCompile(`\bOKSTRA_[A-Z_]+[A-Z]\b`)
	used := map[string]bool{}
	for _, dir := range []string{"cmd", "lib", "examples"} {
		err := filepath.WalkDir(dir, func(name string, entry fs.DirEntry, err error) error {
			if err == nil && name == filepath.Join("lib", "clitest") {
				return filepath.SkipDir
			}
			if err != nil || entry.IsDir() || strings.HasSuffix(name, "_test.go") ||
				filepath.Ext(name) != ".go" && filepath.Ext(name) != ".sh" {
				return err
			}
			text, err := os.ReadFile(name)
			for _, m := range variable.FindAllString(string(text), -1) {
				used[m] = true
			}
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	documented := map[string]bool{}
	for _, name := range markdown(t) {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range variable.FindAllString(string(text), -1) {
			documented[m] = true
		}
	}
	for name := range used {
		if !documented[name] && !slices.Contains(hiddenVariables, name) {
			t.Errorf("no page tells what %s is for", name)
		}
	}
	for name := range documented {
		if !used[name] && !strings.HasPrefix(name, "OKSTRA_DEFAULT_") { // made from a role's name
			t.Errorf("the pages tell of %s, which nothing reads", name)
		}
	}
}

// program is what a tool says about itself.
type program struct {
	commands map[string]command // by full name; "" is the program
	groups   map[string]bool    // the first words of names of two
}

// command is what a manual page lists for it.
type command struct{ flags, statuses []string }

// describe takes the manual pages of the programs apart: they are made from
// the help pages.
func describe(t *testing.T, bin string) map[string]program {
	t.Helper()
	tools, err := filepath.Glob("cmd/okstra-*")
	if err != nil || len(tools) == 0 {
		t.Fatalf("%d programs, %v", len(tools), err)
	}
	out := map[string]program{}
	for _, dir := range tools {
		tool := filepath.Base(dir)
		text, err := exec.Command(filepath.Join(bin, tool), "--help-man").Output()
		if err != nil {
			t.Fatal(err)
		}
		out[tool] = readManual(strings.ReplaceAll(string(text), `\-`, "-"))
	}
	return out
}

func readManual(text string) program {
	p := program{commands: map[string]command{"help": {}}, groups: map[string]bool{}}
	name, c := "", command{}
	for line := range strings.Lines(text) {
		request, rest, _ := strings.Cut(strings.TrimSpace(line), " ")
		switch {
		case request == ".SS" || request == ".SH" && name != "":
			p.commands[name] = c
			name, c = "", p.commands[""]
			if request == ".SS" {
				name, c = rest, command{}
			}
			if group, _, two := strings.Cut(rest, " "); two {
				p.groups[group] = true
			}
		case request == ".B" && strings.HasPrefix(rest, "-"):
			c.flags = append(c.flags, longFlag.FindAllString(rest, -1)...)
		case request == ".B" && rest[0] >= '0' && rest[0] <= '9':
			c.statuses = append(c.statuses, strings.Split(rest, ", ")...)
		}
	}
	p.commands[name] = c
	return p
}

var (
	call   = regexp.MustCompile(`\b(okstra-(?:wizard|dispatch|converge|token-usage|translate|validate))((?: [^|;&<>()\n]*)?)`)
	quoted = regexp.MustCompile(`'[^']*'|"[^"]*"`)
	verb   = regexp.MustCompile(`^[a-z][a-z-]+$`)

	longFlag = regexp.MustCompile(`--[a-z][a-z0-9-]*[a-z0-9]`)
)

// foreignFlags stand in the pages and belong to other programs, or to no list.
var foreignFlags = []string{
	"--completion-script-bash", "--completion-words", "--completion", "--help-man", "--help-long", "--no-help-man", // hidden
	"--version", "--no-x", "--no", "--switch", "--json", "--flag", // examples of cli.md
	"--no-optional-locks", "--porcelain", "--untracked-files", "--no-track", "--force", // git
	"--dangerously-skip-permissions", "--model", "--session-id", "--joblog", // CLIs, GNU parallel
}

// TestEveryCommandInTheDocsExists reads each call of a program in code spans,
// code blocks and the example scripts, and each flag that stands alone.
func TestEveryCommandInTheDocsExists(t *testing.T) {
	tools := describe(t, programs(t))
	all := slices.Clone(foreignFlags)
	for _, p := range tools {
		for _, c := range p.commands {
			all = append(all, c.flags...)
		}
	}
	for _, p := range pagesAndScripts(t) {
		for _, code := range slices.Concat(p.blocks, p.spans) {
			code = strings.ReplaceAll(quoted.ReplaceAllString(code, "Q"), "\\\n", " ")
			for _, m := range call.FindAllStringSubmatch(code, -1) {
				if complaint := tools[m[1]].check(strings.Fields(m[2])); complaint != "" {
					t.Errorf("%s: %s%s: %s", p.name, m[1], m[2], complaint)
				}
			}
		}
		for _, code := range p.spans {
			for _, name := range longFlag.FindAllString(code, -1) {
				if !slices.Contains(all, name) {
					t.Errorf("%s: `%s`: no program has the flag %s", p.name, code, name)
				}
			}
		}
	}
}

// pagesAndScripts are the pages and the scripts that show commands.
func pagesAndScripts(t *testing.T) []page {
	t.Helper()
	var list []page
	for _, name := range markdown(t) {
		list = append(list, readPage(t, name))
	}
	scripts, err := filepath.Glob("examples/*.sh")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range scripts {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		list = append(list, page{name: name, blocks: []string{string(text)}})
	}
	return list
}

// check looks for the command in the words of a call, and for the flags of
// that command; a call without a command may have those of any.
func (p program) check(words []string) string {
	name, flags := "", []string(nil)
	for i, word := range words {
		if word == "--" {
			break
		}
		if strings.HasPrefix(word, "--") {
			flags = append(flags, longFlag.FindString(word))
			continue
		}
		next := strings.TrimSpace(name + " " + word)
		_, known := p.commands[next]
		switch {
		case known || p.groups[next]:
			name = next
		case i == 0 && verb.MatchString(word):
			return "there is no such command"
		}
	}
	allowed := slices.Concat(foreignFlags, p.commands[name].flags)
	if name == "" {
		for _, c := range p.commands {
			allowed = append(allowed, c.flags...)
		}
	}
	for _, f := range flags {
		if !slices.Contains(allowed, f) {
			return "there is no " + f
		}
	}
	return ""
}

// TestEveryExitStatusIsOneOfTheTable holds the help of each command, and the
// tables of the pages, to docs/exit-status.md.
func TestEveryExitStatusIsOneOfTheTable(t *testing.T) {
	known := statusTable(t, "docs/exit-status.md")
	for tool, p := range describe(t, programs(t)) {
		all := p.commands[""].statuses
		for _, always := range []string{"0", "2", "3", "130", "143"} {
			if !slices.Contains(all, always) {
				t.Errorf("%s --help does not tell of status %s", tool, always)
			}
		}
		for name, c := range p.commands {
			for _, status := range c.statuses {
				if !slices.Contains(known, status) || !slices.Contains(all, status) {
					t.Errorf("%s %s --help tells of status %s (expected one of docs/exit-status.md and of %s --help)", tool, name, status, tool)
				}
			}
		}
		about := "docs/" + strings.TrimPrefix(tool, "okstra-") + ".md"
		if _, err := os.Stat(about); err != nil {
			continue
		}
		for _, status := range statusTable(t, about) {
			if !slices.Contains(all, status) {
				t.Errorf("%s tells of status %s, %s --help does not", about, status, tool)
			}
		}
	}
}

// statusTable are the statuses in the first column of a page's table.
func statusTable(t *testing.T, name string) []string {
	t.Helper()
	text, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	_, rest, _ := strings.Cut(string(text), "\n| status |")
	rest, _, _ = strings.Cut(rest, "\n\n")
	var list []string
	for _, m := range regexp.MustCompile(`(?m)^\| ([0-9]+(?:, [0-9]+)*) \|`).FindAllStringSubmatch(rest, -1) {
		list = append(list, strings.Split(m[1], ", ")...)
	}
	return list
}

// TestEveryMakeTargetIsDocumented compares the Makefile with the targets that
// docs/development.md lists and the pages call.
func TestEveryMakeTargetIsDocumented(t *testing.T) {
	text, err := os.ReadFile("Makefile")
	if err != nil {
		t.Fatal(err)
	}
	targets := map[string]bool{}
	for _, m := range regexp.MustCompile(`(?m)^([a-z][a-z0-9-]*%?):(?:[^=]|$)`).FindAllStringSubmatch(string(text), -1) {
		targets[m[1]] = true
	}
	about := readPage(t, "docs/development.md")
	listed := strings.Join(slices.Concat(about.spans, about.blocks), "\n")
	for name := range targets {
		if family, ok := strings.CutSuffix(name, "%"); ok {
			name = family + "<tool>"
		}
		if !regexp.MustCompile(`(?m)(^|make )` + regexp.QuoteMeta(name) + `([^a-z-]|$)`).MatchString(listed) {
			t.Errorf("docs/development.md does not tell of make %s", name)
		}
	}
	called := regexp.MustCompile(`(?m)(?:^|[|;&] *)make ([a-z][a-z0-9-]*)`)
	for _, p := range pagesAndScripts(t) {
		for _, code := range slices.Concat(p.blocks, p.spans) {
			for _, m := range called.FindAllStringSubmatch(code, -1) {
				if !targets[m[1]] && !strings.HasPrefix(m[1], "bench-") {
					t.Errorf("%s: make %s does not exist", p.name, m[1])
				}
			}
		}
	}
}

package validate

import (
	"bytes"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/txtar"

	"okstra/lib/finding"
	"okstra/lib/jsondoc"
	"okstra/lib/render"
)

// Each file of testdata/rules damages a sound run and lists what is then
// found. Part "edit" has one edit a line:
//
//	run TASK-TYPE                 the run to damage (error-analysis)
//	set FILE POINTER JSON         put a value
//	delete FILE POINTER           take one away
//	remove FILE                   the file is gone
//	write FILE TEXT               the file is TEXT (\n for line ends)
//	append FILE TEXT              a line is added
//	drop FILE REGEX               matching lines are gone
//	replace FILE REGEX => TEXT    everywhere
//	move FILE FROM TO             a line is moved
//	halve FILE                    the second half is gone
//	link FILE TARGET              the file is a symbolic link
//	render                        the report is rendered anew
//
// FILE is relative to the run folder, or to the project with a slash in
// front; $x stands for <task-type>-<seq>. Part "want" is the findings of all
// rules but manifest-status.
func TestRules(t *testing.T) {
	files, err := filepath.Glob("testdata/rules/*.txtar")
	if err != nil || len(files) == 0 {
		t.Fatal("no rule is tested", err)
	}
	covered := map[string]bool{}
	for _, file := range files {
		archive, err := txtar.ParseFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for line := range strings.Lines(part(archive, "want")) {
			if fields := strings.Split(line, "\t"); len(fields) > 1 {
				covered[fields[1]] = true
			}
		}
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txtar"), func(t *testing.T) {
			t.Parallel()
			got := damaged(t, part(archive, "edit"), strings.HasPrefix(filepath.Base(file), "manifest-status"))
			if os.Getenv("UPDATE_SCRIPTS") == "1" {
				update(t, file, archive, got)
				return
			}
			if diff := cmp.Diff(part(archive, "want"), got); diff != "" {
				t.Errorf("want, got:\n%s", diff)
			}
		})
	}
	for _, r := range Rules() {
		if !covered[r.Code] {
			t.Errorf("no file of testdata/rules has a finding of %s", r.Code)
		}
	}
}

func part(a *txtar.Archive, name string) string {
	for _, f := range a.Files {
		if f.Name == name {
			return string(f.Data)
		}
	}
	return ""
}

func update(t *testing.T, file string, a *txtar.Archive, want string) {
	a.Files = slices.DeleteFunc(a.Files, func(f txtar.File) bool { return f.Name == "want" })
	a.Files = append(a.Files, txtar.File{Name: "want", Data: []byte(want)})
	if err := os.WriteFile(file, txtar.Format(a), 0o644); err != nil {
		t.Fatal(err)
	}
}

// damaged applies edits to a sound project and lists what is found in the run.
func damaged(t *testing.T, edits string, status bool) string {
	e := &editor{t: t, files: runOK(t), links: map[string]string{}}
	e.choose("error-analysis")
	for line := range strings.Lines(edits) {
		if line = strings.TrimSpace(line); line != "" {
			e.edit(line)
		}
	}
	w := borrow(t)
	if err := w.show(e.files, e.links); err != nil {
		t.Fatal(err)
	}
	result := Run(w.path(e.path("manifests/run-manifest-$x.json")), Options{})
	var b strings.Builder
	for _, f := range result.Findings {
		if f.Code != "manifest-status" || status {
			b.WriteString(strings.ReplaceAll(line(f), e.dir+"/", "$R/"))
		}
	}
	return b.String()
}

// line is a finding as the tests show it.
func line(f finding.Finding) string {
	expected := ""
	if f.Expected != "" {
		expected = "; expected " + f.Expected
	}
	return fmt.Sprintf("%s\t%s\t%s\t%d:%d\t%s\t%s%s\n", f.Level, f.Code, f.Artifact, f.Line, f.Column, f.Pointer, f.Message, expected)
}

type editor struct {
	t     *testing.T
	files project
	links map[string]string
	dir   string // the run folder
	x     string
}

// choose takes the run of a task type.
func (e *editor) choose(taskType string) {
	for name := range e.files {
		dir, base := path.Split(name)
		if m := manifestName.FindStringSubmatch(base); m != nil && m[1] == taskType {
			e.dir, e.x = path.Dir(path.Clean(dir)), m[1]+"-"+m[2]
			return
		}
	}
	e.t.Fatalf("no run of type %s", taskType)
}

func (e *editor) path(name string) string {
	name = strings.ReplaceAll(name, "$x", e.x)
	if strings.HasPrefix(name, "/") {
		return name[1:]
	}
	return e.dir + "/" + name
}

func (e *editor) edit(line string) {
	verb, rest, _ := strings.Cut(line, " ")
	name, rest, _ := strings.Cut(rest, " ")
	file := e.path(name)
	first, second, _ := strings.Cut(rest, " ")
	if _, there := e.files[file]; !there && verb != "run" && verb != "write" && verb != "render" && verb != "link" {
		e.t.Fatalf("%s: no file %s", line, file)
	}
	switch verb {
	case "run":
		e.choose(name)
	case "set":
		e.json(file, func(d jsondoc.Doc) (jsondoc.Doc, error) { return d.Set(first, rawJSON(second)) })
	case "delete":
		e.json(file, func(d jsondoc.Doc) (jsondoc.Doc, error) { return d.Delete(first) })
	case "remove":
		delete(e.files, file)
	case "write":
		e.files[file] = []byte(strings.ReplaceAll(rest, `\n`, "\n"))
	case "append":
		e.files[file] = append(e.files[file], strings.ReplaceAll(rest, `\n`, "\n")+"\n"...)
	case "drop":
		e.lines(file, func(lines []string) []string {
			return slices.DeleteFunc(lines, regexp.MustCompile(rest).MatchString)
		})
	case "replace":
		pattern, text, _ := strings.Cut(rest, " =>")
		text = strings.ReplaceAll(strings.TrimPrefix(text, " "), `\n`, "\n")
		replaced := regexp.MustCompile("(?m)"+pattern).ReplaceAll(e.files[file], []byte(text))
		if bytes.Equal(replaced, e.files[file]) {
			e.t.Fatalf("%s: the edit changes nothing", line)
		}
		e.files[file] = replaced
	case "move":
		from, to := number(e.t, first), number(e.t, second)
		e.lines(file, func(lines []string) []string {
			moved := lines[from-1]
			return slices.Insert(slices.Delete(lines, from-1, from), to-1, moved)
		})
	case "halve":
		e.files[file] = e.files[file][:len(e.files[file])/2]
	case "link":
		delete(e.files, file)
		e.links[file] = rest
	case "render":
		e.render()
	default:
		e.t.Fatalf("unknown edit %q", line)
	}
}

// rawJSON is a JSON text as a value.
type rawJSON string

func (r rawJSON) MarshalJSON() ([]byte, error) { return []byte(r), nil }

func (e *editor) json(file string, edit func(jsondoc.Doc) (jsondoc.Doc, error)) {
	doc, err := jsondoc.Parse(file, e.files[file])
	if err != nil {
		e.t.Fatal(err)
	}
	if doc, err = edit(doc); err != nil {
		e.t.Fatal(err)
	}
	e.files[file] = doc.Raw
}

func (e *editor) lines(file string, edit func([]string) []string) {
	lines := strings.Split(strings.TrimSuffix(string(e.files[file]), "\n"), "\n")
	before := len(lines)
	lines = edit(lines)
	if len(lines) == before && bytes.Equal(e.files[file], []byte(strings.Join(lines, "\n")+"\n")) {
		e.t.Fatalf("%s: the edit changes nothing", file)
	}
	e.files[file] = []byte(strings.Join(lines, "\n") + "\n")
}

func (e *editor) render() {
	data := e.path("reports/final-report-$x.data.json")
	doc, err := jsondoc.Parse(data, e.files[data])
	if err != nil {
		e.t.Fatal(err)
	}
	page, err := render.Markdown(doc)
	if err != nil {
		e.t.Fatal(err)
	}
	e.files[e.path("reports/final-report-$x.md")] = page
}

func number(t *testing.T, s string) int {
	n, err := strconv.Atoi(s)
	if err != nil {
		t.Fatal(err)
	}
	return n
}

func TestTheRulesPageIsMadeFromTheTable(t *testing.T) {
	const page = "../../docs/rules.md"
	if os.Getenv("UPDATE_SCRIPTS") == "1" {
		if err := os.WriteFile(page, []byte(RulesPage()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	got, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	if string(got) != RulesPage() {
		t.Error("docs/rules.md differs from the rule table (UPDATE_SCRIPTS=1 writes it anew)")
	}
}

func TestEveryRuleIsComplete(t *testing.T) {
	seen := map[string]bool{}
	for _, r := range Rules() {
		if seen[r.Code] {
			t.Errorf("%s stands in two tables", r.Code)
		}
		seen[r.Code] = true
		if !r.Level.Valid() || r.Title == "" || r.Checks == "" || r.Why == "" || r.Fails == "" || r.Passes == "" || r.check == nil {
			t.Errorf("%s lacks a text or a check", r.Code)
		}
		for _, text := range []string{r.Checks, r.Why} {
			if !strings.HasSuffix(text, ".") {
				t.Errorf("%s: %q is no sentence", r.Code, text)
			}
		}
	}
}

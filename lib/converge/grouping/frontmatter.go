package grouping

import (
	"regexp"
	"slices"
	"strings"

	"okstra/lib/finding"
	"okstra/lib/run"
)

// FrontMatter is the block of keys at the head of a result. Its values are
// texts or lists of texts; that is all of YAML that it needs.
type FrontMatter map[string]FrontValue

// FrontValue is a value with its line. List is nil for a text.
type FrontValue struct {
	Text string
	List []string
	Line int
}

// Text is the text of a key, "" where it is absent or a list.
func (f FrontMatter) Text(key string) string { return f[key].Text }

var frontKeys = []string{"title", "id", "aliases", "tags", "taskType", "workerId", "task-id"}

var (
	frontLine = regexp.MustCompile(`^([A-Za-z][A-Za-z0-9_-]*):(?:[ \t]+(.*?))?[ \t]*$`)
	frontItem = regexp.MustCompile(`^[ \t]*-[ \t]+(.*?)[ \t]*$`)
)

// frontMatter reads the block and gives the index of the line after it.
func (p *resultParser) frontMatter() (FrontMatter, int) {
	front := make(FrontMatter)
	if len(p.lines) == 0 || p.lines[0] != "---" {
		p.fault(1, CodeFrontMatter, "file does not begin with front matter (expected \"---\")")
		return front, 0
	}
	end := slices.Index(p.lines[1:], "---") + 1
	if end == 0 {
		p.fault(1, CodeFrontMatter, "front matter has no end (expected a line \"---\")")
		return front, 1
	}
	last := ""
	for i := 1; i < end; i++ {
		last = p.frontLine(front, last, i+1, p.lines[i])
	}
	for _, key := range frontKeys {
		if _, ok := front[key]; !ok {
			p.fault(1, CodeFrontMatter, "front matter has no key %q", key)
		}
	}
	if err := run.CheckWorkerID(front.Text("workerId")); err != nil && front["workerId"].Line > 0 {
		p.fault(front["workerId"].Line, CodeFrontMatter, "%v", err)
	}
	return front, end + 1
}

// frontLine reads one line; last is the key of a list that goes on.
func (p *resultParser) frontLine(front FrontMatter, last string, n int, line string) string {
	if m := frontItem.FindStringSubmatch(line); m != nil && last != "" && front[last].Text == "" {
		v := front[last]
		v.List = append(v.List, unquote(m[1]))
		front[last] = v
		return last
	}
	m := frontLine.FindStringSubmatch(line)
	switch {
	case blank(line) || strings.HasPrefix(line, "#"):
		return last
	case m == nil:
		p.fault(n, CodeFrontMatter, "unexpected line %q (expected \"key: value\")", line)
		return ""
	case front[m[1]].Line > 0:
		p.fault(n, CodeFrontMatter, "key %q is repeated (first in line %d)", m[1], front[m[1]].Line)
		return ""
	}
	v := FrontValue{Line: n}
	if inner, ok := strings.CutPrefix(m[2], "["); ok && strings.HasSuffix(inner, "]") {
		v.List = []string{}
		for _, item := range splitList(strings.TrimSpace(strings.TrimSuffix(inner, "]"))) {
			v.List = append(v.List, unquote(item))
		}
	} else {
		v.Text = unquote(m[2])
	}
	front[m[1]] = v
	return m[1]
}

// unquote takes the quotes off a text. Escapes are kept: no value of a result
// needs any.
func unquote(s string) string {
	if len(s) >= 2 && (s[0] == '"' || s[0] == '\'') && s[len(s)-1] == s[0] {
		return s[1 : len(s)-1]
	}
	return s
}

// CheckIdentity compares the front matter of a result with the run that it
// should belong to, and with the worker and role that should have written it.
func (r Result) CheckIdentity(name string, task run.Task, workerID, role string) []finding.Finding {
	var faults []finding.Finding
	compare := func(key, found, expected string) {
		faults = append(faults, r.compare(name, key, found, expected)...)
	}
	id := strings.ReplaceAll(task.TaskKey, ":", "-")
	compare("title", r.FrontMatter.Text("title"), "OKSTRA "+titleCase(role)+" Result - "+task.TaskKey)
	compare("id", r.FrontMatter.Text("id"), id)
	compare("aliases", strings.Join(r.FrontMatter["aliases"].List, ", "), id+"-"+task.TaskType)
	compare("tags", strings.Join(slices.Sorted(slices.Values(r.FrontMatter["tags"].List)), ", "),
		strings.Join(slices.Sorted(slices.Values([]string{"worker-result", task.TaskType})), ", "))
	compare("taskType", r.FrontMatter.Text("taskType"), task.TaskType)
	compare("workerId", r.FrontMatter.Text("workerId"), workerID)
	compare("task-id", r.FrontMatter.Text("task-id"), task.TaskID)
	return faults
}

// CheckWorker compares the worker that the front matter of a result names with
// the one that should have written it.
func (r Result) CheckWorker(name, workerID string) []finding.Finding {
	return r.compare(name, "workerId", r.WorkerID(), workerID)
}

// compare reports a key of the front matter that does not say what is expected;
// of one that is not there ParseResult tells.
func (r Result) compare(name, key, found, expected string) []finding.Finding {
	v, there := r.FrontMatter[key]
	if !there || found == expected {
		return nil
	}
	return []finding.Finding{{
		Level: finding.Error, Code: CodeFrontMatter, Artifact: name, Line: v.Line, Anchor: key,
		Message: key + " is \"" + found + "\" (expected \"" + expected + "\")",
		Found:   found, Expected: expected,
	}}
}

// titleCase writes a role as a title does: "report-writer" as "Report Writer".
func titleCase(role string) string {
	words := strings.Split(role, "-")
	for i, w := range words {
		if w != "" {
			words[i] = strings.ToUpper(w[:1]) + w[1:]
		}
	}
	return strings.Join(words, " ")
}

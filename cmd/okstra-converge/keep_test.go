package main

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"okstra/lib/jsondoc"
)

// later puts a key of a newer version into every object of a document that
// has keys of its own, naming where it stood; not into who was asked what, of
// which the keys are names.
func later(v any, at string) any {
	switch v := v.(type) {
	case map[string]any:
		for key, value := range v {
			if key != "asked" {
				v[key] = later(value, at+"/"+key)
			}
		}
		v["addedLater"] = map[string]any{"stood": at, "digits": json.Number("90071992547409931")}
	case []any:
		for i := range v {
			v[i] = later(v[i], fmt.Sprintf("%s/%d", at, i))
		}
	}
	return v
}

// marked counts the added keys of a document, and gives those of its findings
// by group.
func marked(t *testing.T, name string) (count int, findings map[string]string) {
	t.Helper()
	text := read(t, name)
	var s struct {
		Findings []struct {
			GroupID    string
			AddedLater struct{ Stood string }
		}
	}
	if err := json.Unmarshal([]byte(text), &s); err != nil {
		t.Fatal(err)
	}
	findings = map[string]string{}
	for _, f := range s.Findings {
		findings[f.GroupID] = f.AddedLater.Stood
	}
	if strings.Count(text, `"addedLater"`) != strings.Count(text, "90071992547409931") {
		t.Errorf("%s: digits have changed", name)
	}
	return strings.Count(text, `"addedLater"`), findings
}

// rewriteWith marks a document with keys of a newer version.
func rewriteWith(t *testing.T, from, to string) {
	t.Helper()
	dec := json.NewDecoder(strings.NewReader(read(t, from)))
	dec.UseNumber()
	var v any
	if err := dec.Decode(&v); err != nil {
		t.Fatal(err)
	}
	text, err := json.Marshal(later(v, ""))
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(to, text, 0o644); err != nil {
		t.Fatal(err)
	}
}

// An older program never destroys what a newer one wrote: every step keeps the
// keys that it does not know, at the thing that they were written to.
func TestKeysOfANewerVersionStayThroughEveryStep(t *testing.T) {
	dir, examples := t.TempDir(), prepared(t)
	step := func(args ...string) {
		t.Helper()
		for i, arg := range args {
			if _, err := os.Stat(filepath.Join(examples, arg)); err == nil {
				args[i] = filepath.Join(examples, arg)
			}
		}
		cmd := exec.Command("okstra-converge", args...)
		cmd.Dir = dir
		if output, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("%q: %v\n%s", args, err, output)
		}
	}
	rewriteWith(t, filepath.Join(examples, "state.json"), filepath.Join(dir, "marked.json"))
	most, before := marked(t, filepath.Join(dir, "marked.json"))
	if most < 10 || len(before) == 0 {
		t.Fatalf("%d marks, findings %v", most, before)
	}
	step("apply", "--round", "1", "--state", "marked.json", "--output", "r1.json", "scope-a-r1.md", "scope-c-r1.md")
	step("apply", "--round", "1", "--state", "r1.json", "--output", "again.json", "scope-a-r1.md", "scope-c-r1.md")
	if read(t, filepath.Join(dir, "again.json")) != read(t, filepath.Join(dir, "r1.json")) {
		t.Error("the same files again give other bytes")
	}
	last := "r1.json"
	if !strings.Contains(read(t, filepath.Join(dir, last)), `"action": "finalize"`) {
		step("apply", "--round", "2", "--allow-missing", "--state", last, "--output", "r2.json")
		last = "r2.json"
	}
	step("finalize", "--output", "closed.json", last)
	for _, name := range []string{"r1.json", "closed.json"} {
		count, after := marked(t, filepath.Join(dir, name))
		if count != most {
			t.Errorf("%s: %d keys of a newer version, want all %d", name, count, most)
		}
		for group, stood := range before {
			if after[group] != stood {
				t.Errorf("%s: the key of %s is %q, want %q", name, group, after[group], stood)
			}
		}
	}
}

// What a newer version wrote to a worker or a group of the input goes with it
// into the state; what it wrote to the input as a whole is about the input.
func TestSeedTakesWorkersAndGroupsWhole(t *testing.T) {
	dir, examples := t.TempDir(), prepared(t)
	rewriteWith(t, filepath.Join(examples, "input.json"), filepath.Join(dir, "input.json"))
	most, _ := marked(t, filepath.Join(dir, "input.json"))
	cmd := exec.Command("okstra-converge", "seed", "--output", "state.json", "input.json")
	cmd.Dir = dir
	if output, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, output)
	}
	if count, _ := marked(t, filepath.Join(dir, "state.json")); count != most-1 {
		t.Errorf("%d keys in the state, want %d", count, most-1)
	}
}

// A finding of a later round comes in front of an earlier one; an item that a
// fix replaced is another item.
func TestMovedFollowsTheNameOfAnElement(t *testing.T) {
	at := moved("findings", []string{"G-002", "G-009"}, []string{"G-001", "G-002"})
	for _, tt := range []struct{ from, to string }{
		{"/findings/0/new", "/findings/1/new"},
		{"/findings/0/dissent/0/new", "/findings/1/dissent/0/new"},
		{"/findings/1/new", ""},
		{"/findings/7/new", ""},
		{"/rounds/0/new", "/rounds/0/new"},
		{"/new", "/new"},
	} {
		got := strings.Join(at(strings.Split(tt.from, "/")[1:]), "/")
		if got != strings.TrimPrefix(tt.to, "/") {
			t.Errorf("%s leads to %q, want %q", tt.from, got, tt.to)
		}
	}
}

// A state that no command could read again is not written: its predecessor is
// still good.
func TestAStateThatNothingCouldReadIsRefused(t *testing.T) {
	doc, err := jsondoc.Parse("input.json", []byte("{}"))
	if err != nil {
		t.Fatal(err)
	}
	next := struct {
		Claim string `json:"claim"`
	}{strings.Repeat("x", jsondoc.MaxSize)}
	if _, err := keep(doc, struct{}{}, next, nil); err == nil || !strings.Contains(err.Error(), "input.json: the state made of it would have 67108") {
		t.Errorf("%v", err)
	}
	next.Claim = "x"
	text, err := keep(doc, struct{}{}, next, nil)
	if err != nil || string(text) != "{\n  \"claim\": \"x\"\n}\n" {
		t.Errorf("%q, %v", text, err)
	}
}

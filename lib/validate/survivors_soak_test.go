//go:build soak

package validate

import (
	"bytes"
	"fmt"
	"maps"
	"os"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"okstra/lib/jsondoc"
)

// survivorsFile lists the changes of a sound run that no rule finds, by where
// they are made. Most are harmless: what only the machine or a person knows
// (process ids, times, messages), or what a rule cannot judge from the run
// alone. The rest is work for new rules.
const survivorsFile = "testdata/survivors.txt"

// One value or one line at a time is changed or taken away, in one document of
// each sort in the sound error analysis. What gives no finding must be what is
// listed, so that a rule that goes blind is seen, and one that is new as well.
func TestWhatSurvivesEverySingleChange(t *testing.T) {
	survivors := map[string]bool{}
	sound := runOK(t)
	w := borrow(t)
	e := &editor{t: t, files: sound}
	e.choose("error-analysis")
	seen := map[string]bool{}
	for _, name := range sorted(sound) {
		sort := documentOf(name, e.x)
		if !strings.HasPrefix(name, e.dir+"/") || seen[sort] {
			continue
		}
		seen[sort] = true
		for what, content := range changesOf(name, sound[name]) {
			damaged := maps.Clone(sound)
			damaged[name] = content
			if content == nil {
				delete(damaged, name)
			}
			if err := w.show(damaged, nil); err != nil {
				t.Fatal(err)
			}
			if len(Run(w.path(e.path("manifests/run-manifest-$x.json")), Options{}).Findings) == 0 {
				survivors[sort+" "+pattern(what)] = true
			}
		}
	}
	var b strings.Builder
	for _, key := range slices.Sorted(maps.Keys(survivors)) {
		fmt.Fprintf(&b, "%s\n", key)
	}
	if os.Getenv("UPDATE_SCRIPTS") == "1" {
		if err := os.WriteFile(survivorsFile, []byte(b.String()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(survivorsFile)
	if err != nil {
		t.Fatal(err)
	}
	if b.String() != string(want) {
		t.Errorf("%s differs (UPDATE_SCRIPTS=1 writes it anew; read the difference)", survivorsFile)
	}
}

// documentOf is the file's name without what differs between equal ones.
func documentOf(name, x string) string {
	name = strings.ReplaceAll(path.Base(path.Dir(name))+"/"+path.Base(name), x, "$x")
	name = regexp.MustCompile(`attempt-[0-9]+`).ReplaceAllString(name, "attempt-N")
	name = regexp.MustCompile(`-r[0-9]+`).ReplaceAllString(name, "-rN")
	return regexp.MustCompile(`(prompts|worker-results)/[a-z]+(?:-[a-z])?-(analysis|reverify|worker|plan|critic|verifier|report|implementer)`).ReplaceAllString(name, "$1/*-$2")
}

// changesOf gives the changed contents by what was done; nil takes the file away.
func changesOf(name string, content []byte) map[string][]byte {
	out := map[string][]byte{"removed": nil, "empty": {}}
	if path.Ext(name) != ".json" {
		lines := bytes.SplitAfter(content, []byte("\n"))
		for i, line := range lines {
			if len(bytes.TrimSpace(line)) > 0 {
				key := fmt.Sprintf("dropped a line: %.60s", bytes.TrimSpace(line))
				out[key] = bytes.Join(slices.Delete(slices.Clone(lines), i, i+1), nil)
			}
		}
		return out
	}
	doc, err := jsondoc.Parse(name, content)
	if err != nil {
		return out
	}
	var visit func(pointer string)
	visit = func(pointer string) {
		if pointer != "" {
			if changed, err := doc.Delete(pointer); err == nil {
				out["deleted "+pointer] = changed.Raw
			}
			if value, ok := otherValue(doc, pointer); ok {
				if changed, err := doc.Set(pointer, value); err == nil {
					out["changed "+pointer] = changed.Raw
				}
			}
		}
		for _, key := range doc.Keys(pointer) {
			visit(pointer + jsondoc.Pointer(key))
		}
		if len(doc.Keys(pointer)) == 0 {
			for i := range doc.Len(pointer) {
				visit(pointer + "/" + strconv.Itoa(i))
			}
		}
	}
	visit("")
	return out
}

func pattern(pointer string) string {
	return regexp.MustCompile(`/[0-9]+`).ReplaceAllString(pointer, "/*")
}

func otherValue(doc jsondoc.Doc, pointer string) (any, bool) {
	raw, ok := doc.Lookup(pointer)
	if !ok || len(raw) == 0 {
		return nil, false
	}
	switch raw[0] {
	case '"':
		return rawJSON(`"zz` + string(raw[1:])), true
	case 't':
		return false, true
	case 'f':
		return true, true
	case 'n':
		return nil, false
	case '{', '[':
		return nil, false
	}
	n, err := strconv.ParseInt(string(raw), 10, 64)
	if err != nil {
		return rawJSON("7.5"), true
	}
	return rawJSON(strconv.FormatInt(n+1, 10)), true
}

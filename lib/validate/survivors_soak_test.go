//go:build soak

package validate

import (
	"bytes"
	"fmt"
	"maps"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"okstra/lib/jsondoc"
)

// survivorsFile lists the changes of sound runs that no rule finds, by where
// they are made. Each is harmless for one of the reasons below.
const survivorsFile = "testdata/survivors.txt"

// harmless tells why a change that no rule finds breaks no contract.
var harmless = []struct{ pattern, reason string }{
	{`/(owner|process)/|/argv/|killVerified|leftoverProcesses|stdoutBytes|/boundary/(abi|selfTest|requested|leavesOpen)|/evidence/`, "only the machine knew it when the process ran"},
	{`/boundary/mutations`, "what the boundary saw beside the audit; the audit's lists are judged"},
	{`\.attempt-N\.json changed /round`, "audit rounds are counted by the dispatcher alone; nothing else holds their number"},
	{`implementer-\$x\.md\.attempt-N\.json (changed|deleted) /audit/changes/\*|audit-\$x-rN\.json deleted /roots/\*`, "what an audit saw of a tree that has gone on since"},
	{`plan-body-\$x\.json .*/(note|evidence)$`, "words for people"},
	{`/message|/reason|/audit/error|/audit/note|/title|teamName|/lead/agent`, "words for people"},
	{`/artifact/bytes`, "reports and translations are written on after their delivery, so the size then is no size now"},
	{`reasoningTokens`, "a part of the output that only the transcript tells"},
	{`/teamCreate`, "with a team nothing is asked about how it came to be"},
	{`/lead/(sessionId|provider|model)|run-manifest-\$x\.json changed /roleExecutions/\*/(model|modelExecutionValue|provider)`, "the lead is a session that the plan does not start; the roster rule leaves it out"},
	{`usage/(durationMs|cliExecutionStatus)`, "the other half of it stands in the summary, which has none for unavailable usage"},
	{`run-inputs-\$x\.json (changed|deleted) /inputs/(baseRef|clarificationResponsePath|directive|executor|isNewTask|prTemplatePath|translations|approvedPlan|planDigest|relatedTasks|models/translator)`, "an answer of a person that no other document repeats"},
	{`/items/\*/text`, "what a translation says is the translator's"},
	{`grouping-\$x\.md`, "it was read by prepare-groups, whose output is judged"},
	{`translator-translator-ko-\$x\.md (dropped|empty)`, "it was read by translate write, whose sidecar is judged"},
	{`worker-audit-\$x\.md dropped`, "which inputs a worker confirms is its own account"},
	{`events\.jsonl dropped|logs/events.jsonl .*error-analysis:001`, "a line of another run, or of a phase that nobody has to announce"},
	{`errors\.jsonl|dispatch-\$x\.jsonl dropped|dispatch-\$x\.jsonl empty`, "one row of many: sidecars and ledger are the evidence"},
	{`prompts/.*\.md (dropped a line|empty)`, "without a job line in the journal no digest of the prompt is on record"},
}

// One value or one line at a time is changed or taken away, in one document of
// each sort in sound runs. What gives no finding must be what is listed, so that
// a rule that goes blind is seen, and one that is new as well. Runs of a second
// and third type add their reports and the documents that the first has not.
func TestWhatSurvivesEverySingleChange(t *testing.T) {
	survivors := map[string]bool{}
	sound, seen := runOK(t), map[string]bool{}
	for _, taskType := range []string{"error-analysis", building, planning} {
		e := &editor{t: t, files: sound}
		e.choose(taskType)
		sweep(t, sound, e.dir, e.x, seen, survivors)
		delete(seen, "reports/final-report-$x.data.json")
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
	unexplained(t, survivors)
}

// A run that the programs have made is swept as well, where OKSTRA_SWEEP names
// a project with one: make demo prints where its own lies.
func TestWhatSurvivesInARealRun(t *testing.T) {
	dir := os.Getenv("OKSTRA_SWEEP")
	if dir == "" {
		t.Skip("OKSTRA_SWEEP names no project")
	}
	manifests, err := Find(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range manifests {
		if n := len(Run(m, Options{}).Findings); n > 0 {
			t.Fatalf("%s has %d findings as it is", m, n)
		}
		real := project{}
		for name, content := range readProject(t, dir) {
			if strings.HasPrefix(name, ".okstra/") {
				real[name] = content
			}
		}
		rel, _ := filepath.Rel(dir, m)
		parts := manifestName.FindStringSubmatch(filepath.Base(m))
		survivors := map[string]bool{}
		sweep(t, real, path.Dir(path.Dir(filepath.ToSlash(rel))), parts[1]+"-"+parts[2], map[string]bool{}, survivors)
		for _, key := range slices.Sorted(maps.Keys(survivors)) {
			t.Log(key)
		}
		unexplained(t, survivors)
	}
}

// sweep adds to the survivors what is changed in a run without a finding, in one
// document of each sort that was not seen before.
func sweep(t *testing.T, sound project, dir, x string, seen, survivors map[string]bool) {
	w := borrow(t)
	for _, name := range sorted(sound) {
		sort := documentOf(name, x)
		if !strings.HasPrefix(name, dir+"/") || seen[sort] || !strings.Contains(path.Base(name), x) && path.Ext(name) != ".jsonl" {
			continue
		}
		seen[sort] = true
		for what, content := range changesOf(name, sound[name]) {
			key := sort + " " + pattern(what)
			if survivors[key] {
				continue
			}
			damaged := maps.Clone(sound)
			damaged[name] = content
			if content == nil {
				delete(damaged, name)
			}
			if err := w.show(damaged, nil); err != nil {
				t.Fatal(err)
			}
			if len(Run(w.path(dir+"/manifests/run-manifest-"+x+".json"), Options{}).Findings) == 0 {
				survivors[key] = true
			}
		}
	}
}

// unexplained reports survivors that have no reason to be harmless.
func unexplained(t *testing.T, survivors map[string]bool) {
	for _, key := range slices.Sorted(maps.Keys(survivors)) {
		known := slices.ContainsFunc(harmless, func(h struct{ pattern, reason string }) bool {
			return regexp.MustCompile(h.pattern).MatchString(key)
		})
		if !known {
			t.Errorf("nobody has said why this is harmless: %s", key)
		}
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

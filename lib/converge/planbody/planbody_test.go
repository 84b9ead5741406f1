package planbody

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"okstra/lib/converge"
	"okstra/lib/jsondoc"
	"okstra/lib/run"
	"okstra/lib/schema"
)

var task = run.NewTask("shop", "pay", "t", TaskType, "001")

// manifestOf is a run with analysis workers w1, w2, …, a report writer and a
// lead.
func manifestOf(workers int) run.Manifest {
	m := run.Manifest{Task: task}
	add := func(id, audience, role, ref string) {
		m.RoleExecutions = append(m.RoleExecutions, run.RoleExecution{WorkerID: id, Audience: &audience, Role: role, RoleExecutionRef: ref, SourceRoleExecutionRef: new("re-0001")})
	}
	add("lead", run.AudienceLead, run.RoleLeader, "re-0001")
	add("report-writer", run.AudienceReportWriter, run.RoleReportWriter, "re-0002")
	for i := workers; i >= 1; i-- {
		add(fmt.Sprintf("w%d", i), run.AudienceAnalysis, run.RoleAnalyser, fmt.Sprintf("re-%04d", 10+i))
	}
	return m
}

// planOf makes items of texts, each an option.
func planOf(t testing.TB, texts ...string) []Item {
	t.Helper()
	var p Plan
	for _, text := range texts {
		raw, err := json.Marshal(map[string]string{"title": text})
		if err != nil {
			t.Fatal(err)
		}
		p.Options = append(p.Options, raw)
	}
	items, err := p.Items()
	if err != nil {
		t.Fatal(err)
	}
	return items
}

func seeded(t testing.TB, workers, rounds int, texts ...string) State {
	t.Helper()
	s, err := Seed(manifestOf(workers), "m.json", Config{Enabled: true, MaxRounds: rounds, Adversarial: true}, planOf(t, texts...))
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// Blocks of verdict files.
const (
	agree      = "Verdict: AGREE"
	supplement = "Verdict: SUPPLEMENT\nEvidence: a.go:1\nReason: more"
	disagree   = "Verdict: DISAGREE\nLetter: c\nEvidence: a.go:1\nReason: no"
)

// file is a verdict file: worker, then item and block in turn.
func file(round int, worker string, blocks ...string) converge.Answer {
	var text strings.Builder
	fmt.Fprintf(&text, "# Plan verify\nRound: %d\nWorker: %s\n", round, worker)
	for pair := range slices.Chunk(blocks, 2) {
		fmt.Fprintf(&text, "\n## %s\n%s\n", pair[0], pair[1])
	}
	return converge.Answer{Name: worker + ".md", Content: []byte(text.String())}
}

// The rules of items and gate; T16: adversarial or not is no part of them.
func TestGate(t *testing.T) {
	for _, tt := range []struct {
		name  string
		n     int
		items []Tally
		want  Gate
	}{
		{"all agree", 3, []Tally{{Agree: 3}}, Passed},
		{"a supplement agrees", 3, []Tally{{Supplement: 2}}, Passed},
		{"dissent of one", 3, []Tally{{Agree: 2, Disagree: 1}}, PassedWithDissent},
		{"a tie is dissent", 2, []Tally{{Agree: 1, Disagree: 1}}, PassedWithDissent},
		{"one of three is too few", 3, []Tally{{Agree: 1}}, Aborted},
		{"one to one of three", 3, []Tally{{Agree: 1, Disagree: 1}}, Aborted},
		{"nobody answered", 3, []Tally{{}}, Aborted},
		{"a majority against", 3, []Tally{{Agree: 1, Disagree: 2}}, Blocked},
		{"one against, the others silent", 3, []Tally{{Disagree: 1}}, Blocked},
		{"blocked is asked first", 3, []Tally{{}, {Disagree: 1}, {Agree: 3}}, Blocked},
		{"one undecided among cleared", 3, []Tally{{Agree: 2, Disagree: 1}, {Agree: 1}}, Aborted},
	} {
		for i := range tt.items {
			tt.items[i].Outcome = outcome(tt.items[i].Agree+tt.items[i].Supplement, tt.items[i].Disagree, tt.n)
		}
		got := gateOf(tt.items)
		if got != tt.want {
			t.Errorf("%s: %s, want %s", tt.name, got, tt.want)
		}
		if got.Open() != (tt.want == Passed || tt.want == PassedWithDissent) {
			t.Errorf("%s: open is %v", tt.name, got.Open()) // T17
		}
	}
}

// Law 3 for the gate, over all votes of up to 5 voters on two items: one more
// agreement never lowers it, one more disagreement never raises it, and a
// further voter who is silent never raises it.
func TestGateIsMonotone(t *testing.T) {
	order := []Gate{Blocked, Aborted, PassedWithDissent, Passed}
	rank := func(a1, d1, a2, d2, n int) int {
		return slices.Index(order, gateOf([]Tally{
			{Agree: a1, Disagree: d1, Outcome: outcome(a1, d1, n)}, {Agree: a2, Disagree: d2, Outcome: outcome(a2, d2, n)},
		}))
	}
	for n := 1; n <= 5; n++ {
		for a1 := 0; a1 <= n; a1++ {
			for d1 := 0; a1+d1 <= n; d1++ {
				for a2 := 0; a2 <= n; a2++ {
					for d2 := 0; a2+d2 <= n; d2++ {
						now := rank(a1, d1, a2, d2, n)
						if a1+d1 < n && (rank(a1+1, d1, a2, d2, n) < now || rank(a1, d1+1, a2, d2, n) > now) {
							t.Errorf("n=%d A=%d D=%d (other %d %d): a missing voter answers", n, a1, d1, a2, d2)
						}
						if d1 > 0 && rank(a1+1, d1-1, a2, d2, n) < now {
							t.Errorf("n=%d A=%d D=%d (other %d %d): a vote changes over", n, a1, d1, a2, d2)
						}
						if rank(a1, d1, a2, d2, n+1) > now {
							t.Errorf("n=%d A=%d D=%d (other %d %d): a silent voter joins", n, a1, d1, a2, d2)
						}
					}
				}
			}
		}
	}
}

func TestItemsOfAPlan(t *testing.T) {
	raw := func(text string) []json.RawMessage { return []json.RawMessage{json.RawMessage(text)} }
	p := Plan{
		Options:  raw(`{"id": "O-001", "title": "a <b>", "tradeOffs": []}`),
		Stages:   raw(`{"title": "s", "stepwiseExecution": [{"action": "x"}, {"action": "y"}], "exitCriteria": ["c", "d"], "n": {"k": 1}}`),
		Rollback: raw(`{"step": "r"}`),
	}
	items, err := p.Items()
	if err != nil {
		t.Fatal(err)
	}
	want := []struct{ ref, text string }{
		{"/options/0", "Option\nid: O-001\ntitle: a <b>\ntradeOffs: none"},
		{"/stages/0", "Stage\ntitle: s\nstepwiseExecution: 2, each an item of its own\nexitCriteria:\n- c\n- d\nn: {\"k\":1}"},
		{"/stages/0/stepwiseExecution/0", "Step of stage 1\naction: x"},
		{"/stages/0/stepwiseExecution/1", "Step of stage 1\naction: y"},
		{"/rollback/0", "Rollback\nstep: r"},
	}
	for i, w := range want {
		if got := items[i]; got.ItemID != fmt.Sprintf("P-%03d", i+1) || got.Ref != "/implementationPlanning"+w.ref || got.text() != w.text {
			t.Errorf("item %d: %+v, want %s %q", i, got, w.ref, w.text)
		}
	}
	if len(items) != len(want) {
		t.Errorf("%d items, want %d", len(items), len(want))
	}
	if _, err := (Plan{Options: raw(`{"weight": 1.5}`)}).Items(); err == nil || !strings.Contains(err.Error(), "/implementationPlanning/options/0") {
		t.Errorf("a part without a digest: %v", err)
	}
}

func codeOf(err error) string {
	var step *converge.TransitionError
	if errors.As(err, &step) {
		return step.Code
	}
	var files *converge.RefusedFiles
	if errors.As(err, &files) {
		return files.Faults[0].Code
	}
	return fmt.Sprint(err)
}

// Every refusal, and the state as it was.
func TestRefusedSteps(t *testing.T) {
	first := seeded(t, 3, 2, "a", "b")
	all := []converge.Answer{
		file(1, "w1", "P-001", agree, "P-002", agree), file(1, "w2", "P-001", agree, "P-002", disagree), file(1, "w3", "P-001", agree, "P-002", disagree),
	}
	second, _, err := Apply(first, 1, all, false)
	if err != nil {
		t.Fatal(err)
	}
	fixed, err := Fix(second, planOf(t, "a", "c"), "named")
	if err != nil {
		t.Fatal(err)
	}
	over, _, err := Apply(fixed, 2, nil, true)
	if err != nil {
		t.Fatal(err)
	}
	shut, _, err := Apply(first, 1, []converge.Answer{
		file(1, "w1", "P-001", disagree, "P-002", agree), file(1, "w2", "P-001", disagree, "P-002", agree), file(1, "w3", "P-001", disagree, "P-002", agree),
	}, false)
	if err != nil {
		t.Fatal(err)
	}
	apply := func(s State, round int, missing bool, files ...converge.Answer) func() error {
		return func() error { _, _, err := Apply(s, round, files, missing); return err }
	}
	for _, tt := range []struct {
		name, code string
		call       func() error
	}{
		{"queue of a later round", converge.CodeWrongOrder, func() error { _, err := Queue(first, 2, converge.QueueOptions{}); return err }},
		{"queue when it is over", converge.CodeWrongOrder, func() error { _, err := Queue(over, 3, converge.QueueOptions{}); return err }},
		{"queue when all have answered", CodeNobody, func() error { _, err := Queue(second, 2, converge.QueueOptions{}); return err }},
		{"apply when all have answered", CodeNobody, apply(second, 2, true)},
		{"apply of a later round", converge.CodeWrongOrder, apply(first, 2, true)},
		{"apply of an old round with other files", converge.CodeApplied, apply(fixed, 1, true, all[0])},
		{"an old file in a new round", converge.CodeApplied, apply(fixed, 2, true, all[0])},
		{"a file of a later round", converge.CodeMismatch, apply(first, 1, true, file(2, "w1"))},
		{"a silent voter", converge.CodeFileMissing, apply(first, 1, false, all[0], all[1])},
		{"the report writer", converge.CodeNonvoter, apply(first, 1, true, file(1, "report-writer", "P-001", agree))},
		{"two files of one voter", converge.CodeWorkerDuplicate, apply(first, 1, true, all[0], file(1, "w1", "P-001", disagree))},
		{"an item that is not there", converge.CodeGroupUnknown, apply(first, 1, true, file(1, "w1", "P-003", agree))},
		{"an item that was not asked", converge.CodeNotAsked, apply(fixed, 2, true, file(2, "w1", "P-001", agree))},
		{"a fix before any round", converge.CodeWrongOrder, func() error { _, err := Fix(first, planOf(t, "x", "y"), "n"); return err }},
		{"a second fix", converge.CodeWrongOrder, func() error { _, err := Fix(fixed, planOf(t, "x", "y"), "n"); return err }},
		{"a fix when it is over", converge.CodeWrongOrder, func() error { _, err := Fix(over, planOf(t, "x", "y"), "n"); return err }},
		{"a fix of nothing", CodeNoChange, func() error { _, err := Fix(second, planOf(t, "a", "b"), "n"); return err }},
		{"a fix that leaves nobody to ask", CodeNoChange, func() error { _, err := Fix(shut, planOf(t, "a"), "n"); return err }},
		{"nobody to ask", CodeNoVoter, func() error { _, err := Seed(manifestOf(0), "m", Config{Enabled: true, MaxRounds: 1}, nil); return err }},
		{"disabled", CodeDisabled, func() error { _, err := Seed(manifestOf(2), "m", Config{MaxRounds: 1}, nil); return err }},
	} {
		before, _ := jsondoc.Marshal([]State{first, second, fixed, over, shut})
		if got := codeOf(tt.call()); got != tt.code {
			t.Errorf("%s: %s, want %s", tt.name, got, tt.code)
		}
		if after, _ := jsondoc.Marshal([]State{first, second, fixed, over, shut}); !bytes.Equal(before, after) {
			t.Errorf("%s: a state has changed", tt.name)
		}
	}
	again, _, err := Apply(second, 1, all, false)
	if err != nil || len(again.Rounds) != 1 {
		t.Errorf("the same files again: %v, %d rounds", err, len(again.Rounds))
	}
	if first.Voters[0].SourceRoleExecutionRef != "re-0011" || len(first.Voters) != 3 {
		t.Errorf("voters %+v, want the analysis workers by their own role executions", first.Voters)
	}
}

// A bad block costs that vote alone.
func TestABadBlockIsAMissingVote(t *testing.T) {
	s, lost, err := Apply(seeded(t, 2, 1, "a", "b"), 1, []converge.Answer{
		file(1, "w1", "P-001", "Verdict: DISAGREE\nEvidence: a.go:1\nReason: no letter", "P-002", agree), file(1, "w2", "P-001", agree),
	}, false)
	if err != nil {
		t.Fatal(err)
	}
	want := []Missing{{"P-001", "w1", "verdict-letter"}, {"P-002", "w2", converge.CodeGroupMissing}}
	if !slices.Equal(s.Rounds[0].Missing, want) || len(lost) != 2 {
		t.Errorf("missing %v, lost %v, want %v", s.Rounds[0].Missing, lost, want)
	}
}

// Whatever is answered and mended: the state fits its schema, Check finds no
// fault, the order of files and the number of calls leave no trace, and a
// state that is read back goes on to the same bytes.
func TestEveryPathMakesASoundState(t *testing.T) {
	blocks := []string{agree, supplement, disagree, ""}
	texts := rapid.SliceOfN(rapid.SampledFrom([]string{"a", "b", "c", "d"}), 1, 4)
	rapid.Check(t, func(t *rapid.T) {
		voters := rapid.IntRange(1, 4).Draw(t, "voters")
		s, err := Seed(manifestOf(voters), "m.json", Config{Enabled: true, MaxRounds: rapid.IntRange(1, 3).Draw(t, "rounds")}, plan(texts.Draw(t, "plan")))
		if err != nil {
			t.Fatal(err)
		}
		s = sound(t, s)
		for s.Next.Action == converge.ActQueue {
			packets, err := Queue(s, s.Next.Round, converge.QueueOptions{})
			if err != nil {
				if codeOf(err) != CodeNobody {
					t.Fatal(err)
				}
				next, err := Fix(s, plan(texts.Draw(t, "mended")), "n")
				if codeOf(err) == CodeNoChange {
					return
				}
				if err != nil {
					t.Fatalf("nobody to ask, and no fix: %v", err)
				}
				s = sound(t, next)
				continue
			}
			var answers []converge.Answer
			for _, p := range packets {
				var said []string
				for _, g := range p.Groups {
					if b := rapid.SampledFrom(blocks).Draw(t, "vote"); b != "" {
						said = append(said, g.GroupID, b)
					}
				}
				if rapid.IntRange(0, 4).Draw(t, "silent") > 0 {
					answers = append(answers, file(s.Next.Round, p.WorkerID, said...))
				}
			}
			round := s.Next.Round
			next, _, err := Apply(s, round, answers, true)
			if err != nil {
				t.Fatal(err)
			}
			turned, _, err := Apply(s, round, rapid.Permutation(answers).Draw(t, "order"), true)
			if err != nil || text(t, turned) != text(t, next) {
				t.Fatalf("another order of the files: %v", err)
			}
			again, _, err := Apply(next, round, answers, true)
			if err != nil || text(t, again) != text(t, next) {
				t.Fatalf("the same files again: %v", err)
			}
			s = sound(t, next)
			if s.Next.Action == converge.ActQueue && rapid.Bool().Draw(t, "fix") {
				if next, err := Fix(s, plan(texts.Draw(t, "mended")), "n"); err == nil {
					s = sound(t, next)
				}
			}
		}
	})
}

func plan(texts []string) []Item {
	var p Plan
	for _, text := range texts {
		p.Options = append(p.Options, json.RawMessage(`{"title": "`+text+`"}`))
	}
	items, err := p.Items()
	if err != nil {
		panic(err)
	}
	return items
}

func text(t *rapid.T, s State) string {
	raw, err := jsondoc.Marshal(s)
	if err != nil {
		t.Fatal(err)
	}
	return string(raw)
}

// sound writes a state and reads it back.
func sound(t *rapid.T, s State) State {
	raw := text(t, s)
	doc, err := jsondoc.Parse("plan-body.json", []byte(raw))
	if err != nil {
		t.Fatal(err)
	}
	var back State
	if err := schema.Decode(doc, Kind, &back); err != nil {
		t.Fatalf("%v\n%s", err, raw)
	}
	if found := Check(back); len(found) > 0 {
		t.Fatalf("%v\n%s", found, raw)
	}
	if text(t, back) != raw {
		t.Fatalf("read back:\n%s\n%s", raw, text(t, back))
	}
	return back
}

func exampleState(t testing.TB) (State, []byte) {
	t.Helper()
	raw, err := os.ReadFile("../../schema/testdata/examples/plan-body.json")
	if err != nil {
		t.Fatal(err)
	}
	return decoded(t, raw), raw
}

func decoded(t testing.TB, raw []byte) State {
	t.Helper()
	doc, err := jsondoc.Parse("plan-body.json", raw)
	if err != nil {
		t.Fatal(err)
	}
	var s State
	if err := doc.Decode(&s); err != nil {
		t.Fatal(err)
	}
	return s
}

// A state that was tampered with is refused at the place.
func TestCheckFindsWhatContradictsTheVotes(t *testing.T) {
	s, raw := exampleState(t)
	if found := Check(s); len(found) > 0 {
		t.Fatalf("the example: %v", found)
	}
	for _, tt := range []struct {
		pointer string
		value   any
		at      string
	}{
		{"/gate", "passed", "/gate"},
		{"/rounds/0/gate", "passed", "/rounds/0/gate"},
		{"/rounds/1/verdicts/1/verdict", "AGREE", "/gate"},
		{"/rounds/1/verdicts/0/letter", "a", "/rounds/1/verdicts/0/letter"},
		{"/rounds/1/verdicts/0/digest", "sha256:" + strings.Repeat("0", 64), "/rounds/1/verdicts/0/digest"},
		{"/rounds/0/verdicts/2/digest", "sha256:" + strings.Repeat("0", 64), "/rounds/0/verdicts/3/digest"},
		{"/rounds/1/verdicts/0/workerId", "scope-c", "/rounds/1/missing/1"},
		{"/rounds/1/asked/scope-a", []string{"P-001"}, "/rounds/1/asked"},
		{"/rounds/0/selfFix/items", []string{"P-009"}, "/rounds/0/selfFix/items"},
		{"/rounds/0/selfFix/items", []string{"P-001"}, "/rounds/1/asked"},
		{"/rounds/1/selfFix", map[string]any{"note": "n", "items": []string{"P-001"}}, "/rounds/1/selfFix"},
		{"/rounds/1/round", 3, "/rounds/1/round"},
		{"/next", map[string]any{"action": "queue", "round": 3, "kind": "plan-verify"}, "/next"},
		{"/config/maxRounds", 1, "/rounds"},
		{"/config/enabled", false, "/config/enabled"},
		{"/items/0/itemId", "P-002", "/items/0/itemId"},
		{"/voters/1/workerId", "scope-a", "/voters/1/workerId"},
		{"/voters/1/sourceRoleExecutionRef", "re-0003", "/voters/1/sourceRoleExecutionRef"},
	} {
		doc, err := jsondoc.Parse("plan-body.json", raw)
		if err != nil {
			t.Fatal(err)
		}
		if doc, err = doc.Set(tt.pointer, tt.value); err != nil {
			t.Fatal(err)
		}
		found := Check(decoded(t, doc.Raw))
		hit := false
		for _, f := range found {
			hit = hit || f.Pointer == tt.at
		}
		if !hit {
			t.Errorf("%s = %v: found %v, want something at %s", tt.pointer, tt.value, found, tt.at)
		}
	}
}

// Whatever stands in a state: Check comes to an end, and a state without a
// fault can be asked, decided and counted.
func FuzzState(f *testing.F) {
	_, raw := exampleState(f)
	f.Add(raw)
	first := seeded(f, 2, 2, "a")
	seed, err := jsondoc.Marshal(first)
	if err != nil {
		f.Fatal(err)
	}
	f.Add(seed)
	f.Fuzz(func(t *testing.T, raw []byte) {
		doc, err := jsondoc.Parse("plan-body.json", raw)
		if err != nil {
			return
		}
		var s State
		if schema.Decode(doc, Kind, &s) != nil || len(Check(s)) > 0 {
			return
		}
		s.Decide()
		packets, err := Queue(s, s.Next.Round, converge.QueueOptions{})
		if err != nil {
			return
		}
		var answers []converge.Answer
		for _, p := range packets {
			answers = append(answers, file(s.Next.Round, p.WorkerID, p.Groups[0].GroupID, agree))
		}
		next, _, err := Apply(s, s.Next.Round, answers, true)
		if err != nil {
			t.Fatalf("%v\n%s", err, raw)
		}
		if found := Check(next); len(found) > 0 {
			t.Fatalf("%v\n%s", found, raw)
		}
	})
}

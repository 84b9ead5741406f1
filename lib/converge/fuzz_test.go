package converge

import (
	"testing"

	"okstra/lib/converge/grouping"
	"okstra/lib/jsondoc"
	"okstra/lib/run"
	"okstra/lib/schema"
)

// read is how the commands read a state; ok is false for one that they refuse.
func readState(src []byte) (s State, ok bool) {
	doc, err := jsondoc.Parse("state.json", src)
	if err != nil {
		return s, false
	}
	if err := schema.Decode(doc, StateKind, &s); err != nil {
		return s, false
	}
	return s, len(Check(s)) == 0
}

// FuzzState: no bytes make reading a state panic. What the commands take, every
// one of them can go on with, and what they make of it does not contradict
// itself; written and read again it is the same.
func FuzzState(f *testing.F) {
	disabled := input(1, false, found(1, "w1"))
	for _, s := range []State{
		longRun(f), seeded(f, input(3, true, found(1, "w1"), found(2, "w1", "w2"), found(3, "lead"))), seeded(f, disabled),
		withCandidate(f, longRun(f)), seeded(f, input(2, false)),
		answered(f, seeded(f, input(4, false, found(1, "w4"))), 1, map[string]ballot{"w1": {"G-001": "S"}, "w2": {"G-001": "D"}}),
	} {
		if _, ok := readState([]byte(encoded(f, s))); !ok {
			f.Fatal("a seed is refused")
		}
		f.Add([]byte(encoded(f, s)))
	}
	f.Fuzz(func(t *testing.T, src []byte) {
		s, ok := readState(src)
		if !ok {
			return
		}
		text := encoded(t, s)
		if again, ok := readState([]byte(text)); !ok || encoded(t, again) != text {
			t.Fatalf("written again it is refused or another: %s", text)
		}
		for _, level := range []string{LevelNominal, LevelOrdinal} {
			Agree(s, level)
		}
		for _, g := range s.Groups {
			if _, ok := Explain(s, g.GroupID); !ok {
				t.Errorf("no word on %s", g.GroupID)
			}
		}
		switch s.Next.Action {
		case ActQueue:
			if _, err := Queue(s, s.Next.Round, QueueOptions{}); err != nil {
				t.Error(err)
			}
			next, _, err := Apply(s, s.Next.Round, nil, true)
			if err != nil {
				t.Fatal(err)
			}
			sound(t, next)
		case ActFinalize:
			finalized(t, s)
		case ActDone:
			sum, err := Summarise(s)
			if err != nil {
				t.Fatal(err)
			}
			Markdown(s, sum)
		}
		if encoded(t, s) != text {
			t.Error("a step changed the state that it was given")
		}
	})
}

// FuzzApply: whatever a worker writes, the file is counted or refused. Counted,
// the state does not contradict itself, each question has one answer, and the
// same bytes again are no step; refused, the state stands as it was.
func FuzzApply(f *testing.F) {
	f.Add([]byte("# Reverify\nRound: 1\nWorker: w1\n\n## G-001\nVerdict: AGREE\nEvidence: a.go:1\n"), true)
	f.Add([]byte("Round: 1\nWorker: w3\n\n## G-001\nVerdict: DISAGREE\nBasis: refuted\nEvidence: a.go:1\nReason: r\n## G-002\nVerdict: no\n"), false)
	f.Add([]byte("Round: 2\nWorker: w1\n"), false)
	f.Add([]byte("Round: 1\nWorker: lead\n## G-001\nVerdict: AGREE\n"), false)
	f.Fuzz(func(t *testing.T, src []byte, adversarial bool) {
		s := seeded(t, input(3, adversarial, found(1, "w2"), found(2, "w1"), found(3, "w1", "w2")))
		before := encoded(t, s)
		answers := []Answer{{"v.md", src}}
		next, _, err := Apply(s, 1, answers, true)
		if encoded(t, s) != before {
			t.Fatal("the state that was given in changed")
		}
		if err != nil {
			if encoded(t, next) != before {
				t.Fatalf("refused (%v), and another state", err)
			}
			return
		}
		r := sound(t, next).Rounds[1]
		questions := 0
		for _, groups := range r.Asked {
			questions += len(groups)
		}
		if len(r.Verdicts)+len(r.Missing) != questions || len(r.Files) != 1 {
			t.Errorf("%d questions, %d votes, %d missing, %d files", questions, len(r.Verdicts), len(r.Missing), len(r.Files))
		}
		again, lost, err := Apply(next, 1, answers, false)
		if err != nil || len(lost) > 0 || encoded(t, again) != encoded(t, next) {
			t.Errorf("the same bytes again: %v, %v", err, lost)
		}
	})
}

// FuzzPrepare: a grouping that has no fault, prepared for a run that has its
// workers, gives an input without a fault and a state that does not contradict
// itself.
func FuzzPrepare(f *testing.F) {
	f.Add([]byte("## Roster\n- w1: analysis\n- w2: analysis\n- lead: lead\n## Groups\n### G-001 c\nTickets: P-2, P-1\nOrigin: w2\nOrigin Evidence: a.go:1\nDiscovered By: w2, lead\nSource Items: lead#F-001, w2#F-002\n"))
	f.Add([]byte("## Roster\n- w1: analysis (analyser)\n- w3: report-writer\n## Groups\n(none)\n"))
	f.Fuzz(func(t *testing.T, src []byte) {
		file, faults := grouping.Parse("g.md", src)
		m := run.Manifest{Task: theTask}
		for i, w := range []string{"w1", "w2", "w3", "lead"} {
			for j, audience := range []string{run.AudienceAnalysis, run.AudienceReportWriter, run.AudienceLead} {
				role := []string{run.RoleAnalyser, run.RoleReportWriter, run.RoleLeader}[j]
				m.RoleExecutions = append(m.RoleExecutions, seat(role, audience, w, run.RoleExecutionRef(10*i+j+1)))
			}
		}
		config, err := Effective(nil, theTask.TaskType)
		if err != nil {
			t.Fatal(err)
		}
		in, more := Prepare("g.md", file, m, "m.json", config, func(string) map[string]int {
			return map[string]int{"F-001": 1, "F-002": 2, "F-003": grouping.OutOfScope}
		})
		if len(faults)+len(more) == 0 {
			seeded(t, in)
		}
	})
}

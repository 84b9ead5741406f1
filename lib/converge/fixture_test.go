package converge

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"okstra/lib/converge/grouping"
	"okstra/lib/digest"
	"okstra/lib/run"
)

// fataler is what *testing.T and *rapid.T have in common.
type fataler interface {
	Helper()
	Fatalf(format string, args ...any)
}

// theTask is the run that every fixture belongs to.
var theTask = run.NewTask("shop", "pay", "checkout-timeouts", "error-analysis", "002")

// analysts is a roster of n analysis workers, w1 to wn, a report writer and a
// lead.
func analysts(n int) []Worker {
	var workers []Worker
	add := func(id, audience, role string, ref int) {
		workers = append(workers, Worker{
			WorkerID: id, Audience: audience, Role: role,
			ParticipantRef: run.ParticipantRef(id), SourceRoleExecutionRef: run.RoleExecutionRef(ref),
			Provider: new("provider-" + id), Model: new("model-" + id),
		})
	}
	for i := 1; i <= n; i++ {
		add(fmt.Sprintf("w%d", i), run.AudienceAnalysis, run.RoleAnalyser, i+2)
	}
	add("report-writer", run.AudienceReportWriter, run.RoleReportWriter, 2)
	add("lead", run.AudienceLead, run.RoleLeader, 1)
	return workers
}

// found is a group that some workers found; the first is the origin.
func found(n int, by ...string) Group {
	g := Group{
		GroupID: grouping.ID("G", n), Claim: fmt.Sprintf("claim %d", n), Tickets: []string{},
		Origin: Origin{by[0], fmt.Sprintf("main.go:%d", n)}, DiscoveredBy: slices.Sorted(slices.Values(by)),
	}
	for _, w := range g.DiscoveredBy {
		g.SourceItems = append(g.SourceItems, grouping.ItemRef{WorkerID: w, ItemID: grouping.ID("F", n)})
	}
	return g
}

// input is a grouped input of n analysis workers.
func input(n int, adversarial bool, groups ...Group) Input {
	in := Input{
		SchemaVersion: Version, Kind: InputKind, ArtifactID: "convergence-input-" + theTask.Suffix(), Task: theTask,
		RunManifestPath: "m.json", Workers: analysts(n), Groups: append([]Group{}, groups...),
		Config: Config{Enabled: true, MaxRounds: 2, VerificationMode: Lightweight, Adversarial: adversarial},
	}
	if adversarial {
		in.Config.VerificationMode = FullReanalysis
	}
	return in
}

func seeded(t fataler, in Input) State {
	t.Helper()
	if faults := CheckInput(in); len(faults) > 0 {
		t.Fatalf("input: %v", faults)
	}
	return sound(t, Seed(in, digest.Bytes(nil)))
}

// sound gives a state that does not contradict itself.
func sound(t fataler, s State) State {
	t.Helper()
	if faults := Check(s); len(faults) > 0 {
		t.Fatalf("state contradicts itself: %v", faults)
	}
	return s
}

// ballot is what one worker says: group → "A", "D", "S", or "" for no block.
type ballot map[string]string

// file is a verdict file.
func file(round int, worker string, b ballot) Answer {
	var text strings.Builder
	fmt.Fprintf(&text, "# Reverify\nRound: %d\nWorker: %s\n", round, worker)
	for _, id := range slices.Sorted(maps.Keys(b)) {
		text.WriteString(block(id, b[id], worker, round))
	}
	return Answer{Name: fmt.Sprintf("%s-r%d.md", worker, round), Content: []byte(text.String())}
}

// block is a block that counts in either posture.
func block(id, word, worker string, round int) string {
	verdict := map[string]string{"A": "AGREE", "D": "DISAGREE\nBasis: refuted", "S": "SUPPLEMENT"}[word]
	if verdict == "" {
		return ""
	}
	text := fmt.Sprintf("\n## %s\nVerdict: %s\nEvidence: other.go:%d\n", id, verdict, round)
	if word != "A" {
		text += fmt.Sprintf("Reason: %s thinks so\n", worker)
	}
	return text
}

// answered applies a round with the ballots of some workers; whoever has none
// is lost.
func answered(t fataler, s State, round int, ballots map[string]ballot) State {
	t.Helper()
	var answers []Answer
	for _, w := range slices.Sorted(maps.Keys(ballots)) {
		answers = append(answers, file(round, w, ballots[w]))
	}
	next, _, err := Apply(s, round, answers, true)
	if err != nil {
		t.Fatalf("apply round %d: %v", round, err)
	}
	return sound(t, next)
}

func finalized(t fataler, s State) State {
	t.Helper()
	final, err := Finalize(s)
	if err != nil {
		t.Fatalf("finalize: %v", err)
	}
	return sound(t, final)
}

// played asks round after round. say gives each worker's word on a group, ""
// for none; only questions that were asked are answered.
func played(t fataler, in Input, say func(worker, group string, round int) string) State {
	t.Helper()
	s := seeded(t, in)
	for s.Next.Action == ActQueue {
		b, queue := s.replay()
		ballots := map[string]ballot{}
		for worker, groups := range b.asked(queue) {
			ballots[worker] = ballot{}
			for _, id := range groups {
				ballots[worker][id] = say(worker, id, s.Next.Round)
			}
		}
		s = answered(t, s, s.Next.Round, ballots)
	}
	if s.Next.Action == ActDone {
		return s
	}
	return finalized(t, s)
}

// encoded is a state as it stands in a file.
func encoded(t fataler, s State) string {
	t.Helper()
	text, err := json.Marshal(s)
	if err != nil {
		t.Fatalf("%v", err)
	}
	return string(text)
}

// codes are the codes of some faults, with their places.
func codes[T any](faults []T, of func(T) string) []string {
	out := []string{}
	for _, f := range faults {
		out = append(out, of(f))
	}
	return out
}

func mustRefuse(t *testing.T, s State, round int, allowMissing bool, status string, answers ...Answer) {
	t.Helper()
	before := encoded(t, s)
	next, lost, err := Apply(s, round, answers, allowMissing)
	if err == nil || !strings.Contains(err.Error(), status) {
		t.Fatalf("Apply: %v, want an error with %q", err, status)
	}
	if encoded(t, next) != before || encoded(t, s) != before || len(lost) > 0 {
		t.Errorf("a refused call changed the state")
	}
}

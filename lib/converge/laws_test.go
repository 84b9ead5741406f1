package converge

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"okstra/lib/converge/grouping"
	"okstra/lib/run"
)

// story is a run that the laws are told about: a roster, a grouping, and what
// everybody would say on each group in each round if asked.
type story struct {
	input Input
	words map[string]string // "worker group round" → a word of block, "B" for a bad block, "" for none
	mute  map[string]bool   // "worker round": no file at all
}

func (s story) say(worker, group string, round int) string {
	return s.words[fmt.Sprintf("%s %s %d", worker, group, round)]
}

// drawStory draws a run of up to five analysis workers and six groups.
func drawStory(t *rapid.T) story {
	s := story{words: map[string]string{}, mute: map[string]bool{}}
	n := rapid.IntRange(1, 5).Draw(t, "workers")
	everybody := []string{"lead", "report-writer"}
	for i := range n {
		everybody = append(everybody, fmt.Sprintf("w%d", i+1))
	}
	var groups []Group
	for i := range rapid.IntRange(0, 6).Draw(t, "groups") {
		by := rapid.SliceOfNDistinct(rapid.SampledFrom(everybody), 1, 3, rapid.ID[string]).Draw(t, "by")
		g := found(i+1, by...)
		tickets := rapid.SliceOfNDistinct(rapid.SampledFrom([]string{"PAY-1", "PAY-12", "PAY-2", "X"}), 0, 3, rapid.ID[string]).Draw(t, "tickets")
		g.Tickets = slices.Sorted(slices.Values(append(tickets, g.Tickets...)))
		g.Tickets = append([]string{}, g.Tickets...)
		groups = append(groups, g)
	}
	s.input = input(n, rapid.Bool().Draw(t, "adversarial"), groups...)
	s.input.Groups = append([]Group{}, groups...)
	s.input.Config.MaxRounds = rapid.IntRange(1, 3).Draw(t, "maxRounds")
	s.input.Config.Enabled = rapid.IntRange(0, 9).Draw(t, "disabled") > 0
	word := rapid.SampledFrom([]string{"A", "A", "D", "D", "S", "B", ""})
	for _, w := range everybody {
		for round := 1; round <= 3; round++ {
			s.mute[fmt.Sprintf("%s %d", w, round)] = rapid.IntRange(0, 9).Draw(t, "mute") == 0
			for _, g := range groups {
				s.words[fmt.Sprintf("%s %s %d", w, g.GroupID, round)] = word.Draw(t, "word")
			}
		}
	}
	return s
}

// answers are the files of the round that is due; order tells of a list of n
// the order in which its elements stand.
func (s story) answers(state State, order func(n int) []int) []Answer {
	b, queue := state.replay()
	asked := b.asked(queue)
	workers := slices.Sorted(maps.Keys(asked))
	var answers []Answer
	round := state.Next.Round
	for _, w := range order(len(workers)) {
		worker := workers[w]
		if s.mute[fmt.Sprintf("%s %d", worker, round)] {
			continue
		}
		a := file(round, worker, nil)
		for _, g := range order(len(asked[worker])) {
			id := asked[worker][g]
			text := block(id, s.say(worker, id, round), worker, round)
			if s.say(worker, id, round) == "B" {
				text = fmt.Sprintf("\n## %s\nVerdict: agree\n", id)
			}
			a.Content = append(a.Content, text...)
		}
		answers = append(answers, a)
	}
	return answers
}

func inOrder(n int) []int {
	out := make([]int, n)
	for i := range out {
		out[i] = i
	}
	return out
}

// tell plays the story to its end. between is called on the state after each
// step and gives the state to go on with.
func (s story) tell(t fataler, in Input, order func(n int) []int, between func(State) State) State {
	t.Helper()
	state := between(seeded(t, in))
	for state.Next.Action == ActQueue {
		next, _, err := Apply(state, state.Next.Round, s.answers(state, order), true)
		if err != nil {
			t.Fatalf("apply: %v", err)
		}
		state = between(sound(t, next))
	}
	if state.Next.Action == ActFinalize {
		state = between(finalized(t, state))
	}
	return state
}

func unchanged(s State) State { return s }

// markdown is the grouping of the story as a lead may write it down.
func (s story) markdown(order func(n int) []int) string {
	var text strings.Builder
	text.WriteString("# Grouping\n\n## Roster\n")
	for _, i := range order(len(s.input.Workers)) {
		w := s.input.Workers[i]
		fmt.Fprintf(&text, "- %s: %s (%s)\n", w.WorkerID, w.Audience, w.Role)
	}
	text.WriteString("\n## Groups\n")
	if len(s.input.Groups) == 0 {
		text.WriteString("(none)\n")
	}
	for _, i := range order(len(s.input.Groups)) {
		g := s.input.Groups[i]
		items := make([]string, len(g.SourceItems))
		for j, ref := range g.SourceItems {
			items[j] = ref.String()
		}
		lines := []string{
			"Tickets: " + permuted(g.Tickets, order), "Origin: " + g.Origin.WorkerID, "Origin Evidence: " + g.Origin.Evidence,
			"Discovered By: " + permuted(g.DiscoveredBy, order), "Source Items: " + permuted(items, order),
		}
		fmt.Fprintf(&text, "### %s %s\n", g.GroupID, g.Claim)
		for _, j := range order(len(lines)) {
			text.WriteString(strings.TrimSpace(lines[j]) + "\n")
		}
	}
	return text.String()
}

func permuted(list []string, order func(n int) []int) string {
	out := make([]string, 0, len(list))
	for _, i := range order(len(list)) {
		out = append(out, list[i])
	}
	return strings.Join(out, ", ")
}

// manifest is a run manifest with the roster of the story.
func (s story) manifest(order func(n int) []int) run.Manifest {
	m := run.Manifest{Task: theTask}
	for _, i := range order(len(s.input.Workers)) {
		w := s.input.Workers[i]
		m.RoleExecutions = append(m.RoleExecutions, run.RoleExecution{
			Role: w.Role, Audience: &w.Audience, WorkerID: w.WorkerID, ParticipantRef: w.ParticipantRef,
			RoleExecutionRef: w.SourceRoleExecutionRef, SourceRoleExecutionRef: new("re-0001"), Provider: *w.Provider, Model: w.Model,
		})
	}
	return m
}

// prepared is the story's input, by way of its Markdown.
func (s story) prepared(t fataler, order func(n int) []int) Input {
	t.Helper()
	f, faults := grouping.Parse("g.md", []byte(s.markdown(order)))
	in, more := Prepare("g.md", f, s.manifest(order), "m.json", s.input.Config, s.results)
	if all := append(faults, more...); len(all) > 0 {
		t.Fatalf("prepare: %v", all)
	}
	return in
}

// results has every item that the story's groups refer to.
func (s story) results(worker string) map[string]int {
	items := map[string]int{}
	for _, g := range s.input.Groups {
		items[grouping.ID("F", grouping.Number(g.GroupID))] = 1
	}
	return items
}

// TestLaw1Permutation: no order in which people write things down shows in the
// output. The digests of verdict files are those of their bytes, and so set
// aside where blocks within a file change places.
func TestLaw1Permutation(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := drawStory(t)
		shuffled := func(n int) []int { return rapid.Permutation(inOrder(n)).Draw(t, "order") }
		straight := s.tell(t, s.prepared(t, inOrder), inOrder, unchanged)
		mixed := s.tell(t, s.prepared(t, shuffled), shuffled, unchanged)
		if a, b := encoded(t, withoutDigests(straight)), encoded(t, withoutDigests(mixed)); a != b {
			t.Fatalf("%s", cmp.Diff(a, b))
		}
		if diff := cmp.Diff(s.input, s.prepared(t, shuffled)); diff != "" {
			t.Fatalf("input, through Markdown:\n%s", diff)
		}
	})
}

// TestLaw1OrderOfFiles: with the same bytes in each file the state is the same
// to the last digest.
func TestLaw1OrderOfFiles(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := drawStory(t)
		state := seeded(t, s.input)
		for state.Next.Action == ActQueue {
			answers := s.answers(state, inOrder)
			next, lost, err := Apply(state, state.Next.Round, answers, true)
			again, lostAgain, errAgain := Apply(state, state.Next.Round, rapid.Permutation(answers).Draw(t, "files"), true)
			if err != nil || errAgain != nil {
				t.Fatalf("%v, %v", err, errAgain)
			}
			if a, b := encoded(t, next), encoded(t, again); a != b {
				t.Fatalf("%s", cmp.Diff(a, b))
			}
			if diff := cmp.Diff(lost, lostAgain); diff != "" {
				t.Fatalf("lost votes:\n%s", diff)
			}
			state = next
		}
	})
}

func withoutDigests(s State) State {
	s.Rounds = slices.Clone(s.Rounds)
	for i := range s.Rounds {
		s.Rounds[i].Files = slices.Clone(s.Rounds[i].Files)
		for j := range s.Rounds[i].Files {
			s.Rounds[i].Files[j].SHA256 = ""
		}
	}
	return s
}

// renamed gives the workers of the story other names; their role executions
// stay.
func (s story) renamed(to map[string]string) story {
	in := s.input
	in.Workers = slices.Clone(in.Workers)
	for i, w := range in.Workers {
		in.Workers[i].WorkerID = to[w.WorkerID]
		in.Workers[i].ParticipantRef = run.ParticipantRef(to[w.WorkerID])
	}
	slices.SortFunc(in.Workers, compareWorkers)
	in.Groups = slices.Clone(in.Groups)
	for i, g := range in.Groups {
		g.Origin.WorkerID = to[g.Origin.WorkerID]
		g.DiscoveredBy, g.SourceItems = slices.Clone(g.DiscoveredBy), slices.Clone(g.SourceItems)
		for j := range g.DiscoveredBy {
			g.DiscoveredBy[j], g.SourceItems[j].WorkerID = to[g.DiscoveredBy[j]], to[g.SourceItems[j].WorkerID]
		}
		slices.Sort(g.DiscoveredBy)
		slices.SortFunc(g.SourceItems, compareRefs)
		in.Groups[i] = g
	}
	out := story{input: in, words: map[string]string{}, mute: map[string]bool{}}
	for key, word := range s.words {
		worker, rest, _ := strings.Cut(key, " ")
		out.words[to[worker]+" "+rest] = word
	}
	for key, mute := range s.mute {
		worker, rest, _ := strings.Cut(key, " ")
		out.mute[to[worker]+" "+rest] = mute
	}
	return out
}

// TestLaw2Renaming: a worker's name decides nothing. Labels, counts, sections
// and the order inside each packet stay.
func TestLaw2Renaming(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := drawStory(t)
		names := map[string]string{"lead": "lead", "report-writer": "report-writer"}
		fresh := rapid.Permutation([]string{"zoe", "b2", "a", "m.x", "w1", "w3", "k"}).Draw(t, "names")
		for i := range 5 {
			names[fmt.Sprintf("w%d", i+1)] = fresh[i]
		}
		var before, after []string
		first := s.tell(t, s.input, inOrder, func(st State) State { before = append(before, essence(t, st)); return st })
		second := s.renamed(names).tell(t, s.renamed(names).input, inOrder, func(st State) State { after = append(after, essence(t, st)); return st })
		if diff := cmp.Diff(before, after); diff != "" {
			t.Fatalf("%s", diff)
		}
		if first.Status != second.Status {
			t.Fatalf("%s, renamed %s", first.Status, second.Status)
		}
	})
}

// essence is a state without the names in it.
func essence(t fataler, s State) string {
	var text strings.Builder
	for _, f := range s.Findings {
		fmt.Fprintln(&text, f.GroupID, f.Classification, f.Reason, f.Section, f.Settled, f.Sources, f.Eligible, f.Agree, f.Disagree, f.Missing, f.Flags, len(f.Supplements), len(f.Dissent))
	}
	fmt.Fprintln(&text, s.Queue, s.Next)
	if s.Next.Action != ActQueue {
		return text.String()
	}
	packets, err := Queue(s, s.Next.Round, QueueOptions{})
	if err != nil {
		t.Fatalf("%v", err)
	}
	slices.SortFunc(packets, func(a, b Packet) int { return strings.Compare(a.SourceRoleExecutionRef, b.SourceRoleExecutionRef) })
	for _, p := range packets {
		fmt.Fprint(&text, p.SourceRoleExecutionRef)
		for _, g := range p.Groups {
			fmt.Fprint(&text, " ", g.GroupID)
		}
		fmt.Fprintln(&text)
	}
	return text.String()
}

// TestLaw5SourcesNeverVote: whatever the mode, a verdict of a source, of the
// lead or of the report writer is refused, and the state stands as it was.
func TestLaw5SourcesNeverVote(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := drawStory(t)
		state := seeded(t, s.input)
		for state.Next.Action == ActQueue {
			group := rapid.SampledFrom(state.Groups).Draw(t, "group")
			forbidden := append([]string{"lead", "report-writer"}, group.DiscoveredBy...)
			worker := rapid.SampledFrom(forbidden).Draw(t, "worker")
			answers := slices.DeleteFunc(s.answers(state, inOrder), func(a Answer) bool { return strings.HasPrefix(a.Name, worker+"-") })
			answers = append(answers, file(state.Next.Round, worker, ballot{group.GroupID: "A"}))
			before := encoded(t, state)
			next, _, err := Apply(state, state.Next.Round, answers, true)
			if err == nil || !strings.Contains(err.Error(), CodeSelf) && !strings.Contains(err.Error(), CodeNonvoter) {
				t.Fatalf("%s on %s, found by %v: %v", worker, group.GroupID, group.DiscoveredBy, err)
			}
			if encoded(t, next) != before {
				t.Fatalf("the state changed")
			}
			state, _, err = Apply(state, state.Next.Round, s.answers(state, inOrder), true)
			if err != nil {
				t.Fatalf("%v", err)
			}
		}
	})
}

// TestLaw6Recompute counts every finding anew, in the plainest way, from the
// verdicts that the state holds.
func TestLaw6Recompute(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := drawStory(t)
		final := s.tell(t, s.input, inOrder, unchanged)
		for i, f := range final.Findings {
			want := plainCount(final, final.Groups[i])
			o := Classify(want)
			got := Tally{f.Sources, f.Agree, f.Disagree, f.Missing, want.Adversarial}
			if got != want || f.Classification != o.Label() || f.Reason != o.Rule.Reason || f.Section != o.Section || f.Settled != o.Settled {
				t.Fatalf("%s is %+v %s, want %+v %s", f.GroupID, got, f.Classification, want, o.Label())
			}
		}
	})
}

// plainCount goes through all verdicts for one group.
func plainCount(s State, g Group) Tally {
	refs, last := map[string]bool{}, map[string]string{}
	t := Tally{Adversarial: s.Config.Adversarial}
	for _, w := range s.Workers {
		if w.Audience == run.AudienceAnalysis && slices.Contains(g.DiscoveredBy, w.WorkerID) {
			refs[w.SourceRoleExecutionRef] = true
		}
	}
	if t.Sources = len(refs); t.Sources >= 2 {
		return t
	}
	for _, r := range s.Rounds {
		for _, v := range r.Verdicts {
			if v.GroupID == g.GroupID {
				last[v.WorkerID] = v.Verdict
			}
		}
	}
	for _, w := range s.Workers {
		if w.Audience != run.AudienceAnalysis || refs[w.SourceRoleExecutionRef] {
			continue
		}
		switch last[w.WorkerID] {
		case "":
			t.Missing++
		case grouping.Disagree:
			t.Disagree++
		default:
			t.Agree++
		}
	}
	return t
}

// TestLaw7Once: the same files again change no byte; others are refused.
func TestLaw7Once(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := drawStory(t)
		state := seeded(t, s.input)
		for state.Next.Action == ActQueue {
			round, answers := state.Next.Round, s.answers(state, inOrder)
			next, _, err := Apply(state, round, answers, true)
			if err != nil {
				t.Fatalf("%v", err)
			}
			again, lost, err := Apply(next, round, answers, false)
			if err != nil || len(lost) > 0 || encoded(t, again) != encoded(t, next) {
				t.Fatalf("the same files again: %v, lost %v", err, lost)
			}
			other := append(slices.Clone(answers), file(round, "w9", nil))
			if len(answers) > 0 && rapid.Bool().Draw(t, "change one") {
				other = slices.Clone(answers)
				other[0].Content = append(slices.Clone(other[0].Content), '\n')
			}
			again, _, err = Apply(next, round, other, true)
			if err == nil || !strings.Contains(err.Error(), CodeApplied) || encoded(t, again) != encoded(t, next) {
				t.Fatalf("other files for a round that is counted: %v", err)
			}
			state = next
		}
	})
}

// TestLaw8Resume: a run that reads its state from a file before each step ends
// in the same bytes. Kills of the program itself are tested beside its command.
func TestLaw8Resume(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := drawStory(t)
		straight := s.tell(t, s.input, inOrder, unchanged)
		resumed := s.tell(t, s.input, inOrder, func(st State) State {
			var read State
			if err := json.Unmarshal([]byte(encoded(t, st)), &read); err != nil {
				t.Fatalf("%v", err)
			}
			return sound(t, read)
		})
		if a, b := encoded(t, straight), encoded(t, resumed); a != b {
			t.Fatalf("%s", cmp.Diff(a, b))
		}
	})
}

// TestApplyNeverWritesIntoItsState: the state given in is still the same
// afterwards, and two runs from it do not see each other.
func TestApplyNeverWritesIntoItsState(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := drawStory(t)
		state := seeded(t, s.input)
		for state.Next.Action == ActQueue {
			before := encoded(t, state)
			next, _, err := Apply(state, state.Next.Round, s.answers(state, inOrder), true)
			if err != nil {
				t.Fatalf("%v", err)
			}
			told := encoded(t, next)
			if _, _, err := Apply(state, state.Next.Round, nil, true); err != nil {
				t.Fatalf("%v", err)
			}
			if encoded(t, state) != before || encoded(t, next) != told {
				t.Fatalf("a state changed under its owner")
			}
			state = next
		}
	})
}

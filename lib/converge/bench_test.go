package converge

import (
	"encoding/json"
	"fmt"
	"runtime/debug"
	"runtime/metrics"
	"syscall"
	"testing"
	"time"

	"okstra/lib/converge/grouping"
	"okstra/lib/digest"
	"okstra/lib/jsondoc"
	"okstra/lib/schema"
)

// sizes are the numbers of groups that the benchmarks compare: time and memory
// of the second must be at most eleven times those of the first.
var sizes = []int{10_000, 100_000}

// benchSizes leaves the large one out under -short, which only tries whether
// the benchmarks run.
func benchSizes() []int {
	if testing.Short() {
		return sizes[:1]
	}
	return sizes
}

// benchInput is a grouped input of five analysis workers: of ten groups two
// are settled by two sources, seven have one, one is the lead's alone.
func benchInput(groups int) Input {
	in := input(5, true)
	in.Groups = make([]Group, groups)
	for i := range in.Groups {
		by := []string{fmt.Sprintf("w%d", i%5+1)}
		switch i % 10 {
		case 0, 1:
			by = append(by, fmt.Sprintf("w%d", (i+2)%5+1))
		case 2:
			by = []string{"lead"}
		}
		in.Groups[i] = found(i+1, by...)
		in.Groups[i].Origin.Evidence = fmt.Sprintf("internal/part%d/file.go:%d-%d", i%97, i%800+1, i%800+20)
	}
	return in
}

// benchBallots answers the round that is due as decoded verdict files: of
// twenty votes fourteen agree, one of them with a supplement, four disagree
// and two are not given.
func benchBallots(s State) []Ballot {
	b, queue := s.replay()
	asked := b.asked(queue)
	ballots := make([]Ballot, len(b.voters))
	for v := range ballots {
		id := b.voter(int32(v)).WorkerID
		ballots[v] = Ballot{VerdictFile: grouping.VerdictFile{Name: id + ".md", Round: s.Next.Round, Worker: id}, Digest: digest.Bytes([]byte(id))}
		ballots[v].Votes = make([]grouping.Vote, 0, len(asked[id]))
	}
	for c, v := range b.questions(queue) {
		vote := grouping.Vote{ID: c.GroupID, Verdict: grouping.Agree, Evidence: fmt.Sprintf("internal/part%d/file.go:%d", c.index%97, c.index%800+1)}
		switch (int(c.index)*7 + int(v)*11 + s.Next.Round*5) % 20 {
		case 0:
			vote.Verdict, vote.Reason = grouping.Supplement, "the same holds for the second caller"
		case 1, 2, 3, 4:
			vote.Verdict, vote.Basis, vote.Reason = grouping.Disagree, "refuted", "the caller checks it before"
			vote.Evidence = "cmd/main.go:12"
		case 5, 6:
			continue
		}
		ballots[v].Votes = append(ballots[v].Votes, vote)
	}
	return ballots
}

// benchRounds are the ballots of both rounds of an input.
func benchRounds(tb testing.TB, in Input) [][]Ballot {
	tb.Helper()
	s := Seed(in, someDigest)
	var rounds [][]Ballot
	for s.Next.Action == ActQueue {
		rounds = append(rounds, benchBallots(s))
		next, _, err := Count(s, s.Next.Round, rounds[len(rounds)-1], true)
		if err != nil {
			tb.Fatal(err)
		}
		s = next
	}
	return rounds
}

// benchRun goes from the input to the final state.
func benchRun(tb testing.TB, in Input, rounds [][]Ballot) State {
	tb.Helper()
	s := Seed(in, someDigest)
	for i, ballots := range rounds {
		next, _, err := Count(s, i+1, ballots, true)
		if err != nil {
			tb.Fatal(err)
		}
		s = next
	}
	final, err := Finalize(s)
	if err != nil {
		tb.Fatal(err)
	}
	return final
}

// BenchmarkConvergence is seed, apply of two rounds, finalize and agreement on
// decoded documents. peak-MB is the most that the process held of the machine's
// memory meanwhile, the input and its ballots included.
func BenchmarkConvergence(b *testing.B) {
	for _, n := range benchSizes() {
		b.Run(fmt.Sprintf("groups=%d", n), func(b *testing.B) {
			in := benchInput(n)
			rounds := benchRounds(b, in)
			b.ReportAllocs()
			memory, processor := watchMemory(b), watchProcessor(b)
			for b.Loop() {
				Agree(benchRun(b, in, rounds), LevelNominal)
			}
			processor()
			memory()
			report(b, n)
		})
	}
}

// BenchmarkEngine is the same without agreement.
func BenchmarkEngine(b *testing.B) {
	for _, n := range benchSizes() {
		b.Run(fmt.Sprintf("groups=%d", n), func(b *testing.B) {
			in := benchInput(n)
			rounds := benchRounds(b, in)
			b.ReportAllocs()
			processor := watchProcessor(b)
			for b.Loop() {
				benchRun(b, in, rounds)
			}
			processor()
			report(b, n)
		})
	}
}

// BenchmarkReading is what every command does with a state that it read:
// check it, and what summary does with it after that.
func BenchmarkReading(b *testing.B) {
	for _, n := range benchSizes() {
		in := benchInput(n)
		final := benchRun(b, in, benchRounds(b, in))
		b.Run(fmt.Sprintf("check/groups=%d", n), func(b *testing.B) {
			for b.Loop() {
				if faults := Check(final); len(faults) > 0 {
					b.Fatal(faults[0])
				}
			}
			report(b, n)
		})
		b.Run(fmt.Sprintf("summary/groups=%d", n), func(b *testing.B) {
			for b.Loop() {
				if _, err := Summarise(final); err != nil {
					b.Fatal(err)
				}
			}
			report(b, n)
		})
	}
}

func report(b *testing.B, groups int) {
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(groups), "ns/group")
}

// watchProcessor reports the time of all threads, collection of garbage
// included, from now until it is stopped. Other programs on the machine change
// it less than the time on the clock.
func watchProcessor(b *testing.B) (stop func()) {
	spent := func() time.Duration {
		var used syscall.Rusage
		if err := syscall.Getrusage(syscall.RUSAGE_SELF, &used); err != nil {
			b.Fatal(err)
		}
		return time.Duration(used.Utime.Nano() + used.Stime.Nano())
	}
	start := spent()
	return func() { b.ReportMetric((spent()-start).Seconds()*1000/float64(b.N), "cpu-ms/op") }
}

// watchMemory reports the peak of the memory in use until it is stopped.
func watchMemory(b *testing.B) (stop func()) {
	debug.FreeOSMemory()
	const pause = 5 * time.Millisecond
	end, done := make(chan struct{}), make(chan struct{})
	var peak uint64
	go func() {
		defer close(done)
		held := []metrics.Sample{{Name: "/memory/classes/total:bytes"}, {Name: "/memory/classes/heap/released:bytes"}}
		for tick := time.NewTicker(pause); ; {
			metrics.Read(held)
			peak = max(peak, held[0].Value.Uint64()-held[1].Value.Uint64())
			select {
			case <-tick.C:
			case <-end:
				return
			}
		}
	}()
	return func() {
		close(end)
		<-done
		b.ReportMetric(float64(peak)/1e6, "peak-MB")
	}
}

// BenchmarkState encodes and decodes the state of 10,000 groups, with the
// standard library beside it. Decoding is what the commands do: strict
// reading, the schema, the values.
func BenchmarkState(b *testing.B) {
	in := benchInput(sizes[0])
	final := benchRun(b, in, benchRounds(b, in))
	text, err := jsondoc.Marshal(final)
	if err != nil {
		b.Fatal(err)
	}
	for _, step := range []struct {
		name string
		do   func() error
	}{
		{"encode", func() error { _, err := jsondoc.Marshal(final); return err }},
		{"encode/encoding-json", func() error { _, err := json.MarshalIndent(final, "", "  "); return err }},
		{"decode", func() error {
			doc, err := jsondoc.Parse("state.json", text)
			if err != nil {
				return err
			}
			var s State
			return schema.Decode(doc, StateKind, &s)
		}},
		{"decode/encoding-json", func() error { var s State; return json.Unmarshal(text, &s) }},
	} {
		b.Run(step.name, func(b *testing.B) {
			b.SetBytes(int64(len(text)))
			b.ReportAllocs()
			for b.Loop() {
				if err := step.do(); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// TestTheBenchmarkRunIsARealOne: its states do not contradict themselves, and
// all labels occur in it.
func TestTheBenchmarkRunIsARealOne(t *testing.T) {
	in := benchInput(400)
	if faults := CheckInput(in); len(faults) > 0 {
		t.Fatal(faults[0])
	}
	final := sound(t, benchRun(t, in, benchRounds(t, in)))
	labels := map[Label]int{}
	for _, f := range final.Findings {
		labels[f.Classification]++
	}
	if len(final.Rounds) != 3 || labels[FullConsensus] == 0 || labels[PartialConsensus] == 0 || labels[Contested] == 0 {
		t.Errorf("%d rounds, %v", len(final.Rounds)-1, labels)
	}
}

package codex

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"okstra/lib/transcript"
)

// rollout builds a rollout line by line; every line is a second after the one
// before unless at moves the clock.
type rollout struct {
	path string
	now  time.Time
	text strings.Builder
}

func newRollout(name string) *rollout {
	return &rollout{path: "sessions/" + name + ".jsonl", now: time.Date(2026, 9, 8, 10, 0, 0, 0, time.UTC)}
}

func (r *rollout) at(clock string) *rollout {
	t, err := time.Parse("15:04:05", clock)
	if err != nil {
		panic(err)
	}
	r.now = time.Date(2026, 9, 8, t.Hour(), t.Minute(), t.Second(), 0, time.UTC)
	return r
}

func (r *rollout) line(typ, payload string) *rollout {
	fmt.Fprintf(&r.text, `{"timestamp":"%s","type":"%s","payload":%s}`+"\n", r.stamp(), typ, payload)
	r.now = r.now.Add(time.Second)
	return r
}

func (r *rollout) stamp() string { return r.now.Format("2006-01-02T15:04:05.000Z") }

func (r *rollout) meta(id, more string) *rollout {
	return r.line("session_meta", fmt.Sprintf(`{"id":"%s","timestamp":"%s","cwd":"/w/jobs"%s}`, id, r.stamp(), more))
}

func (r *rollout) turn(id string) *rollout {
	r.line("event_msg", fmt.Sprintf(`{"type":"task_started","turn_id":"%s"}`, id))
	return r.line("turn_context", fmt.Sprintf(`{"turn_id":"%s","model":"gpt-5.6-sol","cwd":"/w/jobs"}`, id))
}

// oldTurn is a turn of a CLI that wrote no turn ids.
func (r *rollout) oldTurn() *rollout { return r.line("turn_context", `{"model":"gpt-5.6-sol"}`) }

// use is input (cached inside), cached, output.
type use [3]int

func (u use) json() string {
	return fmt.Sprintf(`{"input_tokens":%d,"cached_input_tokens":%d,"output_tokens":%d,"reasoning_output_tokens":0,"total_tokens":%d}`, u[0], u[1], u[2], u[0]+u[2])
}

func (r *rollout) count(total, last use) *rollout {
	return r.line("event_msg", fmt.Sprintf(`{"type":"token_count","info":{"total_token_usage":%s,"last_token_usage":%s,"model_context_window":258400}}`, total.json(), last.json()))
}

func (r *rollout) legacy(total use) *rollout {
	return r.line("event_msg", fmt.Sprintf(`{"type":"token_count","info":{"total_token_usage":%s}}`, total.json()))
}

func (r *rollout) null() *rollout {
	return r.line("event_msg", `{"type":"token_count","info":null}`)
}

func (r *rollout) record(thread, response string, usage, total use) *rollout {
	return r.line("token_usage_record", fmt.Sprintf(`{"thread_id":"%s","turn_id":"t","response_id":"%s","usage":%s,"thread_token_usage":%s}`, thread, response, usage.json(), total.json()))
}

func scanAll(t *testing.T, rollouts ...*rollout) []*transcript.File {
	t.Helper()
	var files []*transcript.File
	for _, r := range rollouts {
		f := &transcript.File{Provider: Provider, Path: r.path}
		if err := scan(strings.NewReader(r.text.String()), f, new(transcript.Scratch)); err != nil {
			t.Fatal(err)
		}
		files = append(files, f)
	}
	return files
}

// sum is uncached input, cached, output over all events.
func sum(events []transcript.Event) [3]int64 {
	var c transcript.Counts
	for _, e := range events {
		c = c.Add(e.Counts)
	}
	return [3]int64{c.Input + c.CacheWrite5m, c.CacheRead, c.Output}
}

const (
	parentID  = "0199aa10-0000-7000-8000-000000000001"
	missingID = "0199aa15-0000-7000-8000-000000000003"
	childID   = "0199aa20-0000-7000-8000-000000000002"
	turnA     = "0199aa11-0000-7000-8000-00000000000a"
	turnB     = "0199aa12-0000-7000-8000-00000000000b"
	turnC     = "0199aa21-0000-7000-8000-00000000000c"
)

// parent made two calls: 1800 uncached, 1200 cached, 300 out.
func parent() *rollout {
	return newRollout("rollout-1-"+parentID).at("10:00:00").meta(parentID, "").
		turn(turnA).count(use{1000, 400, 100}, use{1000, 400, 100}).
		turn(turnB).count(use{3000, 1200, 300}, use{2000, 800, 200})
}

func replay(r *rollout) *rollout {
	return r.turn(turnA).count(use{1000, 400, 100}, use{1000, 400, 100}).
		turn(turnB).count(use{3000, 1200, 300}, use{2000, 800, 200})
}

const spawned = `,"source":{"subagent":{"thread_spawn":{"parent_thread_id":"` + parentID + `"}}}`

func TestForksAndSpawnsCountOwnWorkOnly(t *testing.T) {
	child := func() *rollout { return newRollout("rollout-2-" + childID).at("11:00:00") }
	for _, tt := range []struct {
		name  string
		files []*rollout
		want  [3]int64
	}{
		{"parent alone", []*rollout{parent()}, [3]int64{1800, 1200, 300}},
		{
			"report 21: spawned child replays with original times",
			[]*rollout{parent(), replay(child().meta(childID, spawned).at("10:00:01")).at("11:00:05").turn(turnC).count(use{3500, 1200, 350}, use{500, 0, 50})},
			[3]int64{2300, 1200, 350},
		},
		{
			"report 23: child with forked_from_id counts from zero",
			[]*rollout{parent(), child().meta(childID, `,"forked_from_id":"`+parentID+`"`).turn(turnC).count(use{700, 0, 70}, use{700, 0, 70})},
			[3]int64{2500, 1200, 370},
		},
		{
			"a thread that names itself as its parent has none",
			[]*rollout{child().meta(childID, `,"forked_from_id":"`+childID+`"`).count(use{700, 0, 70}, use{700, 0, 70})},
			[3]int64{700, 0, 70},
		},
		{
			"report 22: child opens with the parent's total and a zero last",
			[]*rollout{parent(), child().meta(childID, spawned).turn(turnC).count(use{3000, 1200, 300}, use{0, 0, 0}).count(use{3500, 1200, 350}, use{500, 0, 50})},
			[3]int64{2300, 1200, 350},
		},
		{
			"report 24: orphan fork, history copied over three seconds",
			[]*rollout{
				replay(child().meta(childID, `,"forked_from_id":"`+parentID+`"`).meta(parentID, "")).
					at("11:05:00").turn(turnC).count(use{3500, 1200, 350}, use{500, 0, 50}),
			},
			[3]int64{500, 0, 50},
		},
		{
			"report 24: orphan fork of an old CLI without turn ids",
			[]*rollout{
				child().meta(childID, `,"forked_from_id":"`+parentID+`"`).meta(parentID, "").
					oldTurn().count(use{1000, 400, 100}, use{1000, 400, 100}).oldTurn().count(use{3000, 1200, 300}, use{2000, 800, 200}).
					at("11:05:00").oldTurn().count(use{3500, 1200, 350}, use{500, 0, 50}),
			},
			[3]int64{500, 0, 50},
		},
		{
			"report 18: a fork copies eight counts, stamped anew, repeats one and makes one call",
			func() []*rollout {
				mother := newRollout("rollout-1-"+parentID).meta(parentID, "").turn(turnA)
				fork := child().meta(childID, `,"forked_from_id":"`+parentID+`"`).meta(parentID, "").turn(turnA)
				total := use{}
				for range 8 {
					total = use{total[0] + 20_000, total[1] + 8_000, total[2] + 500}
					mother.count(total, use{20_000, 8_000, 500})
					fork.count(total, use{20_000, 8_000, 500})
				}
				fork.turn(turnC).count(total, use{20_000, 8_000, 500}).count(use{total[0] + 27_000, total[1], total[2] + 1_138}, use{27_000, 0, 1_138})
				return []*rollout{mother, fork}
			}(),
			[3]int64{96_000 + 27_000, 64_000, 4_000 + 1_138},
		},
		{
			"the parent's file is gone, the grandparent's is there: the parent's copied counts are nobody's",
			[]*rollout{
				newRollout("rollout-1-"+parentID).meta(parentID, "").oldTurn().count(use{1000, 400, 100}, use{1000, 400, 100}),
				child().meta(childID, `,"forked_from_id":"`+missingID+`"`).meta(missingID, "").meta(parentID, "").
					oldTurn().count(use{1000, 400, 100}, use{1000, 400, 100}).count(use{3000, 1200, 300}, use{2000, 800, 200}).
					at("11:05:00").oldTurn().count(use{3500, 1200, 350}, use{500, 0, 50}),
			},
			[3]int64{600 + 500, 400, 150},
		},
		{
			"report 19: fork replays for more than a second, parent there, no turn ids",
			[]*rollout{
				newRollout("rollout-1-"+parentID).meta(parentID, "").oldTurn().count(use{1000, 400, 100}, use{1000, 400, 100}).oldTurn().count(use{3000, 1200, 300}, use{2000, 800, 200}),
				child().meta(childID, `,"forked_from_id":"`+parentID+`"`).oldTurn().count(use{1000, 400, 100}, use{1000, 400, 100}).
					at("11:00:40").oldTurn().count(use{3000, 1200, 300}, use{2000, 800, 200}).oldTurn().count(use{3500, 1200, 350}, use{500, 0, 50}),
			},
			[3]int64{2300, 1200, 350},
		},
		{
			"report 25: children without the parent's meta; equal-sized own turns both count",
			[]*rollout{
				parent(),
				replay(child().meta(childID, spawned)).at("11:00:30").turn(turnC).count(use{3500, 1200, 350}, use{500, 0, 50}),
				replay(newRollout("rollout-3-0199aa30-0000-7000-8000-000000000003").at("12:00:00").meta("0199aa30-0000-7000-8000-000000000003", spawned)).
					at("12:00:30").turn("0199aa31-0000-7000-8000-00000000000d").count(use{3500, 1200, 350}, use{500, 0, 50}),
			},
			[3]int64{2800, 1200, 400},
		},
		{
			"report 20: grandchild replays child and parent",
			[]*rollout{
				parent(),
				replay(child().meta(childID, spawned)).at("11:00:30").turn(turnC).count(use{3500, 1200, 350}, use{500, 0, 50}),
				replay(newRollout("rollout-3-0199aa30-0000-7000-8000-000000000003").at("12:00:00").meta("0199aa30-0000-7000-8000-000000000003", `,"parent_thread_id":"`+childID+`"`)).
					turn(turnC).count(use{3500, 1200, 350}, use{500, 0, 50}).
					at("12:00:30").turn("0199aa31-0000-7000-8000-00000000000d").count(use{3600, 1200, 360}, use{100, 0, 10}),
			},
			[3]int64{2400, 1200, 360},
		},
		{
			"a replay without any link: the turns are older than the thread",
			[]*rollout{parent(), replay(child().meta(childID, "")).at("11:00:30").turn(turnC).count(use{3500, 1200, 350}, use{500, 0, 50})},
			[3]int64{2300, 1200, 350},
		},
		{
			"a snapshot before the first own turn start never counts",
			[]*rollout{parent(), child().meta(childID, spawned).count(use{3000, 1200, 300}, use{2000, 800, 200}).turn(turnC).count(use{3500, 1200, 350}, use{500, 0, 50})},
			[3]int64{2300, 1200, 350},
		},
		{
			"a record with the own thread id ends what is inherited",
			[]*rollout{parent(), replay(child().meta(childID, spawned)).record(childID, "r1", use{500, 0, 50}, use{3500, 1200, 350})},
			[3]int64{2300, 1200, 350},
		},
		{
			"two unrelated sessions with equal numbers both count",
			[]*rollout{
				newRollout("rollout-1-"+parentID).meta(parentID, "").turn(turnA).count(use{1000, 400, 100}, use{1000, 400, 100}),
				newRollout("rollout-2-"+childID).meta(childID, "").turn(turnC).count(use{1000, 400, 100}, use{1000, 400, 100}),
			},
			[3]int64{1200, 800, 200},
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			events, _ := fold(scanAll(t, tt.files...), nil)
			if got := sum(events); got != tt.want {
				t.Errorf("sum = %v, want %v; events %+v", got, tt.want, events)
			}
		})
	}
}

func TestCountingARollout(t *testing.T) {
	start := func() *rollout { return newRollout("rollout-1-"+parentID).meta(parentID, "").turn(turnA) }
	k := func(n int) use { return use{n * 1000, 0, 0} }
	for _, tt := range []struct {
		name  string
		file  *rollout
		want  [3]int64
		note  transcript.Note
		count int
	}{
		{
			"reports 16, 17: unchanged totals re-emitted three times",
			replay(start()).count(use{3000, 1200, 300}, use{2000, 800, 200}).count(use{3000, 1200, 300}, use{2000, 800, 200}).count(use{3000, 1200, 300}, use{2000, 800, 200}),
			[3]int64{1800, 1200, 300},
			transcript.Note{},
			2,
		},
		{
			"behaviour 2: compaction", start().count(k(100), k(100)).count(k(104), k(4)).count(k(60), k(6)).count(k(63), k(3)),
			[3]int64{113000, 0, 0},
			transcript.Note{},
			4,
		},
		{
			"report 26: stale snapshot", start().count(k(1000), k(100)).count(k(1100), k(100)).count(k(1050), k(100)).count(k(1200), k(100)),
			[3]int64{300000, 0, 0},
			transcript.Note{},
			3,
		},
		{
			"report 26: stale snapshot after a reset", start().count(k(1000), k(100)).count(k(60), k(6)).count(k(70), k(10)).count(k(65), k(1)).count(k(80), k(10)),
			[3]int64{126000, 0, 0},
			transcript.Note{},
			4,
		},
		{
			"report 26: stale snapshots, of which the first goes on from nothing", start().count(k(1000), k(1000)).count(k(1100), k(100)).count(k(1050), k(101)).count(k(1060), k(102)).count(k(1300), k(200)),
			[3]int64{1401000, 0, 0},
			transcript.Note{},
			4,
		},
		{
			"behaviour 3: legacy records", start().legacy(k(10)).legacy(k(14)).legacy(k(9)).legacy(k(12)),
			[3]int64{17000, 0, 0},
			transcript.Note{},
			3,
		},
		{
			"behaviour 6: info null between legacy records", start().legacy(k(10)).null().legacy(k(12)),
			[3]int64{12000, 0, 0},
			transcript.Note{},
			2,
		},
		{"behaviour 5: info null alone", start().null(), [3]int64{}, transcript.Note{}, 0},
		{
			"report 30: record and count are one response",
			start().record(parentID, "r1", use{700, 0, 70}, use{700, 0, 70}).count(use{700, 0, 70}, use{700, 0, 70}),
			[3]int64{700, 0, 70},
			transcript.Note{},
			1,
		},
		{
			"report 30: two open records of equal size keep their order",
			start().record(parentID, "r1", use{700, 0, 70}, use{700, 0, 70}).record(parentID, "r2", use{700, 0, 70}, use{1400, 0, 140}).
				count(use{700, 0, 70}, use{700, 0, 70}).count(use{1400, 0, 140}, use{700, 0, 70}),
			[3]int64{1400, 0, 140},
			transcript.Note{},
			2,
		},
		{
			"behaviour 38: killed in a tool, record without count",
			start().record(parentID, "r1", use{700, 0, 70}, use{700, 0, 70}),
			[3]int64{700, 0, 70},
			transcript.Note{},
			1,
		},
		{
			"behaviour 38: old session resumed by a newer CLI",
			start().count(use{1000, 0, 100}, use{1000, 0, 100}).record(parentID, "r1", use{700, 0, 70}, use{1700, 0, 170}).count(use{1700, 0, 170}, use{700, 0, 70}),
			[3]int64{1700, 0, 170},
			transcript.Note{},
			2,
		},
		{
			"report 29: context fill is no use",
			start().count(use{1000, 0, 100}, use{1000, 0, 100}).
				line("event_msg", `{"type":"token_count","info":{"total_token_usage":{"input_tokens":0,"cached_input_tokens":0,"output_tokens":0,"total_tokens":258400},"last_token_usage":{"input_tokens":0,"output_tokens":0,"total_tokens":51293}}}`),
			[3]int64{1000, 0, 100},
			transcript.Note{ContextFills: 1},
			1,
		},
		{
			"report 27, 28: cached and reasoning lie inside; behaviour 28: cached beyond input",
			start().line("event_msg", `{"type":"token_count","info":{"last_token_usage":{"input_tokens":100,"cached_input_tokens":150,"output_tokens":20,"reasoning_output_tokens":13,"total_tokens":120}}}`),
			[3]int64{0, 100, 20},
			transcript.Note{},
			1,
		},
		{
			"bad numbers count as zero and are told",
			start().line("event_msg", `{"type":"token_count","info":{"last_token_usage":{"input_tokens":-5,"cached_input_tokens":"7","output_tokens":20.5,"total_tokens":9,"reasoning_output_tokens":null}}}`).
				line("event_msg", `{"type":"token_count","info":{"last_token_usage":{"input_tokens":5,"output_tokens":true,"total_tokens":5}}}`),
			[3]int64{5, 0, 0},
			transcript.Note{BadNumbers: 4, ContextFills: 1},
			1,
		},
		{
			"the needle in a tool's output is no row",
			start().line("response_item", `{"type":"function_call_output","output":"{\"type\":\"token_count\"}","info":{"last_token_usage":{"input_tokens":5}}}`),
			[3]int64{},
			transcript.Note{},
			0,
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			events, note := fold(scanAll(t, tt.file), nil)
			note.Files, note.Bytes = 0, 0
			if got := sum(events); got != tt.want || len(events) != tt.count || note != tt.note {
				t.Errorf("sum = %v in %d events, note %+v, want %v in %d, %+v", got, len(events), note, tt.want, tt.count, tt.note)
			}
		})
	}
}

func TestExcerptOfSevenCountsIsTenThousandTokens(t *testing.T) {
	r := newRollout("rollout-1-"+parentID).meta(parentID, "").turn(turnA).null().
		count(use{3300, 0, 120}, use{3300, 0, 120}).count(use{3300, 0, 120}, use{3300, 0, 120}).
		count(use{6600, 3300, 240}, use{3300, 3300, 120}).count(use{6600, 3300, 240}, use{3300, 3300, 120}).
		count(use{9900, 6600, 360}, use{3300, 3300, 120}).count(use{9900, 6600, 360}, use{3300, 3300, 120})
	events, _ := fold(scanAll(t, r), nil)
	var total int64
	for _, e := range events {
		total += e.Total()
	}
	if total != 10260 || len(events) != 3 {
		t.Errorf("%d tokens in %d events, want 10260 in 3", total, len(events))
	}
}

func TestSeveralFilesOfOneThreadCountOnce(t *testing.T) {
	a := newRollout("a-rollout-"+parentID).meta(parentID, "").turn(turnA).count(use{1000, 0, 100}, use{1000, 0, 100}).record(parentID, "r1", use{700, 0, 70}, use{1700, 0, 170}).count(use{1700, 0, 170}, use{700, 0, 70})
	b := newRollout("b-rollout-"+parentID).meta(parentID, "").turn(turnA).count(use{1000, 0, 100}, use{1000, 0, 100}).record(parentID, "r1", use{700, 0, 70}, use{1700, 0, 170}).count(use{1700, 0, 170}, use{700, 0, 70}).
		turn(turnB).count(use{2700, 0, 270}, use{1000, 0, 100})
	events, _ := fold(scanAll(t, a, b), nil)
	if got, want := sum(events), ([3]int64{2700, 0, 270}); got != want {
		t.Errorf("sum = %v, want %v", got, want)
	}
}

func TestEventNamesModelSessionAndPlace(t *testing.T) {
	events, _ := fold(scanAll(t, parent()), nil)
	e := events[1]
	if e.Model != "gpt-5.6-sol" || e.Session != parentID || e.CWD != "/w/jobs" || e.Source.Line != 7 || e.TS != "2026-09-08T10:00:06.000Z" || e.At == transcript.NoTime {
		t.Errorf("event = %+v", e)
	}
}

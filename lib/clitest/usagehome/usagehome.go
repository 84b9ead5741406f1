// Package usagehome makes a home directory full of transcripts, for benchmarks
// of okstra-token-usage. The files have the shape of real ones: most bytes are
// text and tool output, replies are repeated per content block, sub-agents have
// files of their own. The same options give the same bytes.
package usagehome

import (
	"bufio"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"time"
)

// Options say how much to make of each provider, in bytes.
type Options struct {
	Claude, Codex, Grok, Kimi int64
	FileBytes                 int64 // about the size of one file
}

// Make fills dir, which stands for HOME.
func Make(dir string, o Options) error {
	g := &generator{rng: rand.New(rand.NewPCG(1, 2)), clock: time.Date(2026, 9, 1, 8, 0, 0, 0, time.UTC)}
	g.words()
	for _, part := range []struct {
		bytes int64
		path  func(n int) string
		write func(*writer)
	}{
		{o.Claude, claudePath, g.claude},
		{o.Codex, codexPath, g.codex},
		{o.Grok, grokPath, g.grok},
		{o.Kimi, kimiPath, g.kimi},
	} {
		var made int64
		for n := 0; made < part.bytes; n++ {
			w, err := create(filepath.Join(dir, part.path(n)), n, o.FileBytes)
			if err != nil {
				return err
			}
			part.write(w)
			if err := w.close(); err != nil {
				return err
			}
			made += w.n
		}
	}
	return nil
}

func claudePath(n int) string {
	project := fmt.Sprintf(".claude/projects/-w-project-%d", n/40)
	if n%3 == 2 {
		return fmt.Sprintf("%s/%s/subagents/agent-ascope-worker-%07x.jsonl", project, uuid(n-1), n)
	}
	return fmt.Sprintf("%s/%s.jsonl", project, uuid(n))
}

func codexPath(n int) string {
	return fmt.Sprintf(".codex/sessions/2026/09/%02d/rollout-2026-09-01T08-00-00-%s.jsonl", 1+n%28, uuid(n))
}

func grokPath(n int) string {
	return fmt.Sprintf(".grok/sessions/%%2Fw%%2Fproject-%d/%s/updates.jsonl", n/40, uuid(n))
}

func kimiPath(n int) string {
	return fmt.Sprintf(".kimi-code/sessions/wd_project_%012x/session_%s/agents/main/wire.jsonl", n/40, uuid(n))
}

func uuid(n int) string { return fmt.Sprintf("%08x-0000-4000-8000-%012x", n, n) }

type writer struct {
	*bufio.Writer
	file *os.File
	id   string
	n    int64
	max  int64
}

func create(path string, n int, size int64) (*writer, error) {
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return nil, err
	}
	f, err := os.Create(path)
	if err != nil {
		return nil, err
	}
	return &writer{Writer: bufio.NewWriterSize(f, 1<<20), file: f, id: uuid(n), max: size}, nil
}

func (w *writer) line(format string, args ...any) {
	n, _ := fmt.Fprintf(w, format+"\n", args...) // a failed write is reported by Flush
	w.n += int64(n)
}

func (w *writer) full() bool { return w.n >= w.max }

func (w *writer) close() error {
	if err := w.Flush(); err != nil {
		w.file.Close()
		return err
	}
	return w.file.Close()
}

type generator struct {
	rng   *rand.Rand
	clock time.Time
	texts []string
	reply int
}

// words prepares paragraphs of prose and code as they stand in JSON, escapes
// included.
func (g *generator) words() {
	const vocabulary = "the a of to and in that it is for on with as was at by not from this but they have request response timeout context handler retry deadline func return if err nil string int range package import testing struct map usage token_count session_id user_name max_retries parse_config getValue setState isReady onClick config.yaml internal/http/retry.go checkout service argument signal strategy length string logging merge progress graph legend manager message"
	words := strings.Fields(vocabulary)
	for range 200 {
		var b strings.Builder
		for size := 200 + g.rng.IntN(6000); b.Len() < size; {
			b.WriteString(words[g.rng.IntN(len(words))])
			switch g.rng.IntN(14) {
			case 0:
				b.WriteString(`\n\t`)
			case 1:
				b.WriteString(`(\"`)
			case 2:
				b.WriteString(` := 0x3f9a, `)
			default:
				b.WriteByte(' ')
			}
		}
		g.texts = append(g.texts, b.String())
	}
}

func (g *generator) text() string { return g.texts[g.rng.IntN(len(g.texts))] }

// short is a text of a few hundred bytes at most.
func (g *generator) short() string {
	t := g.text()
	cut := min(len(t), 60+g.rng.IntN(300))
	return strings.TrimRight(t[:cut], `\`)
}

func (g *generator) stamp() string {
	g.clock = g.clock.Add(time.Duration(100+g.rng.IntN(9000)) * time.Millisecond)
	return g.clock.Format("2006-01-02T15:04:05.000Z")
}

func (g *generator) claude(w *writer) {
	for !w.full() {
		w.line(`{"parentUuid":"%s","isSidechain":false,"userType":"external","cwd":"/w/project","sessionId":"%s","version":"2.1.39","gitBranch":"main","type":"user","message":{"role":"user","content":[{"tool_use_id":"toolu_%d","type":"tool_result","content":"%s"}]},"uuid":"%s","timestamp":"%s","toolUseResult":{"stdout":"%s","stderr":"","interrupted":false}}`,
			w.id, w.id, g.reply, g.text(), w.id, g.stamp(), g.text())
		g.reply++
		in, read, out := g.rng.IntN(2000), g.rng.IntN(90000), 20+g.rng.IntN(900)
		for block := range 1 + g.rng.IntN(3) {
			content := fmt.Sprintf(`{"type":"text","text":"%s"}`, g.short())
			if block > 0 {
				content = fmt.Sprintf(`{"type":"tool_use","id":"toolu_%d","name":"Edit","input":{"file_path":"/w/project/a.go","new_string":"%s"}}`, g.reply, g.short())
			}
			w.line(`{"parentUuid":"%s","isSidechain":false,"userType":"external","cwd":"/w/project","sessionId":"%s","version":"2.1.39","gitBranch":"main","message":{"model":"claude-opus-4-8","id":"msg_%024d","type":"message","role":"assistant","content":[%s],"stop_reason":null,"stop_sequence":null,"usage":{"input_tokens":%d,"cache_creation_input_tokens":509,"cache_read_input_tokens":%d,"cache_creation":{"ephemeral_5m_input_tokens":509,"ephemeral_1h_input_tokens":0},"output_tokens":%d,"service_tier":"standard"}},"requestId":"req_%024d","type":"assistant","uuid":"%s","timestamp":"%s"}`,
				w.id, w.id, g.reply, content, in, read, out, g.reply, w.id, g.stamp())
		}
	}
}

func (g *generator) codex(w *writer) {
	w.line(`{"timestamp":"%s","type":"session_meta","payload":{"id":"%s","timestamp":"%s","cwd":"/w/project","cli_version":"0.171.0","source":"exec","instructions":"%s"}}`, g.stamp(), w.id, g.stamp(), g.text())
	var in, cached, out int
	for turn := 0; !w.full(); turn++ {
		w.line(`{"timestamp":"%s","type":"event_msg","payload":{"type":"task_started","turn_id":"%s-%d"}}`, g.stamp(), w.id, turn)
		w.line(`{"timestamp":"%s","type":"turn_context","payload":{"turn_id":"%s-%d","model":"gpt-5.6-sol","cwd":"/w/project","approval_policy":"never"}}`, g.stamp(), w.id, turn)
		for range 8 {
			w.line(`{"timestamp":"%s","type":"response_item","payload":{"type":"function_call_output","call_id":"call_%d","output":"%s%s"}}`, g.stamp(), g.reply, g.text(), g.text())
			g.reply++
			i, o := 2000+g.rng.IntN(50000), 20+g.rng.IntN(900)
			in, cached, out = in+i, cached+i/2, out+o
			w.line(`{"timestamp":"%s","type":"event_msg","payload":{"type":"token_count","info":{"total_token_usage":{"input_tokens":%d,"cached_input_tokens":%d,"output_tokens":%d,"reasoning_output_tokens":0,"total_tokens":%d},"last_token_usage":{"input_tokens":%d,"cached_input_tokens":%d,"output_tokens":%d,"reasoning_output_tokens":0,"total_tokens":%d},"model_context_window":258400},"rate_limits":{"primary":{"used_percent":12.5}}}}`,
				g.stamp(), in, cached, out, in+out, i, i/2, o, i+o)
		}
	}
}

func (g *generator) grok(w *writer) {
	for !w.full() {
		for range 6 {
			w.line(`{"timestamp":%d,"method":"session/update","params":{"sessionId":"%s","update":{"sessionUpdate":"tool_call_update","content":"%s"},"_meta":{"eventId":"e%d","agentTimestampMs":%d,"totalTokens":120000}}}`, g.clock.Unix(), w.id, g.text(), g.reply, g.clock.UnixMilli())
		}
		g.stamp()
		g.reply++
		in, cached, out := 4000+g.rng.IntN(90000), g.rng.IntN(4000), 20+g.rng.IntN(900)
		use := fmt.Sprintf(`"inputTokens":%d,"outputTokens":%d,"cachedReadTokens":%d,"cacheCreationTokens":0,"reasoningTokens":5,"totalTokens":%d,"modelCalls":3`, in, out, cached, in+out)
		w.line(`{"timestamp":%d,"method":"session/update","params":{"sessionId":"%s","update":{"sessionUpdate":"turn_completed","prompt_id":"p%d","usage":{%s,"numTurns":3,"modelUsage":{"grok-4.7":{%s}}}},"_meta":{"eventId":"t%d","agentTimestampMs":%d}}}`, g.clock.Unix(), w.id, g.reply, use, use, g.reply, g.clock.UnixMilli())
	}
}

func (g *generator) kimi(w *writer) {
	for !w.full() {
		for range 4 {
			w.line(`{"type":"context.append_loop_event","event":{"type":"tool.result","output":"%s"},"time":%d}`, g.text(), g.clock.UnixMilli())
		}
		g.stamp()
		g.reply++
		use := fmt.Sprintf(`"usage":{"inputOther":%d,"output":%d,"inputCacheRead":%d,"inputCacheCreation":0}`, g.rng.IntN(3000), 20+g.rng.IntN(900), g.rng.IntN(90000))
		w.line(`{"type":"context.append_loop_event","event":{"type":"step.end",%s},"time":%d}`, use, g.clock.UnixMilli())
		w.line(`{"type":"usage.record","agentId":"main","model":"kimi-code/k3",%s,"usageScope":"turn","time":%d}`, use, g.clock.UnixMilli())
	}
}

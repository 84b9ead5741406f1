package all_test

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"math/big"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"okstra/lib/schema"
	"okstra/lib/transcript"
	"okstra/lib/transcript/claude"
	"okstra/lib/transcript/codex"
	"okstra/lib/transcript/gemini"
	"okstra/lib/transcript/grok"
	"okstra/lib/transcript/kimi"
	"okstra/lib/transcript/kimicode"
)

// The oracle reads transcripts a second time, slowly and plainly, with nothing
// of the readers' code: encoding/json takes every line apart and simple loops
// apply the rules of docs/usage.md. What it finds, the readers must find.

// document is a file for readers and oracle, with what the files beside it say.
type document struct {
	path, text    string
	model, parent string
	child         bool
}

// entry is one JSON value of a document.
type entry struct {
	file, line, number int // number counts the values of the file
	doc                *document
	value              any
	bad                *int64 // counts that were none
}

// judgement is what an oracle makes of all documents of a provider.
type judgement struct {
	events                        []transcript.Event
	bad, fills, inherited, unread int64
}

type oracle func(docs []document) judgement

var oracles = map[string]struct {
	reader *transcript.Reader
	judge  oracle
	draw   func(*rapid.T) []document
}{
	"claude":    {&claude.Reader, oracleClaude, drawClaude},
	"codex":     {&codex.Reader, oracleCodex, drawCodex},
	"grok":      {&grok.Reader, oracleGrok, drawGrok},
	"kimi":      {&kimi.Reader, oracleKimi, drawKimi},
	"kimi-code": {&kimicode.Reader, oracleKimiCode, drawKimiCode},
	"gemini":    {&gemini.Reader, oracleGemini, drawGemini},
}

// agree holds a reader to its oracle, whether it searches or parses all lines.
func agree(t fataler, name string, docs []document) {
	o := oracles[name]
	want := o.judge(docs)
	for i, e := range want.events {
		if transcript.Instant(e.TS) == transcript.NoTime {
			want.events[i].TS = "" // what is no time is none
		}
	}
	for _, every := range []bool{false, true} {
		var files []*transcript.File
		for _, d := range docs {
			f := &transcript.File{Provider: o.reader.Provider, Path: d.path, Model: d.model, Parent: d.parent, Child: d.child}
			scanOn(t, o.reader, []byte(d.text), f, every)
			files = append(files, f)
		}
		events, note := o.reader.Fold(files, nil)
		if !slices.IsSortedFunc(events, byPlace) {
			t.Fatalf("%s: events out of order: %v\n%s", name, printed(events), show(docs))
		}
		if diff := gocmp.Diff(printed(want.events), printed(events)); diff != "" {
			t.Fatalf("%s: oracle (-) and reader (+) differ (every line parsed: %v):\n%s\n%s", name, every, diff, show(docs))
		}
		got := [4]int64{note.BadNumbers, note.ContextFills, note.Inherited, note.SkippedLines}
		if !every {
			if got[3] > want.unread {
				t.Fatalf("%s: %d lines skipped, %d cannot be read\n%s", name, got[3], want.unread, show(docs))
			}
			got[3] = want.unread // whole-looking lines without a needle are not parsed
		}
		if want := [4]int64{want.bad, want.fills, want.inherited, want.unread}; got != want {
			t.Fatalf("%s: bad numbers, fills, inherited, skipped = %v, the oracle says %v\n%s", name, got, want, show(docs))
		}
		for _, line := range printed(events) {
			var e transcript.Event
			if err := schema.DecodeLine("-", 1, []byte(line), "usage-event", &e); err != nil {
				t.Fatalf("%s: an event that sum refuses: %v\n%s", name, err, line)
			}
		}
	}
}

func byPlace(a, b transcript.Event) int {
	if a.File != b.File {
		return a.File - b.File
	}
	return a.Source.Line - b.Source.Line
}

// printed are the events as they are printed, those of one line by their text.
func printed(events []transcript.Event) []string {
	lines := []string{}
	for i := range events {
		lines = append(lines, string(events[i].AppendJSON(nil)))
	}
	order := make([]int, len(lines))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int {
		return cmp.Or(byPlace(events[a], events[b]), strings.Compare(lines[a], lines[b]))
	})
	out := []string{}
	for _, i := range order {
		out = append(out, lines[i])
	}
	return out
}

func show(docs []document) string {
	var b strings.Builder
	for _, d := range docs {
		fmt.Fprintf(&b, "== %s (model %q parent %q child %v)\n%s\n", d.path, d.model, d.parent, d.child, d.text)
	}
	return b.String()
}

func TestReadersAgreeWithAnIndependentOracle(t *testing.T) {
	for name, o := range oracles {
		t.Run(name, func(t *testing.T) {
			rapid.Check(t, func(t *rapid.T) { agree(t, name, o.draw(t)) })
		})
	}
}

// fuzzOracle compares on two arbitrary files, that of a parent or a copy and
// its own.
func fuzzOracle(f *testing.F, name string) {
	o := oracles[name]
	for i := range 30 {
		docs := rapid.Custom(o.draw).Example(i)
		second := document{}
		if len(docs) > 1 {
			second = docs[1]
		}
		f.Add(docs[0].text, second.text)
	}
	paths := oraclePaths[name]
	f.Fuzz(func(t *testing.T, one, two string) {
		agree(t, name, []document{{path: paths[0], text: one}, {path: paths[1], text: two}})
	})
}

func FuzzOracleClaude(f *testing.F)   { fuzzOracle(f, "claude") }
func FuzzOracleCodex(f *testing.F)    { fuzzOracle(f, "codex") }
func FuzzOracleGrok(f *testing.F)     { fuzzOracle(f, "grok") }
func FuzzOracleKimi(f *testing.F)     { fuzzOracle(f, "kimi") }
func FuzzOracleKimiCode(f *testing.F) { fuzzOracle(f, "kimi-code") }
func FuzzOracleGemini(f *testing.F)   { fuzzOracle(f, "gemini") }

// member is a member of an object; the order and repeats of keys are kept.
type member struct {
	key   string
	value any
}

type objectValue struct {
	at      int64 // where it begins
	members []member
}

// get is the first member of that name, nil when there is none.
func get(v any, path ...string) any {
	for _, name := range path {
		o, ok := v.(objectValue)
		if !ok {
			return nil
		}
		i := slices.IndexFunc(o.members, func(m member) bool { return m.key == name })
		if i < 0 {
			return nil
		}
		v = o.members[i].value
	}
	return v
}

func isObject(v any) bool {
	_, ok := v.(objectValue)
	return ok
}

// text is a member's text, "" when it has none.
func text(v any, path ...string) string {
	s, _ := get(v, path...).(string)
	return s
}

// count is a member as a token count.
func (e *entry) count(v any, name string) int64 {
	switch x := get(v, name).(type) {
	case nil:
		return 0
	case json.Number:
		if n, ok := integral(string(x)); ok {
			return n
		}
	}
	*e.bad++
	return 0
}

// integral reads a number that is whole and from 0 to 2^53.
func integral(text string) (int64, bool) {
	if mantissa, exponent, scaled := strings.Cut(strings.ToLower(text), "e"); scaled {
		if strings.Trim(mantissa, "-0.") == "" {
			return 0, true
		}
		if len(strings.TrimLeft(exponent, "+-0")) > 3 {
			return 0, false // no document that a test draws has so many digits
		}
	}
	r, ok := new(big.Rat).SetString(text)
	if !ok || !r.IsInt() || r.Sign() < 0 || r.Num().Cmp(big.NewInt(1<<53)) > 0 {
		return 0, false
	}
	return r.Num().Int64(), true
}

// parse reads the first JSON value of a text and says where it ends.
func parse(text []byte) (v any, end int, ok bool) {
	d := json.NewDecoder(bytes.NewReader(text))
	var raw json.RawMessage
	if d.Decode(&raw) != nil {
		return nil, 0, false
	}
	t := json.NewDecoder(bytes.NewReader(raw))
	t.UseNumber()
	return value(t, raw), int(d.InputOffset()), true
}

// value reads the value at hand, which is known to be JSON.
func value(d *json.Decoder, raw []byte) any {
	start := d.InputOffset()
	token, err := d.Token()
	if err != nil {
		panic(err)
	}
	switch token := token.(type) {
	case json.Delim:
		if token == '{' {
			o := objectValue{at: d.InputOffset() - 1}
			for d.More() {
				at := d.InputOffset()
				key, _ := value(d, raw).(string)
				if bytes.IndexByte(raw[at:d.InputOffset()], '\\') >= 0 {
					key = "\\" + key // no CLI escapes a key, and the readers know none that is
				}
				o.members = append(o.members, member{key, value(d, raw)})
			}
			_, _ = d.Token()
			return o
		}
		list := []any{}
		for d.More() {
			list = append(list, value(d, raw))
		}
		_, _ = d.Token()
		return list
	case string:
		return written(raw[start:d.InputOffset()], token)
	default:
		return token
	}
}

// written is a text with the bytes that stand in the file, where it has no
// escapes: two broken texts stay two.
func written(raw []byte, decoded string) string {
	if bytes.IndexByte(raw, '\\') >= 0 {
		return decoded
	}
	from := bytes.IndexByte(raw, '"') + 1
	return string(raw[from:bytes.LastIndexByte(raw, '"')])
}

// entries takes documents apart by "Reading lines".
func entries(docs []document, j *judgement) []*entry {
	var out []*entry
	for i := range docs {
		number := 0
		for n, line := range strings.Split(docs[i].text, "\n") {
			rest := []byte(line)
			if n == 0 {
				rest = bytes.TrimPrefix(rest, []byte("\ufeff"))
			}
			rest = bytes.ReplaceAll(rest, []byte{0}, nil)
			if len(rest) > 0 && rest[0] <= ' ' && len(bytes.TrimSpace(rest)) == 0 {
				continue // blank, if not only by JSON's measure
			}
			for len(bytes.Trim(rest, " \t\r\n")) > 0 {
				v, end, ok := parse(rest)
				if !ok {
					j.unread++
					break
				}
				out = append(out, &entry{file: i, line: n + 1, number: number, doc: &docs[i], value: v, bad: new(int64)})
				number++
				rest = rest[end:]
			}
		}
	}
	return out
}

func first(texts ...string) string {
	for _, s := range texts {
		if s != "" {
			return s
		}
	}
	return ""
}

func folder(path string) string { return filepath.Base(filepath.Dir(path)) }

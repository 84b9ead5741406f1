// Package gemini reads the chat files of the Gemini CLI, in both of their forms:
// one object with all messages, or a line per change.
//
// A message is written again whenever its tokens or tool calls arrive; the last
// tokens of an id count. Rules: docs/usage.md, "Gemini".
package gemini

import (
	"bytes"
	"fmt"
	"io"
	"path/filepath"
	"strings"

	"okstra/lib/transcript"
	"okstra/lib/transcript/lines"
	"okstra/lib/transcript/rawjson"
)

// Provider is the name of this provider.
const Provider = "gemini"

// Reader reads Gemini chats. Rows: ID is the message id; Counts.CacheRead lies
// inside Counts.Input; N is what tools put into the prompt; Counts.Reasoning is
// thinking, outside Counts.Output.
var Reader = transcript.Reader{
	Provider: Provider, Version: "gemini/1", Source: "gemini-chat",
	Scan: scan, Whole: true, Fold: fold, Roots: roots, Beside: beside,
}

// flagTokens marks a row that states tokens; the others only date a message.
const flagTokens = 1

func roots(h transcript.Home) []transcript.Root {
	dir := h.Or("GEMINI_CLI_HOME", ".gemini")
	if dir == "" {
		return nil
	}
	root := filepath.Join(dir, "tmp")
	return []transcript.Root{{Dir: root, Match: func(path string) bool { return isChat(strings.TrimPrefix(path, root)) }}}
}

// isChat reports whether a path below the root is a chat's: at any depth below a
// folder "chats".
func isChat(path string) bool {
	if !transcript.HasSuffix(path, ".json") && !transcript.HasSuffix(path, ".jsonl") {
		return false
	}
	return strings.Contains(filepath.ToSlash(filepath.Dir(path))+"/", "/chats/")
}

// beside reads the working directory, which lies beside the folder of chats, and
// takes the parent of a sub-agent from the folder it lies in.
func beside(f *transcript.File) {
	dir := filepath.Dir(f.Path)
	if base := filepath.Base(dir); base != "chats" {
		f.Parent = base
	}
	for filepath.Base(dir) != "chats" && filepath.Dir(dir) != dir {
		dir = filepath.Dir(dir)
	}
	if text, err := transcript.ReadRegular(filepath.Join(filepath.Dir(dir), ".project_root")); err == nil {
		f.CWD = strings.TrimSpace(string(text))
	}
}

func scan(r io.Reader, f *transcript.File, s *transcript.Scratch) error {
	s.Reset()
	p := parser{file: f, texts: &s.Texts}
	if f.End.Offset > 0 { // lines, continued
		return p.lines(r, s)
	}
	text, err := transcript.ReadAll(r)
	if err != nil {
		return fmt.Errorf("read %q: %w", f.Path, err)
	}
	if !p.document(text) {
		err = p.lines(bytes.NewReader(text), s)
	} else {
		f.Bytes += int64(len(text))
	}
	if f.Session == "" {
		f.Session = strings.TrimSuffix(strings.TrimSuffix(filepath.Base(f.Path), filepath.Ext(f.Path)), ".jsonl")
	}
	return err
}

func (p *parser) lines(r io.Reader, s *transcript.Scratch) error {
	return lines.Walk(r, p.file, s, nil, func(l lines.Line) {
		p.line, p.at = l.Number, l.Offset
		l.Values(p.file, p.value)
	})
}

// document reads a file that is one object with its messages. Such a file is
// written anew each time, so nothing of it is kept as read up to some place.
func (p *parser) document(text []byte) bool {
	f := p.file
	text = bytes.TrimPrefix(text, []byte("\ufeff"))
	c := rawjson.New(text)
	p.text, p.line = text, 1
	defer func() { p.text = nil }()
	if c.Next() != '{' {
		return false
	}
	p.value(&c)
	if c.Bad() || !c.AtEnd() || !p.messages {
		f.Rows, f.BadNumbers, f.Session = nil, 0, ""
		return false
	}
	f.Tail = transcript.Tail{Rows: len(f.Rows), BadNumbers: f.BadNumbers}
	return true
}

type parser struct {
	file     *transcript.File
	texts    *transcript.Texts
	line     int
	at       int64
	text     []byte // of a whole document, of which line counts the lines up to at
	messages bool   // the value at hand has a list of messages
}

// entry is a message, or whatever else has the same members.
type entry struct {
	typ, id, ts, model, session []byte
	counts                      transcript.Counts
	tool                        int64
	counter                     rawjson.Counter
	hasTokens, seenTokens       bool
}

func (p *parser) value(c *rawjson.Cursor) {
	if c.Next() != '{' {
		c.Skip()
		return
	}
	p.object(c, true)
}

// object reads a row, a message or a header; outer ones may hold a list of
// messages, themselves or in a $set.
func (p *parser) object(c *rawjson.Cursor, outer bool) {
	var e entry
	var listSeen, setSeen bool
	c.Object()
	for key, ok := c.Key(); ok; key, ok = c.Key() {
		switch name := string(key); {
		case name == "type":
			c.FirstText(&e.typ)
		case name == "id":
			c.FirstText(&e.id)
		case name == "timestamp":
			c.FirstText(&e.ts)
		case name == "model":
			c.FirstText(&e.model)
		case name == "sessionId":
			c.FirstText(&e.session)
		case name == "tokens" && !e.seenTokens:
			e.seenTokens = true
			e.tokens(c)
		case name == "messages" && outer && !listSeen:
			listSeen = true
			p.list(c)
		case name == "$set" && outer && !setSeen:
			setSeen = true
			c.Member("messages", p.list)
		default:
			c.Skip()
		}
	}
	if c.Bad() {
		return
	}
	if outer && p.file.Session == "" && len(e.session) > 0 {
		p.file.Session = p.texts.Keep(rawjson.Unquote(e.session))
	}
	if string(e.typ) == "gemini" && (e.hasTokens || len(e.id) > 0) {
		p.keep(&e)
	}
}

func (p *parser) list(c *rawjson.Cursor) {
	if !c.Array() {
		c.Skip()
		return
	}
	p.messages = true
	for c.Element() {
		if c.Next() != '{' {
			c.Skip()
			continue
		}
		if p.text != nil {
			here := int64(c.Offset())
			p.line += bytes.Count(p.text[p.at:here], []byte{'\n'})
			p.at = here
		}
		p.object(c, false)
	}
}

func (e *entry) tokens(c *rawjson.Cursor) {
	if !c.Object() {
		c.Skip()
		return
	}
	e.hasTokens = true
	for key, ok := c.Key(); ok; key, ok = c.Key() {
		switch string(key) {
		case "input":
			e.counter.Count(c, &e.counts.Input, 0)
		case "output":
			e.counter.Count(c, &e.counts.Output, 1)
		case "cached":
			e.counter.Count(c, &e.counts.CacheRead, 2)
		case "thoughts":
			e.counter.Count(c, &e.counts.Reasoning, 3)
		case "tool":
			e.counter.Count(c, &e.tool, 4)
		default:
			c.Skip()
		}
	}
}

func (p *parser) keep(e *entry) {
	f, t := p.file, p.texts
	row := transcript.Row{
		Line: p.line, Offset: p.at, TS: t.Keep(rawjson.Unquote(e.ts)), Model: t.Intern(rawjson.Unquote(e.model)),
		ID: t.Keep(rawjson.Unquote(e.id)), Counts: e.counts, N: e.tool,
	}
	row.At = transcript.Instant(row.TS)
	if e.hasTokens {
		row.Flags = flagTokens
	}
	f.BadNumbers += e.counter.Bad
	f.Rows = append(f.Rows, row)
}

// key is what makes two rows one message.
type key struct {
	session, id string
	file, row   int
}

func fold(files []*transcript.File, events []transcript.Event) ([]transcript.Event, transcript.Note) {
	var note transcript.Note
	at := make(map[key]int)
	base := len(events)
	for i, f := range files {
		note = note.Add(transcript.Note{Files: 1, Bytes: f.Bytes, SkippedLines: f.Skipped, BadNumbers: f.BadNumbers})
		for k := range f.Rows {
			row := &f.Rows[k]
			id := key{session: f.Session, id: row.ID}
			if row.ID == "" {
				id = key{file: i + 1, row: k}
			}
			n, seen := at[id]
			if !seen {
				n = len(events)
				at[id] = n
				events = append(events, transcript.Event{
					Provider: Provider, Session: f.Session, CWD: f.CWD, TS: transcript.Stamp(row.TS, row.At), At: row.At,
					Source: transcript.Source{Path: f.Path, Line: row.Line}, File: i,
				})
			}
			e := &events[n]
			if e.File != i && (len(e.Copies) == 0 || e.Copies[len(e.Copies)-1] != i) {
				e.Copies = append(e.Copies, i)
			}
			if row.Flags&flagTokens != 0 {
				e.Counts = disjoint(row.Counts, row.N)
			}
			if row.Model != "" {
				e.Model = row.Model
			}
		}
	}
	kept := events[:base]
	for _, e := range events[base:] {
		if e.Total() > 0 {
			kept = append(kept, e)
		}
	}
	transcript.SortEvents(kept[base:])
	return kept, note
}

// disjoint maps the counts onto the buckets: cached input out of the input, what
// tools put into the prompt into it, thinking into the output. A sum of absurd
// counts stops at the largest count.
func disjoint(c transcript.Counts, tool int64) transcript.Counts {
	c.CacheRead = min(c.CacheRead, c.Input)
	c.Input = min(c.Input-c.CacheRead+tool, rawjson.MaxCount)
	c.Output = min(c.Output+c.Reasoning, rawjson.MaxCount)
	return c
}

// Package claude reads the session files of Claude Code.
//
// A reply is written as one row per content block, each with a usage object, and
// copied whole into resumed and forked sessions; the tokens of sub-agents stand
// in files of their own and, in older versions, mirrored in the parent. Pass 1
// keeps every row with usage; fold.go decides which of them are one reply.
// Rules: docs/usage.md, "Claude Code".
package claude

import (
	"io"
	"path/filepath"
	"slices"
	"strings"

	"okstra/lib/transcript"
	"okstra/lib/transcript/lines"
	"okstra/lib/transcript/rawjson"
)

// Provider is the name of this provider.
const Provider = "claude"

// Reader reads Claude Code transcripts. Rows: ID is message.id, Request the
// request id, Extra the row's uuid when there is no message.id.
var Reader = transcript.Reader{Provider: Provider, Version: "claude/3", Source: "claude-transcript", Scan: scan, Fold: fold, Roots: roots}

// Row kinds.
const (
	rowReply   = iota // an assistant row
	rowMirror         // a sub-agent's row mirrored into the parent
	rowAdvisor        // an advisor call inside the reply of the row before; N is its index
)

// Row flags.
const (
	flagSidechain = 1 << iota
	flagStop      // the row has a stop reason
	flagFast
	flagSpeed  // the row has a speed at all
	flagMirror // the row, or the one an advisor's call stands in, is a mirror
)

const synthetic = "<synthetic>"

// roots are the projects folders of every configuration directory.
func roots(h transcript.Home) []transcript.Root {
	dirs := []string{h.Below(".config", "claude"), h.Below(".claude")}
	if v := h.Variable("CLAUDE_CONFIG_DIR"); strings.Trim(v, ", \t") != "" { // a list of nothing is as good as none
		dirs = strings.Split(v, ",")
	}
	var out []transcript.Root
	for _, dir := range dirs {
		if dir = strings.TrimSpace(dir); dir != "" {
			out = append(out, transcript.Root{Dir: filepath.Join(dir, "projects"), Match: isTranscript})
		}
	}
	return out
}

func isTranscript(path string) bool { return transcript.HasSuffix(path, ".jsonl") }

// needle is the key of every usage object, its rarest letter the second byte.
var needle = lines.NewNeedle('g', `"usage"`)

func scan(r io.Reader, f *transcript.File, s *transcript.Scratch) error {
	s.Reset()
	if f.Session == "" {
		f.Session = stem(f.Path)
	}
	if f.Agent == "" {
		f.Agent = AgentOfFile(f.Path)
	}
	p := parser{file: f, texts: &s.Texts}
	return lines.Walk(r, f, s, needle, func(l lines.Line) {
		p.line = l
		l.Values(f, p.value)
	})
}

func stem(path string) string {
	base := filepath.Base(path)
	base = strings.TrimSuffix(base, ".zst")
	return strings.TrimSuffix(base, ".jsonl")
}

// AgentOfFile is the agent's name in the file name of a sub-agent,
// agent-a<name>-<at least six hexadecimal digits>.jsonl; "" when it has none.
func AgentOfFile(path string) string {
	name, ok := strings.CutPrefix(stem(path), "agent-a")
	cut := strings.LastIndexByte(name, '-')
	if !ok || cut <= 0 || len(name)-cut <= 6 || strings.Trim(name[cut+1:], "0123456789abcdef") != "" || strings.Contains(name, "\n") {
		return ""
	}
	return name[:cut]
}

// LeadOfFile is the session whose directory a sub-agent's file lies in, however
// deep: projects/<folder>/…/<session>/subagents/**. It is "" for other files.
func LeadOfFile(path string) string {
	lead, _ := agentPlace(path)
	return lead
}

// AgentsAbove are the names of the agents in whose folders, below the folder of the
// lead's, a file lies: of those that started its agent, the nearest first. A folder
// is called like an agent's file, or by the agent's id alone.
func AgentsAbove(path string) []string {
	_, folders := agentPlace(path)
	var names []string
	for _, folder := range slices.Backward(folders) {
		if name := AgentOfFile("agent-" + strings.TrimPrefix(folder, "agent-")); name != "" {
			names = append(names, name)
		}
	}
	return names
}

// agentPlace splits the path of a sub-agent's file into its lead's session and the
// folders between that one's and the file. A home may lie anywhere, below folders of
// the same names too, so the last "projects" is the CLI's.
func agentPlace(path string) (lead string, folders []string) {
	const agents = "subagents"
	if !strings.Contains(path, agents) {
		return "", nil
	}
	parts := strings.Split(filepath.ToSlash(path), "/")
	parts = parts[:len(parts)-1]
	first := 1
	for i := len(parts) - 2; i >= 0; i-- {
		if parts[i] == "projects" {
			first = i + 3
			break
		}
	}
	for i := first; i < len(parts); i++ {
		if parts[i] == agents {
			return parts[i-1], parts[i+1:]
		}
	}
	return "", nil
}

// parser reads the values of one file's lines.
type parser struct {
	file  *transcript.File
	texts *transcript.Texts
	line  lines.Line
	at    int64 // where the value at hand begins
	none  transcript.Row
}

// reply is one object that carries a message: a row, or what a progress row
// mirrors.
type reply struct {
	typ, session, cwd, agent, team, uuid, request, ts []byte
	sidechain                                         bool
	message                                           message
	hasMessage                                        bool
}

type message struct {
	id, model []byte
	stop      bool
	usage     usage
	hasUsage  bool
}

func (p *parser) value(c *rawjson.Cursor) {
	p.at = p.line.Offset + int64(c.Offset())
	if c.Next() != '{' {
		c.Skip()
		return
	}
	var row reply
	var mirror mirrored
	p.object(c, &row, &mirror)
	if c.Bad() {
		return
	}
	switch {
	case string(row.typ) == "assistant" && row.message.hasUsage:
		p.keep(rowReply, &row, &row)
	case string(row.typ) == "progress" && mirror.isAgent && mirror.inner.message.hasUsage:
		p.keep(rowMirror, &row, &mirror.inner)
	}
}

// mirrored is the data of a progress row.
type mirrored struct {
	seen    bool
	isAgent bool
	inner   reply
}

// object reads the members that matter of a row or of a mirrored row. The first
// of two equal keys counts. data is nil inside a mirrored row.
func (p *parser) object(c *rawjson.Cursor, row *reply, data *mirrored) {
	var sidechainSeen bool
	c.Object()
	for key, ok := c.Key(); ok; key, ok = c.Key() {
		var text *[]byte
		switch string(key) {
		case "type":
			text = &row.typ
		case "sessionId":
			text = &row.session
		case "cwd":
			text = &row.cwd
		case "agentName":
			text = &row.agent
		case "teamName":
			text = &row.team
		case "uuid":
			text = &row.uuid
		case "requestId":
			text = &row.request
		case "timestamp":
			text = &row.ts
		case "isSidechain":
			is := c.True()
			if !sidechainSeen {
				row.sidechain, sidechainSeen = is, true
			}
			continue
		case "message":
			if row.hasMessage {
				c.Skip()
				continue
			}
			row.hasMessage = true
			row.message.read(c)
			continue
		case "data":
			if data == nil || data.seen {
				c.Skip()
				continue
			}
			data.seen = true
			p.data(c, data)
			continue
		default:
			c.Skip()
			continue
		}
		first(c, text)
	}
}

var none = []byte{}

// first reads a text member unless an equal key came before. A value that is no
// text takes the place of one, as absent.
func first(c *rawjson.Cursor, into *[]byte) {
	text, ok := c.Text()
	if *into != nil {
		return
	}
	*into = none
	if ok && len(text) > 0 {
		*into = text
	}
}

func (p *parser) data(c *rawjson.Cursor, data *mirrored) {
	if !c.Object() {
		c.Skip()
		return
	}
	var typ []byte
	messageSeen := false
	for key, ok := c.Key(); ok; key, ok = c.Key() {
		switch {
		case string(key) == "type":
			first(c, &typ)
		case string(key) == "message" && !messageSeen:
			messageSeen = true
			if c.Next() != '{' {
				c.Skip()
				continue
			}
			p.object(c, &data.inner, nil)
		default:
			c.Skip()
		}
	}
	data.isAgent = string(typ) == "agent_progress"
}

func (m *message) read(c *rawjson.Cursor) {
	if !c.Object() {
		c.Skip()
		return
	}
	var stopSeen, usageSeen bool
	for key, ok := c.Key(); ok; key, ok = c.Key() {
		switch {
		case string(key) == "id":
			first(c, &m.id)
		case string(key) == "model":
			first(c, &m.model)
		case string(key) == "stop_reason" && !stopSeen:
			stopSeen = true
			reason, isText := c.Text()
			m.stop = isText && len(reason) > 0
		case string(key) == "usage" && !usageSeen:
			usageSeen = true
			if c.Next() != '{' {
				c.Skip()
				continue
			}
			m.hasUsage = true
			m.usage.read(c)
		default:
			c.Skip()
		}
	}
}

// keep appends the row, and its advisor calls behind it. envelope is the line's
// own object, row the one the message stands in.
func (p *parser) keep(kind uint8, envelope, row *reply) {
	m := &row.message
	if string(rawjson.Unquote(m.model)) == synthetic {
		return
	}
	f, t := p.file, p.texts
	before := &p.none
	if n := len(f.Rows); n > 0 {
		before = &f.Rows[n-1]
	}
	f.Rows = append(f.Rows, transcript.Row{
		Kind: kind, Line: p.line.Number, Offset: p.at,
		TS:      t.Keep(pick(row.ts, envelope.ts)),
		Session: p.text(pick(row.session, envelope.session), before.Session),
		Agent:   p.text(pick(row.agent, envelope.agent), before.Agent),
		CWD:     p.text(pick(row.cwd, envelope.cwd), before.CWD),
		Model:   p.text(m.model, before.Model),
		ID:      t.Again(rawjson.Unquote(m.id), before.ID),
		Request: t.Again(rawjson.Unquote(pick(row.request, envelope.request)), before.Request),
		Counts:  m.usage.counts(),
	})
	at := len(f.Rows) - 1
	out := &f.Rows[at]
	if out.Session == "" {
		out.Session = f.Session
	}
	if out.ID == "" {
		out.Extra = t.Keep(pick(row.uuid, envelope.uuid))
	}
	out.At = transcript.Instant(out.TS)
	out.Flags = m.usage.flags()
	// A mirror shows a sub-agent's reply, whatever its envelope says.
	if row.sidechain || kind == rowMirror {
		out.Flags |= flagSidechain
	}
	if kind == rowMirror {
		out.Flags |= flagMirror
	}
	if m.stop {
		out.Flags |= flagStop
	}
	f.BadNumbers += m.usage.bad
	p.meta(out, p.text(pick(row.team, envelope.team), f.Team), kind)
	for i, a := range m.usage.advisors {
		advisor := f.Rows[at]
		advisor.Kind, advisor.N = rowAdvisor, int64(i)
		advisor.Model, advisor.Counts = p.text(a.model, ""), a.counts()
		advisor.Flags = advisor.Flags&^(flagFast|flagSpeed) | a.flags()
		f.BadNumbers += a.bad
		f.Rows = append(f.Rows, advisor)
	}
}

// meta notes what the first rows say about the whole file. A mirror speaks of
// the sub-agent, not of the file it stands in.
func (p *parser) meta(row *transcript.Row, team string, kind uint8) {
	if kind == rowMirror {
		return
	}
	f := p.file
	if f.CWD == "" {
		f.CWD = row.CWD
	}
	if f.Agent == "" {
		f.Agent = row.Agent
	}
	if f.Team == "" {
		f.Team = team
	}
}

// text is the interned value of a text member, likely that of the row before.
func (p *parser) text(raw []byte, before string) string {
	text := rawjson.Unquote(raw)
	if string(text) == before {
		return before
	}
	return p.texts.Intern(text)
}

func pick(a, b []byte) []byte {
	if len(a) > 0 {
		return a
	}
	return b
}

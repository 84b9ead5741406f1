package codex

import (
	"bytes"

	"okstra/lib/transcript"
	"okstra/lib/transcript/rawjson"
)

// payload holds the members of every payload that matters; which of them mean
// something depends on the line's type.
type payload struct {
	typ, id, cwd, timestamp              []byte
	forked, parent, spawner              []byte
	turnID, model, threadID, responseID  []byte
	info                                 info
	usage, threadTotal                   tokens
	infoSeen, sourceSeen, uSeen, totSeen bool
}

// parentID is the thread this one continues or was spawned by: another one, for
// nothing is its own ancestor.
func (p *payload) parentID() []byte {
	for _, id := range [...][]byte{p.forked, p.parent, p.spawner} {
		if len(id) > 0 && !bytes.EqualFold(id, p.id) {
			return id
		}
	}
	return nil
}

func (p *payload) read(c *rawjson.Cursor) {
	if !c.Object() {
		c.Skip()
		return
	}
	for key, ok := c.Key(); ok; key, ok = c.Key() {
		if text := p.member(string(key)); text != nil {
			first(c, text)
			continue
		}
		switch {
		case string(key) == "info" && !p.infoSeen:
			p.infoSeen = true
			p.info.read(c)
		case string(key) == "source" && !p.sourceSeen:
			p.sourceSeen = true
			p.readSource(c)
		case string(key) == "usage" && !p.uSeen:
			p.uSeen = true
			p.usage.read(c)
		case string(key) == "thread_token_usage" && !p.totSeen:
			p.totSeen = true
			p.threadTotal.read(c)
		default:
			c.Skip()
		}
	}
}

// member is where a text member goes, nil for the others.
func (p *payload) member(key string) *[]byte {
	switch key {
	case "type":
		return &p.typ
	case "id":
		return &p.id
	case "cwd":
		return &p.cwd
	case "timestamp":
		return &p.timestamp
	case "forked_from_id":
		return &p.forked
	case "parent_thread_id":
		return &p.parent
	case "turn_id":
		return &p.turnID
	case "model":
		return &p.model
	case "thread_id":
		return &p.threadID
	case "response_id":
		return &p.responseID
	}
	return nil
}

// readSource looks for source.subagent.thread_spawn.parent_thread_id; source is
// a word for other threads.
func (p *payload) readSource(c *rawjson.Cursor) {
	c.Member("subagent", func(c *rawjson.Cursor) {
		c.Member("thread_spawn", func(c *rawjson.Cursor) {
			c.Member("parent_thread_id", func(c *rawjson.Cursor) { first(c, &p.spawner) })
		})
	})
}

// info is the info object of a token_count.
type info struct {
	last, total tokens
	bad         int64
}

func (in *info) read(c *rawjson.Cursor) {
	if !c.Object() {
		c.Skip()
		return
	}
	var lastSeen, totalSeen bool
	for key, ok := c.Key(); ok; key, ok = c.Key() {
		switch {
		case string(key) == "last_token_usage" && !lastSeen:
			lastSeen = true
			in.last.read(c)
		case string(key) == "total_token_usage" && !totalSeen:
			totalSeen = true
			in.total.read(c)
		default:
			c.Skip()
		}
	}
}

// put stores the usage objects in a row and reports whether there is one.
func (in *info) put(row *transcript.Row) bool {
	if in.last.there {
		row.Flags |= hasLast
		row.Counts, row.N = in.last.counts, in.last.total
	}
	if in.total.there {
		row.Flags |= hasTotal
		row.Total, row.M = in.total.counts, in.total.total
	}
	in.bad = in.last.bad + in.total.bad
	return row.Flags != 0
}

// tokens is a usage object as Codex writes it, kept in the names of the disjoint
// buckets but not yet disjoint: Input holds the cached and cache-written tokens
// too. disjoint separates them when an event is made.
type tokens struct {
	counts transcript.Counts
	total  int64
	there  bool // an object with at least one member
	bad    int64
}

func (t *tokens) read(c *rawjson.Cursor) {
	if !c.Object() {
		c.Skip()
		return
	}
	var seen [6]bool
	for key, ok := c.Key(); ok; key, ok = c.Key() {
		t.there = true
		into, i := t.member(string(key))
		if into == nil || seen[i] {
			c.Skip()
			continue
		}
		seen[i] = true
		n, ok := c.Count()
		if !ok {
			t.bad++
			continue
		}
		*into = n
	}
}

func (t *tokens) member(key string) (*int64, int) {
	switch key {
	case "input_tokens":
		return &t.counts.Input, 0
	case "cached_input_tokens":
		return &t.counts.CacheRead, 1
	case "cache_write_input_tokens":
		return &t.counts.CacheWrite5m, 2
	case "output_tokens":
		return &t.counts.Output, 3
	case "reasoning_output_tokens":
		return &t.counts.Reasoning, 4
	case "total_tokens":
		return &t.total, 5
	}
	return nil, 0
}

// disjoint takes the cached parts out of the input and keeps reasoning inside
// the output. Parts larger than their whole are cut to it.
func disjoint(c transcript.Counts) transcript.Counts {
	c.CacheRead = min(c.CacheRead, c.Input)
	c.CacheWrite5m = min(c.CacheWrite5m, c.Input-c.CacheRead)
	c.Input -= c.CacheRead + c.CacheWrite5m
	c.Reasoning = min(c.Reasoning, c.Output)
	return c
}

package claude

import (
	"okstra/lib/transcript"
	"okstra/lib/transcript/rawjson"
)

// usage is a usage object as it is written, or one entry of its iterations.
type usage struct {
	input, cacheRead, created, output int64
	split                             [2]int64 // cache writes kept 5 minutes, 1 hour
	speed, typ, model                 []byte
	bad                               int64
	advisors                          []usage
}

// counts maps the object onto the disjoint buckets. Cache writes come twice, as
// an aggregate and as a split by lifetime; what the split does not explain was
// written for 5 minutes, and a split beyond the aggregate is believed.
func (u *usage) counts() transcript.Counts {
	rest := max(0, u.created-u.split[0]-u.split[1])
	return transcript.Counts{
		Input: u.input, CacheRead: u.cacheRead, Output: u.output,
		CacheWrite5m: u.split[0] + rest, CacheWrite1h: u.split[1],
	}
}

// flags are those of the speed.
func (u *usage) flags() uint8 {
	switch {
	case len(u.speed) == 0:
		return 0
	case string(u.speed) == "fast":
		return flagSpeed | flagFast
	}
	return flagSpeed
}

// read reads the object that the cursor stands before.
func (u *usage) read(c *rawjson.Cursor) {
	var numbers [4]bool
	var splitSeen, iterationsSeen bool
	c.Object()
	for key, ok := c.Key(); ok; key, ok = c.Key() {
		switch string(key) {
		case "input_tokens":
			u.count(c, &u.input, &numbers[0])
		case "cache_read_input_tokens":
			u.count(c, &u.cacheRead, &numbers[1])
		case "cache_creation_input_tokens":
			u.count(c, &u.created, &numbers[2])
		case "output_tokens":
			u.count(c, &u.output, &numbers[3])
		case "speed":
			first(c, &u.speed)
		case "type":
			first(c, &u.typ)
		case "model":
			first(c, &u.model)
		case "cache_creation":
			if splitSeen {
				c.Skip()
				continue
			}
			splitSeen = true
			u.readSplit(c)
		case "iterations":
			if iterationsSeen {
				c.Skip()
				continue
			}
			iterationsSeen = true
			u.readIterations(c)
		default:
			c.Skip()
		}
	}
}

func (u *usage) count(c *rawjson.Cursor, into *int64, seen *bool) {
	n, ok := c.Count()
	if *seen {
		return
	}
	*seen = true
	if !ok {
		u.bad++
		return
	}
	*into = n
}

func (u *usage) readSplit(c *rawjson.Cursor) {
	if !c.Object() {
		c.Skip()
		return
	}
	var numbers [2]bool
	for key, ok := c.Key(); ok; key, ok = c.Key() {
		switch string(key) {
		case "ephemeral_5m_input_tokens":
			u.count(c, &u.split[0], &numbers[0])
		case "ephemeral_1h_input_tokens":
			u.count(c, &u.split[1], &numbers[1])
		default:
			c.Skip()
		}
	}
}

// readIterations keeps the advisor calls: another model's work, which the
// counters above do not hold. The other kinds repeat those counters or tell of
// attempts that were declined.
func (u *usage) readIterations(c *rawjson.Cursor) {
	if !c.Array() {
		c.Skip()
		return
	}
	for c.Element() {
		if c.Next() != '{' {
			c.Skip()
			continue
		}
		var one usage
		one.read(c)
		if string(one.typ) == "advisor_message" {
			u.advisors = append(u.advisors, one)
		}
	}
}

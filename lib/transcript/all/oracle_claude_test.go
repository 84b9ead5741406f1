package all_test

import (
	"fmt"
	"path/filepath"
	"regexp"
	"strings"

	"okstra/lib/transcript"
)

// claudeRow is one row with usage, or one advisor's call in it.
type claudeRow struct {
	*entry
	mirror, side, stop, hasSpeed, fast bool
	advisor                            int
	ts, session, agent, cwd, model     string
	id, request, uuid                  string
	counts                             transcript.Counts
}

func oracleClaude(docs []document) (j judgement) {
	var rows []*claudeRow
	agents := make([]string, len(docs))
	for i, d := range docs {
		if m := regexp.MustCompile(`^agent-a(.+)-[0-9a-f]{6,}\.jsonl$`).FindStringSubmatch(filepath.Base(d.path)); m != nil {
			agents[i] = m[1]
		}
	}
	for _, e := range entries(docs, &j) {
		own := claudeRows(e)
		if len(own) > 0 && !own[0].mirror && agents[e.file] == "" {
			agents[e.file] = own[0].agent
		}
		rows = append(rows, own...)
		j.bad += *e.bad
	}
	keys := claudeKeys(rows)
	replies := map[string][]*claudeRow{}
	var order []string
	for i, r := range rows {
		if keys[i] == "" {
			continue
		}
		if replies[keys[i]] == nil {
			order = append(order, keys[i])
		}
		replies[keys[i]] = append(replies[keys[i]], r)
	}
	for _, key := range order {
		if e := claudeEvent(replies[key], agents); e.Total() > 0 {
			j.events = append(j.events, e)
		}
	}
	return j
}

func claudeRows(e *entry) []*claudeRow {
	row, mirror := e.value, false
	switch text(row, "type") {
	case "assistant":
	case "progress":
		if text(row, "data", "type") != "agent_progress" {
			return nil
		}
		row, mirror = get(row, "data", "message"), true
	default:
		return nil
	}
	usage := get(row, "message", "usage")
	if !isObject(usage) || text(row, "message", "model") == "<synthetic>" {
		return nil
	}
	of := func(name string) string { return first(text(row, name), text(e.value, name)) }
	r := &claudeRow{
		entry: e, mirror: mirror, side: mirror || get(row, "isSidechain") == true, stop: text(row, "message", "stop_reason") != "",
		ts: of("timestamp"), session: first(of("sessionId"), strings.TrimSuffix(filepath.Base(e.doc.path), ".jsonl")), agent: of("agentName"), cwd: of("cwd"),
		model: text(row, "message", "model"), id: text(row, "message", "id"), request: of("requestId"), uuid: of("uuid"),
	}
	r.spent(usage)
	rows := []*claudeRow{r}
	list, _ := get(usage, "iterations").([]any)
	for _, one := range list {
		if text(one, "type") != "advisor_message" {
			continue
		}
		a := *r
		a.advisor, a.model = len(rows), text(one, "model")
		a.spent(one)
		rows = append(rows, &a)
	}
	return rows
}

// spent reads a usage object: cache writes come as an aggregate and a split.
func (r *claudeRow) spent(usage any) {
	all, split := r.count(usage, "cache_creation_input_tokens"), get(usage, "cache_creation")
	five, hour := r.count(split, "ephemeral_5m_input_tokens"), r.count(split, "ephemeral_1h_input_tokens")
	if five+hour < all {
		five = all - hour
	}
	r.counts = transcript.Counts{
		Input: r.count(usage, "input_tokens"), CacheRead: r.count(usage, "cache_read_input_tokens"),
		CacheWrite5m: five, CacheWrite1h: hour, Output: r.count(usage, "output_tokens"),
	}
	r.hasSpeed, r.fast = text(usage, "speed") != "", text(usage, "speed") == "fast"
	// Only one level: what an iteration's own iterations say is nobody's.
}

// claudeKeys names each row's reply; "" is a replay.
func claudeKeys(rows []*claudeRow) []string {
	requests := make([]string, len(rows)) // with the ones that were joined
	for i, r := range rows {
		requests[i] = r.request
		if r.id == "" || r.request != "" {
			continue
		}
		known := map[string]bool{}
		for _, other := range rows {
			if other.id == r.id && other.session == r.session && other.request != "" {
				known[other.request] = true
			}
		}
		if len(known) == 1 {
			for only := range known {
				requests[i] = only
			}
		}
	}
	keys := make([]string, len(rows))
	for i, r := range rows {
		switch {
		case r.id == "" && r.uuid != "":
			keys[i] = fmt.Sprintf("uuid %d %s", r.file, r.uuid)
		case r.id == "":
			keys[i] = fmt.Sprintf("place %d %d", r.file, r.number)
		case requests[i] != "":
			keys[i] = fmt.Sprintf("id %q %q", r.id, requests[i])
		default:
			keys[i] = fmt.Sprintf("id %q in %q", r.id, r.session)
		}
		keys[i] += fmt.Sprint(" advisor ", r.advisor)
		if r.id == "" || !r.side {
			continue
		}
		main, shared := false, false
		for k, other := range rows {
			if other.id == r.id && !other.side {
				main = true
				shared = shared || requests[k] == requests[i]
			}
		}
		if main && !shared {
			keys[i] = ""
		}
	}
	return keys
}

func claudeEvent(rows []*claudeRow, agents []string) transcript.Event {
	best, earliest, owner, stopped := rows[0], rows[0], rows[0], false
	before := func(a, b *claudeRow) bool {
		at, bt := transcript.Instant(a.ts), transcript.Instant(b.ts)
		return at != transcript.NoTime && (bt == transcript.NoTime || at < bt)
	}
	for _, r := range rows {
		stopped = stopped || r.stop
		a, b := r.counts.Total(), best.counts.Total()
		if a > b || a == b && (r.hasSpeed || !best.hasSpeed) {
			best = r
		}
		if before(r, earliest) {
			earliest = r
		}
		if owner.mirror && !r.mirror || owner.mirror == r.mirror && before(r, owner) {
			owner = r
		}
	}
	e := transcript.Event{
		Provider: "claude", Session: earliest.session, TS: earliest.ts, Model: best.model, Counts: best.counts,
		Agent: first(owner.agent, agents[owner.file]), CWD: owner.cwd, File: owner.file,
		Placeholder: owner.advisor == 0 && !stopped && best.counts.Output <= 10,
		Source:      transcript.Source{Path: owner.doc.path, Line: owner.line},
	}
	if best.fast {
		e.Speed = "fast"
	}
	return e
}

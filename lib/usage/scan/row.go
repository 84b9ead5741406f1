package scan

import (
	"strconv"
	"unicode/utf8"

	"okstra/lib/transcript"
)

// rowTexts are the texts of a row. One that is missing is that of the row before,
// for most repeat.
func rowTexts(r *transcript.Row) [8]member[string] {
	return [...]member[string]{
		{"ts", &r.TS},
		{"session", &r.Session},
		{"agent", &r.Agent},
		{"cwd", &r.CWD},
		{"model", &r.Model},
		{"id", &r.ID},
		{"request", &r.Request},
		{"extra", &r.Extra},
	}
}

// rowCounts are the two sets of counts of a row, each a list of six. One that is
// missing is all 0.
func rowCounts(r *transcript.Row) [2]member[transcript.Counts] {
	return [...]member[transcript.Counts]{{"usage", &r.Counts}, {"total", &r.Total}}
}

func countsOf(c *transcript.Counts) [6]*int64 {
	return [...]*int64{&c.Input, &c.CacheRead, &c.CacheWrite5m, &c.CacheWrite1h, &c.Output, &c.Reasoning}
}

// appendRow appends a row as a JSON object; not ok when a text is no UTF-8.
func appendRow(b []byte, r, before *transcript.Row) (_ []byte, ok bool) {
	b = strconv.AppendInt(append(b, `{"line":`...), int64(r.Line), 10)
	for _, n := range [...]struct {
		key string
		n   int64
	}{{`,"offset":`, r.Offset}, {`,"kind":`, int64(r.Kind)}, {`,"flags":`, int64(r.Flags)}, {`,"n":`, r.N}, {`,"m":`, r.M}} {
		if n.n != 0 {
			b = strconv.AppendInt(append(b, n.key...), n.n, 10)
		}
	}
	ok = true
	old := rowTexts(before)
	for i, t := range rowTexts(r) {
		if *t.at == *old[i].at {
			continue
		}
		ok = ok && utf8.ValidString(*t.at)
		b = append(append(append(b, ',', '"'), t.name...), '"', ':')
		b = transcript.AppendString(b, *t.at)
	}
	for _, c := range rowCounts(r) {
		if c.at.IsZero() {
			continue
		}
		b = append(append(append(b, ',', '"'), c.name...), `":[`...)
		for i, n := range countsOf(c.at) {
			if i > 0 {
				b = append(b, ',')
			}
			b = strconv.AppendInt(b, *n, 10)
		}
		b = append(b, ']')
	}
	return append(b, '}'), ok
}

// row reads what appendRow wrote into a row that has the texts of the one before.
func (e *exact) row(r *transcript.Row) {
	e.lit(`{"line":`)
	line := e.count()
	r.Line = int(line)
	e.bad = e.bad || line == 0
	if e.has(`,"offset":`) {
		r.Offset = e.number()
	}
	if e.has(`,"kind":`) {
		r.Kind = e.small()
	}
	if e.has(`,"flags":`) {
		r.Flags = e.small()
	}
	if e.has(`,"n":`) {
		r.N = e.number()
	}
	if e.has(`,"m":`) {
		r.M = e.number()
	}
	if e.has(`,"ts":`) {
		r.TS = e.string()
		r.At = transcript.Instant(r.TS)
	}
	if e.has(`,"session":`) {
		r.Session = e.string()
	}
	if e.has(`,"agent":`) {
		r.Agent = e.string()
	}
	if e.has(`,"cwd":`) {
		r.CWD = e.string()
	}
	if e.has(`,"model":`) {
		r.Model = e.string()
	}
	if e.has(`,"id":`) {
		r.ID = e.string()
	}
	if e.has(`,"request":`) {
		r.Request = e.string()
	}
	if e.has(`,"extra":`) {
		r.Extra = e.string()
	}
	if e.has(`,"usage":[`) {
		e.counts(&r.Counts)
	}
	if e.has(`,"total":[`) {
		e.counts(&r.Total)
	}
	e.lit(`}`)
}

func (e *exact) counts(into *transcript.Counts) {
	for i, n := range countsOf(into) {
		if i > 0 {
			e.lit(`,`)
		}
		*n = e.count()
	}
	e.lit(`]`)
}

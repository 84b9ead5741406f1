package scan

import (
	"strconv"
	"unicode/utf8"

	"okstra/lib/transcript"
	"okstra/lib/transcript/rawjson"
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

func rowText(r *transcript.Row, name string) *string {
	for _, t := range rowTexts(r) {
		if t.name == name {
			return t.at
		}
	}
	return nil
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

// readRow reads what appendRow wrote into a row that has the texts of the one
// before, and reports whether it is that.
func readRow(c *rawjson.Cursor, r *transcript.Row, t *transcript.Texts) bool {
	if !c.Object() {
		return false
	}
	for key, ok := c.Key(); ok; key, ok = c.Key() {
		if !readMember(c, string(key), r, t) {
			return false
		}
	}
	r.At = transcript.Instant(r.TS)
	return !c.Bad()
}

func readMember(c *rawjson.Cursor, key string, r *transcript.Row, t *transcript.Texts) bool {
	var n int64
	switch key {
	case "line":
		ok := readNumber(c, &n)
		r.Line = int(n)
		return ok && n > 0
	case "offset":
		return readNumber(c, &r.Offset)
	case "kind":
		ok := readNumber(c, &n)
		r.Kind = uint8(n)
		return ok && n == int64(r.Kind)
	case "flags":
		ok := readNumber(c, &n)
		r.Flags = uint8(n)
		return ok && n == int64(r.Flags)
	case "n":
		return readNumber(c, &r.N)
	case "m":
		return readNumber(c, &r.M)
	case "usage":
		return readCounts(c, &r.Counts)
	case "total":
		return readCounts(c, &r.Total)
	}
	into := rowText(r, key)
	if into == nil {
		return false
	}
	raw, ok := c.Text()
	*into = t.Keep(rawjson.Unquote(raw))
	return ok
}

func readCounts(c *rawjson.Cursor, into *transcript.Counts) bool {
	if !c.Array() {
		return false
	}
	for _, n := range countsOf(into) {
		if !c.Element() || !readNumber(c, n) || *n < 0 {
			return false
		}
	}
	return !c.Element() && !c.Bad()
}

package po

import (
	"bytes"
	"errors"
	"fmt"
	"strings"
	"unicode/utf8"
)

// Parse reads a PO file. It reports every line it cannot read; obsolete
// entries are passed over.
func Parse(name string, raw []byte) (File, error) {
	raw = bytes.TrimPrefix(raw, []byte("\ufeff"))
	if !utf8.Valid(raw) {
		return File{}, fmt.Errorf("%s: not UTF-8", name)
	}
	p := parser{name: name}
	for i, line := range strings.Split(string(raw), "\n") {
		p.number = i + 1
		p.line(strings.TrimSuffix(line, "\r"))
	}
	p.end()
	if err := errors.Join(p.errs...); err != nil {
		return File{}, err
	}
	return p.finish()
}

// maxErrors ends the list of errors: behind so many the file is none.
const maxErrors = 20

type parser struct {
	name   string
	number int
	errs   []error

	entry   Entry
	at      *string         // the string that a quoted line goes on with
	text    strings.Builder // what it has so far
	was     bool            // at belongs to the previous text
	seen    map[string]bool
	entries []Entry
	plural  bool
}

func (p *parser) fail(format string, args ...any) {
	if len(p.errs) < maxErrors {
		p.errs = append(p.errs, fmt.Errorf("%s:%d: %s", p.name, p.number, fmt.Sprintf(format, args...)))
	}
}

func (p *parser) line(line string) {
	line = strings.TrimLeft(line, " \t")
	switch {
	case line == "":
		p.begin(nil)
	case strings.HasPrefix(line, "#~"):
		p.end()
	case strings.HasPrefix(line, "#|"):
		p.comment()
		p.keyword(strings.TrimLeft(line[2:], " \t"), true)
	case line[0] == '#':
		p.comment()
		p.remark(line)
	case line[0] == '"':
		p.quoted(line, false)
	default:
		p.keyword(line, false)
	}
}

// comment ends the entry before when a comment line comes behind its text.
func (p *parser) comment() {
	if p.seen["msgstr"] {
		p.end()
	}
}

func (p *parser) remark(line string) {
	e := &p.entry
	text := func(mark string) string { return strings.TrimPrefix(strings.TrimPrefix(line, mark), " ") }
	switch {
	case strings.HasPrefix(line, "#."):
		e.Extracted = append(e.Extracted, text("#."))
	case strings.HasPrefix(line, "#:"):
		e.References = append(e.References, text("#:"))
	case strings.HasPrefix(line, "#,"), strings.HasPrefix(line, "#="):
		for flag := range strings.SplitSeq(line[2:], ",") {
			if flag = strings.TrimSpace(flag); flag != "" {
				e.Flags = append(e.Flags, flag)
			}
		}
	default:
		e.Comments = append(e.Comments, text("#"))
	}
}

// keyword reads a line that begins with msgctxt, msgid or msgstr, or goes on
// with a previous text.
func (p *parser) keyword(line string, previous bool) {
	if strings.HasPrefix(line, "\"") {
		p.quoted(line, previous)
		return
	}
	word, rest, _ := strings.Cut(line, " ")
	if i := strings.IndexAny(word, "\"\t"); i >= 0 {
		word, rest = line[:i], line[i:]
	}
	rest = strings.TrimLeft(rest, " \t")
	target := p.target(word, previous)
	p.begin(target)
	p.was = previous
	if target == nil {
		return
	}
	if rest == "" {
		p.fail("no text behind %s", word)
		return
	}
	p.quoted(rest, previous)
}

// begin ends the string that was read so far and goes on with another one.
func (p *parser) begin(target *string) {
	if p.at != nil {
		*p.at = p.text.String()
	}
	p.text.Reset()
	p.at = target
}

// target is the string that a keyword begins; nil after an error.
func (p *parser) target(word string, previous bool) *string {
	if previous {
		if p.entry.Previous == nil {
			p.entry.Previous = &Text{}
		}
		switch word {
		case "msgctxt":
			p.entry.Previous.Context = new(string)
			return p.entry.Previous.Context
		case "msgid":
			return &p.entry.Previous.ID
		}
		p.fail("unknown keyword %q behind #|", word)
		return nil
	}
	if p.seen["msgstr"] && (word == "msgctxt" || word == "msgid") {
		p.end()
	}
	if p.seen == nil {
		p.seen = make(map[string]bool)
		p.entry.Line = p.number
	}
	if p.seen[word] {
		p.fail("%s twice in one entry", word)
		return nil
	}
	p.seen[word] = true
	switch word {
	case "msgctxt":
		if p.seen["msgid"] {
			p.fail("msgctxt behind msgid")
		}
		p.entry.Context = new(string)
		return p.entry.Context
	case "msgid":
		return &p.entry.ID
	case "msgstr":
		if !p.seen["msgid"] {
			p.fail("msgstr without msgid")
		}
		return &p.entry.Str
	}
	if word == "msgid_plural" || strings.HasPrefix(word, "msgstr[") {
		p.seen["msgstr"] = true
		if !p.plural {
			p.fail("plural forms; texts of a report have none (write the forms of a number as an ICU message)")
		}
		p.plural = true
		return new(string)
	}
	p.fail("unknown keyword %q", word)
	return nil
}

// quoted reads one or more strings in quotes and appends them.
func (p *parser) quoted(line string, previous bool) {
	if p.at == nil || p.was != previous {
		p.fail("a string that belongs to no keyword")
		return
	}
	for line = strings.TrimRight(line, " \t"); line != ""; {
		text, rest, err := unescape(line)
		if err != nil {
			p.fail("%v", err)
			return
		}
		p.text.WriteString(text)
		if line = strings.TrimLeft(rest, " \t"); line != "" && line[0] != '"' {
			p.fail("%q behind a string", line)
			return
		}
	}
}

// end closes the open entry.
func (p *parser) end() {
	p.begin(nil)
	if p.seen != nil {
		switch {
		case p.plural:
		case !p.seen["msgid"] || !p.seen["msgstr"]:
			p.fail("an entry without %s", map[bool]string{true: "msgstr", false: "msgid"}[p.seen["msgid"]])
		case !utf8.ValidString(p.entry.ID) || !utf8.ValidString(p.entry.Str) || p.entry.Context != nil && !utf8.ValidString(*p.entry.Context):
			p.fail("an escape that is no UTF-8")
		}
		p.entries = append(p.entries, p.entry)
	}
	p.entry, p.seen, p.plural = Entry{}, nil, false
}

// finish takes the header out and looks for entries that occur twice.
func (p *parser) finish() (File, error) {
	var f File
	type key struct {
		context string
		has     bool
		id      string
	}
	lines := make(map[key]int)
	for _, e := range p.entries {
		k := key{id: e.ID}
		if e.Context != nil {
			k.context, k.has = *e.Context, true
		}
		if first, twice := lines[k]; twice {
			p.number = e.Line
			p.fail("the same message as in line %d", first)
			continue
		}
		lines[k] = e.Line
		if e.ID != "" || e.Context != nil {
			f.Entries = append(f.Entries, e)
			continue
		}
		f.Comments = e.Comments
		p.number = e.Line
		f.Header = p.header(e.Str)
	}
	if charset := f.Get("Content-Type"); charset != "" && !strings.Contains(strings.ToLower(charset), "charset=utf-8") {
		p.number = 1
		p.fail("header: Content-Type: %q (expected charset=UTF-8)", charset)
	}
	if err := errors.Join(p.errs...); err != nil {
		return File{}, err
	}
	return f, nil
}

func (p *parser) header(text string) []Field {
	var fields []Field
	for line := range strings.SplitSeq(text, "\n") {
		if line == "" {
			continue
		}
		name, value, ok := strings.Cut(line, ":")
		if !ok {
			p.fail("header: %q is no field", line)
			continue
		}
		fields = append(fields, Field{name, strings.TrimSpace(value)})
	}
	return fields
}

// unescape reads the string in quotes at the start of s and gives the rest.
func unescape(s string) (text, rest string, err error) {
	var b strings.Builder
	for i := 1; i < len(s); i++ {
		switch c := s[i]; c {
		case '"':
			return b.String(), s[i+1:], nil
		case '\\':
			size, err := escaped(&b, s[i+1:])
			if err != nil {
				return "", "", err
			}
			i += size
		default:
			b.WriteByte(c)
		}
	}
	return "", "", errors.New("a string that is not closed")
}

// escaped reads what follows a backslash and gives its length.
func escaped(b *strings.Builder, s string) (int, error) {
	if s == "" {
		return 0, errors.New("a string that is not closed")
	}
	c := s[0]
	for raw, letter := range named {
		if c == letter {
			b.WriteByte(raw)
			return 1, nil
		}
	}
	switch {
	case c == '\'' || c == '?':
		b.WriteByte(c)
		return 1, nil
	case c == 'x':
		value, n := number(s[1:], 16, 2)
		if n == 0 {
			return 0, errors.New(`\x without digits`)
		}
		b.WriteByte(value)
		return 1 + n, nil
	case c >= '0' && c <= '7':
		value, n := number(s, 8, 3)
		b.WriteByte(value)
		return n, nil
	}
	return 0, fmt.Errorf("unknown escape %q", `\`+s[:1])
}

// number reads up to limit digits.
func number(s string, base, limit int) (value byte, n int) {
	for n < limit && n < len(s) {
		d := strings.IndexByte("0123456789abcdef", s[n]|0x20)
		if s[n] >= '0' && s[n] <= '9' {
			d = int(s[n] - '0')
		}
		if d < 0 || d >= base {
			break
		}
		value = value*byte(base) + byte(d)
		n++
	}
	return value, n
}

package translate

import (
	"bytes"
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"
)

// Block is the part of a translations file that belongs to one heading.
type Block struct {
	ID   string // the item it was taken for; may name none
	Line int    // of its heading, from 1
	Text string // read back: escapes undone, without outer white space
}

// Blocks is a translations file taken apart.
type Blocks struct {
	Name   string
	Blocks []Block
	Faults []Finding // of the grammar, in file order
}

// ID formats the number of an item as its id.
func ID(n int) string {
	digits := strconv.Itoa(n)
	if len(digits) < 3 {
		digits = "000"[len(digits):] + digits
	}
	return "T-" + digits
}

// idNumber is the number in an id, 0 when it is none.
func idNumber(id string) int {
	digits, ok := strings.CutPrefix(id, "T-")
	if !ok || len(digits) < 3 || (len(digits) > 3 && digits[0] == '0') {
		return 0
	}
	for i := range len(digits) {
		if digits[i] < '0' || digits[i] > '9' {
			return 0
		}
	}
	n, err := strconv.Atoi(digits)
	if err != nil {
		return 0
	}
	return n
}

// FormatBlocks writes the file a translator fills in: a note, then one block
// per id with the core of its source text, escaped.
func FormatBlocks(note string, ids, sources []string) []byte {
	size := len(note)
	for _, s := range sources {
		size += len(s) + 16
	}
	var out bytes.Buffer
	out.Grow(size)
	out.WriteString(note)
	for i, id := range ids {
		_, core, _ := Split(sources[i])
		out.WriteString("## ")
		out.WriteString(id)
		out.WriteByte('\n')
		if core != "" {
			out.WriteString(escapeCore(core))
			out.WriteByte('\n')
		}
		out.WriteByte('\n')
	}
	return out.Bytes()
}

// ReadBlocks takes a translations file apart by its `## T-NNN` headings, which
// have to be those of ask, in order. It reports every fault it finds and goes
// on after each; only bytes that are no UTF-8 are an error.
//
// A damaged heading still opens its block, so that what it heads can be judged
// and the number of blocks stays right. Rule: docs/translate.md, "Blocks".
func ReadBlocks(name string, raw []byte, ask []string) (Blocks, error) {
	if !utf8.Valid(raw) {
		line, col := invalidAt(raw)
		return Blocks{}, fmt.Errorf("%s:%d:%d: not UTF-8", name, line, col)
	}
	r := blockReader{out: Blocks{Name: name}, ask: ask, place: make(map[string]int, len(ask))}
	for i, id := range ask {
		r.place[id] = i
	}
	r.read(string(bytes.TrimPrefix(raw, []byte("\ufeff"))))
	r.judgeCount()
	r.judgeEmpty()
	return r.out, nil
}

// invalidAt is the position of the first byte that is no UTF-8.
func invalidAt(raw []byte) (line, col int) {
	good := 0
	for good < len(raw) {
		r, size := utf8.DecodeRune(raw[good:])
		if r == utf8.RuneError && size <= 1 {
			break
		}
		good += size
	}
	before := raw[:good]
	return 1 + bytes.Count(before, []byte("\n")), good - bytes.LastIndexByte(before, '\n')
}

type blockReader struct {
	out   Blocks
	ask   []string
	place map[string]int // of an id in ask
	next  int            // index in ask of the heading due; may pass its end
	text  int            // where the open block's text begins
}

func (r *blockReader) read(s string) {
	for start, number := 0, 1; start < len(s); number++ {
		end := strings.IndexByte(s[start:], '\n')
		after := len(s)
		if end < 0 {
			end = len(s)
		} else {
			end += start
			after = end + 1
		}
		line := strings.TrimSuffix(s[start:end], "\r")
		if mayHead(line) {
			if h, ok := classify(line, s[after:]); ok {
				r.closeBlock(s[:start])
				r.openBlock(h, line, number)
				r.text = after + h.swallow
				if h.swallow > 0 {
					number++
					after += h.swallow
				}
			}
		}
		start = after
	}
	r.closeBlock(s)
}

func (r *blockReader) closeBlock(until string) {
	if len(r.out.Blocks) == 0 {
		return
	}
	b := &r.out.Blocks[len(r.out.Blocks)-1]
	text := until[r.text:]
	if strings.Contains(text, "\r\n") {
		text = strings.ReplaceAll(text, "\r\n", "\n")
	}
	text = unescapeCore(strings.Trim(text, outerSpace))
	b.Text = strings.Trim(text, outerSpace)
}

func (r *blockReader) openBlock(h heading, line string, number int) {
	due := r.due()
	if want := "## " + due; line == want {
		r.next++
	} else {
		r.fault(h, line, want, number)
		if i, ok := r.place[h.id]; ok {
			due, r.next = h.id, i+1
		} else {
			due = h.id
			r.next++
		}
	}
	r.out.Blocks = append(r.out.Blocks, Block{ID: due, Line: number})
}

// due is the id that the next heading must name. Behind the last item the
// numbers go on, so that blocks too many are a matter of the count alone.
func (r *blockReader) due() string {
	if r.next < len(r.ask) {
		return r.ask[r.next]
	}
	last := 0
	if len(r.ask) > 0 {
		last = idNumber(r.ask[len(r.ask)-1])
	}
	return ID(last + 1 + r.next - len(r.ask))
}

func (r *blockReader) fault(h heading, line, want string, number int) {
	f := Finding{Check: h.check, Level: LevelError, Line: number, Missing: []string{want}, Extra: []string{line}}
	switch h.check {
	case CheckHeadingLevel:
		f.Extra = []string{strings.Repeat("#", h.hashes)}
		f.Message = fmt.Sprintf("heading level %d (%q), expected %q", h.hashes, f.Extra[0], want)
	case CheckHeadingShape:
		f.Message = fmt.Sprintf("damaged heading (%s): found %q, expected %q", h.damage, line, want)
	default:
		f.Message = fmt.Sprintf("found %q, expected %q", line, want)
	}
	r.out.Faults = append(r.out.Faults, f)
}

func (r *blockReader) judgeCount() {
	found, due := len(r.out.Blocks), len(r.ask)
	if found == due {
		return
	}
	r.out.Faults = append(r.out.Faults, Finding{
		Check: CheckCount, Level: LevelError,
		Missing: []string{strconv.Itoa(due)}, Extra: []string{strconv.Itoa(found)},
		Message: fmt.Sprintf("%d blocks for %d items", found, due),
	})
}

func (r *blockReader) judgeEmpty() {
	var ids []string
	line := 0
	for _, b := range r.out.Blocks {
		if _, asked := r.place[b.ID]; !asked || b.Text != "" {
			continue
		}
		if line == 0 {
			line = b.Line
		}
		ids = append(ids, b.ID)
	}
	if len(ids) > 0 {
		r.out.Faults = append(r.out.Faults, emptyFinding(ids, line))
	}
}

// heading is what classify makes of a line.
type heading struct {
	id      string
	hashes  int
	check   string // the fault to report unless the line is the one due
	damage  string // for CheckHeadingShape
	swallow int    // bytes of the setext underline behind the line
}

// mayHead is a quick test that most lines of prose fail.
func mayHead(line string) bool {
	for i := 0; i < len(line) && i < 4; i++ {
		switch line[i] {
		case ' ':
		case '#', 'T':
			return true
		default:
			return false
		}
	}
	return false
}

// classify says whether a line heads a block, whole or damaged. rest is what
// follows the line in the file.
func classify(line, rest string) (heading, bool) {
	m, ok := parseMarker(line)
	if strings.HasPrefix(line, "## T-") {
		return classifyPlain(line, m, ok), true
	}
	if !ok || continuesWord(m.rest) {
		return heading{}, false
	}
	h := heading{id: "T-" + m.digits, hashes: m.hashes, check: CheckHeadingShape}
	switch {
	case m.hashes == 0:
		h.damage = "underlined"
		h.swallow = underline(rest)
		return h, h.swallow > 0
	case m.gap == "":
		h.damage = "no space after the number signs"
	case m.indent > 0:
		h.damage = "white space before"
	case m.hashes != 2:
		h.check = CheckHeadingLevel
	default:
		h.damage = "other white space than one space before the id"
	}
	return h, true
}

// classifyPlain judges a line that begins with "## T-"; it is the heading due
// or a fault, never text.
func classifyPlain(line string, m marker, ok bool) heading {
	h := heading{id: line[len("## "):], hashes: 2, check: CheckHeadingShape}
	if !ok {
		h.damage = "no id"
		return h
	}
	h.id = "T-" + m.digits
	switch rest := strings.TrimRight(m.rest, " \t"); {
	case m.rest == "":
		h.check = CheckHeadingOrder
	case rest == "":
		h.damage = "trailing white space"
	case strings.Trim(rest, "# \t") == "":
		h.damage = "closing number signs"
	default:
		h.damage = "text behind the id"
	}
	return h
}

// continuesWord says whether the text behind the digits makes them part of a
// longer word, so that the line is no heading.
func continuesWord(rest string) bool {
	if rest == "" {
		return false
	}
	c := rest[0]
	return c == '_' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z'
}

// underline is the length of the line at the beginning of rest, its LF
// included, when that line makes a setext heading of the one before; else 0.
func underline(rest string) int {
	line, _, more := strings.Cut(rest, "\n")
	size := len(line)
	if more {
		size++
	}
	trimmed := strings.TrimRight(line, " \t\r")
	for range 3 {
		trimmed = strings.TrimPrefix(trimmed, " ")
	}
	if trimmed == "" || (strings.Trim(trimmed, "-") != "" && strings.Trim(trimmed, "=") != "") {
		return 0
	}
	return size
}

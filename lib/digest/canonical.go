package digest

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
)

// ErrFloat is a number with a fraction or an exponent. Writers do not agree
// on how such a number is spelled, so it has no digest.
var ErrFloat = errors.New("a number with a fraction or an exponent has no digest")

// Error is a text that has no canonical form. Pointer names the value that is
// to blame, where there is one.
type Error struct {
	Pointer string
	Err     error
}

// Error gives "canonical form: /pointer: cause".
func (e *Error) Error() string {
	if e.Pointer == "" {
		return "canonical form: " + e.Err.Error()
	}
	return "canonical form: " + e.Pointer + ": " + e.Err.Error()
}

// Unwrap gives the cause.
func (e *Error) Unwrap() error { return e.Err }

// ExitStatus says that such a text is bad input.
func (e *Error) ExitStatus() int { return 2 }

// maxDepth bounds the recursion; it is the bound of strict reading.
const maxDepth = 200

// Canonical gives the canonical form of one JSON text: keys sorted by code
// point, no white space, every character as itself except the quote, the
// backslash and the controls below U+0020, no final newline. Refused are
// numbers that are not integers (ErrFloat), lone surrogates, duplicate keys,
// invalid UTF-8, trailing data and nesting beyond 200 levels.
// Rule: docs/digest.md, "Canonical form".
func Canonical(raw []byte) ([]byte, error) {
	w := writer{dec: jsontext.NewDecoder(bytes.NewBuffer(raw)), out: make([]byte, 0, len(raw))}
	if err := w.value(0); err != nil {
		return nil, explain(err)
	}
	if _, err := w.dec.ReadToken(); err != io.EOF {
		return nil, &Error{Err: errors.New("more data after the value")}
	}
	return w.out, nil
}

// writer appends to out what dec reads. The members of an object are written
// in the order in which they come and put in order when it ends.
type writer struct {
	dec     *jsontext.Decoder
	out     []byte
	scratch []byte
}

func (w *writer) value(depth int) error {
	tok, err := w.dec.ReadToken()
	if err != nil {
		return err
	}
	if kind := tok.Kind(); (kind == '{' || kind == '[') && depth == maxDepth {
		return &Error{Err: fmt.Errorf("nested deeper than %d levels", maxDepth)}
	}
	switch tok.Kind() {
	case '{':
		return w.object(depth)
	case '[':
		return w.array(depth)
	case '"':
		w.out = AppendString(w.out, tok.String())
	case '0':
		return w.number(tok.String())
	default:
		w.out = append(w.out, tok.String()...)
	}
	return nil
}

func (w *writer) array(depth int) error {
	w.out = append(w.out, '[')
	for first := true; w.dec.PeekKind() != ']'; first = false {
		if !first {
			w.out = append(w.out, ',')
		}
		if err := w.value(depth + 1); err != nil {
			return err
		}
	}
	w.out = append(w.out, ']')
	_, err := w.dec.ReadToken()
	return err
}

// part is one member of an object: where "key":value lies in out.
type part struct {
	key        string
	start, end int
}

func (w *writer) object(depth int) error {
	w.out = append(w.out, '{')
	body := len(w.out)
	var parts []part
	sorted := true
	for w.dec.PeekKind() != '}' {
		tok, err := w.dec.ReadToken()
		if err != nil {
			return err
		}
		p := part{key: tok.String(), start: len(w.out)}
		w.out = append(AppendString(w.out, p.key), ':')
		if err := w.value(depth + 1); err != nil {
			return err
		}
		p.end = len(w.out)
		// UTF-8 sorts bytewise as its code points do.
		sorted = sorted && (len(parts) == 0 || parts[len(parts)-1].key < p.key)
		parts = append(parts, p)
		w.out = append(w.out, ',')
	}
	if !sorted {
		w.arrange(body, parts)
	}
	if len(parts) > 0 {
		w.out = w.out[:len(w.out)-1]
	}
	w.out = append(w.out, '}')
	_, err := w.dec.ReadToken()
	return err
}

// arrange puts the members that begin at body into the order of their keys.
func (w *writer) arrange(body int, parts []part) {
	slices.SortFunc(parts, func(a, b part) int { return strings.Compare(a.key, b.key) })
	w.scratch = append(w.scratch[:0], w.out[body:]...)
	w.out = w.out[:body]
	for _, p := range parts {
		w.out = append(append(w.out, w.scratch[p.start-body:p.end-body]...), ',')
	}
}

// number keeps the digits of an integer, whatever its size. "-0" is the
// integer 0.
func (w *writer) number(text string) error {
	if strings.ContainsAny(text, ".eE") {
		return &Error{Pointer: string(w.dec.StackPointer()), Err: fmt.Errorf("%s (expected an integer): %w", text, ErrFloat)}
	}
	if text == "-0" {
		text = "0"
	}
	w.out = append(w.out, text...)
	return nil
}

// explain adds the place to an error of the text.
func explain(err error) error {
	if e, ok := errors.AsType[*Error](err); ok {
		return e
	}
	se, ok := errors.AsType[*jsontext.SyntacticError](err)
	switch {
	case !ok:
		return &Error{Err: io.ErrUnexpectedEOF} // io.EOF: there was nothing at all
	case se.JSONPointer == "":
		return &Error{Err: fmt.Errorf("at byte %d: %w", se.ByteOffset, se.Err)}
	}
	return &Error{Pointer: string(se.JSONPointer), Err: se.Err}
}

// short holds the escapes of two characters.
var short = [' ']byte{'\b': 'b', '\f': 'f', '\n': 'n', '\r': 'r', '\t': 't'}

// AppendString appends s to out as the canonical form writes a string: with as
// few escapes as JSON allows. It is not a library's, because those also escape
// what they think browsers dislike. s must be UTF-8.
func AppendString(out []byte, s string) []byte {
	const hex = "0123456789abcdef"
	out = append(out, '"')
	from := 0
	for i := range len(s) {
		c := s[i]
		if c >= ' ' && c != '"' && c != '\\' {
			continue
		}
		out = append(out, s[from:i]...)
		from = i + 1
		switch {
		case c >= ' ':
			out = append(out, '\\', c)
		case short[c] != 0:
			out = append(out, '\\', short[c])
		default:
			out = append(out, '\\', 'u', '0', '0', hex[c>>4], hex[c&15])
		}
	}
	return append(append(out, s[from:]...), '"')
}

package jsondoc

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"strings"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"
)

// describe turns an error of the decoder into our words and its place.
func describe(raw []byte, err error, m manner) (fault string, offset int, pointer string) {
	se, ok := errors.AsType[*jsontext.SyntacticError](err)
	if !ok { // io.EOF has no place; text of white space only was refused before
		return m.end, len(raw), ""
	}
	offset, pointer = int(se.ByteOffset), string(se.JSONPointer)
	switch {
	case errors.Is(err, io.ErrUnexpectedEOF):
		return m.end, len(bytes.TrimRight(raw, " \t\r\n")), pointer
	case errors.Is(err, jsontext.ErrDuplicateName):
		return fmt.Sprintf("duplicate key %q", se.JSONPointer.LastToken()), offset, string(se.JSONPointer.Parent())
	case errors.Is(err, jsontext.ErrNonStringName):
		return "object key without double quotes", offset, pointer
	}
	if word, start := foreignLiteral(raw, offset); word != "" {
		return word + " is not a JSON value", start, pointer
	}
	detail := se.Err.Error()
	if fault := usualFault(raw[min(offset, len(raw)):], strings.Contains(detail, "in string")); fault != "" {
		return fault, offset, pointer
	}
	return strings.Replace(detail, "(expecting ", "(expected ", 1), offset, pointer
}

// usualFault names the mistakes that hands and other languages make, for rest
// that begins with the offending character; "" if it is none of them.
func usualFault(rest []byte, inString bool) string {
	if len(rest) == 0 {
		return ""
	}
	switch c := rest[0]; {
	case c >= utf8.RuneSelf && invalidUTF8(rest):
		return fmt.Sprintf("byte 0x%02x is not UTF-8", c)
	case c == 0:
		return "NUL byte"
	case inString && (c == '\n' || c == '\r'):
		return `line break in a string (expected "\n")`
	case inString && c < ' ':
		return fmt.Sprintf("control character U+%04X in a string (expected an escape)", c)
	case inString && c == '\\' && len(rest) >= 6 && rest[1] == 'u':
		return fmt.Sprintf("escape %q is half of a character or none", rest[:6])
	case inString:
		return ""
	case c == '\'':
		return "single quote (expected a double quote)"
	case bytes.HasPrefix(rest, []byte("//")), bytes.HasPrefix(rest, []byte("/*")):
		return "comment (JSON has none)"
	case c == ',':
		return "comma without a value" + commaBefore(rest[1:])
	}
	return ""
}

// commaBefore tells a comma too many at the end from one anywhere else.
func commaBefore(rest []byte) string {
	rest = bytes.TrimLeft(rest, " \t\r\n")
	if len(rest) > 0 && (rest[0] == ']' || rest[0] == '}') {
		return fmt.Sprintf(" behind it (in front of %q)", rest[0])
	}
	return ""
}

func invalidUTF8(b []byte) bool {
	r, size := utf8.DecodeRune(b)
	return r == utf8.RuneError && size == 1
}

// foreignLiteral names a value of another language whose letters lie around
// offset, and where it begins, so that the message says more than that one of
// the letters is wrong.
func foreignLiteral(raw []byte, offset int) (word string, start int) {
	start = offset
	for start > 0 && (isWordByte(raw[start-1]) || raw[start-1] == '-') {
		start--
	}
	for _, word := range []string{"NaN", "-NaN", "Infinity", "-Infinity", "undefined", "None", "True", "False"} {
		rest := raw[start:]
		if bytes.HasPrefix(rest, []byte(word)) && (len(rest) == len(word) || !isWordByte(rest[len(word)])) {
			return word, start
		}
	}
	return "", 0
}

func isWordByte(c byte) bool {
	return c >= '0' && c <= '9' || c >= 'A' && c <= 'Z' || c >= 'a' && c <= 'z' || c == '_'
}

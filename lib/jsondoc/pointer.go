package jsondoc

import "strings"

var (
	escapeToken   = strings.NewReplacer("~", "~0", "/", "~1")
	unescapeToken = strings.NewReplacer("~1", "/", "~0", "~")
)

// Pointer joins keys and indices to a JSON pointer (RFC 6901): Pointer("a/b",
// "0") is "/a~1b/0", Pointer() the whole document.
func Pointer(tokens ...string) string {
	var b strings.Builder
	for _, token := range tokens {
		b.WriteByte('/')
		_, _ = escapeToken.WriteString(&b, token)
	}
	return b.String()
}

// Tokens splits a JSON pointer into its keys and indices. It reports false
// for a text that is no pointer.
func Tokens(pointer string) ([]string, bool) {
	if pointer != "" && pointer[0] != '/' {
		return nil, false
	}
	var tokens []string
	for rest := pointer; rest != ""; {
		var token string
		token, rest = cutToken(rest)
		tokens = append(tokens, token)
	}
	return tokens, true
}

// cutToken splits the first token off a pointer that is not empty.
func cutToken(pointer string) (token, rest string) {
	token = pointer[1:]
	if i := strings.IndexByte(token, '/'); i >= 0 {
		token, rest = token[:i], token[i:]
	}
	if strings.IndexByte(token, '~') >= 0 {
		token = unescapeToken.Replace(token)
	}
	return token, rest
}

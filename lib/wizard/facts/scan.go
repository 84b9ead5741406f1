package facts

import (
	"bytes"
	"encoding/json"
)

// topStrings finds the text values of some keys of a JSON object, in one pass
// and without looking closely at what it passes: it is for lists of thousands
// of documents, of which one is read strictly when it is chosen. It reports
// false for a text that is no object, or ends early.
func topStrings(text []byte, keys ...string) (map[string]string, bool) {
	found := make(map[string]string, len(keys))
	depth, wantKey, key := 0, false, ""
	for i := 0; i < len(text); i++ {
		switch c := text[i]; c {
		case '{', '[':
			depth++
			wantKey, key = depth == 1 && c == '{', ""
			if depth == 1 && c == '[' {
				return nil, false
			}
		case '}', ']':
			if depth--; depth == 0 {
				return found, len(bytes.TrimSpace(text[i+1:])) == 0
			}
			if depth < 0 {
				return nil, false
			}
			key = ""
		case ',':
			wantKey, key = depth == 1, ""
		case '"':
			end := closing(text, i)
			if end < 0 {
				return nil, false
			}
			if depth == 1 && wantKey {
				key, wantKey = wanted(text[i+1:end], keys), false
			} else if depth == 1 && key != "" {
				var value string
				if json.Unmarshal(text[i:end+1], &value) != nil {
					return nil, false
				}
				found[key], key = value, ""
			}
			i = end
		}
	}
	return nil, false
}

// closing is the index of the quote that ends the string which begins at i.
func closing(text []byte, i int) int {
	for i++; i < len(text); i++ {
		switch text[i] {
		case '\\':
			i++
		case '"':
			return i
		}
	}
	return -1
}

func wanted(key []byte, keys []string) string {
	for _, k := range keys {
		if string(key) == k {
			return k
		}
	}
	return ""
}

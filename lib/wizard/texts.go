package wizard

import (
	_ "embed"
	"encoding/json"
	"fmt"
	"strings"
	"sync"
)

//go:embed texts.json
var textsJSON []byte

// Texts is the catalogue of one language.
type Texts struct {
	Lang  string
	texts map[string]string
}

// Languages are those that have a catalogue, the default first.
var Languages = []string{"en", "ko"}

// catalogues reads the embedded texts, once.
var catalogues = sync.OnceValue(func() map[string]map[string]string {
	var all map[string]map[string]string
	if err := json.Unmarshal(textsJSON, &all); err != nil {
		panic(err) // an embedded file that a test reads
	}
	return all
})

// TextsFor returns the catalogue of a language, or the English one when there
// is none. It accepts what a locale variable holds, as in "ko_KR.UTF-8".
func TextsFor(lang string) Texts {
	base := strings.ToLower(lang)
	if i := strings.IndexAny(base, "_-.@"); i >= 0 {
		base = base[:i]
	}
	texts, ok := catalogues()[base]
	if !ok {
		base = Languages[0]
		texts = catalogues()[base]
	}
	return Texts{Lang: base, texts: texts}
}

// Text formats the text of a key. A key that no catalogue has stands for
// itself, which a test would find.
func (t Texts) Text(key string, args ...any) string {
	format, ok := t.texts[key]
	if !ok {
		return key
	}
	if len(args) == 0 || !strings.Contains(format, "%") {
		return format
	}
	return fmt.Sprintf(format, args...)
}

// Has says whether the catalogue has the key.
func (t Texts) Has(key string) bool {
	_, ok := t.texts[key]
	return ok
}

// Or is the text of the first of the keys that the catalogue has.
func (t Texts) Or(keys ...string) string {
	for _, key := range keys {
		if text, ok := t.texts[key]; ok {
			return text
		}
	}
	return keys[len(keys)-1]
}

package translate

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"okstra/lib/digest"
	"okstra/lib/jsondoc"
)

// The document kinds of this package and the one it reads.
const (
	SourceKind  = "okstra-translation-source"
	SidecarKind = "okstra-translation"
	StatusKind  = "okstra-translation-status"
	ReportKind  = "okstra-final-report"

	version = "1.0"
)

// Report is the data of a final report with its translatable items.
type Report struct {
	Doc   jsondoc.Doc
	Path  string // of the data file; ends in .data.json
	Lang  string // header.reportLanguage, as it stands
	Items []Item

	GeneratedAt string // header.generatedAt, "" when it is not there

	spans   []span            // of the items' strings in Doc.Raw, in file order
	digests map[string]string // by language, once they are known
}

// Item is one text and every place where it stands.
type Item struct {
	ID     string
	Source string   // whole, with its outer white space
	At     []string // JSON pointers, in file order
}

// span is one string literal in the report's bytes.
type span struct {
	item       int // index in Items
	start, end int
}

// NewReport takes the items out of a report's data. path must end in
// .data.json, for the names of the sidecars come from it. Whether the data fits
// its schema is the caller's to ask: of what has another type nothing is taken.
func NewReport(path string, doc jsondoc.Doc) (*Report, error) {
	if !strings.HasSuffix(path, dataSuffix) || filepath.Base(path) == dataSuffix {
		return nil, fmt.Errorf("%s: not the data of a report (expected a name that ends in %s)", path, dataSuffix)
	}
	var head struct {
		SchemaVersion string `json:"schemaVersion"`
		Kind          string `json:"kind"`
		Header        struct {
			ReportLanguage string `json:"reportLanguage"`
			GeneratedAt    string `json:"generatedAt"`
		} `json:"header"`
	}
	if err := doc.Decode(&head); err != nil {
		return nil, err
	}
	if err := expectKind(doc, head.Kind, ReportKind, head.SchemaVersion, 2); err != nil {
		return nil, err
	}
	if head.Header.ReportLanguage == "" {
		return nil, fmt.Errorf("%s: /header/reportLanguage: missing", doc.Name)
	}
	r := &Report{Doc: doc, Path: path, Lang: head.Header.ReportLanguage, GeneratedAt: head.Header.GeneratedAt}
	r.collect()
	return r, nil
}

// Base is the name of the data file without its folder.
func (r *Report) Base() string { return filepath.Base(r.Path) }

func (r *Report) collect() {
	index := make(map[string]int)
	walk(r.Doc.Raw, rules(), func(pointer string, start, end int) {
		text := unquote(r.Doc.Raw[start:end])
		i, seen := index[text]
		if !seen {
			i = -1
			if translatable(text) {
				i = len(r.Items)
				r.Items = append(r.Items, Item{ID: ID(i + 1), Source: text})
			}
			index[text] = i
		}
		if i < 0 {
			return
		}
		r.Items[i].At = append(r.Items[i].At, pointer)
		r.spans = append(r.spans, span{item: i, start: start, end: end})
	})
}

// expectKind refuses a document of another kind or of a major version that
// this program does not know.
func expectKind(doc jsondoc.Doc, kind, wantKind, schemaVersion string, major int) error {
	if kind != wantKind {
		return fmt.Errorf("%s: /kind: %q (expected %q)", doc.Name, kind, wantKind)
	}
	if got, _, _ := strings.Cut(schemaVersion, "."); got != fmt.Sprint(major) {
		return fmt.Errorf("%s: /schemaVersion: %q (expected version %d.x)", doc.Name, schemaVersion, major)
	}
	return nil
}

// Source is the payload that goes to a translator.
// Rule: docs/translate.md, "Source payload".
type Source struct {
	SchemaVersion string     `json:"schemaVersion"`
	Kind          string     `json:"kind"`
	Lang          string     `json:"lang"`
	SourceLang    string     `json:"sourceLang"`
	Data          string     `json:"data"`
	Strings       []string   `json:"strings"`
	Locations     [][]string `json:"locations"`
	Ask           []string   `json:"ask"`
	Reuse         []Reuse    `json:"reuse"`
	Previous      []Previous `json:"previous"`
	Digest        string     `json:"digest"`
}

// Reuse is an item whose old translation still stands. State is there for a
// reviewed one only.
type Reuse struct {
	ID    string `json:"id"`
	Text  string `json:"text"`
	State string `json:"state,omitempty"`
}

// Previous is an item whose place had another text when it was translated.
type Previous struct {
	ID     string `json:"id"`
	Source string `json:"source"`
	Text   string `json:"text"`
}

// Prepare is the payload that asks for every item of the report.
func (r *Report) Prepare(lang string) Source {
	s := Source{
		SchemaVersion: version, Kind: SourceKind,
		Lang: lang, SourceLang: r.Lang, Data: r.Base(),
		Strings: make([]string, len(r.Items)), Locations: make([][]string, len(r.Items)),
		Ask: make([]string, len(r.Items)), Reuse: []Reuse{}, Previous: []Previous{},
		Digest: r.Digest(lang),
	}
	for i, item := range r.Items {
		s.Strings[i], s.Locations[i], s.Ask[i] = item.Source, item.At, item.ID
	}
	return s
}

// Digest is the canonical digest of what a translation into lang depends on:
// kind, both languages, the texts and where they stand. Nothing else of the
// report goes in, so filling in the usage leaves translations fresh.
//
// The value is that of digest.Value; it is written here without the detour
// through encoding/json because it is taken of every report that is opened.
func (r *Report) Digest(lang string) string {
	if known, ok := r.digests[lang]; ok {
		return known
	}
	sum := r.computeDigest(lang)
	if r.digests == nil {
		r.digests = make(map[string]string)
	}
	r.digests[lang] = sum
	return sum
}

func (r *Report) computeDigest(lang string) string {
	h := sha256.New()
	buf := make([]byte, 0, 64<<10)
	flush := func() {
		h.Write(buf)
		buf = buf[:0]
	}
	str := func(s string) {
		if buf = digest.AppendString(buf, s); len(buf) > 32<<10 {
			flush()
		}
	}
	buf = append(buf, `{"kind":"`+SourceKind+`","lang":`...)
	str(lang)
	buf = append(buf, `,"locations":[`...)
	for i, item := range r.Items {
		if i > 0 {
			buf = append(buf, ',')
		}
		buf = append(buf, '[')
		for j, at := range item.At {
			if j > 0 {
				buf = append(buf, ',')
			}
			str(at)
		}
		buf = append(buf, ']')
	}
	buf = append(buf, `],"sourceLang":`...)
	str(r.Lang)
	buf = append(buf, `,"strings":[`...)
	for i, item := range r.Items {
		if i > 0 {
			buf = append(buf, ',')
		}
		str(item.Source)
	}
	buf = append(buf, `]}`...)
	flush()
	return "sha256:" + hex.EncodeToString(h.Sum(nil))
}

// ReadSource reads a payload. It checks what the payload says by itself; Agree
// compares it with the report.
func ReadSource(doc jsondoc.Doc) (Source, error) {
	var s Source
	if err := doc.Decode(&s); err != nil {
		return Source{}, err
	}
	if err := expectKind(doc, s.Kind, SourceKind, s.SchemaVersion, 1); err != nil {
		return Source{}, err
	}
	if len(s.Locations) != len(s.Strings) {
		return Source{}, fmt.Errorf("%s: /locations: %d entries for %d strings", doc.Name, len(s.Locations), len(s.Strings))
	}
	if err := s.partition(); err != nil {
		return Source{}, fmt.Errorf("%s: %w", doc.Name, err)
	}
	return s, nil
}

// partition makes sure that every item is either asked for or reused.
func (s Source) partition() error {
	seen := make([]string, len(s.Strings))
	mark := func(list string, i int, id string, last int) (int, error) {
		n := idNumber(id)
		if n == 0 || n > len(seen) {
			return 0, fmt.Errorf("/%s/%d: %q (expected an id from %s to %s)", list, i, id, ID(1), ID(len(seen)))
		}
		if n <= last {
			return 0, fmt.Errorf("/%s/%d: %q after %s (expected ascending ids)", list, i, id, ID(last))
		}
		if seen[n-1] != "" {
			return 0, fmt.Errorf("/%s/%d: %q is in %s already", list, i, id, seen[n-1])
		}
		seen[n-1] = list
		return n, nil
	}
	var err error
	last := 0
	for i, id := range s.Ask {
		if last, err = mark("ask", i, id, last); err != nil {
			return err
		}
	}
	last = 0
	for i, reuse := range s.Reuse {
		if last, err = mark("reuse", i, reuse.ID, last); err != nil {
			return err
		}
	}
	if i := slices.Index(seen, ""); i >= 0 {
		return fmt.Errorf("/ask: %s is neither asked for nor reused", ID(i+1))
	}
	return nil
}

// Agree compares a payload and the digest that came with it with what the
// report gives now. The error names every difference.
func (r *Report) Agree(got Source, lang, givenDigest string) error {
	want := r.Prepare(lang)
	var differ []string
	if got.Lang != want.Lang {
		differ = append(differ, fmt.Sprintf("lang: %q (expected %q)", got.Lang, want.Lang))
	}
	if got.SourceLang != want.SourceLang {
		differ = append(differ, fmt.Sprintf("sourceLang: %q (expected %q)", got.SourceLang, want.SourceLang))
	}
	if i := firstDifference(got.Strings, want.Strings, func(a, b string) bool { return a == b }); i >= 0 {
		differ = append(differ, "strings differ from "+ID(i+1)+" on")
	}
	if i := firstDifference(got.Locations, want.Locations, slices.Equal[[]string]); i >= 0 {
		differ = append(differ, "locations differ from "+ID(i+1)+" on")
	}
	if got.Digest != want.Digest {
		differ = append(differ, fmt.Sprintf("digest: %s (expected %s)", got.Digest, want.Digest))
	}
	if givenDigest != want.Digest {
		differ = append(differ, fmt.Sprintf("given digest: %s (expected %s)", givenDigest, want.Digest))
	}
	if len(differ) == 0 {
		return nil
	}
	return fmt.Errorf("%w: %s", ErrChanged, strings.Join(differ, "; "))
}

// ErrChanged is what Agree wraps: the report and the payload made from it have
// parted.
var ErrChanged = errors.New("made from another state of the report; run prepare, update or export again")

func firstDifference[T any](a, b []T, equal func(T, T) bool) int {
	for i := range max(len(a), len(b)) {
		if i >= len(a) || i >= len(b) || !equal(a[i], b[i]) {
			return i
		}
	}
	return -1
}

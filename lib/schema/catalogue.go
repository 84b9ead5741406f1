package schema

import (
	"embed"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"sync"
)

//go:embed *.schema.json
var files embed.FS

const (
	fileEnding = ".schema.json"
	kindPrefix = "okstra-"
)

// withoutKind names the documents that carry no kind of their own: rows of
// logs and ledgers, and payloads inside other documents.
var withoutKind = map[string]bool{
	"error": true, "event": true, "ledger-row": true,
	"usage-event": true, "usage-scan": true,
	"write-enforcement": true, "write-policy": true,
}

// version is a schema version, MAJOR.MINOR.
type version struct{ major, minor int }

func (v version) String() string { return fmt.Sprintf("%d.%d", v.major, v.minor) }

// parseVersion reads MAJOR.MINOR without leading zeros. Numbers beyond nine
// digits are no version that anybody wrote.
func parseVersion(s string) (version, bool) {
	major, minor, ok := strings.Cut(s, ".")
	if !ok {
		return version{}, false
	}
	var v version
	for _, part := range []struct {
		text string
		to   *int
	}{{major, &v.major}, {minor, &v.minor}} {
		n, err := strconv.Atoi(part.text)
		if err != nil || len(part.text) > 9 || strconv.Itoa(n) != part.text || n < 0 {
			return version{}, false
		}
		*part.to = n
	}
	return v, true
}

// entry is one kind of document with the versions there are schemas for,
// ascending.
type entry struct {
	name     string
	versions []version
}

// kind is the value that the document's "kind" must have, or "".
func (e entry) kind() string {
	if withoutKind[e.name] {
		return ""
	}
	return kindPrefix + e.name
}

// title is the kind, or the name of the schema for a document without one.
func (e entry) title() string {
	if kind := e.kind(); kind != "" {
		return kind
	}
	return e.name
}

func (e entry) newest() version { return e.versions[len(e.versions)-1] }

// file names the embedded schema of a version, without ending.
func (e entry) file(v version) string { return e.name + "-v" + v.String() }

// catalogue lists the kinds that the embedded schema files stand for. Files
// without a version hold shared definitions and are no kind.
var catalogue = sync.OnceValue(func() map[string]entry {
	listed, err := files.ReadDir(".")
	if err != nil {
		panic("schema: embedded files: " + err.Error())
	}
	kinds := map[string]entry{}
	for _, f := range listed {
		base := strings.TrimSuffix(f.Name(), fileEnding)
		i := strings.LastIndex(base, "-v")
		if i < 0 {
			continue
		}
		v, ok := parseVersion(base[i+len("-v"):])
		if !ok {
			continue
		}
		e := kinds[base[:i]]
		e.name = base[:i]
		e.versions = append(e.versions, v)
		slices.SortFunc(e.versions, compareVersions)
		kinds[e.name] = e
	}
	return kinds
})

func compareVersions(a, b version) int {
	if a.major != b.major {
		return a.major - b.major
	}
	return a.minor - b.minor
}

// Kinds lists every kind of document, sorted: "okstra-…" values of kind, and
// the plain names of those documents that have none.
func Kinds() []string {
	var names []string
	for _, e := range catalogue() {
		names = append(names, e.title())
	}
	slices.Sort(names)
	return names
}

// Versions lists the versions of a kind that there are schemas for, ascending;
// nil for an unknown kind. The kind may be given with or without "okstra-".
func Versions(kind string) []string {
	var texts []string
	for _, v := range catalogue()[strings.TrimPrefix(kind, kindPrefix)].versions {
		texts = append(texts, v.String())
	}
	return texts
}

// Files lists the embedded schema files, sorted by name, shared definitions
// included.
func Files() []string {
	listed, err := files.ReadDir(".")
	if err != nil {
		panic("schema: embedded files: " + err.Error())
	}
	names := make([]string, len(listed))
	for i, f := range listed {
		names[i] = f.Name()
	}
	return names
}

// File gives the text of an embedded schema file.
func File(name string) ([]byte, error) { return files.ReadFile(name) }

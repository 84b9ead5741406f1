package dispatch

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"time"
	"unicode/utf8"

	"okstra/lib/audit"
	"okstra/lib/digest"
	"okstra/lib/dispatch/proc"
	"okstra/lib/jsondoc"
	"okstra/lib/run"
)

// clockSlack is how much older than our own clock a file may look that was
// written after it was read: file systems stamp with the tick of the kernel.
const clockSlack = 20 * time.Millisecond

// begun is the moment from which on an artifact is a job's own.
type begun struct {
	time time.Time
	// lay is what lay in the place of artifacts then, where that is known: what
	// was not touched since is not new, whatever the clock says.
	lay  map[string]fs.FileInfo
	kept withheld // by the boundary
}

// layIn notes what lies in the place of artifacts.
func layIn(root string, wants []promised) map[string]fs.FileInfo {
	lay := map[string]fs.FileInfo{}
	for _, want := range wants {
		if info, err := os.Lstat(run.Abs(root, want.path)); err == nil {
			lay[want.path] = info
		}
	}
	return lay
}

// before tells whether the start was before the file that now lies at path.
func (s begun) before(path string, info fs.FileInfo) bool {
	old := s.lay[path]
	if old != nil && os.SameFile(old, info) && old.Size() == info.Size() && changeTime(old).Equal(changeTime(info)) {
		return false
	}
	since := s.time.Add(-clockSlack)
	return !info.ModTime().Before(since) && !changeTime(info).Before(since)
}

// promised is an artifact that a job must leave.
type promised struct {
	path string // as documents name it
	kind string // a document kind that it must have, "" for Markdown
	form form   // the grammar of that Markdown, nil where there is none
}

// mostArtifact is how large an artifact may be to be read; a larger one is not
// readable as what was promised.
const mostArtifact = jsondoc.MaxSize

// mostForm is how large an artifact may be to be read by its grammar, each line
// of which may be a fault.
const mostForm = 1 << 20

// inspect judges one promised artifact and gives what the sidecar says of it.
// A worker can give a file any modification time, also one that makes what an
// earlier attempt left look new; the kernel's change time it cannot.
func inspect(root string, want promised, since begun) (_ ArtifactState, _ run.Artifact, warning string) {
	record := run.Artifact{Path: want.path}
	path := run.Abs(root, want.path)
	info, err := os.Lstat(path)
	if err != nil {
		return ArtifactMissing, record, ""
	}
	record.Present, record.Bytes = true, info.Size()
	record.NewerThanStart = since.before(want.path, info)
	text, err := readArtifact(path)
	if err != nil {
		return ArtifactInvalid, record, ""
	}
	record.Bytes, record.Digest = int64(len(text)), digest.Bytes(text)
	switch {
	case len(bytes.TrimSpace(text)) == 0:
		return ArtifactEmpty, record, ""
	case !record.NewerThanStart:
		return ArtifactStale, record, ""
	case !readableAs(path, text, want.kind):
		return ArtifactInvalid, record, ""
	case want.form == nil, len(text) > mostForm:
		return ArtifactGood, record, ""
	}
	usable, warning := want.form(want.path, text)
	if !usable {
		return ArtifactInvalid, record, warning
	}
	return ArtifactGood, record, warning
}

// readArtifact reads a regular file that is not absurdly large, and no link.
func readArtifact(path string) ([]byte, error) {
	file, err := jsondoc.Open(path)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	text, err := io.ReadAll(io.LimitReader(file, mostArtifact+1))
	if err == nil && len(text) > mostArtifact {
		err = fmt.Errorf("%s: larger than %d bytes", path, mostArtifact)
	}
	return text, err
}

// readableAs tells whether text is what was promised: Markdown in UTF-8, or a
// document of that kind.
func readableAs(path string, text []byte, kind string) bool {
	if kind == "" {
		return utf8.Valid(text)
	}
	doc, err := jsondoc.Parse(path, text)
	if err != nil {
		return false
	}
	got, _ := doc.Lookup("/kind")
	var word string
	return json.Unmarshal(got, &word) == nil && word == kind
}

// inspectAll judges all promised artifacts; the first that is not good decides
// and is named, and the first of all is the one that the sidecar records. A
// warning is about the one that decides. A new file that is foreign to the job
// is not what it promised, whoever put it there.
func inspectAll(root string, wants []promised, since begun, foreign func(path string) bool) (state ArtifactState, decides, warning string, _ *run.Artifact) {
	if len(wants) == 0 {
		return ArtifactNone, "", "", nil
	}
	look := func(want promised) (ArtifactState, run.Artifact, string) {
		state, record, warning := inspect(root, want, since)
		if known, ok := since.kept[run.Abs(root, want.path)]; ok {
			return known, record, ""
		}
		if record.NewerThanStart && foreign(want.path) {
			return ArtifactMissing, run.Artifact{Path: want.path}, ""
		}
		return state, record, warning
	}
	state, record, warning := look(wants[0])
	decides = wants[0].path
	for _, want := range wants[1:] {
		if state != ArtifactGood {
			break
		}
		state, _, _ = look(want)
		decides = want.path
	}
	return state, decides, warning, &record
}

// withheld is what became of artifacts that a job left inside of its overlay and
// that did not come out of it, by absolute path: what lies in the tree is not
// what the job left. The outcome is the one that it has without a boundary.
type withheld map[string]ArtifactState

func withheldOf(root string, mutations []run.Mutation) withheld {
	kept := withheld{}
	for _, m := range mutations {
		switch {
		case m.Class != audit.ClassArtifact || m.CopiedOut:
		case m.Change == audit.Deleted:
			kept[run.Abs(root, m.Path)] = ArtifactMissing
		default: // a link, a folder, a pipe, or too large
			kept[run.Abs(root, m.Path)] = ArtifactInvalid
		}
	}
	return kept
}

// causePhrases name a cause in an error message, tried in this order. A phrase
// stands by itself: the name of a file, of a function or of a route is none.
var causePhrases = []struct {
	cause  string
	phrase *regexp.Regexp
}{
	{CauseSessionInUse, phrase(`session[^\n]{0,100} already in use`)},
	{CauseRateLimit, phrase(
		`rate[ _-]?limit(ed|s|ing)?`, `rate_limit_(error|exceeded)`, `rate[ -]limit exceeded`, `too many requests`, `resource_exhausted`, `quota exceeded`, `usage limit`,
	)},
	{CauseAuth, phrase(
		`unauthorized`, `unauthenticated`, `authentication_(error|failed)`, `authentication[ -](error|failed|failure|required|credentials?|token)`, `(failed to|cannot|could not) authenticate`,
		`not logged in`, `login required`, `please log ?in`, `(run|use|type|with) [\x60'"]?/login[\x60'"]?`,
		`invalid api[ _-]key`, `api key not valid`, `invalid x-api-key`, `token (has |is )?expired`,
	)},
}

// phrase matches any of the expressions where it is no part of a longer name.
func phrase(expressions ...string) *regexp.Regexp {
	return regexp.MustCompile(`(^|[^\w/.-])(` + strings.Join(expressions, "|") + `)($|[^\w/.-]|\.(\W|$))`)
}

// statusCauses are the HTTP statuses that name a cause.
var statusCauses = map[int]string{401: CauseAuth, 403: CauseAuth, 429: CauseRateLimit}

// namedCause finds the cause that the output of a job without a good end
// names: a session id in use, what the provider row looks for, an HTTP status,
// then words of the message.
func namedCause(status *int, message string, row func() string) string {
	message = strings.ToLower(message)
	session, others := causePhrases[0], causePhrases[1:]
	if session.phrase.MatchString(message) {
		return session.cause
	}
	if cause := row(); cause != "" {
		return cause
	}
	if status != nil && statusCauses[*status] != "" {
		return statusCauses[*status]
	}
	for _, named := range others {
		if named.phrase.MatchString(message) {
			return named.cause
		}
	}
	return ""
}

// tailOf reads the last n bytes of a file, "" when it cannot be read.
func tailOf(path string, n int64) string {
	file, err := proc.OpenOutput(path)
	if err != nil {
		return ""
	}
	defer file.Close()
	info, err := file.Stat()
	if err != nil {
		return ""
	}
	from := max(0, info.Size()-n)
	text := make([]byte, info.Size()-from)
	read, _ := file.ReadAt(text, from)
	return string(text[:read])
}

// sessionFile finds the file in which a CLI keeps a session: one in the trees
// whose name, or the name of a folder above it, holds the session id. Of
// several the largest is taken. It is "" when there is none.
func sessionFile(trees []string, id string) string {
	if id == "" {
		return ""
	}
	best, size := "", int64(-1)
	for _, tree := range trees {
		_ = filepath.WalkDir(tree, func(path string, entry fs.DirEntry, err error) error {
			if err != nil || entry.IsDir() {
				return nil
			}
			rel, err := filepath.Rel(tree, path)
			if err != nil || !strings.Contains(rel, id) {
				return nil
			}
			if info, err := entry.Info(); err == nil && info.Mode().IsRegular() && info.Size() > size {
				best, size = path, info.Size()
			}
			return nil
		})
	}
	return best
}

// sameDir tells whether two paths name the same folder.
func sameDir(a, b string) bool {
	if filepath.Clean(a) == filepath.Clean(b) {
		return true
	}
	x, err1 := os.Stat(a)
	y, err2 := os.Stat(b)
	return err1 == nil && err2 == nil && os.SameFile(x, y)
}

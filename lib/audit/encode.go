package audit

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"okstra/lib/digest"
	"okstra/lib/jsondoc"
)

// columns names the values of a row, in their order.
var columns = []string{"path", "type", "mode", "uid", "gid", "size", "mtimeNs", "ctimeNs", "ino", "digest"}

// Encode writes a snapshot as JSON, one row a line, so that a tree of 50,000
// files stays small and a difference can be read. A name that is no UTF-8
// stands as an object {"b64": …}.
// Rule: docs/audit.md, "The snapshot document".
func (s *Snapshot) Encode() []byte {
	n := 0
	for _, r := range s.Roots {
		n += len(r.Rows)
	}
	out := make([]byte, 0, 1024+160*n)
	out = append(out, "{\n  \"schemaVersion\": \"1.0\",\n  \"kind\": \""+Kind+"\",\n  \"root\": "...)
	out = appendName(out, s.Root)
	out = append(out, ",\n  \"artifactRoot\": "...)
	out = appendName(out, s.ArtifactRoot)
	out = append(out, ",\n  \"policyDigests\": "...)
	out = appendNames(out, s.PolicyDigests)
	out = append(out, ",\n  \"columns\": "...)
	out = appendNames(out, columns)
	out = append(out, ",\n  \"roots\": ["...)
	for i, r := range s.Roots {
		if i > 0 {
			out = append(out, ',')
		}
		out = appendRoot(out, r)
	}
	out = append(out, "],\n  \"git\": "...)
	out = appendGit(out, s.Git)
	return append(out, "\n}\n"...)
}

func appendRoot(out []byte, r Root) []byte {
	out = append(out, "\n    {\"root\": "...)
	out = appendName(out, r.Root)
	out = append(out, ", \"rows\": ["...)
	for i := range r.Rows {
		if i > 0 {
			out = append(out, ',')
		}
		out = append(out, "\n      "...)
		out = appendRow(out, &r.Rows[i])
	}
	out = append(out, "],\n     \"unreadable\": "...)
	return append(appendNames(out, r.Unreadable), '}')
}

func appendRow(out []byte, r *Row) []byte {
	out = appendName(append(out, '['), r.Path)
	out = append(out, `,"`...)
	out = append(out, r.Type.String()...)
	out = append(out, `","0`...)
	mode := strconv.FormatUint(uint64(r.Mode), 8)
	for i := len(mode); i < 3; i++ {
		out = append(out, '0')
	}
	out = append(append(out, mode...), '"')
	for _, n := range [...]int64{int64(r.UID), int64(r.GID), r.Size, r.Mtime, r.Ctime} {
		out = strconv.AppendInt(append(out, ','), n, 10)
	}
	out = strconv.AppendUint(append(out, ','), r.Ino, 10)
	if r.Digest == "" {
		return append(out, ",null]"...)
	}
	return append(appendName(append(out, ','), r.Digest), ']')
}

func appendName(out []byte, name string) []byte {
	if utf8.ValidString(name) {
		return digest.AppendString(out, name)
	}
	out = append(out, `{"b64": "`...)
	out = base64.StdEncoding.AppendEncode(out, []byte(name))
	return append(out, `"}`...)
}

func appendNames(out []byte, names []string) []byte {
	out = append(out, '[')
	for i, name := range names {
		if i > 0 {
			out = append(out, ", "...)
		}
		out = appendName(out, name)
	}
	return append(out, ']')
}

// b64Key marks a key that is no UTF-8, because a key cannot be an object.
const b64Key = "b64:"

func keyOf(name string) string {
	if utf8.ValidString(name) && !strings.HasPrefix(name, b64Key) {
		return name
	}
	return b64Key + base64.StdEncoding.EncodeToString([]byte(name))
}

func nameOf(key string) (string, error) {
	text, ok := strings.CutPrefix(key, b64Key)
	if !ok {
		return key, nil
	}
	raw, err := base64.StdEncoding.DecodeString(text)
	return string(raw), err
}

func appendMap(out []byte, m map[string]string) []byte {
	out = append(out, '{')
	for i, name := range slices.Sorted(maps.Keys(m)) {
		if i > 0 {
			out = append(out, ", "...)
		}
		out = digest.AppendString(out, keyOf(name))
		out = appendName(append(out, ": "...), m[name])
	}
	return append(out, '}')
}

func appendGit(out []byte, g *GitState) []byte {
	if g == nil {
		return append(out, "null"...)
	}
	key := func(name string) {
		out = append(out, ",\n    \""+name+"\": "...)
	}
	orNull := func(text string) {
		if text == "" {
			out = append(out, "null"...)
		} else {
			out = appendName(out, text)
		}
	}
	out = appendName(append(out, "{\n    \"gitDir\": "...), g.GitDir)
	key("commonDir")
	out = appendName(out, g.CommonDir)
	key("head")
	orNull(g.Head)
	key("headCommit")
	orNull(g.HeadCommit)
	key("refs")
	out = appendMap(out, g.Refs)
	key("stash")
	out = appendNames(out, g.Stash)
	key("reflogTip")
	orNull(g.ReflogTip)
	key("indexDigest")
	orNull(g.IndexDigest)
	out = appendNames(append(out, ",\n    \"indexFlags\": {\"assumeUnchanged\": "...), g.AssumeUnchanged)
	out = appendNames(append(out, ", \"skipWorktree\": "...), g.SkipWorktree)
	out = append(out, '}')
	key("config")
	orNull(g.Config)
	key("hooks")
	out = appendMap(out, g.Hooks)
	key("info")
	out = appendMap(out, g.Info)
	key("worktrees")
	out = appendNames(out, g.Worktrees)
	key("branches")
	out = appendMap(out, g.Branches)
	key("locks")
	out = appendNames(out, g.Locks)
	return append(out, "\n  }"...)
}

// name is a name in a document: a text, or {"b64": …}.
type name string

// UnmarshalJSON reads both forms, and null as no name.
func (n *name) UnmarshalJSON(raw []byte) error {
	if bytes.HasPrefix(raw, []byte("{")) {
		var coded struct {
			B64 []byte `json:"b64"`
		}
		err := jsondoc.Unmarshal(raw, &coded)
		*n = name(coded.B64)
		return err
	}
	var text *string
	if err := json.Unmarshal(raw, &text); err != nil {
		return err
	}
	if text != nil {
		*n = name(*text)
	}
	return nil
}

func texts(names []name) []string {
	out := make([]string, len(names))
	for i, n := range names {
		out[i] = string(n)
	}
	return out
}

// stored is a snapshot as it is decoded.
type stored struct {
	SchemaVersion string   `json:"schemaVersion"`
	Kind          string   `json:"kind"`
	Root          name     `json:"root"`
	ArtifactRoot  name     `json:"artifactRoot"`
	PolicyDigests []string `json:"policyDigests"`
	Columns       []string `json:"columns"`
	Roots         []struct {
		Root       name                `json:"root"`
		Rows       [][]json.RawMessage `json:"rows"`
		Unreadable []name              `json:"unreadable"`
	} `json:"roots"`
	Git json.RawMessage `json:"git"`
}

// gitKeys are the keys that a git state must have. Branches came later.
var gitKeys = []string{"gitDir", "commonDir", "head", "headCommit", "refs", "stash", "reflogTip", "indexDigest", "indexFlags", "config", "hooks", "info", "worktrees", "locks"}

// nullKeys are those of them that may be null: there is no such thing.
var nullKeys = []string{"head", "headCommit", "reflogTip", "indexDigest", "config"}

// missing is what is wrong with a key that a document must have.
const missing = "missing or null (expected what a snapshot holds there: a document without it proves nothing)"

// gap finds a key that must be there and is not: nothing compared with nothing
// would be a tree that did not change.
func (in *stored) gap() (pointer string) {
	switch {
	case !filepath.IsAbs(string(in.Root)):
		return "/root"
	case !filepath.IsAbs(string(in.ArtifactRoot)):
		return "/artifactRoot"
	case in.PolicyDigests == nil:
		return "/policyDigests"
	case in.Roots == nil:
		return "/roots"
	case in.Git == nil:
		return "/git"
	}
	for i, r := range in.Roots {
		at := "/roots/" + strconv.Itoa(i)
		switch {
		case !filepath.IsAbs(string(r.Root)):
			return at + "/root"
		case r.Rows == nil:
			return at + "/rows"
		case r.Unreadable == nil:
			return at + "/unreadable"
		}
	}
	return ""
}

// uncovered finds a root of the snapshot that none of its trees holds.
func (s *Snapshot) uncovered() string {
	for _, root := range []string{s.Root, s.ArtifactRoot} {
		if !slices.ContainsFunc(s.Roots, func(r Root) bool { return isBelow(root, r.Root) }) {
			return root
		}
	}
	return ""
}

type storedGit struct {
	GitDir      name              `json:"gitDir"`
	CommonDir   name              `json:"commonDir"`
	Head        name              `json:"head"`
	HeadCommit  name              `json:"headCommit"`
	Refs        map[string]string `json:"refs"`
	Stash       []string          `json:"stash"`
	ReflogTip   name              `json:"reflogTip"`
	IndexDigest name              `json:"indexDigest"`
	IndexFlags  struct {
		AssumeUnchanged []name `json:"assumeUnchanged"`
		SkipWorktree    []name `json:"skipWorktree"`
	} `json:"indexFlags"`
	Config    name              `json:"config"`
	Hooks     map[string]name   `json:"hooks"`
	Info      map[string]name   `json:"info"`
	Worktrees []name            `json:"worktrees"`
	Branches  map[string]string `json:"branches"`
	Locks     []name            `json:"locks"`
}

// FormatError is a document that is JSON and no snapshot.
type FormatError struct{ Name, Pointer, Problem string }

func (e *FormatError) Error() string {
	if e.Pointer == "" {
		return e.Name + ": " + e.Problem
	}
	return e.Name + ": " + e.Pointer + ": " + e.Problem
}

// ExitStatus says that the input is the caller's mistake.
func (e *FormatError) ExitStatus() int { return 2 }

// Load reads a snapshot document.
func Load(doc jsondoc.Doc) (*Snapshot, error) {
	s, err := load(doc)
	if err != nil {
		return nil, err
	}
	if err := s.isWhole(doc.Name); err != nil {
		return nil, err
	}
	return s, nil
}

// isWhole is an error when the trees of a snapshot do not hold its roots.
func (s *Snapshot) isWhole(name string) error {
	if root := s.uncovered(); root != "" {
		return &FormatError{Name: name, Pointer: "/roots", Problem: fmt.Sprintf("no tree of %s (expected every root of the snapshot in one)", shown(root))}
	}
	return nil
}

// load is Load without the question whether the trees are all there.
func load(doc jsondoc.Doc) (*Snapshot, error) {
	var in stored
	if err := doc.Decode(&in); err != nil {
		return nil, &FormatError{Name: doc.Name, Problem: err.Error()}
	}
	fail := func(pointer, problem string, args ...any) (*Snapshot, error) {
		return nil, &FormatError{Name: doc.Name, Pointer: pointer, Problem: fmt.Sprintf(problem, args...)}
	}
	switch {
	case in.Kind != Kind:
		return fail("/kind", "%q (expected %q)", in.Kind, Kind)
	case !strings.HasPrefix(in.SchemaVersion, "1."):
		return fail("/schemaVersion", "%q (expected \"1.0\")", in.SchemaVersion)
	case !slices.Equal(in.Columns, columns):
		return fail("/columns", "other columns than %s", strings.Join(columns, ", "))
	}
	if pointer := in.gap(); pointer != "" {
		return fail(pointer, missing)
	}
	s := &Snapshot{Root: string(in.Root), ArtifactRoot: string(in.ArtifactRoot), PolicyDigests: in.PolicyDigests}
	for i, r := range in.Roots {
		root := Root{Root: string(r.Root), Rows: make([]Row, len(r.Rows)), Unreadable: texts(r.Unreadable)}
		for j, values := range r.Rows {
			at := fmt.Sprintf("/roots/%d/rows/%d", i, j)
			if err := root.Rows[j].read(values); err != nil {
				return fail(at, "%v", err)
			}
			if j > 0 && root.Rows[j].Path <= root.Rows[j-1].Path {
				return fail(at, "path %q does not come after %q", root.Rows[j].Path, root.Rows[j-1].Path)
			}
		}
		s.Roots = append(s.Roots, root)
	}
	if string(in.Git) == "null" {
		return s, nil
	}
	git, pointer, err := readGit(in.Git)
	if err != nil {
		return fail("/git"+pointer, "%v", err)
	}
	s.Git = git
	return s, nil
}

// readGit reads a git state, which must have all its keys.
func readGit(raw json.RawMessage) (_ *GitState, pointer string, _ error) {
	var keys map[string]json.RawMessage
	if err := json.Unmarshal(raw, &keys); err != nil {
		return nil, "", errors.New("not a git state (expected an object or null)")
	}
	for _, key := range gitKeys {
		if value, there := keys[key]; !there || string(value) == "null" && !slices.Contains(nullKeys, key) {
			return nil, "/" + key, errors.New(missing)
		}
	}
	var in storedGit
	if err := json.Unmarshal(raw, &in); err != nil {
		return nil, "", err
	}
	g, err := in.state()
	return g, "", err
}

func (r *Row) read(values []json.RawMessage) error {
	if len(values) != len(columns) {
		return fmt.Errorf("%d values (expected %d)", len(values), len(columns))
	}
	var path, sum name
	var kind, mode string
	for i, into := range []any{&path, &kind, &mode, &r.UID, &r.GID, &r.Size, &r.Mtime, &r.Ctime, &r.Ino, &sum} {
		if err := json.Unmarshal(values[i], into); err != nil || i < len(columns)-1 && string(values[i]) == "null" {
			return fmt.Errorf("%s: %s", columns[i], values[i])
		}
	}
	bits, err := strconv.ParseUint(mode, 8, 32)
	if err != nil || path == "" {
		return fmt.Errorf("mode %q of path %q", mode, path)
	}
	known := slices.Index(typeNames[:], kind)
	if known < 0 {
		return fmt.Errorf("type %q of path %q (expected %s)", kind, path, strings.Join(typeNames[:], ", "))
	}
	r.Path, r.Type, r.Mode, r.Digest = string(path), Type(known), uint32(bits), string(sum)
	return nil
}

func (in *storedGit) state() (*GitState, error) {
	g := &GitState{
		GitDir: string(in.GitDir), CommonDir: string(in.CommonDir), Head: string(in.Head), HeadCommit: string(in.HeadCommit),
		Stash: in.Stash, ReflogTip: string(in.ReflogTip), IndexDigest: string(in.IndexDigest),
		AssumeUnchanged: texts(in.IndexFlags.AssumeUnchanged), SkipWorktree: texts(in.IndexFlags.SkipWorktree),
		Config: string(in.Config), Worktrees: texts(in.Worktrees), Locks: texts(in.Locks),
		Refs: make(map[string]string), Branches: make(map[string]string), Hooks: make(map[string]string), Info: make(map[string]string),
	}
	var err error
	take := func(into map[string]string, key, value string) {
		n, e := nameOf(key)
		if e != nil {
			err = fmt.Errorf("key %q: %w", key, e)
		}
		into[n] = value
	}
	for key, value := range in.Refs {
		take(g.Refs, key, value)
	}
	for key, value := range in.Branches {
		take(g.Branches, key, value)
	}
	for key, value := range in.Hooks {
		take(g.Hooks, key, string(value))
	}
	for key, value := range in.Info {
		take(g.Info, key, string(value))
	}
	return g, err
}

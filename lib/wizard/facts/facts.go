// Package facts reads from a project what the wizard's steps need to know:
// tasks, briefs, plans, stages, refs and installed providers. Each fact is
// read at most once and only when a step asks for it. What cannot be read is
// a warning and its option is absent; it never stops the walk.
//
// Rule: docs/wizard.md, "Facts".
package facts

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"unicode/utf8"

	"golang.org/x/text/language"

	"okstra/lib/jsondoc"
	"okstra/lib/provider"
	"okstra/lib/run"
	"okstra/lib/safetext"
	"okstra/lib/wizard"
)

const (
	maxFile   = 1 << 20 // of a file that a person names
	maxColumn = 80      // of a text from a file, in a label
)

// Git answers the questions about refs. Head fails outside a repository.
type Git interface {
	Head() (string, error)
	DefaultBranch() string
	Commit(ref string) (string, error)
}

// Project reads the facts of one project. The exported fields say where from;
// they must not change once a fact was asked for.
type Project struct {
	Root       string
	OkstraHome string
	Catalogue  func() (*provider.Catalogue, error)
	Git        Git
	Installed  func(command string) bool
	Getenv     func(string) string
	Warn       func(text string)

	list     *wizard.TaskList
	one      map[string]*wizard.TaskFact // by ref; nil for a task that is not there
	reports  map[string][]reportFile     // by ref
	plans    map[string]planned          // by path of the data
	rows     *provider.Catalogue
	team     *wizard.ProviderFacts
	saved    *saved
	registry map[string]bool
	refs     *wizard.RefFacts

	warnings sync.Mutex
	warned   map[string]bool
}

var _ wizard.Facts = (*Project)(nil)

// warnf says once what could not be read.
func (p *Project) warnf(format string, args ...any) {
	p.warnings.Lock()
	defer p.warnings.Unlock()
	text := fmt.Sprintf(format, args...)
	if p.Warn == nil || p.warned[text] {
		return
	}
	if p.warned == nil {
		p.warned = map[string]bool{}
	}
	p.warned[text] = true
	p.Warn(text)
}

// shown makes text from a file fit for a label.
func shown(text string) string { return safetext.Cut(safetext.Line(text), maxColumn) }

// read decodes a document of ours. What is missing is no fact; what cannot be
// read is a warning.
func (p *Project) read(name string, v any) bool {
	doc, err := jsondoc.ReadFile(name)
	if err == nil {
		err = doc.Decode(v)
	}
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		p.warnf("left out: %v", err)
	}
	return err == nil
}

// entries lists a folder in the order of names; one that is missing is empty.
func (p *Project) entries(dir string) []fs.DirEntry {
	entries, err := os.ReadDir(dir)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		p.warnf("left out: %v", plainError(dir, err))
	}
	return entries
}

// Refs tells where a run may start; Head is "" outside a git repository.
func (p *Project) Refs() wizard.RefFacts {
	if p.refs == nil {
		p.refs = &wizard.RefFacts{}
		if head, err := p.Git.Head(); err == nil {
			*p.refs = wizard.RefFacts{Head: head, DefaultBranch: p.Git.DefaultBranch()}
		}
	}
	return *p.refs
}

// Commit is the full commit that a ref names now.
func (p *Project) Commit(ref string) (string, error) {
	commit, err := p.Git.Commit(ref)
	if err != nil {
		return "", fmt.Errorf("%q names no commit (expected a branch, a tag or a commit id)", ref)
	}
	return commit, nil
}

// Language is the canonical form of a language tag. The undetermined language
// and tags for private use parse, but nobody can translate into them.
func (p *Project) Language(tag string) (string, error) {
	parsed, err := language.Parse(tag)
	if err != nil {
		return "", fmt.Errorf("%q is no language tag (expected one such as ko, ja or pt-BR)", tag)
	}
	base, _, _ := parsed.Raw()
	private := strings.HasPrefix(parsed.String(), "x-") || strings.Contains(parsed.String(), "-x-")
	if base.String() == "und" || private {
		return "", fmt.Errorf("%q names no language (expected one such as ko, ja or pt-BR)", tag)
	}
	return parsed.String(), nil
}

// File checks a text file that a person named: inside the project, or
// absolute. Links are followed; the path that comes back has none.
func (p *Project) File(name string) (wizard.FileFact, error) {
	if name == "" {
		return wizard.FileFact{}, errors.New("no file is named")
	}
	full := run.Abs(p.Root, name)
	if !filepath.IsAbs(name) && !filepath.IsLocal(name) {
		return wizard.FileFact{}, fmt.Errorf("%q leads out of the project (expected a path inside it, or an absolute one)", name)
	}
	resolved, err := filepath.EvalSymlinks(full)
	if err != nil {
		return wizard.FileFact{}, plainError(name, err)
	}
	file, err := jsondoc.Open(resolved) // regular files only
	if err != nil {
		return wizard.FileFact{}, plainError(name, err)
	}
	defer file.Close()
	content, err := io.ReadAll(io.LimitReader(file, maxFile+1))
	switch {
	case err != nil:
		return wizard.FileFact{}, plainError(name, err)
	case len(content) > maxFile:
		return wizard.FileFact{}, fmt.Errorf("%q has more than %d bytes", name, maxFile)
	case !utf8.Valid(content):
		return wizard.FileFact{}, fmt.Errorf("%q is not UTF-8", name)
	}
	return wizard.FileFact{Path: run.Rel(p.Root, resolved), Shown: resolved}, nil
}

// plainError drops the system's path from an error: the name that the person
// gave stands in front of it already.
func plainError(name string, err error) error {
	var pathError *fs.PathError
	var readError *jsondoc.ReadError
	switch {
	case errors.As(err, &pathError):
		err = pathError.Err
	case errors.As(err, &readError):
		err = readError.Err
	}
	return fmt.Errorf("%q: %w", name, err)
}

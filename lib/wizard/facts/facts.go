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
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"unicode/utf8"

	"golang.org/x/text/language"

	"okstra/lib/provider"
	"okstra/lib/run"
	"okstra/lib/safetext"
	"okstra/lib/wizard"
)

const (
	maxFile   = 1 << 20
	maxColumn = 80
)

// Git answers the questions about refs. Head fails outside a repository.
type Git interface {
	Head() (string, error)
	DefaultBranch() string
	Commit(ref string) (string, error)
}

// Project reads the facts of one project. The fields say where from.
type Project struct {
	Root       string
	OkstraHome string
	Catalogue  *provider.Catalogue
	Git        Git
	Installed  func(command string) bool
	Getenv     func(string) string
	Warn       func(text string)

	tasks     []wizard.TaskFact
	haveTasks bool
	plans     map[string][]wizard.PlanFact
}

var _ wizard.Facts = (*Project)(nil)

func (p *Project) warnf(format string, args ...any) {
	if p.Warn != nil {
		p.Warn(fmt.Sprintf(format, args...))
	}
}

// shown makes text from a file fit for a label.
func shown(text string) string { return safetext.Cut(safetext.Line(text), maxColumn) }

// Refs tells where a run may start; Head is "" outside a git repository.
func (p *Project) Refs() wizard.RefFacts {
	head, err := p.Git.Head()
	if err != nil {
		return wizard.RefFacts{}
	}
	return wizard.RefFacts{Head: head, DefaultBranch: p.Git.DefaultBranch()}
}

// Commit is the full commit that a ref names now.
func (p *Project) Commit(ref string) (string, error) { return p.Git.Commit(ref) }

// defaultRoster is who takes part when nobody was chosen.
var defaultRoster = []string{"claude", "codex"}

// Providers lists the catalogue's providers whose command is installed. The
// built-in replay is no agent and only taken when it is named.
func (p *Project) Providers() wizard.ProviderFacts {
	facts := wizard.ProviderFacts{Default: defaultRoster}
	for _, row := range p.Catalogue.Providers() {
		if row.ID == provider.Replay || !p.Installed(row.Command) {
			continue
		}
		one := wizard.ProviderFact{ID: row.ID, Name: row.Name(), CanWrite: true, DefaultModel: row.DefaultModel}
		for _, m := range row.Models {
			if m.Selectable {
				one.Models = append(one.Models, wizard.ModelFact{ID: m.ID, Name: m.DisplayName})
			}
		}
		one.Resolve = func(name string) (string, error) {
			m, err := row.Resolve(name)
			return m.ID, err
		}
		facts.Installed = append(facts.Installed, one)
	}
	return facts
}

// Defaults is the "provider/model" that the environment sets for a role, as
// OKSTRA_DEFAULT_REPORT_WRITER_MODEL does.
func (p *Project) Defaults(role string) (string, bool) {
	name := "OKSTRA_DEFAULT_" + strings.ToUpper(strings.NewReplacer("-", "_", ".", "_").Replace(role)) + "_MODEL"
	value := p.Getenv(name)
	return value, value != ""
}

// SavedLanguage is the report language that the environment sets, or "".
func (p *Project) SavedLanguage() string {
	tag, err := p.Language(p.Getenv("OKSTRA_DEFAULT_REPORT_LANGUAGE"))
	if err != nil {
		return ""
	}
	return tag
}

// Language is the canonical form of a language tag. The undetermined language
// and private-use tags parse, but nobody can translate into them.
func (p *Project) Language(tag string) (string, error) {
	parsed, err := language.Parse(tag)
	if err != nil {
		return "", fmt.Errorf("%q is no language tag (expected one as ko, ja or pt-BR)", tag)
	}
	base, _ := parsed.Base()
	if parsed == language.Und || base.String() == "und" || strings.HasPrefix(parsed.String(), "x-") {
		return "", fmt.Errorf("%q names no language (expected one as ko, ja or pt-BR)", tag)
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
	if rel := run.Rel(p.Root, filepath.Clean(full)); !filepath.IsAbs(name) && filepath.IsAbs(rel) {
		return wizard.FileFact{}, fmt.Errorf("%q leads out of the project (expected a path inside it, or an absolute one)", name)
	}
	resolved, err := filepath.EvalSymlinks(full)
	if err != nil {
		return wizard.FileFact{}, plainError(name, err)
	}
	info, err := os.Stat(resolved)
	switch {
	case err != nil:
		return wizard.FileFact{}, plainError(name, err)
	case !info.Mode().IsRegular():
		return wizard.FileFact{}, fmt.Errorf("%q is no regular file", name)
	case info.Size() > maxFile:
		return wizard.FileFact{}, fmt.Errorf("%q has %d bytes (expected %d or less)", name, info.Size(), maxFile)
	}
	content, err := os.ReadFile(resolved)
	switch {
	case err != nil:
		return wizard.FileFact{}, plainError(name, err)
	case !utf8.Valid(content):
		return wizard.FileFact{}, fmt.Errorf("%q is not UTF-8", name)
	}
	return wizard.FileFact{Path: run.Rel(p.Root, resolved), Shown: resolved}, nil
}

// plainError drops the system's path from an error: the name that the person
// gave stands in front of it already.
func plainError(name string, err error) error {
	var pathError *fs.PathError
	if errors.As(err, &pathError) {
		err = pathError.Err
	}
	return fmt.Errorf("%q: %w", name, err)
}

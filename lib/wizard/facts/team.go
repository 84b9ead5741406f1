package facts

import (
	"fmt"
	"path/filepath"
	"strings"

	"okstra/lib/provider"
	"okstra/lib/wizard"
)

// defaultRoster is who takes part when nobody was chosen.
var defaultRoster = []string{"claude", "codex"}

// catalogue is read when somebody asks for a provider.
func (p *Project) catalogue() *provider.Catalogue {
	if p.rows == nil {
		rows, err := p.Catalogue()
		if err != nil {
			p.warnf("left out: %v", err)
			rows = &provider.Catalogue{}
		}
		p.rows = rows
	}
	return p.rows
}

// Providers lists the catalogue's providers whose command is installed. The
// built-in replay is no agent and takes part only when it is named.
func (p *Project) Providers() wizard.ProviderFacts {
	if p.team != nil {
		return *p.team
	}
	p.team = &wizard.ProviderFacts{Default: defaultRoster}
	for _, row := range p.catalogue().Providers() {
		replays := row.ID == provider.Replay
		if !replays {
			p.team.Known = append(p.team.Known, row.Command)
			if !p.Installed(row.Command) {
				continue
			}
		}
		one := wizard.ProviderFact{
			ID: row.ID, Name: row.Name(), Offered: !replays, CanWrite: len(row.Boundaries) > 0, DefaultModel: row.DefaultModel,
		}
		for _, m := range row.Models {
			if m.Selectable {
				one.Models = append(one.Models, wizard.ModelFact{ID: m.ID, Name: m.DisplayName})
			}
		}
		p.team.Installed = append(p.team.Installed, one)
	}
	return *p.team
}

// Model is the canonical "provider/model" of a model that somebody typed. Only
// installed providers count.
func (p *Project) Model(name string) (string, error) {
	row, model, err := p.catalogue().Resolve(name)
	if err != nil {
		return "", err
	}
	for _, installed := range p.Providers().Installed {
		if installed.ID == row.ID {
			return row.ID + "/" + model.ID, nil
		}
	}
	return "", fmt.Errorf("%q is a model of %s, whose command %q is not on PATH", name, row.Name(), row.Command)
}

// saved are the defaults that a person keeps for a project.
type saved struct {
	Models         map[string]string `json:"models"`
	ReportLanguage string            `json:"reportLanguage"`
}

func (p *Project) defaults() saved {
	if p.saved == nil {
		p.saved = &saved{}
		p.read(filepath.Join(p.Root, ".okstra", "defaults.json"), p.saved)
	}
	return *p.saved
}

// Defaults is the "provider/model" that is kept for a role: in the project, else
// in the environment, as OKSTRA_DEFAULT_REPORT_WRITER_MODEL is. One that names
// nothing installed is a warning.
func (p *Project) Defaults(role string) (string, bool) {
	variable := "OKSTRA_DEFAULT_" + strings.ToUpper(strings.NewReplacer("-", "_", ".", "_").Replace(role)) + "_MODEL"
	for _, kept := range []struct{ where, name string }{
		{".okstra/defaults.json: /models/" + role, p.defaults().Models[role]},
		{variable, p.Getenv(variable)},
	} {
		if kept.name == "" {
			continue
		}
		canonical, err := p.Model(kept.name)
		if err == nil {
			return canonical, true
		}
		p.warnf("left out: %s: %v", kept.where, err)
	}
	return "", false
}

// SavedLanguage is the report language that is kept for the project or in the
// environment, or "".
func (p *Project) SavedLanguage() string {
	for _, kept := range []struct{ where, tag string }{
		{".okstra/defaults.json: /reportLanguage", p.defaults().ReportLanguage},
		{"OKSTRA_DEFAULT_REPORT_LANGUAGE", p.Getenv("OKSTRA_DEFAULT_REPORT_LANGUAGE")},
	} {
		if kept.tag == "" {
			continue
		}
		tag, err := p.Language(kept.tag)
		if err == nil {
			return tag
		}
		p.warnf("left out: %s: %v", kept.where, err)
	}
	return ""
}

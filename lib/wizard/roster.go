package wizard

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"okstra/lib/run"
)

// needed is the least number of workers: two analysers, or one verifier.
func needed(v view) int {
	switch {
	case !v.notHandoff():
		return 0
	case v.analyses():
		return 2
	}
	return 1
}

// defaultWorkers are the installed providers of the default roster. In an
// implementation the executor's provider verifies too, in a fresh session and
// after the others.
func defaultWorkers(v view) []string {
	f := v.facts.Providers()
	executor := v.get("executor")
	var workers []string
	for _, id := range f.Default {
		if _, ok := f.provider(id); ok && !(v.implements() && id == executor) {
			workers = append(workers, id)
		}
	}
	if v.implements() && executor != "" {
		workers = append(workers, executor)
	}
	return workers
}

// workers are the analysers or verifiers; none while they are not known yet.
func (v view) workers() []string {
	switch {
	case !v.notHandoff() || !v.has("defaults_or_custom"):
		return nil
	case v.has("workers"):
		return v.list("workers")
	case v.is("defaults_or_custom", custom):
		return nil
	}
	if d := defaultWorkers(v); len(d) >= needed(v) {
		return d
	}
	return nil
}

// role is a worker or another part that needs a model, and the step that asks
// for it.
type role struct{ name, step string }

var (
	leadRole       = role{"lead", "lead_model"}
	executorRole   = role{run.RoleImplementer, "executor_model"}
	writerRole     = role{run.RoleReportWriter, "report_writer_model"}
	translatorRole = role{run.RoleTranslator, "translator_model"}
)

func workerRole(id string) role { return role{id, id + "_model"} }

// roles are those that the run has. The lead of a current session is the
// session itself, unless a preset told its model.
func (v view) roles() []role {
	var out []role
	if v.notHandoff() && (v.state.HostEntryMode == External || v.has(leadRole.step)) {
		out = append(out, leadRole)
	}
	for _, w := range v.workers() {
		out = append(out, workerRole(w))
	}
	if v.implements() {
		out = append(out, executorRole)
	}
	if v.notHandoff() {
		out = append(out, writerRole)
	}
	if len(v.translations()) > 0 {
		out = append(out, translatorRole)
	}
	return out
}

// model is the "provider/model" of a role: what was chosen, else its default.
func (v view) model(r role) string {
	switch a := v.get(r.step); a {
	case "", keep:
		return v.defaultModel(r)
	case Custom:
		return v.canonicalModel(v.get(r.step + textSuffix))
	default:
		return a
	}
}

// defaultModel is what is saved for the role, else what the roster says: the
// report writer follows the lead, the translator the report writer, and the
// executor runs what its provider runs as a worker.
func (v view) defaultModel(r role) string {
	if m, ok := v.facts.Defaults(r.name); ok {
		return m
	}
	f := v.facts.Providers()
	switch r {
	case translatorRole:
		return v.model(writerRole)
	case executorRole:
		return v.providerModel(v.get("executor"))
	case leadRole:
		return v.hostModel(f)
	case writerRole:
		if v.state.HostEntryMode == External || v.has(leadRole.step) {
			return v.model(leadRole)
		}
		return v.hostModel(f)
	}
	return v.providerModel(providerOf(r.name))
}

// hostModel is the model of the host's own provider, else of the first one of
// the default roster that is installed, else of the first installed at all.
func (v view) hostModel(f ProviderFacts) string {
	ids := append([]string{hostProvider(v.state.HostRuntime)}, f.Default...)
	for _, p := range f.byDefault() {
		ids = append(ids, p.ID)
	}
	for _, id := range ids {
		if m := v.providerModel(id); m != "" {
			return m
		}
	}
	return ""
}

// providerModel is what a provider runs as a worker, "" if it is not there.
func (v view) providerModel(id string) string {
	p, ok := v.facts.Providers().provider(id)
	if !ok || p.DefaultModel == "" {
		return ""
	}
	if m, ok := v.facts.Defaults(id); ok {
		return m
	}
	return id + "/" + p.DefaultModel
}

// canonicalModel is "provider/model" by the catalogue, or the text as it is.
func (v view) canonicalModel(text string) string {
	if canonical, err := v.facts.Model(text); err == nil {
		return canonical
	}
	return text
}

// models gives every role its model, for the run inputs.
func (v view) models() (map[string]string, error) {
	out := map[string]string{}
	for _, r := range v.roles() {
		m := v.model(r)
		if m == "" {
			return nil, fmt.Errorf("no model for %s", r.name)
		}
		out[r.name] = m
	}
	return out, nil
}

// workerModels are the different models that the workers run, in their order.
func (v view) workerModels() []string {
	var models []string
	for _, w := range v.workers() {
		if m := v.model(workerRole(w)); m != "" && !slices.Contains(models, m) {
			models = append(models, m)
		}
	}
	return models
}

// critic is the "provider/model" of the critic, or "".
func (v view) critic() string {
	models := v.workerModels()
	if !v.is("critic_pick", "yes") || len(models) == 0 {
		return ""
	}
	if a := v.get(criticModelStep); slices.Contains(models, a) {
		return a
	}
	return models[0]
}

// rosterText says who would take part by default, whatever was said about
// single models.
func rosterText(v view) string {
	v = v.withoutModels()
	var parts []string
	if v.implements() {
		parts = append(parts, v.say.Text("roster.implementer", v.orNone(v.defaultModel(executorRole))))
	}
	var workers []string
	for _, w := range defaultWorkers(v) {
		workers = append(workers, v.defaultModel(workerRole(w)))
	}
	key := "roster.verifiers"
	if v.analyses() {
		key = "roster.analysers"
	}
	return strings.Join(append(parts,
		v.say.Text(key, v.orNone(strings.Join(workers, ", "))),
		v.say.Text("roster.report", v.orNone(v.defaultModel(writerRole)))), "; ")
}

// withoutModels is the view without the answers that models depend on.
func (v view) withoutModels() view {
	state := *v.state
	state.Answers = maps.Clone(state.Answers)
	maps.DeleteFunc(state.Answers, func(id, _ string) bool { return isModelStep(id) })
	v.state = &state
	return v
}

// translations are the languages the report is translated to.
func (v view) translations() []string {
	a := v.typed("report_language_pick", "report_language")
	if a == "" || a == none {
		return []string{}
	}
	if tag, err := v.facts.Language(a); err == nil {
		a = tag
	}
	return []string{a}
}

package wizard

import (
	"fmt"
	"slices"
	"strings"
)

var teamReads = []string{"task_type", "executor", "defaults_or_custom", "workers", "providers"}

var teamRows = []row{
	{
		id: "executor", reads: []string{"task_type", "providers"}, shown: ofType("implementation"),
		options: func(v view) []Option {
			var options []Option
			for _, p := range v.facts.Providers().Installed {
				if p.CanWrite {
					options = append(options, Option{Value: p.ID, Label: p.Name})
				}
			}
			return options
		},
		input: func(_ view, in *inputs, a string) { in.Executor = a },
	},
	{
		id: "defaults_or_custom", group: "extras", reads: []string{"task_type", "executor", "providers"},
		shown: func(v view) bool { return notHandoff(v) && (!v.is("task_type", "implementation") || v.has("executor")) },
		options: func(v view) []Option {
			options := plain("defaults_or_custom", "defaults", "custom")(v)
			options[0].Description = rosterText(v)
			return options
		},
	},
	{
		id: "workers", multi: true, reads: []string{"task_type", "executor", "defaults_or_custom", "providers"},
		shown: func(v view) bool {
			return v.is("defaults_or_custom", "custom") || v.is("defaults_or_custom", "defaults") && len(defaultWorkers(v)) < needed(v)
		},
		options: func(v view) []Option {
			installed := v.facts.Providers().Installed
			options := make([]Option, 0, 2*len(installed))
			for _, p := range installed {
				options = append(options, Option{Value: p.ID, Label: p.Name})
			}
			for _, p := range installed {
				options = append(options, Option{Value: p.ID + "-2", Label: v.say.Text("workers=second", p.Name)})
			}
			return options
		},
		check: func(v view, a string) error {
			if n := len(strings.FieldsFunc(a, func(c rune) bool { return c == ',' })); n < needed(v) {
				return refuse("too-few", "workers: %d chosen (expected %d or more)", n, needed(v))
			}
			return nil
		},
	},
}

var criticRow = row{
	id: "critic_pick", group: "extras", reads: []string{"task_type", "executor", "defaults_or_custom", "workers", "providers"},
	shown:   func(v view) bool { return v.among("task_type", criticOf...) && len(v.workers()) > 0 },
	options: plain("critic_pick", "no", "yes"),
	check: func(v view, a string) error {
		if a == "yes" && len(v.workers()) < 2 {
			return refuse("too-few", "critic_pick: a critic needs two workers (found %d)", len(v.workers()))
		}
		return nil
	},
}

// needed is the least number of workers: two analysers, or one verifier.
func needed(v view) int {
	switch {
	case !notHandoff(v):
		return 0
	case v.analyses():
		return 2
	}
	return 1
}

// defaultWorkers are the installed providers of the default roster; in an
// implementation the executor's provider verifies too, in a fresh session.
func defaultWorkers(v view) []string {
	f := v.facts.Providers()
	var workers []string
	for _, id := range f.Default {
		if _, ok := f.provider(id); ok && id != v.get("executor") {
			workers = append(workers, id)
		}
	}
	if v.is("task_type", "implementation") && v.has("executor") {
		workers = append(workers, v.get("executor"))
	}
	return workers
}

// workers are the analysers or verifiers; none while they are not known yet.
func (v view) workers() []string {
	switch {
	case !notHandoff(v) || !v.has("defaults_or_custom"):
		return nil
	case v.has("workers"):
		return v.list("workers")
	case v.is("defaults_or_custom", "custom"):
		return nil
	}
	if d := defaultWorkers(v); len(d) >= needed(v) {
		return d
	}
	return nil
}

func (f ProviderFacts) provider(id string) (ProviderFact, bool) {
	i := slices.IndexFunc(f.Installed, func(p ProviderFact) bool { return p.ID == id })
	if i < 0 {
		return ProviderFact{}, false
	}
	return f.Installed[i], true
}

// providerOf is the provider of a worker that the wizard named.
func providerOf(worker string) string { return strings.TrimSuffix(worker, "-2") }

// hostProvider is the provider whose CLI a host is.
func hostProvider(runtime string) string { return strings.TrimSuffix(runtime, "-code") }

// roles are the workers and other roles that need a model, with the step that
// asks for it, in the order of the steps.
func (v view) roles() []role {
	var out []role
	add := func(name, step string) { out = append(out, role{name, step}) }
	if v.state.HostEntryMode == "external" {
		add("lead", "lead_model")
	}
	for _, w := range v.workers() {
		add(w, w+"_model")
	}
	if v.is("task_type", "implementation") {
		add("implementer", "executor_model")
	}
	if notHandoff(v) {
		add("report-writer", "report_writer_model")
	}
	if len(v.translations()) > 0 {
		add("translator", "translator_model")
	}
	return out
}

type role struct{ name, step string }

// model is the "provider/model" of a role: what was chosen, else its default.
func (v view) model(name, step string) string {
	switch a := v.get(step); a {
	case "", "keep":
		return v.defaultModel(name)
	case Custom:
		return v.canonicalModel(v.get(step + "_text"))
	default:
		return a
	}
}

// defaultModel follows the rules of the roster: the report writer follows the
// lead, the translator the report writer, the executor its provider.
func (v view) defaultModel(name string) string {
	if m, ok := v.facts.Defaults(name); ok {
		return m
	}
	f := v.facts.Providers()
	switch name {
	case "translator":
		return v.model("report-writer", "report_writer_model")
	case "implementer":
		return f.defaultOf(v.get("executor"))
	case "report-writer", "lead":
		if name == "report-writer" && v.state.HostEntryMode == "external" {
			return v.model("lead", "lead_model")
		}
		for _, id := range append([]string{hostProvider(v.state.HostRuntime)}, f.Default...) {
			if m := f.defaultOf(id); m != "" {
				return m
			}
		}
		if len(f.Installed) > 0 {
			return f.defaultOf(f.Installed[0].ID)
		}
		return ""
	}
	return f.defaultOf(providerOf(name))
}

func (f ProviderFacts) defaultOf(id string) string {
	p, ok := f.provider(id)
	if !ok || p.DefaultModel == "" {
		return ""
	}
	return id + "/" + p.DefaultModel
}

// canonicalModel is "provider/model" by the catalogue, or text as it is.
func (v view) canonicalModel(text string) string {
	id, model, _ := strings.Cut(text, "/")
	if p, ok := v.facts.Providers().provider(id); ok && p.Resolve != nil {
		if canonical, err := p.Resolve(model); err == nil {
			return id + "/" + canonical
		}
	}
	return text
}

func (v view) checkModel(step, text string) error {
	id, model, ok := strings.Cut(text, "/")
	if !ok {
		return refuse("unknown-model", "%s: %q (expected provider/model)", step, text)
	}
	p, installed := v.facts.Providers().provider(id)
	if !installed {
		return refuse("unknown-model", "%s: no installed provider %q", step, id)
	}
	if p.Resolve == nil {
		return nil
	}
	if _, err := p.Resolve(model); err != nil {
		return refuse("unknown-model", "%s: %v", step, err)
	}
	return nil
}

// modelRows asks for each model when the roster is chosen by hand, and for
// the critic's whenever there is a choice.
func modelRows(v view) []row {
	var out []row
	if v.is("defaults_or_custom", "custom") {
		for _, r := range v.roles() {
			out = append(out, modelRow(r), modelTextRow(r))
		}
	}
	if v.is("critic_pick", "yes") && v.is("defaults_or_custom", "custom") {
		out = append(out, criticModelRow)
	}
	return out
}

var modelReads = slices.Concat(teamReads, []string{"critic_pick", "report_language_pick", "report_language"})

func modelRow(r role) row {
	return row{
		id: r.step, group: "models", custom: true, reads: modelReads, texts: "model", args: []string{r.name},
		options: func(v view) []Option {
			options := []Option{{Value: "keep", Label: v.say.Text("model=keep", v.defaultModel(r.name))}}
			for _, p := range v.facts.Providers().Installed {
				if isWorker := slices.Contains(v.workers(), r.name); isWorker && p.ID != providerOf(r.name) {
					continue
				}
				for _, m := range p.Models {
					options = append(options, Option{Value: p.ID + "/" + m.ID, Label: p.Name + " " + m.Name})
				}
			}
			return options
		},
		check: func(v view, a string) error {
			if a == "keep" && v.defaultModel(r.name) == "" {
				return refuse("unknown-model", "%s: there is no default model for %s", r.step, r.name)
			}
			return nil
		},
	}
}

func modelTextRow(r role) row {
	return row{
		id: r.step + "_text", text: true, reads: append([]string{r.step}, modelReads...), texts: "model_text", args: []string{r.name},
		shown: whenCustom(r.step),
		check: func(v view, a string) error { return v.checkModel(r.step+"_text", a) },
	}
}

var criticModelRow = row{
	id: "critic_model", group: "models", reads: modelReads,
	shown: func(v view) bool { return v.is("critic_pick", "yes") },
	options: func(v view) []Option {
		var options []Option
		for _, w := range v.workers() {
			m := v.model(w, w+"_model")
			if !slices.ContainsFunc(options, func(o Option) bool { return o.Value == m }) {
				options = append(options, Option{Value: m, Label: m})
			}
		}
		return options
	},
}

// critic is the "provider/model" of the critic, or "".
func (v view) critic() string {
	workers := v.workers()
	switch {
	case !v.is("critic_pick", "yes") || len(workers) == 0:
		return ""
	case v.has("critic_model"):
		return v.get("critic_model")
	}
	return v.model(workers[0], workers[0]+"_model")
}

// rosterText says who would take part by default.
func rosterText(v view) string {
	var parts []string
	if v.is("task_type", "implementation") {
		parts = append(parts, v.say.Text("roster.implementer", v.defaultModel("implementer")))
	}
	var workers []string
	for _, w := range defaultWorkers(v) {
		workers = append(workers, v.defaultModel(w))
	}
	key := "roster.verifiers"
	if v.analyses() {
		key = "roster.analysers"
	}
	parts = append(parts, v.say.Text(key, orNone(v, strings.Join(workers, ", "))), v.say.Text("roster.report", v.defaultModel("report-writer")))
	return strings.Join(parts, "; ")
}

func orNone(v view, s string) string {
	if s == "" {
		return v.say.Text("none")
	}
	return s
}

// models gives every role its model, for the run inputs.
func (v view) models() (map[string]string, error) {
	out := map[string]string{}
	for _, r := range v.roles() {
		m := v.model(r.name, r.step)
		if m == "" {
			return nil, fmt.Errorf("no model for %s", r.name)
		}
		out[r.name] = m
	}
	return out, nil
}

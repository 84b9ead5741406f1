package wizard

import (
	"slices"
	"strings"
)

const (
	keep            = "keep"
	textSuffix      = "_text"
	criticModelStep = "critic_model"
)

// modelRows ask for the model of each role when the roster is chosen by hand.
func modelRows(workers []string) []row {
	out := modelPair(leadRole, []string{"task_type", "defaults_or_custom"})
	for _, w := range workers {
		out = append(out, workerPair(w)...)
	}
	out = append(out, modelPair(executorRole, []string{"task_type", "executor", "defaults_or_custom"})...)
	lead := []string{leadRole.step, leadRole.step + textSuffix}
	writer := slices.Concat([]string{"task_type", "defaults_or_custom"}, lead)
	out = append(out, modelPair(writerRole, writer)...)
	translator := slices.Concat(writer, []string{writerRole.step, writerRole.step + textSuffix, "report_language_pick", "report_language"})
	out = append(out, modelPair(translatorRole, translator)...)
	return append(out, criticModelRow(workers))
}

// asksModels says whether rows of models can be shown or answered at all. The
// others need not be made, and nobody need look which providers there are.
func (v view) asksModels() bool {
	if v.is("defaults_or_custom", custom) {
		return true
	}
	for id := range v.state.Answers {
		if isModelStep(id) {
			return true
		}
	}
	return false
}

func isModelStep(id string) bool {
	return strings.HasSuffix(strings.TrimSuffix(id, textSuffix), "_model")
}

// possibleWorkers are the ids that workers may have: the installed providers,
// then their second sessions.
func possibleWorkers(v view) []string {
	var workers []string
	for _, ending := range []string{"", second} {
		for _, p := range v.facts.Providers().Installed {
			workers = append(workers, p.ID+ending)
		}
	}
	return workers
}

func workerPair(id string) []row {
	return modelPair(workerRole(id), rosterReads)
}

// modelPair is the pick of a role's model and the text behind it. A model that
// was told beforehand is an answer even where nobody would be asked.
func modelPair(r role, reads []string) []row {
	pick := row{
		id: r.step, group: "models", typed: r.step + textSuffix, texts: "model", args: []string{r.name},
		when: "defaults_or_custom = custom, and the run has the role", reads: reads, facts: []string{"providers", "defaults"},
		shown: func(v view) bool {
			asked := v.is("defaults_or_custom", custom) || v.has(r.step)
			return asked && slices.Contains(v.roles(), r)
		},
		options: func(v view) []Option { return modelOptions(v, r) },
		check: func(v view, a string) error {
			if a == keep && v.defaultModel(r) == "" {
				return Refuse("unknown-model", "%s: there is no default model for %s (expected one that is named)", r.step, r.name)
			}
			return nil
		},
	}
	text := row{
		id: r.step + textSuffix, text: true, texts: "model_text", args: []string{r.name},
		when: "its model is typed", reads: textReads(r), facts: []string{"providers"},
		shown: whenCustom(r.step),
		check: func(v view, a string) error { return checkModel(v, r, a) },
	}
	return []row{pick, text}
}

// textReads are the rows behind a typed model.
func textReads(r role) []string {
	if r == executorRole {
		return []string{r.step, "executor"}
	}
	return []string{r.step}
}

// modelOptions begins with what the role would run anyway. A worker keeps its
// provider: the id is the provider's.
func modelOptions(v view, r role) []Option {
	options := []Option{{Value: keep, Label: v.say.Text("model=keep", v.orNone(v.defaultModel(r)))}}
	if v.defaultModel(r) == "" {
		options = nil
	}
	for _, p := range v.facts.Providers().Installed {
		if own := r.provider(v); own != "" && p.ID != own || own == "" && !p.Offered {
			continue
		}
		for _, m := range p.Models {
			options = append(options, Option{Value: p.ID + "/" + m.ID, Label: m.Name, Description: p.Name})
		}
	}
	return options
}

// provider is the one that the role was given with its name, or by the choice
// of the executor; the other roles may run any.
func (r role) provider(v view) string {
	switch r {
	case leadRole, writerRole, translatorRole:
		return ""
	case executorRole:
		return v.get("executor")
	}
	return providerOf(r.name)
}

func checkModel(v view, r role, text string) error {
	canonical, err := v.facts.Model(text)
	if err != nil {
		return Refuse("unknown-model", "%s: %v", r.step+textSuffix, err)
	}
	own := r.provider(v)
	if id, _, _ := strings.Cut(canonical, "/"); own != "" && id != own {
		return Refuse("unknown-model", "%s: %q is a model of %q (expected one of %q)", r.step+textSuffix, text, id, own)
	}
	return nil
}

// criticModelRow offers what the workers run and nothing else: the critic is
// one of them.
func criticModelRow(workers []string) row {
	reads := append([]string{"critic_pick"}, rosterReads...)
	for _, w := range workers {
		step := workerRole(w).step
		reads = append(reads, step, step+textSuffix)
	}
	return row{
		id: criticModelStep, group: "models", texts: "critic_model",
		when: "defaults_or_custom = custom, and critic_pick = yes", reads: reads, facts: []string{"providers", "defaults"},
		shown: func(v view) bool {
			return v.is("critic_pick", "yes") && (v.is("defaults_or_custom", custom) || v.has(criticModelStep))
		},
		options: func(v view) []Option {
			models := v.workerModels()
			if len(models) == 0 {
				return nil
			}
			return append([]Option{{Value: keep, Label: v.say.Text("model=keep", models[0])}}, asOptions(models)...)
		},
	}
}

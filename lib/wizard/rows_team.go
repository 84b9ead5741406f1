package wizard

import (
	"slices"
	"strings"
)

var rosterReads = []string{"task_type", "executor", "defaults_or_custom", "workers"}

// teamRows ask who takes part.
var teamRows = []row{
	{
		id: "executor", when: "implementation", reads: []string{"task_type"}, facts: []string{"providers"},
		shown: view.implements,
		options: func(v view) []Option {
			var options []Option
			for _, p := range v.facts.Providers().byDefault() {
				options = append(options, Option{Value: p.ID, Label: p.Name})
			}
			return options
		},
		alias: hiddenProviders(""), offers: isWorker(false), detail: noneInstalled,
		label: providerName,
		check: func(v view, a string) error {
			if p, _ := v.facts.Providers().provider(a); !p.CanWrite {
				return Refuse("cannot-write", "executor: %q cannot change files (expected a provider that can)", a)
			}
			return nil
		},
		input: func(v view, r row, in *inputs) { in.Executor = v.get(r.id) },
	},
	{
		id: "defaults_or_custom", when: "not release-handoff", group: "extras",
		reads: []string{"task_type", "executor"}, facts: []string{"providers", "defaults"},
		shown: func(v view) bool {
			return v.notHandoff() && (!v.implements() || v.has("executor"))
		},
		options: func(v view) []Option {
			options := plain("defaults_or_custom", "defaults", custom)(v)
			options[0].Description = rosterText(v)
			return options
		},
		check: func(v view, a string) error {
			if f := v.facts.Providers(); a == "defaults" && len(f.byDefault()) == 0 && len(defaultWorkers(v)) == 0 {
				return Refuse("no-provider", "defaults_or_custom: no agent CLI is on PATH (expected %s)", list(f.Known, "or"))
			}
			return nil
		},
	},
	{
		id: "workers", when: "defaults_or_custom = custom, or too few of the default roster are installed", multi: true,
		reads: []string{"task_type", "executor", "defaults_or_custom"}, facts: []string{"providers"},
		shown: func(v view) bool {
			return v.notHandoff() && (v.is("defaults_or_custom", custom) ||
				v.is("defaults_or_custom", "defaults") && len(defaultWorkers(v)) < needed(v))
		},
		options: workerOptions, alias: hiddenProviders(second), offers: isWorker(true), detail: noneInstalled,
		label: workerName,
		check: func(v view, a string) error {
			if n := len(splitList(a)); n < needed(v) {
				return Refuse("too-few", "workers: %d chosen (expected %d or more)", n, needed(v))
			}
			return nil
		},
	},
}

// criticRow asks for the critic, once it is known who could be one.
var criticRow = row{
	id: "critic_pick", when: "discovery, error-analysis, planning or final-verification, and the workers are known", group: "extras",
	reads: rosterReads, facts: []string{"providers"},
	shown: func(v view) bool { return v.among("task_type", criticOf...) && len(v.workers()) > 0 },
	ask: func(v view) string {
		if v.is("task_type", "final-verification") {
			return "acceptance"
		}
		return "coverage"
	},
	options: plain("critic_pick", "no", "yes"),
	check: func(v view, a string) error {
		if n := len(v.workers()); a == "yes" && n < 2 {
			return Refuse("too-few", "critic_pick: a critic needs two workers (found %d)", n)
		}
		return nil
	},
}

const (
	custom = "custom" // of defaults_or_custom
	second = "-2"     // ends the id of a provider's second session
)

// byDefault are the offered providers, those of the default roster first.
func (f ProviderFacts) byDefault() []ProviderFact {
	offered := slices.DeleteFunc(slices.Clone(f.Installed), func(p ProviderFact) bool { return !p.Offered })
	slices.SortStableFunc(offered, func(a, b ProviderFact) int { return f.rank(a.ID) - f.rank(b.ID) })
	return offered
}

func (f ProviderFacts) rank(id string) int {
	if i := slices.Index(f.Default, id); i >= 0 {
		return i
	}
	return len(f.Default)
}

func (f ProviderFacts) provider(id string) (ProviderFact, bool) {
	i := slices.IndexFunc(f.Installed, func(p ProviderFact) bool { return p.ID == id })
	if i < 0 {
		return ProviderFact{}, false
	}
	return f.Installed[i], true
}

// workerOptions are the providers, then a second session of each.
func workerOptions(v view) []Option {
	var first, again []Option
	for _, p := range v.facts.Providers().byDefault() {
		first = append(first, Option{Value: p.ID, Label: p.Name})
		again = append(again, Option{Value: p.ID + second, Label: v.say.Text("workers=second", p.Name)})
	}
	return append(first, again...)
}

// noneInstalled explains a pick without a choice.
func noneInstalled(v view) string {
	f := v.facts.Providers()
	if len(f.byDefault()) > 0 {
		return ""
	}
	return v.say.Text("no_provider", strings.Join(f.Known, ", "))
}

// hiddenProviders lets a provider that is not offered be named all the same.
func hiddenProviders(ending string) func(view) map[string]string {
	return func(v view) map[string]string {
		out := map[string]string{}
		for _, p := range v.facts.Providers().Installed {
			if !p.Offered {
				out[p.ID] = p.ID
				out[p.ID+ending] = p.ID + ending
			}
		}
		return out
	}
}

// isWorker says whether a value names an installed provider, or a second
// session of one.
func isWorker(sessions bool) func(view, string) bool {
	return func(v view, value string) bool {
		if sessions {
			value = providerOf(value)
		}
		_, ok := v.facts.Providers().provider(value)
		return ok
	}
}

func providerName(v view, id string) string {
	if p, ok := v.facts.Providers().provider(id); ok {
		return p.Name
	}
	return id
}

func workerName(v view, id string) string {
	if p := providerOf(id); p != id {
		return v.say.Text("workers=second", providerName(v, p))
	}
	return providerName(v, id)
}

// providerOf is the provider of a worker that the wizard named.
func providerOf(worker string) string { return strings.TrimSuffix(worker, second) }

// hostProvider is the provider whose CLI a host is.
func hostProvider(runtime string) string { return strings.TrimSuffix(runtime, "-code") }

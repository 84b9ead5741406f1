package validate

import (
	"regexp"
	"slices"
	"strings"
	"sync"

	"okstra/lib/finding"
	"okstra/lib/provider"
	"okstra/lib/run"
)

// inputsAgree holds the run manifest against the run inputs that it was made
// of. What only one of them knows is no contradiction.
func (j *judge) inputsAgree() {
	m, root := j.manifest.root(), j.inputs.root()
	in := root.get("inputs")
	if !j.manifest.usable() || !in.isObject() {
		return
	}
	if ready := root.get("ready"); ready.has() && !ready.yes() {
		j.at(ready, "true, since the run was planned", "%s", ready.show())
	}
	asked := "as the run inputs ask"
	for _, p := range [][2]node{
		{m.get("host", "runtime"), in.get("host", "runtime")},
		{m.get("host", "entryMode"), in.get("host", "entryMode")},
		{m.get("reportLanguage"), in.get("reportLanguage")},
	} {
		if have, due := p[0], p[1]; have.isText() && due.isText() && have.text() != due.text() {
			j.at(have, due.show()+", "+asked, "%s", have.show())
		}
	}
	if have, due := m.get("translations"), in.get("translations"); have.isList() && due.isList() {
		j.sameMembers(have, "translations", have.texts(), due.texts())
	}
	j.askedWorkers(in)
	j.askedModels(in)
	j.sameBrief(in.get("briefPath"))
}

// sameMembers reports what one list has and the other has not, in any order.
func (j *judge) sameMembers(at node, what string, have, due []string) {
	for _, name := range have {
		if !slices.Contains(due, name) {
			j.at(at, what+" that the run inputs ask for", "a list with %s", name)
		}
	}
	for _, name := range due {
		if !slices.Contains(have, name) {
			j.at(at, "all "+what+" that the run inputs ask for", "a list without %s", name)
		}
	}
}

// askedWorkers compares the analysis workers of the two.
func (j *judge) askedWorkers(in node) {
	rows := j.manifest.root().get("roleExecutions")
	if !rows.isList() || !in.get("workers").isList() {
		return
	}
	var have []string
	for _, n := range j.analysts() {
		have = append(have, n.get("workerId").text())
	}
	j.sameMembers(rows, "workers", have, in.get("workers").texts())
}

// sessionCount is what the wizard adds to the id of a second worker of one provider.
var sessionCount = regexp.MustCompile(`-[0-9]+$`)

// askedModels compares each worker's provider and model with the choice for
// it. A worker without a choice is named after its provider, whose default it
// takes.
func (j *judge) askedModels(in node) {
	models := in.get("models")
	if !models.isObject() {
		return
	}
	for _, n := range j.manifest.root().get("roleExecutions").list() {
		id, choice := n.get("workerId").text(), models.get(n.get("workerId").text())
		named, model, _ := strings.Cut(choice.text(), "/")
		at, due := n.get("model"), n.get("provider")
		switch {
		case id == "" || due.text() == "" || choice.has() && !choice.isText():
		case !choice.has():
			leader := n.get("role").text() == run.RoleLeader
			if !leader && sessionCount.ReplaceAllString(id, "") != due.text() && id != due.text() {
				j.at(models, "a model for each worker that is not named after its provider", "an object without %s", id)
			}
		case named != due.text():
			j.at(due, finding.Quote(named)+", as the run inputs ask", "%s for %s", due.show(), id)
		case at.isText() && model != "" && model != at.text() && model != n.get("modelExecutionValue").text() && meansAnother(named, model, at.text()):
			j.at(at, finding.Quote(model)+", as the run inputs ask", "%s for %s", at.show(), id)
		}
	}
}

var builtinProviders = sync.OnceValues(provider.Builtin)

// meansAnother says whether a name that the catalogue knows stands for a model
// with another id. Of names that it does not know nothing can be said: the
// user's own provider files may have them.
func meansAnother(id, name, model string) bool {
	catalogue, err := builtinProviders()
	if err != nil {
		return false
	}
	row, err := catalogue.Provider(id)
	if err != nil {
		return false
	}
	m, err := row.Resolve(name)
	return err == nil && m.ID != model
}

// sameBrief compares the brief of the run's context with the one asked for.
func (j *judge) sameBrief(due node) {
	have := j.context.root().get("sourceArtifacts", "briefPath")
	if !have.isText() || !due.isText() || have.text() == due.text() {
		return
	}
	a, errA := j.rel(have.text())
	b, errB := j.rel(due.text())
	if errA != nil || errB != nil || a != b {
		j.at(have, due.show()+", as in the run inputs", "%s", have.show())
	}
}

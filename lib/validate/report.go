package validate

import (
	"bytes"
	"path"
	"regexp"
	"slices"
	"strings"

	"okstra/lib/finding"
	"okstra/lib/render"
	"okstra/lib/run"
)

// blocks maps task types to the keys of their blocks in the report.
var blocks = map[string]string{
	discovery: "requirementsDiscovery", "error-analysis": "errorAnalysis", planning: "implementationPlanning", building: "implementation",
	verification: "finalVerification", handoff: "releaseHandoff", "improvement-discovery": "improvementDiscovery",
}

func (j *judge) reportBlock() {
	r := j.report.root()
	if !r.isObject() {
		return
	}
	due := blocks[j.task.TaskType]
	if due != "" && !r.get(due).has() {
		j.at(r.get(due), "the block of "+j.task.TaskType, "missing")
	}
	for _, key := range sorted(blocks) {
		if other := blocks[key]; other != due && r.get(other).has() {
			j.at(r.get(other), due+" alone", "the block of %s in a report of %s", key, j.task.TaskType)
		}
	}
}

// lists are the lists of a report whose rows have ids, with the letter of the
// ids.
var lists = []struct{ pointer, letter string }{
	{"/clarificationItems", "C"},
	{"/consensus", "L"},
	{"/differences", "D"},
	{"/evidence", "E"},
	{"/missingInformation", "M"},
	{"/risks", "R"},
	{"/nextSteps", "N"},
	{"/followUpTasks", "U"},
	{"/requirementsDiscovery/requirements", "Q"},
	{"/errorAnalysis/symptoms", "S"},
	{"/errorAnalysis/hypotheses", "H"},
	{"/implementationPlanning/options", "O"},
	{"/implementationPlanning/validation", "V"},
	{"/implementationPlanning/rollback", "B"},
	{"/implementationPlanning/planBodyVerification/items", "P"},
	{"/finalVerification/acceptanceBlockers", "K"},
	{"/finalVerification/residualRisks", "W"},
	{"/improvementDiscovery/candidates", "I"},
}

func (j *judge) reportIDs() {
	r := j.report.root()
	for _, l := range lists {
		for i, row := range r.find(l.pointer).list() {
			id := row.get("id")
			due := sprintf("%s-%03d", l.letter, i+1)
			if id.isText() && id.text() != due {
				j.at(id, due, "%s", id.show())
				break // what follows is shifted by the same gap
			}
		}
	}
}

// refKeys are the keys under which ids refer to something.
var refKeys = map[string]bool{
	"evidenceRefs": true, "originRefs": true, "refs": true, "missingInputs": true,
	"blockerRef": true, "requirementId": true, "groupId": true,
}

var idForm = regexp.MustCompile(`^([A-Z])-([0-9]{3}|[1-9][0-9]{3,})$`)

// known are the ids that a reference of the report may name, and the letters
// that nothing is known about, so that they cannot be judged.
func (s *subject) known() (ids, unjudged map[string]bool) {
	ids, unjudged = map[string]bool{}, map[string]bool{}
	add := func(rows []node, key string) {
		for _, row := range rows {
			ids[row.get(key).text()] = true
		}
	}
	r := s.report.root()
	for _, l := range lists {
		add(r.find(l.pointer).list(), "id")
	}
	if s.state.usable() {
		add(s.state.root().get("groups").list(), "groupId")
	} else {
		unjudged["G"], unjudged["X"] = true, true
	}
	add(s.planBody.root().get("items").list(), "itemId")
	add(r.find("/implementationPlanning/requirementCoverage").list(), "requirementId")
	if !r.get("requirementsDiscovery").has() && !r.get("implementationPlanning").has() {
		plan := s.plan()
		add(plan.root().find("/implementationPlanning/requirementCoverage").list(), "requirementId")
		unjudged["Q"] = !plan.usable()
	}
	return ids, unjudged
}

// strangers reports positions of workers that are not of the run.
func (j *judge) strangers() {
	known := map[string]bool{}
	rows := slices.Concat(j.manifest.root().get("roleExecutions").list(), j.team.root().get("workers").list(), j.state.root().get("workers").list())
	for _, n := range rows {
		known[n.get("workerId").text()] = true
	}
	for _, list := range []string{"consensus", "differences"} {
		for _, row := range j.report.root().get(list).list() {
			for _, p := range row.get("positions").list() {
				if id := p.get("workerId"); len(rows) > 0 && id.isText() && !known[id.text()] {
					j.at(id, "a worker of the run", "%s, who is none", id.show())
				}
			}
		}
	}
}

func (j *judge) reportRefs() {
	ids, unjudged := j.known()
	check := func(value any, at func() node) {
		text, _ := value.(string)
		if m := idForm.FindStringSubmatch(text); m != nil && !ids[text] && !unjudged[m[1]] {
			j.at(at(), "the id of something in the run", "%s, which names nothing", finding.Quote(text))
		}
	}
	j.strangers()
	j.report.root().walk(func(key string, value any, at func() node) bool {
		if !refKeys[key] {
			return true
		}
		check(value, at)
		at().walk(func(_ string, element any, at func() node) bool {
			check(element, at)
			return false
		})
		return true
	})
}

func (j *judge) reportVerdict() {
	token := j.report.root().find("/verdictCard/verdictToken")
	block := j.report.root().get("finalVerification")
	switch token.text() {
	case "not-applicable":
		j.at(token, "accepted, conditional-accept or blocked", "%s in a final verification", token.show())
	case "accepted":
		var in []string
		for _, b := range block.get("acceptanceBlockers").list() {
			in = append(in, b.get("id").text())
		}
		if len(in) > 0 {
			j.at(token, "conditional-accept or blocked", "%s with %s (%s)", token.show(), finding.Count(len(in), "acceptance blocker"), strings.Join(in, ", "))
			return
		}
		for _, c := range block.get("coverage").list() {
			if c.get("status").text() == "blocked" {
				in = append(in, c.get("requirementId").text())
			}
		}
		if len(in) > 0 {
			j.at(token, "conditional-accept or blocked", "%s with %s (%s)", token.show(), finding.Count(len(in), "blocked requirement"), strings.Join(in, ", "))
		}
	}
}

func (j *judge) reportVerdictType() {
	token := j.report.root().find("/verdictCard/verdictToken")
	if token.isText() && token.text() != "not-applicable" {
		j.at(token, "not-applicable", "%s in a run of type %s", token.show(), j.task.TaskType)
	}
}

func (j *judge) reportStatus() {
	list := j.report.root().get("executionStatus")
	if !list.isList() || !j.team.usable() {
		return
	}
	rows := map[string]node{}
	for _, row := range list.list() {
		id, role := row.get("workerId"), row.get("role")
		key := id.text() + " " + role.text()
		if rows[key].has() {
			j.at(id, "a row for each worker", "%s, which stands twice as %s", id.show(), finding.Quote(role.text()))
			continue
		}
		rows[key] = row
		if role.text() != run.RoleLeader && id.text() != "" && !slices.ContainsFunc(j.roster, func(m *member) bool { return m.id == id.text() && m.role == role.text() }) {
			j.at(id, "a worker of the team state", "%s as %s, which the team state lacks", id.show(), finding.Quote(role.text()))
		}
	}
	for _, m := range j.roster {
		row, there := rows[m.id+" "+m.role]
		switch late := m.role == run.RoleReportWriter || m.role == run.RoleTranslator; {
		case !there && !late:
			j.at(list, "a row for each worker", "a list without %s as %s", m.id, m.role)
		case there:
			j.reportEntry(row, m)
		}
	}
}

// reportEntry compares a row of the report with the worker that it is about.
// A model is told by its name, by what the CLI was given, or with its provider.
func (j *judge) reportEntry(row node, m *member) {
	status := row.get("status")
	if slices.Contains(terminal, m.status) && status.isText() && status.text() != m.status && m.role != run.RoleTranslator {
		j.at(status, m.status+", as in the team state", "%s for %s", status.show(), m.id)
	}
	var models []string
	for _, key := range []string{"model", "modelExecutionValue"} {
		if name := m.get(key).text(); name != "" {
			models = append(models, name, m.get("provider").text()+"/"+name)
		}
	}
	if model := row.get("model"); model.text() != "" && len(models) > 0 && !slices.Contains(models, model.text()) {
		j.at(model, models[0]+", as in the team state", "%s for %s", model.show(), m.id)
	}
	named, due := row.get("resultPath"), m.get("resultPath").text()
	if named.text() == "" || due == "" {
		return
	}
	have, errHave := j.rel(named.text())
	want, errWant := j.rel(due)
	if errHave == nil && errWant == nil && have != want {
		j.at(named, due+", as in the team state", "%s for %s", named.show(), m.id)
	}
}

// sections pairs the sections of a convergence with the lists of the report.
var sections = map[string]string{"consensus": "consensus", "difference": "differences"}

func (j *judge) reportConsensus() {
	r, state := j.report.root(), j.state.root()
	if !r.isObject() || !state.get("findings").isList() || state.get("status").text() == "running" {
		return
	}
	found := map[string]node{}
	for _, f := range state.get("findings").list() {
		found[f.get("groupId").text()] = f
	}
	seen := map[string]bool{}
	for _, list := range []string{"consensus", "differences"} {
		for _, row := range r.get(list).list() {
			id := row.get("groupId")
			f, ok := found[id.text()]
			switch {
			case !ok:
				continue // report-ref
			case seen[id.text()]:
				j.at(id, "each finding once", "%s, which stands twice", id.show())
				continue
			case sections[f.get("section").text()] != list:
				j.at(id, "a row in "+sections[f.get("section").text()], "%s in %s", id.show(), list)
			}
			seen[id.text()] = true
			for _, key := range []string{"classification", "settled"} {
				if have, due := row.get(key), f.get(key); have.has() && due.has() && !equal(have.value, due.value) {
					j.at(have, due.plain()+", as in the convergence state", "%s for %s", have.show(), id.text())
				}
			}
		}
	}
	for _, f := range state.get("findings").list() {
		if id, list := f.get("groupId").text(), sections[f.get("section").text()]; !seen[id] && list != "" && r.get(list).isList() {
			j.at(r.get(list), "a row for each finding of the convergence", "a list without %s", id)
		}
	}
}

func (j *judge) reportCritic() {
	var candidates, confirmed []string
	section := map[string]string{}
	for _, f := range j.state.root().get("findings").list() {
		section[f.get("groupId").text()] = f.get("classification").text()
	}
	for _, g := range j.state.root().get("groups").list() {
		if id := g.get("groupId").text(); strings.HasPrefix(id, "X-") {
			candidates = append(candidates, id)
			if label := section[id]; label == "partial-consensus" || label == "full-consensus" {
				confirmed = append(confirmed, id)
			}
		}
	}
	block := j.report.root().get("finalVerification")
	blockers := ofCritic(block.get("acceptanceBlockers"))
	risks := ofCritic(block.get("residualRisks"))
	if !block.isObject() || len(candidates) == 0 {
		return
	}
	if blockers < len(confirmed) {
		at := block.get("acceptanceBlockers")
		j.at(at, "a row of origin critic for each confirmed candidate", "%s with %d of origin critic, and the votes confirm %s", at.show(), blockers, join(confirmed, "and"))
		return
	}
	if blockers+risks < len(candidates) {
		at := block.get("residualRisks")
		j.at(at, "a blocker or a residual risk of origin critic for each candidate", "%s; %d of %s (%s) are in the report",
			at.show(), blockers+risks, finding.Count(len(candidates), "candidate"), join(candidates, "and"))
	}
}

func ofCritic(list node) int {
	n := 0
	for _, row := range list.list() {
		if row.get("origin").text() == "critic" {
			n++
		}
	}
	return n
}

func (j *judge) reportTickets() {
	r := j.report.root()
	coverage := r.get("ticketCoverage")
	listed := map[string]bool{}
	for _, row := range coverage.list() {
		listed[row.get("ticket").text()] = true
	}
	named := map[string]bool{}
	for _, list := range []string{"consensus", "differences", "evidence"} {
		for _, row := range r.get(list).list() {
			for _, t := range row.get("tickets").list() {
				if named[t.text()] = true; !listed[t.text()] {
					j.at(t, "a row of ticketCoverage", "%s, which ticketCoverage does not list", t.show())
					listed[t.text()] = true // told once
				}
			}
		}
	}
	for _, row := range coverage.list() {
		t := row.get("ticket")
		if t.text() != "" && !named[t.text()] && !j.namesTicket(t.text()) {
			j.at(t, "a ticket that the report, the findings or the brief name", "%s, which nothing names", t.show())
		}
	}
}

// namesTicket says whether a ticket is named outside the report: by a group of
// the convergence, by a worker's result or by the brief.
func (s *subject) namesTicket(ticket string) bool {
	for _, a := range []*artifact{s.state, s.input} {
		for _, g := range a.root().get("groups").list() {
			if slices.Contains(g.get("tickets").texts(), ticket) {
				return true
			}
		}
	}
	texts := []*artifact{}
	for _, m := range s.roster {
		texts = append(texts, m.result)
	}
	if brief := s.taskManifest.root().get("briefPath").text(); brief != "" && !path.IsAbs(brief) {
		texts = append(texts, s.open(brief, "", markdown))
	}
	return slices.ContainsFunc(texts, func(a *artifact) bool { return a.usable() && hasWord(a.text, ticket) })
}

// hasWord says whether a text holds a word that neither goes on in front nor
// behind. The word is anybody's, of any length.
func hasWord(text []byte, word string) bool {
	inside := func(i int) bool {
		if i < 0 || i >= len(text) {
			return false
		}
		c := text[i]
		return c == '-' || c >= '0' && c <= '9' || c >= 'A' && c <= 'Z' || c >= 'a' && c <= 'z'
	}
	for at := 0; ; at++ {
		i := bytes.Index(text[at:], []byte(word))
		if i < 0 {
			return false
		}
		if at += i; !inside(at-1) && !inside(at+len(word)) {
			return true
		}
	}
}

func (j *judge) reportClarifications() {
	r := j.report.root()
	here := map[string]bool{}
	for _, c := range r.get("clarificationItems").list() {
		here[c.get("id").text()] = true
		input := strings.TrimSpace(c.get("userInput").text())
		status := c.get("status")
		switch {
		case !c.get("userInput").isText():
		case input == "" && (status.text() == "answered" || status.text() == "resolved"):
			j.at(status, "open, or an input", "%s without input", status.show())
		case input != "" && status.text() == "open":
			j.at(status, "answered, resolved or obsolete", "%s with input", status.show())
		}
	}
	previous := r.find("/header/previousReport")
	if previous.text() == "" {
		return
	}
	old := j.foreign(dataOf(previous.text()), previous)
	for _, c := range old.root().get("clarificationItems").list() {
		if id := c.get("id").text(); c.get("status").text() == "open" && !here[id] {
			j.at(r.get("clarificationItems"), "every item that was open in "+old.path, "a list without %s, which was open", id)
		}
	}
}

// dataOf is the data of a report, whichever of the two files is named.
func dataOf(report string) string {
	if strings.HasSuffix(report, ".data.json") {
		return report
	}
	return strings.TrimSuffix(report, path.Ext(report)) + ".data.json"
}

func (j *judge) reportMarkdown() {
	if !j.report.sound() || !j.reportMD.usable() {
		return
	}
	due, err := render.Markdown(j.report.doc.doc)
	if err != nil {
		return
	}
	if string(due) == string(j.reportMD.text) {
		return
	}
	have, want := strings.Split(string(j.reportMD.text), "\n"), strings.Split(string(due), "\n")
	i := 0
	for i < len(have) && i < len(want) && have[i] == want[i] {
		i++
	}
	expected := "the end of the file"
	if i < len(want) {
		expected = finding.Quote(want[i])
	}
	found := "the file ends here"
	if i < len(have) {
		found = finding.Quote(have[i])
	}
	j.line(j.reportMD, i+1, expected, "%s differs from the data", found)
}

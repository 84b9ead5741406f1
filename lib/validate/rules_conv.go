package validate

import (
	"slices"

	"okstra/lib/converge"
	"okstra/lib/converge/grouping"
	"okstra/lib/converge/planbody"
	"okstra/lib/digest"
	"okstra/lib/finding"
	"okstra/lib/run"
)

var convRules = []Rule{
	{
		Code: "conv-missing", Level: finding.Error, Title: "the findings were never converged", Except: notHandoff,
		Checks: "Convergence is enabled, there are two or more analysis workers, and there is no convergence state.",
		Why:    "Claims of a single worker would stand in the report as if they had been verified.",
		Fails:  "three analysers, and no state/convergence-error-analysis-002.json",
		Passes: "the state lies at the manifest's `convergenceStatePath`",
		check:  (*judge).convergenceState,
	},
	{
		Code: "conv-running", Level: finding.Error, Title: "the report was written before convergence ended", Except: notHandoff,
		Checks: "The report exists, and the convergence state is still `running`.",
		Why:    "Verdicts that come later would not be in the report.",
		Fails:  `"status": "running" beside a report`,
		Passes: `"status": "converged"`,
		check:  (*judge).convergenceRunning,
	},
	{
		Code: "conv-input", Level: finding.Error, Title: "the state was not made from this input", Except: notHandoff,
		Checks: "There is a state and no grouped input; `inputDigest`, the workers or the groups of the state differ from it; or a worker of the input is not what the run manifest says.",
		Why:    "The lead's grouping was changed after votes had been cast on it.",
		Fails:  "another claim under G-002 than in the grouped input",
		Passes: "the same workers and groups, and the input's own digest",
		check:  (*judge).convergenceInput,
	},
	{
		Code: "conv-config", Level: finding.Error, Title: "the configuration is not the task's", Except: notHandoff,
		Checks: "`config` of the input or a state is not what the task manifest gives for this task type.",
		Why:    "Rounds and burden of proof decide what counts as consensus.",
		Fails:  `"adversarial": false in an error analysis whose task says nothing`,
		Passes: `"adversarial": true, "verificationMode": "full-reanalysis"`,
		check:  (*judge).convergenceConfig,
	},
	stateRule(converge.CodeInvariant, "the state contradicts itself",
		"Ids, rounds, questions, votes, queue or status of the state are not such as the steps of a convergence make them.",
		"A state that was edited by hand proves nothing.",
		"a verdict of scope-a on a group that scope-a found", "votes only of workers that were asked"),
	stateRule(converge.CodeRecompute, "a finding is not what the votes give",
		"Classification, section, `settled` or another part of a finding differs from what its votes give.",
		"The label in the report must be the one that was voted for.",
		`"classification": "full-consensus" with a DISAGREE among the votes`, "the label of the classification table"),
	{
		Code: "conv-verdict-file", Level: finding.Error, Title: "a verdict file is not what was counted", Except: notHandoff,
		Checks: "A verdict file that the convergence or plan-body state has counted is missing, has another digest, or says something else.",
		Why:    "The file is the worker's own word; the state only quotes it.",
		Fails:  "scope-c-reverify-r1-error-analysis-002.md was edited afterwards",
		Passes: "the file with the digest in `rounds[].files`",
		check:  (*judge).verdictFiles,
	},
}

func stateRule(code, title, checks, why, fails, passes string) Rule {
	return Rule{
		Code: code, Level: finding.Error, Title: title, Except: notHandoff,
		Checks: checks, Why: why, Fails: fails, Passes: passes,
		check: func(j *judge) {
			for _, f := range j.stateFaults() {
				if f.Code == code {
					j.at(j.state.root().find(f.Pointer), f.Expected, "%s", f.Message)
				}
			}
		},
	}
}

// configured is the convergence configuration in force; false when the task
// manifest cannot be used.
func (s *subject) configured() (converge.Config, bool) {
	var t run.TaskManifest
	if !decode(s.taskManifest, &t) {
		return converge.Config{}, false
	}
	c, err := converge.Effective(t.Convergence, s.task.TaskType)
	return c, err == nil
}

func (j *judge) convergenceState() {
	config, ok := j.configured()
	if !ok || !config.Enabled || len(j.analysts()) < 2 || j.state != nil && !j.state.missing {
		return
	}
	by := j.manifest.root().get("convergenceStatePath")
	j.at(by, "a convergence state", "%s, and there is none", by.show())
}

func (j *judge) convergenceRunning() {
	status := j.state.root().get("status")
	if j.report.usable() && status.text() == converge.Running {
		j.at(status, "a final state", "%s although the report exists", status.show())
	}
}

func (j *judge) convergenceInput() {
	state := j.state.root()
	if !state.isObject() {
		return
	}
	if at := state.get("inputDigest"); at.isText() && (j.input == nil || j.input.missing) {
		j.at(at, "a grouped input beside the state", "%s, and there is no grouped input", at.show())
	}
	if !j.input.usable() {
		return
	}
	j.inputWorkers()
	due, err := digest.JSON(j.input.text)
	if at := state.get("inputDigest"); err == nil && at.isText() && at.text() != due {
		j.at(at, due, "%s", at.show())
	}
	for _, key := range []string{"workers", "groups"} {
		have, want := state.get(key), j.input.root().get(key)
		if key == "groups" {
			have = withoutCandidates(have)
		}
		if have.isList() && want.isList() && !equal(have.value, want.value) {
			j.at(state.get(key), "the "+key+" of "+j.input.path, "other %s than in the grouped input", key)
		}
	}
}

// inputWorkers compares the workers of the input with the run manifest: who is
// independent of whom is decided by what stands here.
func (j *judge) inputWorkers() {
	type seat struct{ worker, audience string }
	due := map[seat]node{}
	for _, n := range j.manifest.root().get("roleExecutions").list() {
		due[seat{n.get("workerId").text(), n.get("audience").text()}] = n
	}
	for _, w := range j.input.root().get("workers").list() {
		of := seat{w.get("workerId").text(), w.get("audience").text()}
		n, ok := due[of]
		if len(due) > 0 && !ok {
			j.at(w.get("audience"), "an audience that the run manifest gives "+of.worker, "%s for %s", w.get("audience").show(), of.worker)
			continue
		}
		for _, part := range [][2]string{{"sourceRoleExecutionRef", "roleExecutionRef"}, {"role", "role"}} {
			if have, want := w.get(part[0]), n.get(part[1]); have.isText() && want.isText() && have.text() != want.text() {
				j.at(have, want.text()+", as in the run manifest", "%s for %s", have.show(), of.worker)
			}
		}
	}
}

// withoutCandidates leaves out the groups that a critic has added.
func withoutCandidates(groups node) node {
	var kept []any
	for _, g := range groups.list() {
		if id := g.get("groupId").text(); id == "" || id[0] != 'X' {
			kept = append(kept, g.value)
		}
	}
	if groups.isList() {
		groups.value = append([]any{}, kept...)
	}
	return groups
}

func (j *judge) convergenceConfig() {
	j.planConfig()
	due, ok := j.configured()
	if !ok {
		return
	}
	for _, a := range []*artifact{j.input, j.state} {
		config := a.root().get("config")
		for _, part := range []struct {
			key string
			due any
		}{
			{"enabled", due.Enabled},
			{"maxRounds", due.MaxRounds},
			{"verificationMode", due.VerificationMode},
			{"adversarial", due.Adversarial},
		} {
			if at := config.get(part.key); at.has() && at.plain() != sprintf("%v", part.due) {
				j.at(at, sprintf("%v", part.due), "%s", at.show())
			}
		}
		if at := config.get("critic", "enabled"); at.has() && at.yes() != due.Critic.Enabled {
			j.at(at, sprintf("%v", due.Critic.Enabled), "%s", at.show())
		}
	}
}

// planConfig compares the settings of the plan-body verification.
func (j *judge) planConfig() {
	var t run.TaskManifest
	if !decode(j.taskManifest, &t) {
		return
	}
	due, err := planbody.Effective(t.Convergence)
	if err != nil {
		return
	}
	config := j.planBody.root().get("config")
	for key, want := range map[string]any{"enabled": due.Enabled, "maxRounds": due.MaxRounds, "adversarial": due.Adversarial} {
		if at := config.get(key); at.has() && at.plain() != sprintf("%v", want) {
			j.at(at, sprintf("%v", want), "%s", at.show())
		}
	}
}

// stateFaults is what converge finds in the state; it is computed once.
func (s *subject) stateFaults() []finding.Finding {
	if s.checked == nil {
		s.checked = []finding.Finding{}
		var state converge.State
		if decode(s.state, &state) {
			s.checked = append(s.checked, converge.Check(state)...)
		}
	}
	return s.checked
}

// purposeOf is the part of the names of a round's files that tells rounds
// apart; the round about a critic's candidates is numbered like the others.
func purposeOf(round node) string {
	return sprintf("reverify-r%d", round.get("round").whole())
}

func (j *judge) verdictFiles() {
	config := j.state.root().get("config")
	for _, round := range j.state.root().get("rounds").list() {
		form := grouping.Form{Adversarial: config.get("adversarial").yes() || round.get("kind").text() == converge.CriticGap}
		for _, f := range round.get("files").list() {
			if a := j.countedFile(f, purposeOf(round)); a != nil {
				file, _ := grouping.ParseVerdicts(a.path, a.text, form)
				j.compareVotes(round, f, file, "groupId", convergenceParts)
			}
		}
	}
	for _, round := range j.planBody.root().get("rounds").list() {
		for _, f := range round.get("files").list() {
			if a := j.countedFile(f, sprintf("plan-verify-r%d", round.get("round").whole())); a != nil {
				file, _ := grouping.ParseVerdicts(a.path, a.text, grouping.Form{PlanBody: true})
				j.compareVotes(round, f, file, "itemId", planParts)
			}
		}
	}
}

// The parts of a vote by their key in a state.
var (
	convergenceParts = map[string]func(grouping.Vote) string{
		"verdict": verdictOf, "disagreeBasis": func(v grouping.Vote) string { return v.Basis }, "evidence": evidenceOf, "reason": reasonOf,
	}
	planParts = map[string]func(grouping.Vote) string{
		"verdict": verdictOf, "letter": func(v grouping.Vote) string { return v.Letter }, "evidence": evidenceOf, "reason": reasonOf,
	}
)

func verdictOf(v grouping.Vote) string  { return v.Verdict }
func evidenceOf(v grouping.Vote) string { return v.Evidence }
func reasonOf(v grouping.Vote) string   { return v.Reason }

// countedFile opens a verdict file that a round has counted and compares its
// digest; nil when that fails, which is reported.
func (j *judge) countedFile(f node, purpose string) *artifact {
	worker := f.get("workerId")
	if run.CheckWorkerID(worker.text()) != nil {
		return nil
	}
	a := j.open(j.folder.Verdicts(worker.text(), purpose), "", markdown)
	switch due := f.get("sha256"); {
	case a.missing:
		j.at(worker, "a verdict file "+a.path, "%s, whose verdict file does not exist", worker.show())
	case !a.usable():
	case digest.Bytes(a.text) != due.text():
		j.at(due, digest.Bytes(a.text)+", the digest of "+a.path, "%s", due.show())
	default:
		return a
	}
	return nil
}

// compareVotes compares the votes that a round has counted for a worker with
// the worker's file.
func (j *judge) compareVotes(round, file node, said grouping.VerdictFile, idKey string, parts map[string]func(grouping.Vote) string) {
	worker := file.get("workerId").text()
	if said.Worker != worker || said.Round != round.get("round").whole() {
		j.at(file, "a file of this worker and round", "a file that calls itself worker %s, round %d", finding.Quote(said.Worker), said.Round)
		return
	}
	for _, v := range round.get("verdicts").list() {
		if v.get("workerId").text() != worker {
			continue
		}
		id := v.get(idKey).text()
		at := slices.IndexFunc(said.Votes, func(vote grouping.Vote) bool { return vote.ID == id && len(vote.Faults) == 0 })
		if at < 0 {
			j.at(v, "a vote that stands in the worker's file", "a vote on %s that %s did not give", id, worker)
			continue
		}
		vote := said.Votes[at]
		for _, key := range sorted(parts) {
			if have, due := v.get(key), parts[key](vote); have.has() && have.text() != due {
				j.at(have, finding.Quote(due)+", as in the worker's file", "%s", have.show())
			}
		}
	}
}

package validate

import (
	"slices"
	"strings"

	"okstra/lib/finding"
	"okstra/lib/run"
)

// The phases that a rule looks for.
const (
	phaseIntake        = "phase-1-intake"
	phaseDispatch      = "phase-4-dispatch"
	phaseCollect       = "phase-5-collect"
	phaseStage         = "phase-5-stage"
	phaseConvergence   = "phase-5.5-convergence"
	phasePlanVerify    = "phase-5.5.9-plan-verify"
	phaseStageComplete = "phase-5-stage-complete"
	phaseSynthesis     = "phase-6-synthesis"
	phaseTeardown      = "phase-7-teardown"
	phaseCleanup       = "phase-batch-cleanup"
	phaseComplete      = "complete"
)

// phases are all checkpoints; those without a text are marked.
var phases = map[string]struct{ bare bool }{
	phaseIntake: {}, "phase-2-plan": {}, "phase-3-team": {}, phaseStage: {}, phaseDispatch: {}, phaseCollect: {},
	phaseCleanup: {}, phaseConvergence: {}, phaseSynthesis: {}, phasePlanVerify: {}, phaseStageComplete: {},
	phaseTeardown: {bare: true}, phaseComplete: {bare: true},
}

var progressRules = []Rule{
	{
		Code: "progress-no-evidence", Level: finding.Error, Title: "the lead has left no checkpoint",
		Checks: "The evidence source is missing, unreadable, or without a progress line inside the run's window.",
		Why:    "Nothing shows in which order the run was done.",
		Fails:  "an events log that holds lines of earlier runs only",
		Passes: "the lines of this run, between `startedAt` and `endedAt` of the team state",
		check:  (*judge).noEvidence,
	},
	{
		Code: "progress-grammar", Level: finding.Error, Title: "a progress line is malformed",
		Checks: "A line begins with `PROGRESS:` and breaks the grammar of docs/progress-lines.md.",
		Why:    "A malformed line announces nothing, to people and to programs.",
		Fails:  "PROGRESS:phase-4-dispatch analyser scope-a",
		Passes: "PROGRESS: phase-4-dispatch analyser scope-a",
		check:  (*judge).progressGrammar,
	},
	{
		Code: "progress-unknown", Level: finding.Warning, Title: "a progress line has an unknown phase",
		Checks: "The phase of a line is none of the checkpoints of a run.",
		Why:    "It is most often a misspelt phase, and then the right one is missing.",
		Fails:  "PROGRESS: phase-4-dispach analyser scope-a",
		Passes: "PROGRESS: phase-4-dispatch analyser scope-a",
		check:  (*judge).unknownPhase,
	},
	{
		Code: "progress-bare", Level: finding.Warning, Title: "a progress line says nothing",
		Checks: "A line has a phase and no words behind it.",
		Why:    "The line is what the user sees of the run.",
		Fails:  "PROGRESS: phase-6-synthesis",
		Passes: "PROGRESS: phase-6-synthesis dispatching report writer",
		check:  (*judge).barePhase,
	},
	{
		Code: "progress-intake-first", Level: finding.Error, Title: "the run does not begin with the intake",
		Checks: "The first progress line in the window is not `phase-1-intake`.",
		Why:    "The intake stands before all reading; a line in front of it belongs to something else, or the intake was skipped.",
		Fails:  "PROGRESS: phase-4-dispatch analyser scope-a as the first line",
		Passes: "PROGRESS: phase-1-intake reading task bundle as the first line",
		check:  (*judge).intakeFirst,
	},
	{
		Code: "progress-dispatch-missing", Level: finding.Error, Title: "a dispatch was not announced", Except: notHandoff,
		Checks: "A dispatched worker has no `phase-4-dispatch` line of its own that names its role.",
		Why:    "The user must see who was set to work, in which role.",
		Fails:  "PROGRESS: phase-4-dispatch scope-b",
		Passes: "PROGRESS: phase-4-dispatch analyser scope-b",
		check:  func(j *judge) { j.announcedAll(phaseDispatch) },
	},
	{
		Code: "progress-collect-missing", Level: finding.Error, Title: "a collection was not announced", Except: notHandoff,
		Checks: "A collected worker has no `phase-5-collect` line of its own that names its role.",
		Why:    "The user must see how each worker ended.",
		Fails:  "no line for scope-b behind its end",
		Passes: "PROGRESS: phase-5-collect analyser scope-b completed",
		check:  func(j *judge) { j.announcedAll(phaseCollect) },
	},
	{
		Code: "progress-collect-order", Level: finding.Error, Title: "a worker was collected before it was dispatched", Except: notHandoff,
		Checks: "The collect line of a worker stands before its dispatch line.",
		Why:    "Lines that were written afterwards prove nothing.",
		Fails:  "phase-5-collect analyser scope-a, then phase-4-dispatch analyser scope-a",
		Passes: "phase-4-dispatch analyser scope-a, then phase-5-collect analyser scope-a",
		check:  (*judge).collectOrder,
	},
	{
		Code: "progress-convergence-missing", Level: finding.Error, Title: "a convergence round was not announced", Except: notHandoff,
		Checks: "The convergence state has a round after the seed, and there is no `phase-5.5-convergence` line.",
		Why:    "Workers were asked again without the user being told.",
		Fails:  "a state with rounds 0 and 1, and no line",
		Passes: "PROGRESS: phase-5.5-convergence round 1",
		check:  (*judge).convergenceMissing,
	},
	{
		Code: "progress-cleanup-before-convergence", Level: finding.Error, Title: "no cleanup before the first convergence round", Except: notHandoff,
		Checks: "No `phase-batch-cleanup` line stands before the first `phase-5.5-convergence` line.",
		Why:    "Sessions of the analysis batch that are left running disturb the verification.",
		Fails:  "phase-5-collect …, then phase-5.5-convergence round 1",
		Passes: "phase-5-collect …, phase-batch-cleanup analysis batch closed, phase-5.5-convergence round 1",
		check:  (*judge).cleanupBeforeConvergence,
	},
	{
		Code: "progress-cleanup-between-rounds", Level: finding.Error, Title: "no cleanup between two convergence rounds", Except: notHandoff,
		Checks: "No `phase-batch-cleanup` line stands between the lines of two consecutive convergence rounds.",
		Why:    "Every round is a batch of its own and is closed before the next one begins.",
		Fails:  "phase-5.5-convergence round 1, then phase-5.5-convergence round 2",
		Passes: "phase-5.5-convergence round 1, phase-batch-cleanup …, phase-5.5-convergence round 2",
		check:  func(j *judge) { j.cleanupBetween(phaseConvergence) },
	},
	{
		Code: "progress-synthesis-missing", Level: finding.Error, Title: "the report writer was not announced",
		Checks: "A report writer was dispatched, and there is no `phase-6-synthesis` line.",
		Why:    "Writing the report is a checkpoint: from here on findings no longer change.",
		Fails:  "a ledger row of purpose report-writer, and no line",
		Passes: "PROGRESS: phase-6-synthesis dispatching report writer",
		check:  (*judge).synthesisMissing,
	},
	{
		Code: "progress-cleanup-before-synthesis", Level: finding.Error, Title: "no cleanup before the report",
		Checks: "No `phase-batch-cleanup` line stands before the first `phase-6-synthesis` line.",
		Why:    "The report writer must not be started beside workers that still run.",
		Fails:  "phase-5-collect …, then phase-6-synthesis …",
		Passes: "phase-5-collect …, phase-batch-cleanup …, phase-6-synthesis …",
		check:  (*judge).cleanupBeforeSynthesis,
	},
	{
		Code: "progress-cleanup-stale", Level: finding.Error, Title: "the cleanup before the report is too old",
		Checks: "Between the last `phase-batch-cleanup` line and the `phase-6-synthesis` line stands a collect or convergence line.",
		Why:    "The batch that ran after the cleanup was never closed.",
		Fails:  "phase-batch-cleanup …, phase-5.5-convergence round 1, phase-6-synthesis …",
		Passes: "phase-5.5-convergence round 1, phase-batch-cleanup …, phase-6-synthesis …",
		check:  (*judge).cleanupStale,
	},
	{
		Code: "progress-plan-verify-missing", Level: finding.Error, Title: "a round of plan verification was not announced", Only: onlyPlanning,
		Checks: "The plan-body state has two or more rounds, and one of them has no `phase-5.5.9-plan-verify` line.",
		Why:    "A plan that took several rounds was disputed, and the user should see it.",
		Fails:  "two rounds and one line",
		Passes: "PROGRESS: phase-5.5.9-plan-verify round 1 and … round 2",
		check:  (*judge).planVerifyMissing,
	},
	{
		Code: "progress-plan-verify-cleanup", Level: finding.Error, Title: "no cleanup between two rounds of plan verification", Only: onlyPlanning,
		Checks: "No `phase-batch-cleanup` line stands between the lines of two consecutive rounds of plan verification.",
		Why:    "Every round is a batch of its own and is closed before the next one begins.",
		Fails:  "phase-5.5.9-plan-verify round 1, then phase-5.5.9-plan-verify round 2",
		Passes: "phase-5.5.9-plan-verify round 1, phase-batch-cleanup …, phase-5.5.9-plan-verify round 2",
		check: func(j *judge) {
			if j.planRounds() >= 2 {
				j.cleanupBetween(phasePlanVerify)
			}
		},
	},
	{
		Code: "progress-stage-missing", Level: finding.Error, Title: "the stage was not announced", Only: onlyBuilding,
		Checks: "A worker was dispatched, and there is no `phase-5-stage` line.",
		Why:    "The user must see which stage of the plan is being carried out.",
		Fails:  "an implementer in the ledger, and no line",
		Passes: "PROGRESS: phase-5-stage stage 2",
		check:  (*judge).stageMissing,
	},
	{
		Code: "progress-stage-complete-missing", Level: finding.Error, Title: "the end of the stage was not announced", Only: onlyBuilding,
		Checks: "An implementer completed, the stage's carry sidecar exists, and there is no `phase-5-stage-complete` line.",
		Why:    "The carry says that the stage is done; a withheld one is not asked for it.",
		Fails:  "carry/stage-2.json, and no line",
		Passes: "PROGRESS: phase-5-stage-complete stage 2",
		check:  (*judge).stageCompleteMissing,
	},
}

// good are the lines that the grammar accepts, in their order.
func (e evidence) good() []checkpoint {
	var out []checkpoint
	for _, c := range e.lines {
		if c.bad == nil {
			out = append(out, c)
		}
	}
	return out
}

// first is the index of the first line of a phase from a place on, or -1.
func first(lines []checkpoint, from int, phase string) int {
	for i := max(from, 0); i < len(lines); i++ {
		if lines[i].Phase == phase {
			return i
		}
	}
	return -1
}

// last is the index of the last line of one of the phases before a place, or -1.
func last(lines []checkpoint, before int, wanted ...string) int {
	for i := before - 1; i >= 0; i-- {
		if slices.Contains(wanted, lines[i].Phase) {
			return i
		}
	}
	return -1
}

// absent reports a line that should stand in front of lines[at]; at may be
// behind the last line. The finding has the place of lines[at], else of the
// last line, and names the line before.
func (j *judge) absent(lines []checkpoint, at int, wanted, format string, args ...any) {
	switch {
	case len(lines) == 0:
		return // progress-no-evidence has said so
	case at < len(lines) && at > 0:
		j.spot(lines[at], wanted, "%s; the line before is %s", sprintf(format, args...), finding.Quote(lines[at-1].raw))
	case at < len(lines):
		j.spot(lines[at], wanted, "%s; it is the first line", sprintf(format, args...))
	case j.going:
		return // it may still come
	default:
		j.spot(lines[len(lines)-1], wanted, "%s; the last line is %s", sprintf(format, args...), finding.Quote(lines[len(lines)-1].raw))
	}
}

func (j *judge) progressGrammar() {
	for _, c := range j.evidence.lines {
		if c.bad != nil {
			j.spot(c, "PROGRESS: <phase> <words>", "%s", strings.TrimPrefix(c.bad.Error(), "progress line "))
		}
	}
}

func (j *judge) unknownPhase() {
	for _, c := range j.evidence.good() {
		if _, known := phases[c.Phase]; !known {
			j.spot(c, "a checkpoint of docs/progress-lines.md", "unknown phase %s", finding.Quote(c.Phase))
		}
	}
}

func (j *judge) barePhase() {
	for _, c := range j.evidence.good() {
		if phase, known := phases[c.Phase]; known && !phase.bare && c.Text == "" {
			j.spot(c, "a few words behind the phase", "%s without a text", c.Phase)
		}
	}
}

func (j *judge) intakeFirst() {
	lines := j.evidence.good()
	if len(lines) > 0 && lines[0].Phase != phaseIntake {
		j.absent(lines, 0, "PROGRESS: "+phaseIntake+" <words>", "%s before the intake", finding.Quote(lines[0].raw))
	}
}

// announcement is the line that announces a worker: its index, or -1, and
// whether a line names the worker without its role.
type announcement struct {
	call  *dispatched
	role  string
	index int
	named bool
}

// announcements gives each dispatched worker its line of a phase. A line that
// names a worker belongs to that worker; the others go to the workers of their
// role in the order of the ledger.
func (s *subject) announcements(lines []checkpoint, phase string) []announcement {
	calls := s.calls()
	out := make([]announcement, len(calls))
	of := map[string][]int{} // the calls of a worker
	for i, call := range calls {
		out[i] = announcement{call, s.roleOf(call), -1, false}
		name := strings.ToLower(call.worker)
		of[name] = append(of[name], i)
	}
	free := map[string][]int{} // the lines of a role that name no worker
	for i, c := range lines {
		if c.Phase != phase {
			continue
		}
		taken := false
		words := strings.Fields(strings.ToLower(c.Text))
		for _, word := range words {
			for _, k := range of[word] {
				a := &out[k]
				taken, a.named = true, true
				if a.index < 0 && c.HasWord(a.role) {
					a.index = i
				}
			}
		}
		for _, word := range words {
			if mine := free[word]; !taken && (len(mine) == 0 || mine[len(mine)-1] != i) {
				free[word] = append(mine, i)
			}
		}
	}
	given := map[int]bool{}
	for k := range out {
		role := strings.ToLower(out[k].role)
		for out[k].index < 0 && !out[k].named && len(free[role]) > 0 {
			if i := free[role][0]; !given[i] {
				out[k].index, given[i] = i, true
			}
			free[role] = free[role][1:]
		}
	}
	return out
}

func (j *judge) announcedAll(phase string) {
	lines := j.evidence.good()
	for _, a := range j.announcements(lines, phase) {
		worker := a.call.worker
		wanted := "PROGRESS: " + phase + " " + a.role + " " + worker
		if phase == phaseCollect {
			if !j.collected(worker) {
				continue
			}
			wanted += " " + j.statusWord(worker)
		}
		if a.index >= 0 {
			continue
		}
		if !a.named {
			j.absent(lines, len(lines), wanted, "no %s line for %s", phase, worker)
			return
		}
		for _, c := range lines {
			if c.Phase == phase && c.HasWord(worker) {
				j.spot(c, wanted, "%s names %s and not its role", finding.Quote(c.raw), worker)
				return
			}
		}
	}
}

// statusWord is the word for how a worker ended.
func (s *subject) statusWord(worker string) string {
	if m := s.worker(worker); m != nil && m.status != "" {
		return m.status
	}
	return "completed"
}

func (j *judge) collectOrder() {
	lines := j.evidence.good()
	collects := j.announcements(lines, phaseCollect)
	for i, d := range j.announcements(lines, phaseDispatch) {
		if c := collects[i].index; c >= 0 && c < d.index {
			j.absent(lines, c, lines[d.index].raw, "%s was collected before it was dispatched", d.call.worker)
			return
		}
	}
}

// askedRounds counts the convergence rounds after the seed.
func (s *subject) askedRounds() int {
	n := 0
	for _, r := range s.state.root().get("rounds").list() {
		if r.get("round").whole() >= 1 {
			n++
		}
	}
	return n
}

func (j *judge) convergenceMissing() {
	lines := j.evidence.good()
	if j.askedRounds() > 0 && first(lines, 0, phaseConvergence) < 0 {
		at := first(lines, 0, phaseSynthesis)
		if at < 0 {
			at = len(lines)
		}
		j.absent(lines, at, "PROGRESS: "+phaseConvergence+" round 1", "no %s line, and the state has round 1", phaseConvergence)
	}
}

func (j *judge) cleanupBeforeConvergence() {
	lines := j.evidence.good()
	if at := first(lines, 0, phaseConvergence); at >= 0 && last(lines, at, phaseCleanup) < 0 {
		j.absent(lines, at, "PROGRESS: "+phaseCleanup+" <words>", "no %s before the first convergence round", phaseCleanup)
	}
}

// cleanupBetween wants a cleanup between consecutive lines of a phase that
// announces rounds. A line that repeats the round before it begins no new one.
func (j *judge) cleanupBetween(phase string) {
	lines := j.evidence.good()
	before := first(lines, 0, phase)
	for before >= 0 {
		at := first(lines, before+1, phase)
		if at < 0 {
			return
		}
		if lines[at].Text != lines[before].Text && last(lines, at, phaseCleanup) < before {
			j.absent(lines, at, "PROGRESS: "+phaseCleanup+" <words>", "no %s since %s", phaseCleanup, finding.Quote(lines[before].raw))
			return
		}
		before = at
	}
}

func (j *judge) synthesisMissing() {
	lines := j.evidence.good()
	if j.writerDispatched() && first(lines, 0, phaseSynthesis) < 0 {
		j.absent(lines, len(lines), "PROGRESS: "+phaseSynthesis+" <words>", "no %s line, and a report writer was dispatched", phaseSynthesis)
	}
}

func (j *judge) cleanupBeforeSynthesis() {
	lines := j.evidence.good()
	if at := first(lines, 0, phaseSynthesis); at >= 0 && last(lines, at, phaseCleanup) < 0 {
		j.absent(lines, at, "PROGRESS: "+phaseCleanup+" <words>", "no %s before the report writer", phaseCleanup)
	}
}

func (j *judge) cleanupStale() {
	lines := j.evidence.good()
	at := first(lines, 0, phaseSynthesis)
	cleanup := last(lines, at, phaseCleanup)
	if at < 0 || cleanup < 0 {
		return
	}
	if newer := last(lines, at, phaseCollect, phaseConvergence); newer > cleanup {
		j.absent(lines, at, "PROGRESS: "+phaseCleanup+" <words>", "no %s since %s", phaseCleanup, finding.Quote(lines[newer].raw))
	}
}

// planRounds counts the rounds of plan verification.
func (s *subject) planRounds() int { return len(s.planBody.root().get("rounds").list()) }

func (j *judge) planVerifyMissing() {
	rounds := j.planRounds()
	if rounds < 2 {
		return
	}
	lines := j.evidence.good()
	found := 0
	for _, c := range lines {
		if c.Phase == phasePlanVerify {
			found++
		}
	}
	if found < rounds {
		j.absent(lines, len(lines), sprintf("PROGRESS: %s round %d", phasePlanVerify, found+1),
			"%s of %s, and the state has %d rounds", finding.Count(found, "line"), phasePlanVerify, rounds)
	}
}

func (j *judge) stageMissing() {
	lines := j.evidence.good()
	if len(j.calls()) > 0 && first(lines, 0, phaseStage) < 0 {
		stage, _ := j.stageOf()
		at := first(lines, 0, phaseDispatch)
		if at < 0 {
			at = len(lines)
		}
		j.absent(lines, at, sprintf("PROGRESS: %s stage %d", phaseStage, stage), "no %s line, and a worker was dispatched", phaseStage)
	}
}

func (j *judge) stageCompleteMissing() {
	lines := j.evidence.good()
	stage, _ := j.stageOf()
	if j.carry == nil || j.carry.missing || first(lines, 0, phaseStageComplete) >= 0 {
		return
	}
	for _, m := range j.roster {
		if m.role == run.RoleImplementer && m.status == "completed" {
			j.absent(lines, len(lines), sprintf("PROGRESS: %s stage %d", phaseStageComplete, stage),
				"no %s line, and %s exists", phaseStageComplete, j.carry.path)
			return
		}
	}
}

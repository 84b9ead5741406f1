package dispatch

import (
	"fmt"
	"slices"
	"strings"

	"okstra/lib/run"
)

// What a report must show before a stage is recorded. Each function lists what
// speaks against it. Rule: docs/dispatch.md, "Stages".

// verifierResult is what the report says of one verifier.
type verifierResult struct {
	Verifier string `json:"verifier"`
	Result   string `json:"result"`
}

// againstPersisting wants PASS from every verifier of the roster, each of which
// the ledger has a completed dispatch of, and from nobody else.
func againstPersisting(results []verifierResult, roster []run.RoleExecution, ledger []run.LedgerRow) []string {
	if len(results) == 0 {
		return []string{"nobody verified it"}
	}
	var list []string
	said := map[string]bool{}
	for _, r := range results {
		said[r.Verifier] = true
		switch isVerifier := func(e run.RoleExecution) bool { return e.Role == run.RoleVerifier && e.WorkerID == r.Verifier }; {
		case r.Result != "PASS":
			list = append(list, r.Verifier+" says "+r.Result)
		case !slices.ContainsFunc(roster, isVerifier):
			list = append(list, r.Verifier+" is no verifier of this run")
		}
	}
	for _, e := range roster {
		if e.Role != run.RoleVerifier {
			continue
		}
		ref := run.AssignmentRef(PurposeVerifier, e.WorkerID)
		done := slices.ContainsFunc(ledger, func(row run.LedgerRow) bool {
			return row.AssignmentRef == ref && row.Outcome != nil && *row.Outcome == OutcomeCompleted
		})
		switch {
		case !said[e.WorkerID]:
			list = append(list, e.WorkerID+" is a verifier of this run and says nothing")
		case !done:
			list = append(list, "no completed dispatch of verifier "+e.WorkerID)
		}
	}
	return list
}

// againstScope wants the stages of a verification to be the one that its run is
// for; a run for no stage is for all that its report names.
func againstScope(stages []run.StageChoice, runStage *int) []string {
	if runStage == nil || slices.Equal(stages, []run.StageChoice{{Number: *runStage}}) {
		return nil
	}
	return []string{fmt.Sprintf("it is about %s, and this run about stage %d", shownStages(stages), *runStage)}
}

// handoff is what the report says of a release hand-off.
type handoff struct {
	Mode            string `json:"mode"`
	Stages          []int  `json:"stages"`
	Action          string `json:"action"`
	MessageHandling string `json:"messageHandling"`
	Commands        []struct {
		Argv     []string `json:"argv"`
		ExitCode int      `json:"exitCode"`
	} `json:"commands"`
}

// againstTaking wants a hand-off that was done, of stages that were asked for.
// Of a command that was repeated the last time counts.
func againstTaking(h handoff, asked []run.StageChoice) []string {
	var list []string
	if h.Action == "skip" {
		list = append(list, "its action is skip")
	}
	if h.MessageHandling == "cancelled" {
		list = append(list, "its message was cancelled")
	}
	exits, order := map[string]int{}, []string{}
	for _, c := range h.Commands {
		line := strings.Join(c.Argv, " ")
		if _, known := exits[line]; !known {
			order = append(order, line)
		}
		exits[line] = c.ExitCode
	}
	for _, line := range order {
		if exits[line] != 0 {
			list = append(list, fmt.Sprintf("%q ended with %d", line, exits[line]))
		}
	}
	all := slices.ContainsFunc(asked, func(s run.StageChoice) bool { return s.Word == run.AllStages })
	for _, stage := range stagesOf(h.Mode, h.Stages) {
		if len(asked) > 0 && !slices.Contains(asked, stage) && (!all || stage.Word != "") {
			list = append(list, "stage "+shownStage(stage)+" was not to be handed off")
		}
	}
	return list
}

func shownStages(stages []run.StageChoice) string {
	words := make([]string, len(stages))
	for i, s := range stages {
		words[i] = shownStage(s)
	}
	return "stage " + strings.Join(words, ", ")
}

package dispatch

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"okstra/lib/atomicfile"
	"okstra/lib/jsondoc"
	"okstra/lib/run"
	"okstra/lib/schema"
)

// stageReport is what the report data says about stages.
type stageReport struct {
	Header struct {
		TaskKey  string `json:"taskKey"`
		TaskType string `json:"taskType"`
		RunSeq   string `json:"runSeq"`
	} `json:"header"`
	VerdictCard struct {
		VerdictToken string `json:"verdictToken"`
	} `json:"verdictCard"`
	Implementation *struct {
		Stage   int `json:"stage"`
		Commits []struct {
			SHA string `json:"sha"`
		} `json:"commits"`
		Verification []verifierResult `json:"verification"`
	} `json:"implementation"`
	FinalVerification *struct {
		Scope    string `json:"scope"`
		Stages   []int  `json:"stages"`
		Coverage []struct {
			RequirementID string `json:"requirementId"`
			Status        string `json:"status"`
		} `json:"coverage"`
		AcceptanceBlockers []struct {
			ID string `json:"id"`
		} `json:"acceptanceBlockers"`
	} `json:"finalVerification"`
	ReleaseHandoff *handoff `json:"releaseHandoff"`
}

// StageRecorder writes down what a run's report says about stages. It refuses
// what the report does not support.
type StageRecorder struct {
	Manifest run.Manifest
	Now      func() time.Time
	Say      func(text string)

	doc     jsondoc.Doc
	report  stageReport
	context run.Context
}

// open reads the report and checks that it is this run's, and of the type that
// the command is for.
func (s *StageRecorder) open(taskType string) error {
	m := s.Manifest
	if m.Task.TaskType != taskType {
		return refusal("this command is for runs of type %s, and %s is none", taskType, m.RunID)
	}
	doc, err := jsondoc.ReadFile(run.Abs(m.ProjectRoot, m.ReportDataPath))
	if err != nil {
		return &PlanError{Status: 1, Problems: []error{fmt.Errorf("no report to go by: %w", err)}}
	}
	if err := schema.Decode(doc, "okstra-final-report", &s.report); err != nil {
		return err
	}
	s.doc = doc
	h := s.report.Header
	if h.TaskKey != m.Task.TaskKey || h.TaskType != taskType || h.RunSeq != m.Task.RunSeq {
		return refusal("%s is the report of %s:%s:%s (expected %s)", m.ReportDataPath, h.TaskKey, h.TaskType, h.RunSeq, m.RunID)
	}
	_, err = run.Load(run.Abs(m.ProjectRoot, m.ActiveRunContextPath), "okstra-active-run-context", &s.context)
	return err
}

func refusal(format string, args ...any) error {
	return &PlanError{Status: 1, Problems: []error{fmt.Errorf(format, args...)}}
}

// Persist writes the carry sidecar of an implementation's stage: later stages
// may build on it. Every verifier must have passed it.
func (s *StageRecorder) Persist(ctx context.Context) error {
	if err := s.openStage(); err != nil {
		return err
	}
	against, err := s.against()
	if err != nil {
		return err
	}
	if len(against) > 0 {
		return refusal("the report does not support a persisted stage: %s", strings.Join(against, ", "))
	}
	block := s.report.Implementation
	carry := run.StageCarry{SchemaVersion: "1.0", Kind: "okstra-stage-carry", Stage: block.Stage, Result: "PASS", Commits: []string{}}
	for _, c := range block.Commits {
		carry.Commits = append(carry.Commits, c.SHA)
	}
	path := s.Manifest.Folder().Carry(block.Stage)
	abs := run.Abs(s.Manifest.ProjectRoot, path)
	if err := os.MkdirAll(filepath.Dir(abs), 0o755); err != nil {
		return err
	}
	if err := writeDocument(abs, carry); err != nil {
		return err
	}
	return s.setCarry(ctx, map[string]any{"persisted": true, "path": path})
}

// Withhold records why the result of a stage is not carried on.
func (s *StageRecorder) Withhold(ctx context.Context, reason string) error {
	if strings.TrimSpace(reason) == "" {
		return &PlanError{Status: 2, Problems: []error{fmt.Errorf("--reason is empty")}}
	}
	if err := s.openStage(); err != nil {
		return err
	}
	against, err := s.against()
	if err != nil {
		return err
	}
	if len(against) == 0 {
		return refusal("the report does not support a withheld stage: every verifier passed it")
	}
	if path := s.Manifest.Folder().Carry(s.report.Implementation.Stage); exists(run.Abs(s.Manifest.ProjectRoot, path)) {
		return refusal("stage %d is persisted already: %s", s.report.Implementation.Stage, path)
	}
	return s.setCarry(ctx, map[string]any{"persisted": false, "withheldReason": reason})
}

func (s *StageRecorder) openStage() error {
	if err := s.open("implementation"); err != nil {
		return err
	}
	if s.report.Implementation == nil {
		return refusal("%s has no block implementation", s.Manifest.ReportDataPath)
	}
	if stage := s.context.Run.Stage; stage == nil || *stage != s.report.Implementation.Stage {
		return refusal("the report is about stage %d, which is not the stage of this run", s.report.Implementation.Stage)
	}
	return nil
}

// against lists what speaks against carrying the stage on.
func (s *StageRecorder) against() ([]string, error) {
	state, _, err := run.LoadTeamState(run.Abs(s.Manifest.ProjectRoot, s.Manifest.TeamStatePath))
	if err != nil {
		return nil, err
	}
	rows, _ := state.Ledger()
	return againstPersisting(s.report.Implementation.Verification, s.Manifest.RoleExecutions, rows), nil
}

// setCarry notes the decision in the report's data, so that report and sidecar
// say the same.
func (s *StageRecorder) setCarry(ctx context.Context, carry map[string]any) error {
	path := run.Abs(s.Manifest.ProjectRoot, s.Manifest.ReportDataPath)
	err := atomicfile.Update(ctx, path, 0o644, func(old []byte) ([]byte, error) {
		doc, err := jsondoc.Parse(path, old)
		if err != nil {
			return nil, err
		}
		doc, err = doc.Set("/implementation/carry", carry)
		return doc.Raw, err
	})
	if err == nil {
		s.Say(fmt.Sprintf("%s notes it; render its Markdown again", s.Manifest.ReportDataPath))
	}
	return err
}

// Verified appends the stages that a final verification accepted.
func (s *StageRecorder) Verified(ctx context.Context) error {
	if err := s.open("final-verification"); err != nil {
		return err
	}
	block := s.report.FinalVerification
	if block == nil {
		return refusal("%s has no block finalVerification", s.Manifest.ReportDataPath)
	}
	var against []string
	if token := s.report.VerdictCard.VerdictToken; token != "accepted" {
		against = append(against, fmt.Sprintf("the verdict is %q", token))
	}
	for _, b := range block.AcceptanceBlockers {
		against = append(against, "blocker "+b.ID)
	}
	for _, c := range block.Coverage {
		if c.Status != "covered" {
			against = append(against, c.RequirementID+" is "+c.Status)
		}
	}
	stages := stagesOf(block.Scope, block.Stages)
	against = append(against, againstScope(stages, s.context.Run.Stage)...)
	if len(against) > 0 {
		return refusal("the report does not support an accepted stage: %s", strings.Join(against, ", "))
	}
	token := "accepted"
	return s.consume(ctx, stages, "verified", &token)
}

// Taken appends the stages that a release hand-off took.
func (s *StageRecorder) Taken(ctx context.Context) error {
	if err := s.open("release-handoff"); err != nil {
		return err
	}
	block := s.report.ReleaseHandoff
	if block == nil {
		return refusal("%s has no block releaseHandoff", s.Manifest.ReportDataPath)
	}
	var in run.Inputs
	if path := s.context.SourceArtifacts.RunInputsPath; path != "" {
		if _, err := run.Load(run.Abs(s.Manifest.ProjectRoot, path), "okstra-run-inputs", &in); err != nil {
			return err
		}
	}
	if against := againstTaking(*block, in.Inputs.HandoffStages); len(against) > 0 {
		return refusal("the report does not support a hand-off: %s", strings.Join(against, ", "))
	}
	return s.consume(ctx, stagesOf(block.Mode, block.Stages), "taken", nil)
}

// mayTake refuses a stage whose last row does not say that it is verified.
func (s *StageRecorder) mayTake(last *run.StageConsumer, stage run.StageChoice) error {
	if last == nil || last.Status != "verified" && last.RunID != s.Manifest.RunID {
		return refusal("stage %s is not verified, or was taken before", shownStage(stage))
	}
	return nil
}

// stagesOf is what a scope or mode stands for: its stages, or the whole task.
func stagesOf(scope string, stages []int) []run.StageChoice {
	if scope == run.WholeTaskStage {
		return []run.StageChoice{{Word: run.WholeTaskStage}}
	}
	list := make([]run.StageChoice, len(stages))
	for i, n := range stages {
		list[i] = run.StageChoice{Number: n}
	}
	return list
}

func shownStage(s run.StageChoice) string {
	if s.Word != "" {
		return s.Word
	}
	return fmt.Sprint(s.Number)
}

// lastOf is the row that counts for a stage: its last one.
func lastOf(rows []run.StageConsumer, stage run.StageChoice) *run.StageConsumer {
	for i := range slices.Backward(rows) {
		if rows[i].Stage == stage {
			return &rows[i]
		}
	}
	return nil
}

func (s *StageRecorder) consumers() string {
	return run.Abs(s.Manifest.ProjectRoot, s.Manifest.Folder().Consumers())
}

// consume appends a row for each stage that this run has not recorded yet. What
// the file says is read under its lock: of two hand-offs at once one takes a
// stage, and the other one sees that.
func (s *StageRecorder) consume(ctx context.Context, stages []run.StageChoice, status string, token *string) error {
	if len(stages) == 0 {
		return refusal("%s names no stage", s.Manifest.ReportDataPath)
	}
	path := s.consumers()
	silent := func(string) {} // readConsumers tells of a torn line
	return appendFunc(ctx, silent, path, func() ([][]byte, error) {
		rows, err := readConsumers(path, s.Say)
		if err != nil {
			return nil, err
		}
		var lines [][]byte
		for _, stage := range stages {
			last := lastOf(rows, stage)
			if status == "taken" {
				if err := s.mayTake(last, stage); err != nil {
					return nil, err
				}
			}
			if last != nil && last.Status == status && last.RunID == s.Manifest.RunID {
				s.Say(fmt.Sprintf("stage %s was recorded before", shownStage(stage)))
				continue
			}
			row := run.StageConsumer{
				SchemaVersion: "1.0", Kind: "okstra-stage-consumer", RunID: s.Manifest.RunID, At: run.Stamp(s.Now()),
				Stage: stage, Status: status, VerdictToken: token, ReportDataPath: s.Manifest.ReportDataPath,
			}
			line, err := jsondoc.MarshalLine(row)
			if err != nil {
				return nil, err
			}
			rows, lines = append(rows, row), append(lines, line)
		}
		return lines, nil
	})
}

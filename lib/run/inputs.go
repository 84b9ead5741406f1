package run

import (
	"encoding/json"
	"fmt"
	"strconv"
)

// Inputs is the run inputs document: what the wizard asked, as the consumer
// stores it unchanged.
type Inputs struct {
	SchemaVersion string      `json:"schemaVersion"`
	Kind          string      `json:"kind"`
	Ready         bool        `json:"ready"`
	Inputs        InputFields `json:"inputs"`
}

// InputFields holds every answer. An unused text is "", an unused list empty.
type InputFields struct {
	ProjectRoot               string            `json:"projectRoot"`
	ProjectID                 string            `json:"projectId"`
	TaskGroup                 string            `json:"taskGroup"`
	TaskID                    string            `json:"taskId"`
	TaskKey                   string            `json:"taskKey"`
	IsNewTask                 bool              `json:"isNewTask"`
	TaskType                  string            `json:"taskType"`
	WorkCategory              string            `json:"workCategory"`
	Host                      Host              `json:"host"`
	BriefPath                 string            `json:"briefPath"`
	BaseRef                   string            `json:"baseRef"`
	BaseCommit                string            `json:"baseCommit"`
	ApprovedPlanPath          string            `json:"approvedPlanPath"`
	PlanApproval              string            `json:"planApproval"`
	PlanDigest                string            `json:"planDigest"`
	PlanApplyItems            []string          `json:"planApplyItems"`
	Stages                    []StageChoice     `json:"stages"`
	HandoffStages             []StageChoice     `json:"handoffStages"`
	AnalysisTargets           []string          `json:"analysisTargets"`
	DesignPrep                []DesignDecision  `json:"designPrep"`
	Executor                  string            `json:"executor"`
	Workers                   []string          `json:"workers"`
	Models                    map[string]string `json:"models"`
	Critic                    string            `json:"critic"`
	ReportLanguage            string            `json:"reportLanguage"`
	Translations              []string          `json:"translations"`
	Directive                 string            `json:"directive"`
	RelatedTasks              []string          `json:"relatedTasks"`
	ClarificationResponsePath string            `json:"clarificationResponsePath"`
	PrTemplatePath            string            `json:"prTemplatePath"`
	PrTemplateScope           string            `json:"prTemplateScope"`
}

// DesignDecision is the decision about one open design item.
type DesignDecision struct {
	ID       string `json:"id"`
	Decision string `json:"decision"`
	Note     string `json:"note"`
}

// Words that stand in place of stage numbers.
const (
	AllStages      = "all"
	WholeTaskStage = "whole-task"
)

// StageChoice is a stage number, or one of the words AllStages and
// WholeTaskStage. Number is 0 when Word is set.
type StageChoice struct {
	Number int
	Word   string
}

// MarshalJSON writes the number or the word.
func (s StageChoice) MarshalJSON() ([]byte, error) {
	if s.Word != "" {
		return json.Marshal(s.Word)
	}
	return strconv.AppendInt(nil, int64(s.Number), 10), nil
}

// UnmarshalJSON reads a positive integer or one of the two words.
func (s *StageChoice) UnmarshalJSON(raw []byte) error {
	var word string
	if json.Unmarshal(raw, &word) == nil {
		if word != AllStages && word != WholeTaskStage {
			return fmt.Errorf("stage %q (expected a number, %q or %q)", word, AllStages, WholeTaskStage)
		}
		*s = StageChoice{Word: word}
		return nil
	}
	n, err := strconv.Atoi(string(raw))
	if err != nil || n < 1 {
		return fmt.Errorf("stage %s (expected a number from 1, %q or %q)", raw, AllStages, WholeTaskStage)
	}
	*s = StageChoice{Number: n}
	return nil
}

package dispatch

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"slices"
	"strings"

	"okstra/lib/atomicfile"
	"okstra/lib/digest"
	"okstra/lib/jsondoc"
	"okstra/lib/jsonl"
	"okstra/lib/run"
	"okstra/lib/schema"
	"okstra/lib/writepolicy"
)

// chooseStage picks the stage of the run: the asked one, or the first that is
// due. What remains is said, because one run is one stage.
func (c *creation) chooseStage(asked int) error {
	if len(c.in.Stages) == 0 {
		if asked != 0 {
			return &PlanError{Status: 2, Problems: []error{fmt.Errorf("--stage %d: these inputs have no stages", asked)}}
		}
		return nil
	}
	if !worksInTree(c.in.TaskType) {
		return &PlanError{Status: 2, Problems: []error{fmt.Errorf("%s: /inputs/stages: %d stages (expected [] for %s)", c.doc.Name, len(c.in.Stages), c.in.TaskType)}}
	}
	if c.in.Stages[0].Word == run.WholeTaskStage {
		return nil
	}
	due, err := c.dueStages()
	if err != nil {
		return err
	}
	if asked != 0 {
		if !slices.Contains(due, asked) {
			return c.refuse("/inputs/stages", "stage %d is not due (due: %s)", asked, numbers(due))
		}
		c.stage = &asked
	} else {
		if len(due) == 0 {
			return c.refuse("/inputs/stages", "no stage is due any more")
		}
		c.stage = &due[0]
	}
	if rest := slices.DeleteFunc(slices.Clone(due), func(n int) bool { return n == *c.stage }); len(rest) > 0 {
		c.p.Warn(fmt.Sprintf("this run is stage %d; one run each remains for stage %s", *c.stage, numbers(rest)))
	}
	return nil
}

func numbers(list []int) string {
	words := make([]string, len(list))
	for i, n := range list {
		words[i] = fmt.Sprint(n)
	}
	return strings.Join(words, ", ")
}

// dueStages are the chosen stages that are not done: for an implementation
// those without a carry sidecar, for a verification those without a row
// "verified".
func (c *creation) dueStages() ([]int, error) {
	var chosen []int
	for _, s := range c.in.Stages {
		if s.Word == run.AllStages && c.in.ApprovedPlanPath == "" {
			return nil, &PlanError{Status: 2, Problems: []error{fmt.Errorf("%s: /inputs/approvedPlanPath: \"\" (expected the plan whose stages %q stands for)", c.doc.Name, run.AllStages)}}
		}
		if s.Word == run.AllStages {
			all, err := c.plannedStages()
			if err != nil {
				return nil, err
			}
			chosen = all
			break
		}
		chosen = append(chosen, s.Number)
	}
	verified, err := c.verifiedStages()
	if err != nil {
		return nil, err
	}
	return slices.DeleteFunc(slices.Clone(chosen), func(n int) bool {
		if c.in.TaskType == "final-verification" {
			return verified[n]
		}
		_, err := os.Stat(c.folder.Abs(c.folder.Carry(n)))
		return err == nil
	}), nil
}

// plannedStages are the stages of the approved plan.
func (c *creation) plannedStages() ([]int, error) {
	doc, err := jsondoc.ReadFile(run.Abs(c.in.ProjectRoot, planData(c.in.ApprovedPlanPath)))
	if err != nil {
		return nil, err
	}
	var plan struct {
		ImplementationPlanning struct {
			Stages []struct {
				Stage int `json:"stage"`
			} `json:"stages"`
		} `json:"implementationPlanning"`
	}
	if err := doc.Decode(&plan); err != nil {
		return nil, err
	}
	var list []int
	for _, s := range plan.ImplementationPlanning.Stages {
		list = append(list, s.Stage)
	}
	return list, nil
}

// checkStage wants the stage to be one of the plan's, with paths that its
// implementer may change, before anything of its run is written.
func (c *creation) checkStage() error {
	if c.stage == nil || c.in.ApprovedPlanPath == "" {
		return nil
	}
	if c.in.TaskType == "implementation" {
		doc, err := jsondoc.ReadFile(run.Abs(c.in.ProjectRoot, planData(c.in.ApprovedPlanPath)))
		if err == nil {
			_, err = writepolicy.PathsOfStage(doc, *c.stage)
		}
		return err
	}
	planned, err := c.plannedStages()
	if err == nil && !slices.Contains(planned, *c.stage) {
		err = c.refuse("/inputs/stages", "stage %d is not in the plan (it has %s)", *c.stage, numbers(planned))
	}
	return err
}

// planData is the data file of a report: its last suffix replaced.
func planData(reportPath string) string {
	return strings.TrimSuffix(reportPath, path.Ext(reportPath)) + ".data.json"
}

func (c *creation) verifiedStages() (map[int]bool, error) {
	rows, err := readConsumers(c.folder.Abs(c.folder.Consumers()), c.p.Warn)
	if err != nil {
		return nil, err
	}
	verified := map[int]bool{}
	for _, row := range rows {
		// The last row of a stage counts; a stage that was handed off was
		// verified before.
		verified[row.Stage.Number] = row.Status == "verified" || row.Status == "taken"
	}
	return verified, nil
}

// readConsumers reads consumers.jsonl; a missing file has no rows. A row that a
// crash cut off says nothing, for nobody was told that it was written: warn
// hears of it. Any other bad row may have said that a stage was taken, and is an
// error.
func readConsumers(path string, warn func(string)) ([]run.StageConsumer, error) {
	file, err := jsondoc.Open(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	defer file.Close()
	var list []run.StageConsumer
	var bad []error
	for row, err := range jsonl.Rows(file, path) {
		if err != nil && cutOff(row.Raw) {
			warn(err.Error())
			continue
		}
		var consumer run.StageConsumer
		if err == nil {
			err = schema.DecodeLine(path, row.Number, row.Raw, "okstra-stage-consumer", &consumer)
		}
		if err != nil {
			bad = append(bad, err)
			continue
		}
		list = append(list, consumer)
	}
	return list, errors.Join(bad...)
}

// approve checks that the plan is the one that was decided on, and prepares the
// approval in its data. The digest holds for the decided bytes, and for
// the bytes that an earlier call left after recording the same decision.
func (c *creation) approve() error {
	if c.in.ApprovedPlanPath == "" {
		return nil
	}
	name := run.Abs(c.in.ProjectRoot, planData(c.in.ApprovedPlanPath))
	text, err := os.ReadFile(name)
	if err != nil {
		return &PlanError{Status: 2, Problems: []error{err}}
	}
	found := digest.Bytes(text)
	if old := c.recordedApproval(); found != c.in.PlanDigest {
		if old == nil || old.DecidedDigest != c.in.PlanDigest || old.RecordedDigest != found {
			return c.refuse("/inputs/planDigest", "the plan %q has changed since the decision: %s (expected %s)", name, found, c.in.PlanDigest)
		}
		c.approval = old
		return nil
	}
	doc, err := jsondoc.Parse(name, text)
	if err != nil {
		return err
	}
	if c.in.PlanApproval == "" {
		return c.checkApproved(doc)
	}
	at := run.Stamp(c.p.Now())
	if doc, err = recordApproval(doc, c.in, at); err != nil {
		return err
	}
	c.approved = &doc
	c.approval = &run.ApprovedPlan{Path: run.Rel(c.in.ProjectRoot, name), DecidedDigest: c.in.PlanDigest, RecordedDigest: digest.Bytes(doc.Raw), ApprovedAt: at}
	return nil
}

// checkApproved wants the approval that inputs without a decision of their own
// lean on.
func (c *creation) checkApproved(doc jsondoc.Doc) error {
	const pointer = "/implementationPlanning/approval/approved"
	if value, ok := doc.Lookup(pointer); !ok || string(value) != "true" {
		return c.refuse("/inputs/planApproval", "\"\", but %s%s is not true (expected yes or yes_apply, or a plan that is approved)", doc.Name, pointer)
	}
	return nil
}

// storeApproval writes the approval into the plan, after the task manifest has
// noted what the plan will be: whenever a crash comes between, the digest holds.
func (c *creation) storeApproval() error {
	if c.approved == nil {
		return nil
	}
	if err := atomicfile.Write(c.approved.Name, c.approved.Raw, 0o644); err != nil {
		return err
	}
	c.p.Warn(fmt.Sprintf("approval recorded in %s; render its Markdown again", run.Rel(c.in.ProjectRoot, c.approved.Name)))
	return nil
}

func (c *creation) recordedApproval() *run.ApprovedPlan {
	doc, err := jsondoc.ReadFile(c.folder.Abs(c.folder.TaskManifest()))
	if err != nil {
		return nil
	}
	var m run.TaskManifest
	if doc.Decode(&m) != nil {
		return nil
	}
	return m.ApprovedPlan
}

// recordApproval folds the answered items in and marks the plan as approved.
// An item that blocks the approval and is neither resolved nor obsolete
// afterwards is a refusal.
func recordApproval(doc jsondoc.Doc, in run.InputFields, at string) (jsondoc.Doc, error) {
	var plan struct {
		Items []struct {
			ID        string `json:"id"`
			Status    string `json:"status"`
			Blocks    string `json:"blocks"`
			UserInput string `json:"userInput"`
		} `json:"clarificationItems"`
	}
	if err := doc.Decode(&plan); err != nil {
		return doc, err
	}
	p := &problems{where: doc.Name}
	var err error
	for i, item := range plan.Items {
		pointer := fmt.Sprintf("/clarificationItems/%d/status", i)
		fold := in.PlanApproval == "yes_apply" && slices.Contains(in.PlanApplyItems, item.ID)
		switch {
		case fold && strings.TrimSpace(item.UserInput) == "":
			p.add(pointer, "item %s has no answer to fold in", item.ID)
		case fold:
			if doc, err = doc.Set(pointer, "resolved"); err != nil {
				return doc, err
			}
		case item.Blocks == "approval" && item.Status != "resolved" && item.Status != "obsolete":
			p.add(pointer, "item %s is %s and blocks the approval", item.ID, item.Status)
		}
	}
	if err := p.err(1); err != nil {
		return doc, err
	}
	if doc, err = doc.Set("/implementationPlanning/approval/approved", true); err != nil {
		return doc, err
	}
	return doc.Set("/implementationPlanning/approval/approvedAt", at)
}

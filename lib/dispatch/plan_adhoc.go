package dispatch

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"okstra/lib/jsondoc"
	"okstra/lib/run"
)

// Adhoc is a run made on the spot from a prompt and a list of workers.
type Adhoc struct {
	Prompt  string   // absolute path
	Workers []string // "provider" or "provider/model"
	Root    string   // project root, links resolved
}

// Adhoc plans a run for one prompt: task "adhoc/<name of the prompt>", type
// error-analysis. The prompt becomes the brief and stands in every worker's
// prompt. A run of the same prompt that has not begun is completed, unless the
// text of the prompt was changed meanwhile: then it is another run.
func (p *Planner) Adhoc(ctx context.Context, o Adhoc) ([]run.Job, error) {
	if err := checkFile(o.Prompt); err != nil {
		return nil, &PlanError{Status: 2, Problems: []error{fmt.Errorf("--prompt %w", err)}}
	}
	ids, models, err := p.adhocWorkers(o.Workers)
	if err != nil {
		return nil, err
	}
	slug := slugOf(strings.TrimSuffix(filepath.Base(o.Prompt), filepath.Ext(o.Prompt)), "prompt")
	project := slugOf(filepath.Base(o.Root), "project")
	in := run.Inputs{SchemaVersion: "1.0", Kind: "okstra-run-inputs", Ready: true, Inputs: run.InputFields{
		ProjectRoot: o.Root, ProjectID: project, TaskGroup: "adhoc", TaskID: slug, TaskKey: project + ":adhoc:" + slug,
		IsNewTask: !exists(filepath.Join(o.Root, ".okstra/tasks/adhoc", slug)), TaskType: "error-analysis",
		Host: run.Host{Runtime: "terminal", EntryMode: "external"}, BriefPath: run.Rel(o.Root, o.Prompt),
		PlanApplyItems: []string{}, Stages: []run.StageChoice{}, HandoffStages: []run.StageChoice{}, AnalysisTargets: []string{}, DesignPrep: []run.DesignDecision{},
		Workers: ids, Models: models, ReportLanguage: "en", Translations: []string{}, RelatedTasks: []string{},
	}}
	raw, err := jsondoc.Marshal(in)
	if err != nil {
		return nil, err
	}
	doc, err := jsondoc.Parse("run inputs", raw)
	if err != nil {
		return nil, err
	}
	with := *p
	with.Attach = append([]string{o.Prompt}, p.Attach...)
	with.onlyPrepared = true
	if with.task, err = os.ReadFile(o.Prompt); err != nil {
		return nil, &PlanError{Status: 2, Problems: []error{err}}
	}
	with.task = attachedText(with.task)
	if info, err := os.Stat(o.Prompt); err == nil {
		with.taskAt = info.ModTime()
	}
	return with.Inputs(ctx, doc, 0)
}

// adhocWorkers names the workers after their providers, with a number for the
// second of a kind. The first one's model also writes the report.
func (p *Planner) adhocWorkers(words []string) (ids []string, models map[string]string, _ error) {
	if len(words) == 0 {
		return nil, nil, &PlanError{Status: 2, Problems: []error{fmt.Errorf("no worker (give --worker PROVIDER at least once)")}}
	}
	count := map[string]int{}
	models = map[string]string{}
	for _, word := range words {
		row, model, err := p.Catalogue.Resolve(word)
		if err != nil {
			return nil, nil, &PlanError{Problems: []error{fmt.Errorf("--worker %s: %w", word, err)}}
		}
		id := row.ID
		if count[row.ID]++; count[row.ID] > 1 {
			id = fmt.Sprintf("%s-%d", row.ID, count[row.ID])
		}
		ids = append(ids, id)
		models[id] = row.ID + "/" + model.ID
	}
	models[run.RoleReportWriter] = models[ids[0]]
	return ids, models, nil
}

// slugOf makes an identifier of a file name.
func slugOf(name, otherwise string) string {
	slug := strings.Map(func(r rune) rune {
		switch {
		case 'a' <= r && r <= 'z', 'A' <= r && r <= 'Z', '0' <= r && r <= '9', r == '-', r == '_', r == '.':
			return r
		}
		return '-'
	}, name)
	slug = strings.Trim(slug, "-._")
	if len(slug) > 64 {
		slug = strings.TrimRight(slug[:64], "-._")
	}
	if run.CheckSegment(slug) != nil {
		return otherwise
	}
	return slug
}

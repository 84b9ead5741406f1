package dispatch

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"okstra/lib/atomicfile"
	"okstra/lib/digest"
	"okstra/lib/jsondoc"
	"okstra/lib/jsonl"
	"okstra/lib/run"
	"okstra/lib/schema"
)

// Batch plans a batch of an existing run: the named one, or the first that has
// no rows in the ledger.
func (p *Planner) Batch(ctx context.Context, manifestPath, name string) ([]run.Job, error) {
	m, err := LoadRun(manifestPath)
	if err != nil {
		return nil, err
	}
	if name == "" {
		if name, err = p.nextBatch(m); err != nil || name == "" {
			return nil, err
		}
	}
	return p.batch(ctx, m, name)
}

// nextBatch is the first batch without rows in the ledger, "" when every one
// has some.
func (p *Planner) nextBatch(m run.Manifest) (string, error) {
	state, _, err := run.LoadTeamState(m.Folder().Abs(m.TeamStatePath))
	if err != nil {
		return "", err
	}
	done := map[string]bool{}
	rows, _ := state.Ledger()
	for _, row := range rows {
		done[run.Purpose(row.AssignmentRef)] = true
	}
	for _, batch := range batches(m, p.critic(m)) {
		if !done[batch] {
			return batch, nil
		}
	}
	p.Warn("every batch of this run was dispatched")
	return "", nil
}

// critic tells whether the task's configuration asks for a critic.
func (p *Planner) critic(m run.Manifest) bool {
	var task run.TaskManifest
	_, err := run.Load(m.Folder().Abs(m.TaskManifestPath), "okstra-task-manifest", &task)
	return err == nil && task.Convergence != nil && task.Convergence.Critic != nil && task.Convergence.Critic.Enabled
}

// batch makes the jobs of one batch and writes their prompts.
func (p *Planner) batch(ctx context.Context, m run.Manifest, name string) ([]run.Job, error) {
	rows, err := p.rowsOf(m, name)
	if err != nil {
		return nil, err
	}
	w, err := p.writer(ctx, m)
	if err != nil {
		return nil, err
	}
	for _, row := range rows {
		if err := w.add(row, name, "", nil); err != nil {
			return nil, err
		}
	}
	return w.write(ctx)
}

// rowsOf picks the role executions of a batch.
func (p *Planner) rowsOf(m run.Manifest, name string) ([]run.RoleExecution, error) {
	known := batches(m, p.critic(m))
	kind := purposeKind(name)
	if kind == "reverify" || kind == "plan-verify" || name == PurposeCriticGap {
		return nil, &PlanError{Status: 2, Problems: []error{fmt.Errorf("batch %q is planned from converge's queue (use --queue)", name)}}
	}
	again := kind == PurposeReportWriter && slices.Contains(known, PurposeReportWriter) && run.CheckPurpose(name) == nil
	if !slices.Contains(known, name) && !again {
		if slices.Contains(known, PurposeReportWriter) {
			known = append(known, PurposeReportWriter+"-2 and on")
		}
		return nil, &PlanError{Status: 2, Problems: []error{fmt.Errorf("unknown batch %q (expected %s)", name, strings.Join(known, ", "))}}
	}
	if name == PurposeCritic {
		return p.criticRow(m)
	}
	var rows []run.RoleExecution
	for _, row := range m.RoleExecutions {
		if row.Role == roleOfBatch(name) {
			rows = append(rows, row)
		}
	}
	return rows, nil
}

// criticRow is the worker that has the critic's provider and model.
func (p *Planner) criticRow(m run.Manifest) ([]run.RoleExecution, error) {
	var task run.TaskManifest
	if _, err := run.Load(m.Folder().Abs(m.TaskManifestPath), "okstra-task-manifest", &task); err != nil {
		return nil, err
	}
	critic := task.Convergence.Critic
	for _, row := range m.RoleExecutions {
		if row.Audience != nil && *row.Audience == run.AudienceAnalysis && critic.Provider != nil && row.Provider == *critic.Provider &&
			(critic.ModelExecutionValue == nil || row.ModelExecutionValue != nil && *row.ModelExecutionValue == *critic.ModelExecutionValue) {
			return []run.RoleExecution{row}, nil
		}
	}
	return nil, &PlanError{Problems: []error{fmt.Errorf("%s: /convergence/critic: no worker of this run has that provider and model", m.TaskManifestPath)}}
}

// Queue plans a re-verification: one job for each packet of converge's queue.
func (p *Planner) Queue(ctx context.Context, manifestPath string, r io.Reader, name string) ([]run.Job, error) {
	m, err := LoadRun(manifestPath)
	if err != nil {
		return nil, err
	}
	w, err := p.writer(ctx, m)
	if err != nil {
		return nil, err
	}
	faults := &problems{where: name}
	for row, err := range jsonl.Rows(r, name) {
		if err != nil {
			faults.list = append(faults.list, err)
			continue
		}
		if err := w.addPacket(name, row); err != nil {
			faults.list = append(faults.list, err)
		}
	}
	if err := faults.err(2); err != nil {
		return nil, err
	}
	return w.write(ctx)
}

// packet is what planning reads of a packet; its groups go on as they are.
type packet struct {
	Round                  int    `json:"round"`
	RoundKind              string `json:"roundKind"`
	WorkerID               string `json:"workerId"`
	SourceRoleExecutionRef string `json:"sourceRoleExecutionRef"`
	Adversarial            bool   `json:"adversarial"`
	ResultPath             string `json:"resultPath"`

	Groups []jsonRaw `json:"groups"`
}

// jobWriter collects the jobs of a batch and writes their prompts when all of
// them are known to be right.
type jobWriter struct {
	p       *Planner
	maker   jobMaker
	inputs  run.InputFields
	context run.Context
	title   string
	results []string
	attach  []attachment
	jobs    []run.Job
	prompts []prompt
}

// prompt is a prompt as it is planned, and what one that is there already must
// hold: what was handed in for it.
type prompt struct {
	text    string
	carries []carried
	found   []byte // what is there, nil for nothing
}

func (p *Planner) writer(ctx context.Context, m run.Manifest) (*jobWriter, error) {
	w := &jobWriter{p: p}
	folder := m.Folder()
	if _, err := run.Load(folder.Abs(m.ActiveRunContextPath), "okstra-active-run-context", &w.context); err != nil {
		return nil, err
	}
	var in run.Inputs
	if path := w.context.SourceArtifacts.RunInputsPath; path != "" {
		if _, err := run.Load(folder.Abs(path), "okstra-run-inputs", &in); err != nil {
			return nil, err
		}
	}
	w.inputs = in.Inputs
	w.title = m.Task.TaskID
	var task run.TaskManifest
	if _, err := run.Load(folder.Abs(m.TaskManifestPath), "okstra-task-manifest", &task); err == nil {
		w.title = task.Title
	}
	w.maker = jobMaker{manifest: m, folder: folder, cat: p.Catalogue, replay: p.Replay}
	if err := p.place(ctx, &w.maker, w.context, w.inputs); err != nil {
		return nil, err
	}
	for _, row := range m.RoleExecutions {
		if path := folder.Result(row.WorkerID); isResult(folder.Abs(path)) {
			w.results = append(w.results, path)
		}
	}
	for _, name := range p.Attach {
		text, err := os.ReadFile(name)
		if err != nil {
			return nil, &PlanError{Status: 2, Problems: []error{err}}
		}
		w.attach = append(w.attach, attachment{name: name, text: text})
	}
	return w, nil
}

func isResult(path string) bool {
	info, err := os.Lstat(path)
	return err == nil && info.Mode().IsRegular()
}

func (w *jobWriter) addPacket(file string, row jsonl.Row) error {
	var p packet
	if err := schema.DecodeLine(file, row.Number, row.Raw, "okstra-convergence-packet", &p); err != nil {
		return err
	}
	name, raw := fmt.Sprintf("%s:%d", file, row.Number), row.Raw
	if len(p.Groups) == 0 {
		return fmt.Errorf("%s: /groups: none (expected at least one to be judged)", name)
	}
	purpose, err := purposeRound(p.RoundKind, p.Round)
	if err != nil {
		return fmt.Errorf("%s: /roundKind: %w", name, err)
	}
	for _, row := range w.maker.manifest.RoleExecutions {
		if row.WorkerID == p.WorkerID && row.RoleExecutionRef == p.SourceRoleExecutionRef {
			own := w.maker.folder.Verdicts(p.WorkerID, verdictRound(p.RoundKind, p.Round))
			if filepath.Clean(w.maker.folder.Abs(p.ResultPath)) != w.maker.folder.Abs(own) {
				return fmt.Errorf("%s: /resultPath: %q (expected %q, the verdict file of that worker and round)", name, p.ResultPath, own)
			}
			return w.add(row, purpose, own, raw)
		}
	}
	return fmt.Errorf("%s: /workerId: no role execution %q of worker %q in this run", name, p.SourceRoleExecutionRef, p.WorkerID)
}

func (w *jobWriter) add(row run.RoleExecution, purpose, resultPath string, raw []byte) error {
	job, err := w.maker.make(row, purpose, resultPath)
	if err != nil {
		return err
	}
	a := assignment{
		job: job, purpose: purpose, task: w.maker.manifest.Task, title: w.title, language: w.maker.manifest.ReportLanguage,
		target: strings.TrimPrefix(purpose, "translator-"), manifest: w.maker.manifest, inputs: w.inputs,
		stage: w.context.Run.Stage, packet: raw, attached: w.attach,
	}
	if kind := purposeKind(purpose); kind == PurposeReportWriter || kind == PurposeCritic {
		a.results = w.results
	}
	var p packet
	if raw != nil && jsondoc.Unmarshal(raw, &p) == nil {
		a.adversary = p.Adversarial
	}
	w.jobs = append(w.jobs, job)
	w.prompts = append(w.prompts, prompt{text: jobHeaders(job, w.maker.manifest.ErrorsLogPath).format() + a.body(), carries: a.carries()})
	return nil
}

// write checks the jobs against each other, writes the prompts and gives the
// job lines with policies and digests. A prompt that is there already stays:
// a lead may have changed it, and its attempts refer to it. One that lacks what
// was handed in for it is of another packet, and refused.
func (w *jobWriter) write(ctx context.Context) ([]run.Job, error) {
	for i := range w.jobs {
		if err := w.p.contracts().derive(ctx, &w.jobs[i], &w.maker.manifest); err != nil {
			return nil, &PlanError{Problems: []error{fmt.Errorf("job %q: %w", w.jobs[i].JobID, err)}}
		}
	}
	if err := errors.Join(checkTogether(w.jobs), w.findPrompts()); err != nil {
		return nil, err
	}
	for i := range w.jobs {
		path, text := run.Abs(w.jobs[i].ProjectRoot, w.jobs[i].PromptPath), w.prompts[i].found
		if text == nil {
			text = []byte(w.prompts[i].text)
			if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
				return nil, err
			}
			if err := atomicfile.Write(path, text, 0o644); err != nil {
				return nil, err
			}
		}
		if string(text) != w.prompts[i].text {
			w.p.Warn(fmt.Sprintf("%s differs from the prompt as planned; it is kept", w.jobs[i].PromptPath))
		}
		w.jobs[i].PromptDigest = digest.Bytes(text)
	}
	return w.jobs, nil
}

// findPrompts reads the prompts that are there already.
func (w *jobWriter) findPrompts() error {
	p := &problems{where: "plan"}
	for i := range w.jobs {
		path := run.Abs(w.jobs[i].ProjectRoot, w.jobs[i].PromptPath)
		if err := checkFile(path); errors.Is(err, os.ErrNotExist) {
			continue
		} else if err != nil {
			p.list = append(p.list, fmt.Errorf("prompt %w", err))
			continue
		}
		text, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		w.prompts[i].found = append([]byte{}, text...)
		for _, part := range w.prompts[i].carries {
			if !strings.Contains(string(text), part.text) {
				p.list = append(p.list, fmt.Errorf("%s is there already and does not hold %s (remove it to plan it anew)", w.jobs[i].PromptPath, part.what))
			}
		}
	}
	return p.err(1)
}

package wizard

import "okstra/lib/run"

// inputs collects the fields of the run inputs from the rows.
type inputs = run.InputFields

// RunInputs is the document that a state with the outcome "proceed" stands
// for. Nothing in it depends on the clock or on the order of questions; what a
// ref, a plan or a file was when it was chosen comes from the state, not from
// the project of today.
func (m Machine) RunInputs(s State) (run.Inputs, error) {
	if s.Outcome != OutcomeProceed {
		return run.Inputs{}, Refuse("not-confirmed", "the run is not confirmed (the pending step is %q)", s.Screen.Step)
	}
	v := m.view(&s)
	in := inputs{
		ProjectRoot: s.ProjectRoot, ProjectID: s.ProjectID,
		Host:           run.Host{Runtime: s.HostRuntime, EntryMode: s.HostEntryMode},
		ReportLanguage: reportLanguage,
		PlanApplyItems: []string{}, Stages: []run.StageChoice{}, HandoffStages: []run.StageChoice{},
		AnalysisTargets: []string{}, DesignPrep: []run.DesignDecision{}, Workers: []string{}, RelatedTasks: []string{},
	}
	for _, r := range rows(v) {
		switch {
		case r.ends():
		case v.pending(r):
			return run.Inputs{}, Refuse("incomplete", "the state says that it is confirmed, but %s has no answer", r.id)
		case v.has(r.id) && r.isShown(v) && r.input != nil:
			r.input(v, r, &in)
		}
	}
	in.TaskKey = run.NewTask(in.ProjectID, in.TaskGroup, in.TaskID, "", "").TaskKey
	in.Workers = append(in.Workers, v.workers()...)
	in.Translations = v.translations()
	in.Critic = v.critic()
	models, err := v.models()
	if err != nil {
		return run.Inputs{}, Refuse("unknown-model", "%v (is its agent CLI still on PATH?)", err)
	}
	in.Models = models
	return run.Inputs{SchemaVersion: "1.0", Kind: "okstra-run-inputs", Ready: true, Inputs: in}, nil
}

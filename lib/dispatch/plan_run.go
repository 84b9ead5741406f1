package dispatch

import (
	"encoding/json"

	"okstra/lib/run"
)

// jsonRaw marks bytes as JSON that is written as it stands.
type jsonRaw = json.RawMessage

// newManifest is the run manifest of a new run.
func (c *creation) newManifest() run.Manifest {
	f := c.folder
	input, state := f.ConvergenceInput(), f.Convergence()
	m := run.Manifest{
		SchemaVersion: "1.0", Kind: "okstra-run-manifest", RunID: f.Task.RunID(), Task: f.Task,
		ProjectRoot: c.in.ProjectRoot, CreatedAt: run.Stamp(c.p.Now()), Status: "prepared",
		ReportLanguage: c.in.ReportLanguage, Translations: orEmpty(c.in.Translations), Host: c.in.Host,
		TaskManifestPath: f.TaskManifest(), ActiveRunContextPath: f.ActiveRunContext(), TeamStatePath: f.TeamState(),
		ConvergenceInputPath: &input, ConvergenceStatePath: &state,
		ReportDataPath: f.ReportData(), ReportPath: f.Report(),
		JournalPath: f.Journal(), EventsLogPath: f.EventsLog(), ErrorsLogPath: f.ErrorsLog(),
		RoleExecutions: c.roleExecutions(),
	}
	if c.in.TaskType == "implementation-planning" {
		path := f.PlanBody()
		m.PlanBodyStatePath = &path
	}
	return m
}

// roleExecutions numbers the roles of the run: the lead, who orders all
// others, then translator, implementer, workers and report writer.
func (c *creation) roleExecutions() []run.RoleExecution {
	lead := run.RoleExecutionRef(1)
	rows := []run.RoleExecution{{
		Role: run.RoleLeader, Audience: pointerTo(run.AudienceLead), WorkerID: "lead",
		ParticipantRef: run.ParticipantRef("lead"), RoleExecutionRef: lead, Provider: c.leadProvider(),
	}}
	if model, ok := c.models["lead"]; ok {
		rows[0].Provider, rows[0].Model, rows[0].ModelExecutionValue = model.provider.ID, &model.model.ID, executionValue(model)
	}
	add := func(role string, audience *string, id string) {
		model, ok := c.models[id]
		if !ok {
			return
		}
		rows = append(rows, run.RoleExecution{
			Role: role, Audience: audience, WorkerID: id, ParticipantRef: run.ParticipantRef(id),
			RoleExecutionRef: run.RoleExecutionRef(len(rows) + 1), SourceRoleExecutionRef: &lead,
			Provider: model.provider.ID, Model: &model.model.ID, ModelExecutionValue: executionValue(model),
		})
	}
	add(run.RoleTranslator, nil, run.RoleTranslator)
	add(run.RoleImplementer, nil, run.RoleImplementer)
	for _, id := range c.in.Workers {
		add(workerRole(c.in.TaskType), pointerTo(run.AudienceAnalysis), id)
	}
	add(run.RoleReportWriter, pointerTo(run.AudienceReportWriter), run.RoleReportWriter)
	return rows
}

func workerRole(taskType string) string {
	if taskType == "implementation" || taskType == "final-verification" {
		return run.RoleVerifier
	}
	return run.RoleAnalyser
}

// executionValue is what the CLI is told. A model that is the CLI's own
// default has none; its id then stands for it in documents.
func executionValue(r resolved) *string {
	if r.model.ExecutionValue == "" {
		return &r.model.ID
	}
	return &r.model.ExecutionValue
}

// hostProviders are the providers of the hosts that are agent CLIs.
var hostProviders = map[string]string{
	"claude-code": "claude", "codex": "codex", "gemini": "gemini", "antigravity": "antigravity", "grok": "grok", "kimi": "kimi",
}

func (c *creation) leadProvider() string { return hostProviders[c.in.Host.Runtime] }

//go:fix inline
func pointerTo[T any](v T) *T { return new(v) }

// context is the active run context.
func (c *creation) context() run.Context {
	ctx := run.Context{
		SchemaVersion: "1.0", Kind: "okstra-active-run-context",
		Run: run.ContextRun{RunID: c.manifest.RunID, TaskType: c.in.TaskType, RunSeq: c.folder.Task.RunSeq, Stage: c.stage},
	}
	ctx.SourceArtifacts.RunInputsPath = c.folder.RunInputs()
	ctx.SourceArtifacts.RunManifestPath = c.folder.RunManifest()
	ctx.SourceArtifacts.BriefPath = c.in.BriefPath
	return ctx
}

// teamState is the team state of a run that has not begun. Nobody asks a host
// for a team here, so teamCreate is left out.
func (c *creation) teamState() run.TeamState {
	lead := c.manifest.RoleExecutions[0]
	agent := "Lead"
	if row, err := c.p.Catalogue.Provider(lead.Provider); err == nil {
		agent = row.Name() + " lead"
	}
	state := run.TeamState{
		SchemaVersion: "2.0", Kind: "okstra-team-state", RunID: c.manifest.RunID, TaskType: c.in.TaskType,
		ProjectRoot: c.in.ProjectRoot, RunManifestPath: c.folder.RunManifest(),
		HostRuntime: c.in.Host.Runtime, EntryMode: c.in.Host.EntryMode, StartedAt: c.manifest.CreatedAt,
		Team: &run.Team{TeamName: "okstra-" + c.in.TaskID},
		Lead: run.Lead{Role: run.RoleLeader, Agent: agent, Provider: lead.Provider, Model: lead.Model, SessionID: c.p.LeadSession, Usage: jsonRaw("null")},

		WorkerDispatches: jsonRaw("[]"), UsageSummary: jsonRaw("null"), PhaseTimeline: jsonRaw("null"),
	}
	for _, row := range c.manifest.RoleExecutions[1:] {
		state.Workers = append(state.Workers, run.Worker{
			WorkerID: row.WorkerID, Role: row.Role, Agent: run.AgentName(row.WorkerID),
			Provider: row.Provider, Model: row.Model, ModelExecutionValue: row.ModelExecutionValue, Usage: jsonRaw("null"),
		})
	}
	if state.Workers == nil {
		state.Workers = []run.Worker{}
	}
	return state
}

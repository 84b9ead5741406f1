package converge

import (
	"fmt"
	"slices"
	"strings"

	"okstra/lib/converge/grouping"
	"okstra/lib/finding"
	"okstra/lib/run"
)

// Codes of faults of the roster and of references into results.
const (
	CodeRole       = "role-not-allowed"
	CodeDuplicate  = "role-execution-duplicate"
	CodeUnresolved = "manifest-unresolved"
	CodeItem       = "item-unknown"
	CodeSection6   = "item-section-6"
)

// audienceRoles are the roles that an audience allows, and the order of the
// audiences in a roster.
var audienceRoles = []struct {
	audience string
	roles    []string
}{
	{run.AudienceAnalysis, []string{run.RoleAnalyser, run.RoleVerifier}},
	{run.AudienceReportWriter, []string{run.RoleReportWriter}},
	{run.AudienceLead, []string{run.RoleLeader}},
}

func audienceRank(audience string) int {
	for i, a := range audienceRoles {
		if a.audience == audience {
			return i
		}
	}
	return -1
}

// allowedRoles are the roles of an audience, sorted; none for an unknown one.
// In an implementation run only verifiers are sources: the executor's result
// is what they judge.
func allowedRoles(audience, taskType string) []string {
	switch rank := audienceRank(audience); {
	case rank < 0:
		return nil
	case audience == run.AudienceAnalysis && taskType == "implementation":
		return []string{run.RoleVerifier}
	default:
		return audienceRoles[rank].roles
	}
}

// Prepare turns the lead's grouping into the grouped input of a run. Identity
// comes from the manifest alone. items gives the section of each item of a
// worker's result, or nil when there is no result: an analysis worker must have
// one, while what the lead or a report writer noticed may stand nowhere else.
// manifestPath is how the input refers to the manifest. The input is complete
// only where there is no fault. Rule: docs/converge.md, "Grouping".
func Prepare(name string, f grouping.File, m run.Manifest, manifestPath string, config Config, items func(workerID string) map[string]int) (Input, []finding.Finding) {
	p := preparer{name: name, manifest: m, items: items, analysts: map[string]bool{}}
	for _, seat := range f.Roster {
		p.analysts[seat.WorkerID] = p.analysts[seat.WorkerID] || seat.Audience == run.AudienceAnalysis
	}
	in := Input{
		SchemaVersion: Version, Kind: InputKind, ArtifactID: "convergence-input-" + m.Task.Suffix(),
		Task: m.Task, RunManifestPath: manifestPath, Config: config,
		Workers: p.workers(f.Roster), Groups: p.groups(f.Groups),
	}
	finding.Sort(p.faults)
	return in, p.faults
}

type preparer struct {
	name     string
	manifest run.Manifest
	items    func(string) map[string]int
	analysts map[string]bool // by worker id, as the roster says
	faults   []finding.Finding
}

func (p *preparer) fault(line int, code, format string, args ...any) {
	p.faults = append(p.faults, finding.Finding{
		Level: finding.Error, Code: code, Artifact: p.name, Line: line, Message: fmt.Sprintf(format, args...),
	})
}

func (p *preparer) workers(roster []grouping.Seat) []Worker {
	workers := make([]Worker, 0, len(roster))
	held := map[string]string{}
	for _, seat := range roster {
		row, ok := p.resolve(seat)
		if !ok {
			continue
		}
		if first, taken := held[row.RoleExecutionRef]; taken {
			p.fault(seat.Line, CodeDuplicate, "worker %q holds role execution %q, which is %q's already", seat.WorkerID, row.RoleExecutionRef, first)
			continue
		}
		held[row.RoleExecutionRef] = seat.WorkerID
		provider := row.Provider
		workers = append(workers, Worker{
			WorkerID: row.WorkerID, Audience: seat.Audience, Role: row.Role, ParticipantRef: row.ParticipantRef,
			// The worker's own role execution, not the one that ordered it,
			// which the manifest row keeps under this name.
			SourceRoleExecutionRef: row.RoleExecutionRef, Provider: &provider, Model: row.Model,
		})
	}
	slices.SortStableFunc(workers, compareWorkers)
	return workers
}

// resolve finds the manifest's row of a seat.
func (p *preparer) resolve(seat grouping.Seat) (run.RoleExecution, bool) {
	if audienceRank(seat.Audience) < 0 {
		return run.RoleExecution{}, false // the grouping's own fault, reported by its parser
	}
	var rows, others []run.RoleExecution
	for _, row := range p.manifest.RoleExecutions {
		switch {
		case row.WorkerID != seat.WorkerID:
		case row.Audience != nil && *row.Audience == seat.Audience:
			rows = append(rows, row)
		default:
			others = append(others, row)
		}
	}
	allowed := allowedRoles(seat.Audience, p.manifest.Task.TaskType)
	outside := func(r run.RoleExecution) bool {
		return !slices.Contains(allowed, r.Role) && (seat.Role == "" || seat.Role == r.Role)
	}
	forbidden := slices.IndexFunc(others, outside)
	switch {
	case len(rows) == 1 && outside(rows[0]):
		p.roleFault(seat, rows[0].Role, allowed)
	case forbidden >= 0 && (len(rows) == 0 || seat.Role == others[forbidden].Role):
		p.roleFault(seat, others[forbidden].Role, allowed)
	case len(rows) != 1:
		p.fault(seat.Line, CodeUnresolved, "worker %q of audience %q: %d rows in the run manifest (expected one)", seat.WorkerID, seat.Audience, len(rows))
	case seat.Role != "" && seat.Role != rows[0].Role:
		p.fault(seat.Line, CodeUnresolved, "worker %q is listed as %q and is %q in the run manifest", seat.WorkerID, seat.Role, rows[0].Role)
	default:
		return rows[0], true
	}
	return run.RoleExecution{}, false
}

func (p *preparer) roleFault(seat grouping.Seat, role string, allowed []string) {
	p.fault(seat.Line, CodeRole, "%s", roleText(seat.WorkerID, seat.Audience, role, allowed))
}

// roleText says which role an audience does not allow, and which it does. The
// executor's result is what the verifiers judge, so it is no source itself.
func roleText(workerID, audience, role string, allowed []string) string {
	text := fmt.Sprintf("worker %q: audience %q does not allow the role %q (expected %s)", workerID, audience, role, strings.Join(allowed, " or "))
	if role == run.RoleImplementer {
		text += "; group the results of the verifiers instead"
	}
	return text
}

func (p *preparer) groups(groups []grouping.Group) []Group {
	out := make([]Group, 0, len(groups))
	for _, g := range groups {
		p.references(g)
		group := Group{
			GroupID: g.ID, Claim: g.Claim, Tickets: sortedTexts(g.Tickets), Origin: Origin{g.Origin, g.OriginEvidence},
			DiscoveredBy: sortedTexts(g.DiscoveredBy), SourceItems: slices.Clone(g.SourceItems),
		}
		slices.SortFunc(group.SourceItems, compareRefs)
		if g.CapturedEvidence != "" {
			group.CapturedEvidence = &g.CapturedEvidence
		}
		out = append(out, group)
	}
	slices.SortStableFunc(out, func(a, b Group) int { return grouping.Number(a.GroupID) - grouping.Number(b.GroupID) })
	return out
}

// references looks the items of a group up in the results.
func (p *preparer) references(g grouping.Group) {
	for _, ref := range g.SourceItems {
		sections := p.items(ref.WorkerID)
		section, known := sections[ref.ItemID]
		switch {
		case sections == nil && p.analysts[ref.WorkerID]:
			p.fault(g.LineOf("Source Items"), CodeItem, "group %s: %q has no result that could hold item %s", g.ID, ref.WorkerID, ref.ItemID)
		case sections == nil:
		case !known:
			p.fault(g.LineOf("Source Items"), CodeItem, "group %s: the result of %q has no item %s", g.ID, ref.WorkerID, ref.ItemID)
		case section == grouping.OutOfScope:
			p.fault(g.LineOf("Source Items"), CodeSection6, "group %s: item %s stands in section %d, which never enters", g.ID, ref, grouping.OutOfScope)
		}
	}
}

func sortedTexts(list []string) []string {
	out := append([]string{}, list...)
	slices.Sort(out)
	return out
}

package dispatch

import (
	"context"

	"okstra/lib/run"
)

// auditRound is the audit of one round.
type auditRound struct{}

func (r *auditRound) covers(a *attempt) bool { return false }
func (a *attempt) ownAudit() judgement {
	return judgement{audit: run.Audit{Verdict: "not-needed", Attribution: "call", Changes: []run.Change{}, Violations: []run.Change{}}, mutation: MutationArtifactOnly}
}
func (e *engine) baselinePath(a *attempt) string { return "" }

func (e *engine) openAudit(ctx context.Context, tasks []*task) (*auditRound, error) {
	return &auditRound{}, nil
}
func (r *auditRound) judge(ctx context.Context, held []*attempt) []judgement { return nil }

func judgeLost(ctx context.Context, host Host, s run.Attempt, status *run.Status) judgement {
	return judgement{audit: run.Audit{Verdict: "error", Attribution: "batch", Changes: []run.Change{}, Violations: []run.Change{}, Error: "no baseline"}, mutation: MutationUnknown, failed: true}
}

func (w *wrapping) openAudit(ctx context.Context) (func(context.Context) judgement, error) {
	return func(context.Context) judgement { return judgement{mutation: MutationUnknown} }, nil
}

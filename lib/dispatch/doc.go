// Package dispatch turns the plan of a run into processes and their ends into
// evidence: it writes prompts and job lines, runs jobs in parallel, decides
// how each one ended, repeats what is safe to repeat, and leaves status files,
// attempt sidecars, a journal and the ledger.
//
//	plan.go …      run inputs or a run manifest → job lines
//	accept.go      job lines → checked jobs
//	engine.go …    jobs → attempts → results, round by round
//	outcome.go     the outcome table
//	retry.go       what may be repeated
//	record.go …    sidecars, journal, ledger, logs
//	settle.go …    what a dead dispatcher left → status and resume
//
// It trusts its own clock, the kernel and the tree, never an exit status
// alone and never what a CLI says about itself.
//
// Rule: docs/dispatch.md.
package dispatch

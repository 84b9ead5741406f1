package dispatch

import "okstra/lib/dispatch/proc"

// hopeless lists the causes that a second attempt meets again.
var hopeless = map[string]bool{
	CauseAuth:                   true,
	CauseBudget:                 true,
	CauseInterrupted:            true,
	CauseAuthStopped:            true,
	proc.ReasonCommandMissing:   true,
	proc.ReasonPromptUnreadable: true,
	causeUntrustedDir:           true,
}

// RetryAllowed says whether a job may be tried again after an attempt that
// ended with this result class and cause. Only an attempt that provably
// changed nothing may be: a second one would take its changes for its own
// starting point. counted is the number of attempts so far that were not lost.
func RetryAllowed(resultClass, cause string, counted, maxAttempts int) bool {
	return resultClass == ClassFailedNoMutation && counted < maxAttempts && !hopeless[cause]
}

package main

import (
	"strconv"
	"testing"

	"okstra/lib/clitest"
)

// guarded lists what users of such programs reported (1 to 42) and what must
// hold (rows 1 to 20, W1 to W14), each with the tests that guard it: a test
// function, one of its cases ("TestX/case"), or a script ("x.txtar"). What
// concerns counting tokens is tested where tokens are counted.
var guarded = map[string][]string{
	"report 1":  {"TestReport01And02StdinIsNeverInherited", "bug_surroundings.txtar"},
	"report 2":  {"TestReport01And02StdinIsNeverInherited", "TestLimits/start-up without output (report 4)"},
	"report 3":  {"TestReport03And16OutputOver64KiBIsWhole"},
	"report 4":  {"TestLimits/start-up without output (report 4)"},
	"report 5":  {"TestReport05And09LimitEndsTheWholeTree", "TestReport06LeftoverProcessesAreEnded"},
	"report 6":  {"TestReport06LeftoverProcessesAreEnded"},
	"report 7":  {"TestReport07NothingLandsAfterTheAudit"},
	"report 8":  {"TestReport08WhatSurvivesKillIsNotCalledDead"},
	"report 9":  {"TestReport05And09LimitEndsTheWholeTree"},
	"report 10": {"TestReport10CleanExitAfterALimitIsStillTheLimit", "TestOutcomeTable/5 a limit with a clean exit and a good end (report 10)"},
	"report 11": {"TestOutcomeTable/14 empty (reports 11 and 13)"},
	"report 12": {"TestOutcomeTable/14 missing (report 12)"},
	"report 13": {"TestReport13SummaryTellsOfEveryJob"},
	"report 14": {"TestOutcomeTable/14 unreadable as promised (report 14)"},
	"report 15": {"TestReport15LongLinesAreRead"},
	"report 16": {"TestReport03And16OutputOver64KiBIsWhole", "TestOutcomeTable/12 stream cut, exit 0 (report 16)"},
	"report 17": {"TestReport17SplicedLinesAreResynchronised"},
	"report 18": {"TestReport18TornTailIsEndedAndKept", "TestReport18DamagedJournalIsRefused"},
	"report 19": {"TestReport19FullDiskKeepsWhatIsFinished"},
	"report 20": {"TestReport20ManyJobsOnOneTree"},
	"report 21": {"TestReport21ParallelAddsAllSucceed"},
	"report 22": {"TestReport22ATreeWithWorkIsNeverRemoved"},
	"report 23": {"TestReport23AFolderInsideARepositoryIsNoWorktree", "bug_placement.txtar"},
	"report 24": {"TestOutcomeTable/15 another directory (report 24)"},
	"report 25": {"bug_placement.txtar"},
	"report 26": {"bug_dirty_worktree.txtar"},
	"report 27": {"TestReport27LocksOfTheDeadAreFoundAndKept", "run_policy.txtar"},
	"report 28": {"TestReport28QuestionsLeaveTheIndexAlone"},
	"report 29": {"TestReport29OwnSandboxStartsInsideTheOverlay"},
	"report 30": {"TestReport30ChooseNeverTakesWhatIsNotListed", "TestReport30WholeRunsOnWeakerKernels"},
	"report 31": {"TestReport31InterruptedRunIsEndedAndRecorded"},
	"report 32": {"run_policy.txtar"},
	"report 33": {"TestW14Report33ASiblingsCommitIsUnattributed"},
	"report 34": {"TestReport34ParallelJobsOnOneTreeAreToldApart"},
	"report 35": {"TestReport35PromptTextNeverStandsInAnArgument"},
	"report 36": {"TestReport36APidAloneIsNoIdentity"},
	"report 37": {"TestReport37KilledAtRandomMoments"},
	"report 38": {"TestReport38StopsOfAProvider", "run_stops.txtar"},
	"report 39": {"bug_surroundings.txtar"},
	"report 40": {"TestReport40ReadersNeverFindATornFile"},
	"report 41": {"bug_surroundings.txtar"},
	"report 42": {"TestReport42OrphansAreShownAndEnded"},

	"row 1":  {"TestRetryAllowed/changed a file", "run_policy.txtar"},
	"row 2":  {"TestRow02AnAuditErrorLosesNoRecord"},
	"row 3":  {"TestLedgerHasARowForEveryDispatch"},
	"row 5":  {"TestLedgerRewrites/null is an empty list", "TestLedgerRewrites/rows that are no objects stay"},
	"row 8":  {"bug_surroundings.txtar"},
	"row 11": {"wrap.txtar"},
	"row 12": {"exit_run.txtar"},
	"row 14": {"plan_inputs.txtar"},
	"row 15": {"TestReport40ReadersNeverFindATornFile", "TestRow15TwoJobsOfOneCLIAreToldApart"},
	"row 16": {"TestOutcomeTable", "TestSummaryOfAStream", "run_outcomes.txtar"},
	"row 17": {"TestReport10CleanExitAfterALimitIsStillTheLimit", "TestReport06LeftoverProcessesAreEnded", "TestReport05And09LimitEndsTheWholeTree"},
	"row 18": {"TestReport37KilledAtRandomMoments", "TestReport18DamagedJournalIsRefused"},
	"row 19": {"TestReport30ChooseNeverTakesWhatIsNotListed", "TestReport30WholeRunsOnWeakerKernels"},

	"W1":  {"TestW1BuildRefusals", "TestW1EnforcementTable", "TestW1EnforcementRefusals", "TestW1PayloadRefusals"},
	"W2":  {"TestW1EnforcementTable"},
	"W3":  {"TestW3ContractOfALeader"},
	"W4":  {"TestNormalRelativePathsAreCleanOnes", "TestPayloadsThatPass"},
	"W5":  {"TestW5ArtifactPaths", "TestLexicalFormKeepsParents"},
	"W6":  {"TestW1BuildRefusals"},
	"W7":  {"TestW7ADetachedHeadIsSaid"},
	"W8":  {"TestW8PlannedPaths", "TestW8BrokenChainToThePlan"},
	"W9":  {"TestW9DigestsOfTheCommittedVectors", "TestW9DigestEqualsASlowIndependentOne"},
	"W10": {"TestW10TheOrderOfPathsIsPartOfTheDigest"},
	"W11": {"TestW11EveryRoundHasItsOwnBaseline", "TestW11APeersChangesDoNotPoisonRoundTwo"},
	"W12": {"TestW12AuthorityNamesEveryMismatchInOrder", "TestRow02AnAuditErrorLosesNoRecord"},
	"W13": {"TestW13MutationsThatGitStatusDoesNotShow", "TestW13AnUnchangedTreeHasEqualSnapshots"},
	"W14": {"TestW14Report33ASiblingsCommitIsUnattributed"},
}

// Everything on the list is still guarded by what it names.
func TestWhatIsGuardedHasItsTests(t *testing.T) {
	for n := 1; n <= 42; n++ {
		if len(guarded["report "+strconv.Itoa(n)]) == 0 {
			t.Errorf("report %d is not on the list", n)
		}
	}
	clitest.Guarded(t, guarded, "../../lib/dispatch", "../../lib/audit", "../../lib/gitrepo", "../../lib/writepolicy", "../../lib/provider", ".")
}

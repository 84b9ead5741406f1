package main

import (
	"fmt"
	"maps"
	"slices"
	"testing"

	"okstra/lib/clitest"
)

// guarded lists what must hold, each with the tests that guard it: the
// behaviours T1 to T17, T33 and T34, the eight laws, the worked cases of the
// classification, the published vectors of the statistics, and what users of
// such programs reported (1 to 16).
var guarded = map[string][]string{
	"T1":  {"TestT1TheExecutorIsNoSource"},
	"T2":  {"TestT2TwoSourcesAreConsensusAtOnce"},
	"T3":  {"TestT3TwoRolesOfOneProviderAreTwoSources"},
	"T4":  {"TestT4OneRoleExecutionIsOneIdentity"},
	"T5":  {"TestT5TheLeadIsProvenanceOnly"},
	"T6":  {"TestT6TheReferenceIsTheRowsOwnRoleExecution"},
	"T7":  {"TestT7NoTicketIsAnEmptyValue"},
	"T8":  {"TestT8TheEngineComparesNoTexts"},
	"T9":  {"TestEveryCodeOfTheGrammar/a queue", "TestEveryCodeOfTheGrammar/a classification", "TestEveryCodeOfTheGrammar/a verdict"},
	"T10": {"TestT10SectionSixIsNeverDrafted", "TestItemsMustStandInAResult"},
	"T11": {"TestT11MaxRoundsAndT12Mode"},
	"T12": {"TestT11MaxRoundsAndT12Mode"},
	"T13": {"TestT13OneAnalystIsADisabledState", "TestConvergenceThatAskedNobodyNeedsNoLine"},
	"T14": {"TestT14ACandidateGetsOneRound", "TestLawsOfACriticsRound", "golden_critic.txtar"},
	"T15": {"TestT15ACandidateIsABlockerOrARiskAndNeverLost", "../../../lib/validate/testdata/rules/report-verdict.txtar"},
	"T16": {"TestT16TheGateIsAMajorityInEitherPosture"},
	"T17": {"TestT17NoApprovalIsAskedForAtAnAbortedGate", "../../../lib/validate/testdata/rules/plan-approval-aborted.txtar"},
	"T33": {
		"TestCaseTable", "TestWorstCaseOfTheCaseTable", "TestAnAddedAgreeingVoteNeverLowersAnything", "TestAnAddedDisagreeingVoteNeverRaisesAnything",
		"TestAdversarialIsNeverKinder", "TestASourceIsNoVote", "TestLaw3ThroughTheLoop",
	},
	"T34": {"TestT34RefusedFilesLeaveTheStateAlone", "TestT34BadBlocksCostThatVoteAlone", "TestALateFileNeverSlipsIntoALaterRound"},

	"law 1": {"TestLaw1Permutation", "TestLaw1OrderOfFiles"},
	"law 2": {"TestLaw2Renaming"},
	"law 3": {"TestLaw3ThroughTheLoop", "TestLaw3WithTheFilesAsTheyLie", "TestGateIsMonotone", "TestAnAddedConfirmationNeverTurnsABlockerIntoARisk"},
	"law 4": {"TestAdversarialIsNeverKinder"},
	"law 5": {"TestLaw5SourcesNeverVote"},
	"law 6": {"TestLaw6Recompute"},
	"law 7": {"TestLaw7Once"},
	"law 8": {"TestLaw8Resume", "TestAKilledRunResumesFromItsFiles"},

	"case 2 workers A":         {"TestCaseTable/2 workers, 1 source, A=1"},
	"case 2 workers D":         {"TestCaseTable/2 workers, 1 source, D=1"},
	"case 2 workers M":         {"TestCaseTable/2 workers, 1 source, M=1"},
	"case 3 workers A D":       {"TestCaseTable/3 workers, 1 source, A=1 D=1"},
	"case 3 workers A M":       {"TestCaseTable/3 workers, 1 source, A=1 M=1"},
	"case 4 workers A 2D":      {"TestCaseTable/4 workers, 1 source, A=1 D=2"},
	"case 6 workers 2A 3M":     {"TestCaseTable/6 workers, 1 source, A=2 M=3"},
	"case 6 workers 2A D 2M":   {"TestCaseTable/6 workers, 1 source, A=2 D=1 M=2"},
	"case 6 workers 3A 2D":     {"TestCaseTable/6 workers, 1 source, A=3 D=2"},
	"case 3 workers, the lead": {"TestCaseTable/3 workers, lead only, A=3"},
	"case 2 workers, the lead": {"TestCaseTable/2 workers, lead only, A=1 D=1"},

	"vector F1":     {"TestFleissVector"},
	"vector K1":     {"TestKrippendorffVectors/K1", "TestKrippendorffCoincidences"},
	"vector K2":     {"TestKrippendorffVectors/K2"},
	"vector K3":     {"TestKrippendorffVectors/K3", "TestKrippendorffCoincidences"},
	"vector K4":     {"TestKrippendorffVectors/K4"},
	"vector Cohen":  {"TestCohenVector"},
	"vector D1":     {"TestDawidSkeneVector", "TestDawidSkeneConfusions", "TestDawidSkeneUnits"},
	"vector Wilson": {"TestWilsonVectors", "TestWilsonEndsAreExact"},
	"reasons":       {"TestFiguresThatCannotBeEstimated", "TestNoFigureIsEverNaN", "TestDawidSkeneNeedsUnitsAndRaters"},

	"report 1":  {"TestAPacketForOneWorkerIsTheOneAmongAll", "TestAPacketShowsArgumentsAndNobodysVerdict"},
	"report 2":  {"TestAWorkerIsNeverAskedAboutItsOwnGroup"},
	"report 3":  {"TestAWorkerIsNeverAskedAboutItsOwnGroup", "TestT34RefusedFilesLeaveTheStateAlone/a source judges its own group"},
	"report 4":  {"TestTheOrderOfAPacketIsASeededPermutation"},
	"report 5":  {"TestTheVoteReaderGuessesNothing/AGREE with the basis of a DISAGREE", "TestTheVoteReaderGuessesNothing/both words"},
	"report 6":  {"TestTheSummaryTableShowsEachShareWithItsOwnNumber"},
	"report 7":  {"TestFlags/source and voter of one provider", "TestAgreementOfAState"},
	"report 8":  {"TestWhatSeveralFoundIsOneFinding"},
	"report 9":  {"TestAPacketShowsArgumentsAndNobodysVerdict"},
	"report 10": {"TestUnanimityOnASharedPremiseIsFlaggedNotRaised"},
	"report 11": {"TestAMissingVoteIsNeverAgreement"},
	"report 12": {"TestAgreementOfAState"},
	"report 13": {"TestStepsOutOfOrderAreRefused", "TestT34RefusedFilesLeaveTheStateAlone/the lead"},
	"report 14": {"TestAnEmptyRunHasItsListsAndReadsAsARun", "TestSARIFOfNothing", "TestReport14LevelsAndRulesStandByThemselves"},
	"report 15": {"TestReport15ARuleIsDescribedOnce"},
	"report 16": {"TestSARIFOfAnyState"},

	// A reader of rankings in prose, elsewhere: each thing that it got wrong.
	"votes in prose":        {"TestTheVoteReaderGuessesNothing/prose that names groups"},
	"a label twice":         {"TestTheVoteReaderGuessesNothing/a block twice"},
	"more groups than 26":   {"TestTheVoteReaderGuessesNothing/an id of two digits"},
	"a group without place": {"TestT34RefusedFilesLeaveTheStateAlone/a group that is not there"},
	"self-votes":            {"TestT34RefusedFilesLeaveTheStateAlone/a source judges its own group"},
	"members that vanish":   {"TestAWorkerWithoutAFileIsAskedFor", "TestAMissingVoteIsNeverAgreement"},
	"rounding before order": {"TestATieIsContested", "TestOneRuleForEachTally"},
}

// rows are those that the list must have.
func rows() []string {
	var out []string
	add := func(word string, from, to int) {
		for n := from; n <= to; n++ {
			out = append(out, fmt.Sprintf("%s%d", word, n))
		}
	}
	add("T", 1, 17)
	add("T", 33, 34)
	add("law ", 1, 8)
	add("report ", 1, 16)
	add("vector K", 1, 4)
	return append(out, "vector F1", "vector D1", "vector Cohen", "vector Wilson")
}

// Everything on the list is still guarded by what it names, and nothing that
// belongs on it is missing.
func TestWhatIsGuardedHasItsTests(t *testing.T) {
	listed := slices.Collect(maps.Keys(guarded))
	for _, row := range rows() {
		if !slices.Contains(listed, row) {
			t.Errorf("%s is not on the list", row)
		}
	}
	clitest.Guarded(t, guarded, "../../lib/converge", "../../lib/sarif", "../../lib/validate", ".")
}

package main

import (
	"strconv"
	"testing"

	"okstra/lib/clitest"
)

// guarded lists what must hold of the counting (1 to 41) and the shapes that
// users of such programs reported (1 to 42), each with the tests that guard it.
var guarded = map[string][]string{
	"behaviour 1":  {"TestBehavioursOfCollect/1: a lead in session has what it used inside the window, not its running total"},
	"behaviour 2":  {"TestCountingARollout/behaviour 2: compaction", "TestCountingARollout/report 26: stale snapshot"},
	"behaviour 3":  {"TestCountingARollout/behaviour 3: legacy records"},
	"behaviour 4":  {"TestBehavioursOfCollect/4: nothing inside is unavailable, not 0"},
	"behaviour 5":  {"TestBehavioursOfCollect/5: a count without info alone is unavailable", "TestCountingARollout/behaviour 5: info null alone"},
	"behaviour 6":  {"TestCountingARollout/behaviour 6: info null between legacy records"},
	"behaviour 7":  {"TestBehavioursOfCollect/7: a lead's session that ended before the window is not found in it"},
	"behaviour 8":  {"TestBehavioursOfCollect/8: a worker's search leaves out what began before its wrapper", "TestAttribution/behaviours 8, 11: no id, found by place and time"},
	"behaviour 9":  {"TestBehaviour09WindowsBeginWithinASecond", "TestBehavioursOfCollect/9: a transcript changed within the second in which the window begins"},
	"behaviour 10": {"TestBehavioursOfCollect/10: of a Grok session every prompt counts", "TestReport32RecordsAreSummed"},
	"behaviour 11": {"TestBehavioursOfCollect/11: a Grok run is looked for in its worktree and in the project, and both count", "TestBehavioursOfCollect/11: the CLI knows the project by its real name, the run by a link to it"},
	"behaviour 12": {"TestBehavioursOfCollect/12: dispatched five times, the roster knows the first; the time is the sum of five windows", "TestWallIsTheSumOfTheWrappersSpans"},
	"behaviour 13": {"TestBehavioursOfCollect/13: a row of version 2 and an empty prompt in the roster"},
	"behaviour 14": {"TestBehavioursOfCollect/14: a ledger of null and 7", "TestBehavioursOfCollect/14: a ledger that is no list"},
	"behaviour 15": {"TestBehavioursOfCollect/15: a row of the roster without a worker's id owns nothing"},
	"behaviour 16": {"TestBehavioursOfCollect/16: attempt 1 in a pane, attempt 2 in process", "TestAttribution/behaviour 16: attempt 1 a pane, attempt 2 in process; both ways once"},
	"behaviour 17": {"TestBehavioursOfCollect/17: a dispatched session with nothing in the window used nothing known, not 0 tokens"},
	"behaviour 18": {"TestBehavioursOfCollect/18: the worker of the lead session's next run is neither counted nor named"},
	"behaviour 19": {"TestAttribution/behaviour 19: a team session that a dispatch names is no part of the fold"},
	"behaviour 20": {"TestAttribution/behaviour 20: all workers nameless", "TestBehaviour20TheFoldIsAPartOfTheWorkersTotal"},
	"behaviour 21": {"TestAttribution/behaviour 21: variants of names"},
	"behaviour 22": {"TestAttribution/behaviour 22: the longest name wins"},
	"behaviour 23": {"TestBehavioursOfCollect/23: a wrapper that exited and left no transcript"},
	"behaviour 24": {"TestBehavioursOfCollect/24: Antigravity is measured by its status files alone, whatever its log looks like", "TestBehaviour24AStatusFilesUsage"},
	"behaviour 25": {"TestBehaviour25ASiblingIsUnmatched", "TestVectors/terra"},
	"behaviour 26": {"TestVectors/behaviour 26: k3", "TestVectors/behaviour 26: kimi-code/k3"},
	"behaviour 27": {"TestBlockVectors/behaviour 27: a model without a public rate keeps its tokens", "TestWhatIsNotPricedIsNamed"},
	"behaviour 28": {"TestCountingARollout/report 27, 28: cached and reasoning lie inside; behaviour 28: cached beyond input", "TestBuckets/cached beyond the input", "TestChats/cached beyond input", "TestBehaviour24AStatusFilesUsage/behaviour 28: more cached than there was input"},
	"behaviour 29": {
		"TestOneReplyOneEvent/behaviour 29: split", "TestOneReplyOneEvent/behaviour 29: aggregate only", "TestOneReplyOneEvent/behaviour 29: 0/0 beside an aggregate",
		"TestOneReplyOneEvent/behaviour 29: split below the aggregate", "TestOneReplyOneEvent/behaviour 29: split above the aggregate",
	},
	"behaviour 30": {"TestCase30AReplyGrowsAfterACachedScan"},
	"behaviour 31": {"TestCase31ANarrowerWindowOnAWarmCache"},
	"behaviour 32": {
		"TestCase32WhateverHappensToTranscriptAndCache", "TestBehaviour32TwoProcessesAtOnce", "TestBehaviour32AProcessKilledWhileItWrites",
		"TestBehaviour32GarbageForACache", "TestBehaviour32ACacheOnAFullDisk", "TestCacheAgreesWithAFreshScanOfARandomHome",
	},
	"behaviour 33": {"TestCase33ALastLineWithoutItsEndCountsNowAndOnceLater", "TestBrokenLines/behaviour 33: last line without newline"},
	"behaviour 34": {"TestBehavioursOfCollect/34: sub-agents of another lead's session", "TestAttribution/behaviour 34: sub-agents of another lead session"},
	"behaviour 35": {"usage_phases.txtar", "TestOnlyTheLeadsOwnLinesCount"},
	"behaviour 36": {"TestBehaviour36WhatIsNotCoveredIsToldByReason", "TestBehaviour36AModelWithoutAPriceKeepsItsTokens"},
	"behaviour 37": {"usage_collect_report.txtar"},
	"behaviour 38": {"TestCountingARollout/behaviour 38: killed in a tool, record without count", "TestCountingARollout/behaviour 38: old session resumed by a newer CLI"},
	"behaviour 39": {"TestBehavioursOfCollect/39: Grok killed in a tool is unavailable", "TestSubAgentsAreInTheParentsRecord/behaviour 39: the parent was killed before it wrote", "TestSubAgentsAreInTheParentsRecord/behaviour 39: the parent is gone"},
	"behaviour 40": {"TestForksAndSpawnsCountOwnWorkOnly/report 25: children without the parent's meta; equal-sized own turns both count", "TestForksAndSpawnsCountOwnWorkOnly/two unrelated sessions with equal numbers both count"},
	"behaviour 41": {"TestOneReplyOneEvent/behaviour 41: a usage object in a tool call's input"},

	"report 1":  {"TestOneReplyOneEvent/reports 1, 2, 3, 9: streamed rows, the fullest counts"},
	"report 2":  {"TestOneReplyOneEvent/reports 1, 2, 3, 9: streamed rows, the fullest counts"},
	"report 3":  {"TestOneReplyOneEvent/reports 1, 2, 3, 9: streamed rows, the fullest counts"},
	"report 4":  {"TestOneReplyOneEvent/report 4: a gateway without request ids", "TestReportFourByMessageID"},
	"report 5":  {"TestOneReplyOneEvent/reports 5, 6: resumed and forked sessions copy rows"},
	"report 6":  {"TestOneReplyOneEvent/reports 5, 6: resumed and forked sessions copy rows"},
	"report 7":  {"TestPlaceholderAndSpeed/report 7: no stop reason, few output tokens", "TestReport7PlaceholdersAreCounted"},
	"report 8":  {"TestOneReplyOneEvent/report 8: every row has the final usage"},
	"report 9":  {"TestOneReplyOneEvent/reports 1, 2, 3, 9: streamed rows, the fullest counts"},
	"report 10": {"TestOneReplyOneEvent/report 10: an aside replays the parent's message"},
	"report 11": {"TestReport11SubAgentsAtAnyDepth"},
	"report 12": {"TestOneReplyOneEvent/report 12: advisor calls under their own model"},
	"report 13": {"TestOneReplyOneEvent/report 13: a declined attempt is not added"},
	"report 14": {"TestReport14HugeLine"},
	"report 15": {"TestReport15ADayIsTheLocalOneOfTheInstant", "usage_sum.txtar"},
	"report 16": {"TestCountingARollout/reports 16, 17: unchanged totals re-emitted three times", "TestExcerptOfSevenCountsIsTenThousandTokens"},
	"report 17": {"TestCountingARollout/reports 16, 17: unchanged totals re-emitted three times"},
	"report 18": {"TestForksAndSpawnsCountOwnWorkOnly/report 18: a fork copies eight counts, stamped anew, repeats one and makes one call"},
	"report 19": {"TestForksAndSpawnsCountOwnWorkOnly/report 19: fork replays for more than a second, parent there, no turn ids"},
	"report 20": {"TestForksAndSpawnsCountOwnWorkOnly/report 20: grandchild replays child and parent"},
	"report 21": {"TestForksAndSpawnsCountOwnWorkOnly/report 21: spawned child replays with original times"},
	"report 22": {"TestForksAndSpawnsCountOwnWorkOnly/report 22: child opens with the parent's total and a zero last"},
	"report 23": {"TestForksAndSpawnsCountOwnWorkOnly/report 23: child with forked_from_id counts from zero"},
	"report 24": {"TestForksAndSpawnsCountOwnWorkOnly/report 24: orphan fork, history copied over three seconds", "TestForksAndSpawnsCountOwnWorkOnly/report 24: orphan fork of an old CLI without turn ids"},
	"report 25": {"TestForksAndSpawnsCountOwnWorkOnly/report 25: children without the parent's meta; equal-sized own turns both count"},
	"report 26": {"TestCountingARollout/report 26: stale snapshot", "TestCountingARollout/report 26: stale snapshot after a reset"},
	"report 27": {"TestCountingARollout/report 27, 28: cached and reasoning lie inside; behaviour 28: cached beyond input", "TestReport27ReasoningIsAPartOfTheOutput"},
	"report 28": {
		"TestCountingARollout/report 27, 28: cached and reasoning lie inside; behaviour 28: cached beyond input", "TestBuckets/cached and created lie inside the input",
		"TestOneReplyOneEvent/report 28: what was cached is no part of the input here", "TestOnlyTheRecordCountsOfThreeCopies",
	},
	"report 29": {"TestCountingARollout/report 29: context fill is no use"},
	"report 30": {"TestCountingARollout/report 30: record and count are one response", "TestCountingARollout/report 30: two open records of equal size keep their order"},
	"report 31": {"TestReport31PackedRolloutsAreReadAndThePlainOneWins", "TestReport31ATornArchiveIsAWarningAndCountsAsFarAsItGoes", "TestAMovedTranscriptIsFoundOnce"},
	"report 32": {"TestReport32RecordsAreSummed"},
	"report 33": {"TestBuckets/report 33: occupancy is no use"},
	"report 34": {"TestReport34ForkCopiesCountOnceForTheOriginal"},
	"report 35": {"TestVectors/report 35: the whole request switches tier", "TestVectors/report 35: 250k", "TestBlockVectors/report 35: each request has its own tier"},
	"report 36": {"TestVectors/report 36: 1h writes at twice the input rate", "TestVectors/5m writes"},
	"report 37": {"TestPlaceholderAndSpeed/report 37: fast", "TestVectors/report 37: fast opus-4-6", "TestVectors/report 37: fast opus-4-8", "TestVectors/report 37: fast astra"},
	"report 38": {"TestReport38ChatsInBothFormsAtAnyDepth", "TestChats/report 38: the old form, one object"},
	"report 39": {"TestChats/report 39: the same id again, the last tokens win"},
	"report 40": {"TestPublicReport40SessionScopeIsCumulative"},
	"report 41": {"TestBehavioursOfCollect/23, report 41: a CLI that keeps its data elsewhere now is unavailable, not 0"},
	"report 42": {"TestReport42AnotherInodeReplacesAndDoesNotAdd"},
}

func TestWhatIsGuardedHasItsTests(t *testing.T) {
	for what, last := range map[string]int{"behaviour": 41, "report": 42} {
		for n := 1; n <= last; n++ {
			if name := what + " " + strconv.Itoa(n); guarded[name] == nil {
				t.Errorf("%s is not on the list", name)
			}
		}
	}
	clitest.Guarded(t, guarded, "../../lib/transcript", "../../lib/usage", "../../lib/price", "../../lib/evidence", ".")
}

package main

import "okstra/lib/cli"

const statuses = `EXIT STATUS
  0         done; also when groups stay contested or unsettled
  1         a refused step: wrong order or round, unsettled with
            --require-settled
  2         usage; unreadable or malformed input, every fault named
  3         write error, or a fault of the program
  75        a lock stayed busy
  130, 143  interrupted
`

const outputFlag = `      --output FILE   write there instead of standard output
`

const appHelp = `usage: okstra-converge COMMAND [FLAGS] [FILE...]

Turns grouped findings and verdicts into a convergence state: what is agreed,
what is contested, what only one worker saw. Each command reads a file or
standard input and writes a document or JSON lines. No clock, no network, no
comparison of texts.

COMMANDS
  items           worker results as items to group
  draft-groups    a grouping to start from
  prepare-groups  a grouping as grouped input
  seed            the state after round 0
  queue           what to ask each worker
  apply           count the verdicts of a round
  finalize        classify what the rounds left open
  summary         a final state as report rows
  agreement       how much the agreement is worth
  critic gaps     a critic's candidates as one more round
  critic acceptance
                  blockers and risks from a critic's candidates
  plan-body seed, plan-body queue, plan-body apply, plan-body fix
                  verify the body of an implementation plan
  plan-body gate  may the user be asked to approve it
  explain         the classification table, or why a finding has its label

FLAGS
` + cli.CommonFlags + `
` + statuses + `
EXAMPLES
  okstra-converge items scope-a.md | okstra-converge draft-groups
  okstra-converge explain
`

const itemsHelp = `usage: okstra-converge items RESULT...
       okstra-converge items --from-sarif S.sarif --worker ID

Prints the items of worker results as JSON lines, for the lead to group.
Section 6 is left out. A scanner's SARIF log can stand in for a worker: its
results become the items of ID, but for those that passed, are suppressed or
are gone; how many that were is said on standard error.

FLAGS
      --from-sarif S  a SARIF 2.1.0 log instead of worker results
      --worker ID     the worker that the scanner stands for
` + cli.CommonFlags + `
` + statuses + `
EXAMPLES
  okstra-converge items scope-a.md scope-b.md
  okstra-converge items --from-sarif lint.sarif --worker linter
`

const draftHelp = `usage: okstra-converge draft-groups [--run-manifest M] [ITEMS]

Proposes a grouping in Markdown: one group per item, merged only where the
quoted places and the tickets are the same. Edit it before you go on: which
findings mean the same is yours to say.

FLAGS
      --run-manifest M
                      take the whole roster from this run
` + outputFlag + `` + cli.CommonFlags + `
` + statuses + `
EXAMPLES
  okstra-converge draft-groups items.jsonl
  okstra-converge items scope-b.md | okstra-converge draft-groups -
`

const prepareHelp = `usage: okstra-converge prepare-groups --run-manifest M --input G.md [FLAGS]

Checks a grouping against the run and its results and prints the grouped
input. All faults are named at once, with their lines.

FLAGS
      --run-manifest M
                      the run (obligatory)
      --input FILE    the grouping (obligatory)
      --results-dir D
                      where the results lie (the run's worker-results)
` + outputFlag + `` + cli.CommonFlags + `
` + statuses + `
EXAMPLES
  okstra-converge prepare-groups --run-manifest run/m.json --input g.md
  okstra-converge prepare-groups --run-manifest run/m.json --input - < g.md
`

const seedHelp = `usage: okstra-converge seed [INPUT]

Prints the state after round 0: a group that two or more roles found is
consensus at once, the others are queued.

FLAGS
` + outputFlag + `` + cli.CommonFlags + `
` + statuses + `
EXAMPLES
  okstra-converge seed input.json
  okstra-converge seed --select .queue input.json
`

const queueHelp = `usage: okstra-converge queue --round N [FLAGS] [STATE]

Prints one packet per worker as JSON lines: the groups that it may judge, never
its own, with claim, evidence and the arguments so far.

FLAGS
      --round N       the round that is due (obligatory)
      --worker W      only this worker's packet
      --anonymize     leave out whose claim it is
      --order-seed S  order the groups by this seed (the run's own)
` + cli.CommonFlags + `
` + statuses + `
EXAMPLES
  okstra-converge queue --round 1 state.json
  okstra-converge queue --round 2 state.json    # status 1
`

const applyHelp = `usage: okstra-converge apply --round N --state STATE [FLAGS] [VERDICT...]

Counts the verdict files of a round and prints the state after it. A bad block
costs its worker that one vote; a file that must not be counted refuses the
whole call. The same files again change nothing.

FLAGS
      --round N       the round that is due (obligatory)
      --state FILE    the state (obligatory)
      --allow-missing
                      a worker without a file is known to be lost
` + outputFlag + `` + cli.CommonFlags + `
` + statuses + `
EXAMPLES
  okstra-converge apply --round 1 --state state.json scope-[ac]-r1.md
  okstra-converge apply --round 3 --state final.json    # status 1
`

const finalizeHelp = `usage: okstra-converge finalize [--require-settled] [STATE]

Classifies what is still queued and closes the state.

FLAGS
      --require-settled
                      status 1 when missing votes could still move a finding
` + outputFlag + `` + cli.CommonFlags + `
` + statuses + `
EXAMPLES
  okstra-converge finalize closing.json
  okstra-converge finalize state.json    # status 1
`

const summaryHelp = `usage: okstra-converge summary [--format F] [--sarif-layout L] [STATE]

Prints the findings of a final state: as rows for the report, as two tables in
Markdown with shares and intervals, or as a SARIF 2.1.0 log for hosts and
viewers of scanners' results. In SARIF a consensus is a warning, a difference
is up for review, and a finding that everybody rejected is suppressed.

FLAGS
      --format F      json, md or sarif (json)
      --sarif-layout L
                      per-worker: a run for each worker, tied together by
                      correlationGuid; single: one run, for viewers that read
                      no other (per-worker)
` + outputFlag + `` + cli.CommonFlags + `
` + statuses + `
EXAMPLES
  okstra-converge summary final.json
  okstra-converge summary --format sarif --sarif-layout single final.json
`

const agreementHelp = `usage: okstra-converge agreement [--level L] [STATE]
       okstra-converge agreement --ratings R.jsonl

Prints how far the voters of a state, or the raters of any table, agree beyond
chance: alpha, Fleiss' and Cohen's kappa, the reliability of each rater after
Dawid and Skene; of a state also the share that confirms each group with its
95 % interval, the section it falls into and whether missing votes could still
move it. What cannot be estimated is null with the reason. A row of a table is
{"unit": "u1", "rater": "a", "value": 3}: values all numbers or all texts; a
"replicate" tells several ratings of one rater apart.

Small panels prove little. Of n voters k confirm; the true rate may lie within
  2/3  .21-.94    3/3  .44-1    1/3  .06-.79    0/3  0-.56    5/5  .57-1

FLAGS
      --level L       votes as nominal (agree or disagree) or ordinal
                      (DISAGREE 1, SUPPLEMENT 2, AGREE 3) values (nominal)
      --ratings FILE  a table of ratings instead of a state
` + outputFlag + `` + cli.CommonFlags + `
` + statuses + `
EXAMPLES
  okstra-converge agreement final.json
  okstra-converge agreement --ratings ratings.jsonl
`

const explainHelp = `usage: okstra-converge explain [GROUP --state STATE]

Prints the classification table, or derives the label of a finding from its
votes.

FLAGS
      --state FILE    the state that holds the finding
` + cli.CommonFlags + `
` + statuses + `
EXAMPLES
  okstra-converge explain
  okstra-converge explain G-002 --state final.json
`

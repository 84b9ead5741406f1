package main

import "okstra/lib/cli"

const planSeedHelp = `usage: okstra-converge plan-body seed --run-manifest M --data R.data.json

Prints the state of a plan-body verification before its first round: an item
for each option, stage, step, validation row and rollback row of the plan in a
report's data. Voters are the analysis workers of the run.

FLAGS
      --run-manifest M
                      the run, of implementation-planning (obligatory)
      --data FILE     the report's data (obligatory)
` + outputFlag + `` + cli.CommonFlags + `
` + statuses + `
EXAMPLES
  okstra-converge plan-body seed --run-manifest plan/m.json --data plan.json
  okstra-converge plan-body seed --run-manifest plan/m.json \
    --data - --select '.items[].ref' < plan.json
`

const planQueueHelp = `usage: okstra-converge plan-body queue --round N [FLAGS] [STATE]

Prints one packet per voter as JSON lines. Round 1 asks everybody about every
item; a later one asks everybody about items whose text has changed, and those
whose vote is missing about the rest.

FLAGS
      --round N       the round that is due (obligatory)
      --worker W      only this worker's packet
      --order-seed S  order the items by this seed (the run's own)
` + cli.CommonFlags + `
` + statuses + `
EXAMPLES
  okstra-converge plan-body queue --round 1 plan-seed.json
  okstra-converge plan-body queue --round 2 plan-seed.json    # status 1
`

const planApplyHelp = `usage: okstra-converge plan-body apply --round N --state STATE [VERDICT...]

Counts the verdict files of a round and prints the state after it, with the
gate. A bad block costs its voter that one vote; a file that must not be
counted refuses the whole call. The same files again change nothing.

FLAGS
      --round N       the round that is due (obligatory)
      --state FILE    the state (obligatory)
      --allow-missing
                      a voter without a file is known to be lost
` + outputFlag + `` + cli.CommonFlags + `
` + statuses + `
EXAMPLES
  okstra-converge plan-body apply --round 1 --state plan-seed.json \
    scope-[abc]-plan-r1.md
  okstra-converge plan-body apply --round 2 --state plan-fixed.json \
    --allow-missing scope-[ab]-plan-r2.md
`

const planFixHelp = `usage: okstra-converge plan-body fix --data R.data.json --note TEXT [STATE]

Reads the plan again after a round and records which items were changed. The
votes on a changed text are dropped. One fix between two rounds, and it must
change something.

FLAGS
      --data FILE     the report's data with the changed plan (obligatory)
      --note TEXT     what was changed and why (obligatory)
` + outputFlag + `` + cli.CommonFlags + `
` + statuses + `
EXAMPLES
  okstra-converge plan-body fix --data plan2.json --note 'target renamed' \
    plan-r1.json
  okstra-converge plan-body fix --data plan.json --note x \
    plan-r1.json    # status 1
`

const planGateHelp = `usage: okstra-converge plan-body gate [STATE]

Prints the gate with the votes on each item. The first that holds decides:
  blocked-by-disagreement  an item has more votes against it than for it
  aborted-non-result       an item is confirmed by less than half the voters
  passed-with-dissent      somebody disagrees with an item
  passed                   nobody does
The last two are open: the user may be asked to approve.

FLAGS
` + outputFlag + `` + cli.CommonFlags + `
EXIT STATUS
  0         the gate is open
  1         the gate is closed, or no round was counted yet
  2         usage; unreadable or malformed input, every fault named
  3         write error, or a fault of the program
  75        a lock stayed busy
  130, 143  interrupted

EXAMPLES
  okstra-converge plan-body gate plan-r1.json    # status 1
  okstra-converge plan-body gate plan-r2.json
`

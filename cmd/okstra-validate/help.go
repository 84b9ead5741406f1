package main

import "okstra/lib/cli"

const appHelp = `usage: okstra-validate COMMAND [FLAGS]

Checks run folders against their contract and lists what it finds. It never
writes into a run.

COMMANDS
  run             judge whole runs
  session         judge the checkpoints of a run, while it goes on
  doc             judge single documents
  rules           list the rules
  explain         explain a rule

FLAGS
` + cli.CommonFlags + `
` + statuses + `
EXAMPLES
  okstra-validate run run-ok
  okstra-validate explain progress-cleanup-stale
`

const statuses = `EXIT STATUS
  0         no finding at or above --fail-on
  1         findings
  2         usage, no run found; the run manifest, or the file given to doc,
            is unreadable, malformed or too new
  3         write error, or a fault of the program
  130, 143  interrupted
`

const verdictHelp = `      --format F      text, json, jsonl, sarif, junit, github or intoto
      --fail-on L     status 1 from this level on: error (the default),
                      warning, note or none
      --exit-zero     status 0 in spite of findings, to upload them first
      --baseline FILE known findings: what --format json printed, or a list of
                      fingerprints; they are reported and do not fail
`

const watchHelp = `      --evidence E    where the lead's checkpoints are: events, claude, codex
                      (events where it has a row of the run, else the host's)
      --follow        one run: print what goes wrong until the run has ended
      --interval D    with --follow: how often to look (1s)
`

const runHelp = `usage: okstra-validate run [FLAGS] [RUN...]

Judges runs. RUN is a run manifest, or a folder: all runs below it are judged.
Without RUN, or for -, paths are read from standard input, one JSON text or
{"runManifestPath": ...} a line. Findings go to standard output, in the order
of the runs, a summary to standard error.

FLAGS
` + watchHelp + verdictHelp + cli.CommonFlags + `
` + statuses + `
EXAMPLES
  okstra-validate run run-ok
  okstra-validate run --format json run-broken    # status 1
`

const sessionHelp = `usage: okstra-validate session --run-manifest M [FLAGS]

Judges the lead's checkpoints only, and the documents they rest on: for use
while a run goes on. M is a run manifest, or a folder with one run below it.

FLAGS
      --run-manifest M
                      the run (obligatory)
` + watchHelp + verdictHelp + cli.CommonFlags + `
` + statuses + `
EXAMPLES
  okstra-validate session --run-manifest run-broken    # status 1
  okstra-validate session --run-manifest run-broken --fail-on none
`

const docHelp = `usage: okstra-validate doc [FLAGS] FILE...

Judges documents one by one: strict reading, then the schema of the kind that
the document names itself, or of --kind. - is standard input.

FLAGS
      --kind K        a kind (okstra-team-state), the name of a schema for a
                      document without one (ledger-row, event, ...), or of
                      Markdown: worker-result, worker-audit, grouping,
                      verdicts, plan-verdicts, critic
` + verdictHelp + cli.CommonFlags + `
` + statuses + `
EXAMPLES
  okstra-validate doc run-ok/.okstra/tasks/pay/*/task-manifest.json
  okstra-validate doc --kind event - < /dev/null    # status 2
`

const rulesHelp = `usage: okstra-validate rules [FLAGS]

Lists every rule with its level.

FLAGS
      --format F      text, json, or md: the page docs/rules.md
` + cli.CommonFlags + `
` + statuses + `
EXAMPLES
  okstra-validate rules
  okstra-validate rules --format json --select '.rules[].code'
`

const explainHelp = `usage: okstra-validate explain CODE [FLAGS]

Tells what a rule checks and why, with an example that fails and one that
passes.

FLAGS
      --format F      text or json
` + cli.CommonFlags + `
` + statuses + `
EXAMPLES
  okstra-validate explain report-verdict
  okstra-validate explain doc-nonsense    # status 2
`

package main

import "okstra/lib/cli"

const appHelp = `usage: okstra-dispatch COMMAND [FLAGS]

Runs worker CLIs headless and in parallel, each under its own write policy, and
decides by evidence how each one ended. Job lines go in, result lines come out;
status files, logs and sidecars stay beside the prompts.

COMMANDS
  plan             make job lines from run inputs, a prompt or a run
  run              run job lines in parallel
  status           what became of every job of a run
  resume           run what a run has not completed
  wrap             run one command under limits, log and boundary
  progress append  add a checkpoint line to a run's event log
  stage persist    write an implementation stage's carry sidecar
  stage withhold   record why a stage's result is withheld
  stage verified   record the stages that a verification accepted
  stage taken      record the stages that a hand-off took
  errors append    add a row to a run's errors log
  errors fold      take workers' own error files into the errors log
  policy           build, check and digest write policies
  audit            snapshot a tree and compare two snapshots
  providers        list the providers, resolve a model, check the CLIs
  explain          print the outcome table

FLAGS
` + cli.CommonFlags + `
` + statuses + `
EXAMPLES
  okstra-dispatch explain timeout
  okstra-dispatch plan --prompt task.md --worker claude --worker codex
`

const statuses = `EXIT STATUS
  0         every job completed
  1         a job did not complete, or something was refused
  2         usage; input that is unreadable or malformed (no job was started)
  3         our own records could not be written
  75        another dispatcher kept a lock for 10 s
  130, 143  interrupted; running jobs were ended and recorded first
`

const providersFlag = `      --providers F   a file of provider rows to add or replace; repeatable
`

const manifestHelp = `      --run-manifest M
                      the run (obligatory)
`

const nowHelp = `      --now T         the time to write down (the clock)
`

const planHelp = `usage: okstra-dispatch plan --inputs F [--stage N] [FLAGS]
       okstra-dispatch plan --prompt P --worker W [--worker W]... [FLAGS]
       okstra-dispatch plan --run-manifest M [--batch B | --queue F] [FLAGS]

Prints job lines. With --inputs it creates what is missing of the run folder;
with --prompt it makes a run on the spot; with --run-manifest it goes on with
the next batch of a run, or with the packets of converge's queue.

FLAGS
      --inputs F      run inputs as okstra-wizard prints them; - for stdin
      --stage N       the stage to plan (the first that is due)
      --prompt P      the task, in Markdown
      --worker W      provider or provider/model; repeatable
      --out DIR       the project root (the git work tree around here)
      --run-manifest M
                      an existing run
      --batch B       analysis, implementer, verifier, critic, report-writer or
                      translator-LANG (the first that was not dispatched)
      --queue F       packets of okstra-converge queue; - for stdin
      --attach F      put the text of a file into the prompts; repeatable
      --lead-session ID
                      the session id of the lead, for its usage
      --replay DIR    recordings that stand in for the CLIs
      --format FORM   jsonl or github-matrix (jsonl)
` + providersFlag + nowHelp + cli.CommonFlags + `
` + statuses + `
EXAMPLES
  okstra-dispatch plan --prompt task.md --worker codex | okstra-dispatch run
  okstra-dispatch plan --run-manifest run.json --batch report-writer
`

const optionHelp = `  -j, --jobs N        how many run at once (the number of cores)
      --timeout D     most time of a job, as 30s or 1h (what its line says)
      --idle D        most time without a sign of life; before the first one
                      the start-up limit of the line holds too (120 s, more
                      where many start at once)
      --retries N     how often a job that changed nothing is tried again
      --budget-usd X  start nothing more when so much was spent
      --boundary LIST acceptable boundaries, in order of preference
                      (overlay,landlock,none)
      --ordered       result lines in the order of the jobs
      --progress-events
                      write dispatch and collect lines into the event log
      --replay DIR    recordings that stand in for the CLIs
  -q, --quiet         no progress on standard error
`

const runHelp = `usage: okstra-dispatch run [FLAGS] [JOBS]

Runs job lines and prints one result line for each as it ends. Every line is
checked before the first job is started. JOBS is a file, - or nothing for
standard input.

FLAGS
` + optionHelp + `      --one           exactly one job line
` + providersFlag + cli.CommonFlags + `
` + statuses + `
EXAMPLES
  okstra-dispatch run -j 4 --timeout 30m jobs.jsonl
  okstra-dispatch run --one --replay recordings --boundary none job.json
`

const resumeHelp = `usage: okstra-dispatch resume --run-manifest M [FLAGS]

Runs what a run has accepted and not completed. Processes that outlived their
dispatcher are ended first. A damaged or foreign journal is refused.

FLAGS
` + manifestHelp + `      --accept-unaudited
                      also run again what was lost and cannot be audited
` + optionHelp + providersFlag + cli.CommonFlags + `
` + statuses + `
EXAMPLES
  okstra-dispatch resume --run-manifest run.json
  okstra-dispatch resume --run-manifest run.json --timeout 2h
`

const statusHelp = `usage: okstra-dispatch status --run-manifest M

Prints one result line for every attempt of a run, and one for each job that
has none; what is open has no outcome. Attempts that nobody works on any more
are settled as lost. The status is 0 whatever the lines say.

FLAGS
` + manifestHelp + providersFlag + nowHelp + cli.CommonFlags + `
` + statuses + `
EXAMPLES
  okstra-dispatch status --run-manifest run.json
  okstra-dispatch status --run-manifest run.json --select .outcome
`

const wrapHelp = `usage: okstra-dispatch wrap --prompt P [FLAGS] -- COMMAND [ARGS...]

Runs one command with P as its standard input. What it prints goes to P.log,
how it ended to P.status.json, and one result line to standard output. The
status is 0 only when the command ended with 0 within its limits.

FLAGS
      --prompt P      the prompt file (obligatory)
      --timeout D     most time of the command (1h)
      --idle D        most time without output (15m); one that prints nothing
                      at all is ended after 2m, whatever is given here
      --stdin WHAT    prompt, or null for an empty standard input (prompt)
      --boundary LIST acceptable boundaries; needs --policy (none)
      --policy F      the write policy, as policy build prints it
` + cli.CommonFlags + `
` + statuses + `
EXAMPLES
  okstra-dispatch wrap --prompt task.md -- cat
  okstra-dispatch wrap --prompt task.md --stdin null --timeout 1m -- true
`

const progressHelp = `usage: okstra-dispatch progress append --run-manifest M -- "PROGRESS: ..."
       okstra-dispatch progress append --run-manifest M --event JSON

Appends one checkpoint line, or one activity event, to the event log of a run.
The line "PROGRESS: complete" also ends the run.

FLAGS
` + manifestHelp + `      --event JSON    an activity event; its id and time are filled in
` + nowHelp + cli.CommonFlags + `
` + statuses + `
EXAMPLES
  okstra-dispatch progress append --run-manifest M -- "PROGRESS: complete"
  okstra-dispatch progress append --run-manifest M \
      --event '{"kind":"self-fix","round":1}'
`

const errorsAppendHelp = `usage: okstra-dispatch errors append --run-manifest M [ROW]

Appends one row, a JSON object, to the errors log of a run. Its run id, time
and source are filled in.

FLAGS
` + manifestHelp + nowHelp + cli.CommonFlags + `
` + statuses + `
EXAMPLES
  okstra-dispatch errors append --run-manifest run.json row.json
  okstra-dispatch errors append --run-manifest run.json <row.json
`

const errorsFoldHelp = `usage: okstra-dispatch errors fold --run-manifest M [SIDECAR...]

Takes the files in which workers wrote down their own tool failures into the
errors log of a run, each row once; without names, all of the run folder.

FLAGS
` + manifestHelp + cli.CommonFlags + `
` + statuses + `
EXAMPLES
  okstra-dispatch errors fold --run-manifest run.json
  okstra-dispatch errors fold --run-manifest run.json claude-worker-errors.json
`

const explainHelp = `usage: okstra-dispatch explain [WORD]

Prints the table by which an outcome is decided, the first row that matches
winning; with an outcome or a cause, the rows that can give it.

FLAGS
` + cli.CommonFlags + `
` + statuses + `
EXAMPLES
  okstra-dispatch explain
  okstra-dispatch explain artifact-missing
`

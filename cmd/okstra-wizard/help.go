package main

import "okstra/lib/cli"

const appHelp = `usage: okstra-wizard COMMAND [FLAGS]

Asks for the inputs of a run one screen at a time and prints them as the
document that okstra-dispatch plan takes. The state file is the only thing it
writes.

COMMANDS
  init            make a new state
  step            submit one answer, or show the pending screen again
  render          the pending screen as a host's tool call or as text
  accept          submit a host's raw reply
  run             ask everything in a numbered dialogue
  back            change the answer before the pending question
  goto            change the answer of a step
  confirmation    the answers so far
  render-args     print the run inputs
  steps           the step table
  picker present  a pick cut to a host's limit
  picker accept   take a choice on a presented screen

FLAGS
` + cli.CommonFlags + `
` + statuses + `
EXAMPLES
  okstra-wizard init --state-file new.json --host text
  okstra-wizard render-args --state-file done.json
`

const statuses = `EXIT STATUS
  0         answer taken, screen shown or document printed
  1         understood and refused; the state did not move
  2         usage; a state or input that is unreadable or malformed
  3         the state could not be written
  75        another call kept the state's lock
  130, 143  interrupted, or the answers ended; the state is kept
`

const stateFlag = `      --state-file F  the state (obligatory)
`

const initHelp = `usage: okstra-wizard init --state-file F --host H [FLAGS]

Makes a new state and prints {"stateFile", "next"} with the first screen. An
existing file is refused.

FLAGS
` + stateFlag + `      --host H        who shows the screens: claude-code, codex, gemini,
                      antigravity, mcp, acp, text, grok, kimi, external or
                      terminal (obligatory)
      --available-functions LIST
                      what the session can do: native_single_select,
                      native_question_group, native_multi_select, or auto for
                      all that the host has; none gives numbered text
      --preset STEP=VALUE
                      answer a step now; may be repeated
      --project-root D
                      the project (the git work tree around here)
      --selector S    preferred or required
      --async-questions
                      codex: use the asynchronous question tool
      --entry-mode M  current-session or external (from the host)
      --lang L        en or ko (from the locale)
` + cli.CommonFlags + `
` + statuses + `
EXAMPLES
  okstra-wizard init --state-file new.json --host codex
  okstra-wizard init --state-file n.json --host text --preset task_pick=__new__
`

const stepHelp = `usage: okstra-wizard step --state-file F --answer=RAW [--token T]
       okstra-wizard step --state-file F --no-submit [FLAGS]

Submits one raw answer and prints {"echo", "next"}; with --no-submit shows the
pending screen again, byte for byte. An answer may begin with - or @: always
write --answer=RAW, with the equals sign.

FLAGS
` + stateFlag + `      --answer RAW    a value, a label or, in numbered text, a number
      --token T       refuse unless this screen is still the pending one
      --no-submit     submit nothing
      --host H        with --no-submit: where the session runs now
      --available-functions LIST
                      with --no-submit: what the session can do now
` + cli.CommonFlags + `
` + statuses + `
EXAMPLES
  okstra-wizard step --state-file open.json --answer=__new__
  okstra-wizard step --state-file open.json --no-submit
`

const renderHelp = `usage: okstra-wizard render --state-file F [--as HOST] [--acp-session ID]

Prints the pending screen as the tool call by which a host shows it, or as
numbered text for hosts without a picker. A screen that was made for wider
limits is refused: declare the host first, with step --no-submit --host.

FLAGS
` + stateFlag + `      --as HOST       any host of init (the one that was declared)
      --acp-session ID
                      acp: the session that asks
` + cli.CommonFlags + `
` + statuses + `
EXAMPLES
  okstra-wizard render --state-file open.json --as text
  okstra-wizard render --state-file native.json --as claude-code
`

const acceptHelp = `usage: okstra-wizard accept --state-file F --from HOST [--token T] [FILE]

Reads the raw reply of a host's picker, submits what it answers and prints
{"outcome", "echo", "next"}. A reply without an answer (skipped, declined,
dismissed, cancelled, timed-out, unavailable) is status 1: the question stays
open, and nothing is taken for consent.

FLAGS
` + stateFlag + `      --from HOST     whose reply it is (obligatory)
      --token T       refuse unless this screen is still the pending one
` + cli.CommonFlags + `
` + statuses + `
EXAMPLES
  okstra-wizard accept --state-file native.json --from claude-code reply.json
  echo __new__ | okstra-wizard accept --state-file open.json --from text
`

const runHelp = `usage: okstra-wizard run --state-file F

Asks in a numbered dialogue: questions on standard error, answers line by line
from standard input, the run inputs on standard output at the end. "?" repeats
the question, "<" goes back, "q" leaves and keeps the state; write "=?" for an
answer that is one of them.

FLAGS
` + stateFlag + cli.CommonFlags + `
` + statuses + `
EXAMPLES
  okstra-wizard run --state-file open.json < answers.txt
  echo q | okstra-wizard run --state-file open.json    # status 130
`

const backHelp = `usage: okstra-wizard back --state-file F

Opens the answer before the pending question for change. After proceed or
abort it opens the confirmation again.

FLAGS
` + stateFlag + cli.CommonFlags + `
` + statuses + `
EXAMPLES
  okstra-wizard back --state-file done.json
  okstra-wizard back --state-file open.json    # status 1
`

const gotoHelp = `usage: okstra-wizard goto --state-file F STEP

Opens the answer of a step for change. The old answer again drops nothing;
another one drops what depended on it.

FLAGS
` + stateFlag + cli.CommonFlags + `
` + statuses + `
EXAMPLES
  okstra-wizard goto --state-file done.json task_type
  okstra-wizard goto --state-file open.json task_type    # status 1
`

const confirmationHelp = `usage: okstra-wizard confirmation --state-file F [--format F]

Prints one line for each answer. Changes nothing.

FLAGS
` + stateFlag + `      --format F      text or json
` + cli.CommonFlags + `
` + statuses + `
EXAMPLES
  okstra-wizard confirmation --state-file done.json
  okstra-wizard confirmation --state-file done.json --format json
`

const renderArgsHelp = `usage: okstra-wizard render-args --state-file F

Prints the run inputs of a state that was confirmed.

FLAGS
` + stateFlag + cli.CommonFlags + `
` + statuses + `
EXAMPLES
  okstra-wizard render-args --state-file done.json
  okstra-wizard render-args --state-file open.json    # status 1
`

const stepsHelp = `usage: okstra-wizard steps [--format F]

Prints the step table: id, kind, group, and what each step reads.

FLAGS
      --format F      text or json
` + cli.CommonFlags + `
` + statuses + `
EXAMPLES
  okstra-wizard steps
  okstra-wizard steps --format json
`

const presentHelp = `usage: okstra-wizard picker present --limit N [--lang L] [FILE]

Reads {"prompt", "offsets", "selected"} and prints the prompt as a screen of
single choices that fits a host which shows N options at once.

FLAGS
      --limit N       how many options the host shows (obligatory)
      --lang L        en or ko
` + cli.CommonFlags + `
` + statuses + `
EXAMPLES
  okstra-wizard picker present --limit 3 pick.json
  okstra-wizard picker present --limit 4 < pick.json
`

const pickerAcceptHelp = `usage: okstra-wizard picker accept [FILE]

Reads {"prompt", "offsets", "selected", "value"}: the prompt as it was before
presenting, and the value that was chosen. Prints {"submit", "offsets",
"selected"}; submit is null when the choice only moved the picker.

FLAGS
` + cli.CommonFlags + `
` + statuses + `
EXAMPLES
  okstra-wizard picker accept pick.json
  okstra-wizard picker accept < pick.json
`

package main

import "okstra/lib/cli"

const statuses = `EXIT STATUS
  0         done, also when somebody's use could not be measured
  1         the report belongs to another run
  2         usage; unreadable or malformed team state, report, events
  3         write error; none of the outputs is changed
  75        a lock stayed busy
  130, 143  interrupted
`

const scanHelp = `      --home DIR      look for the CLIs' folders here, not where they say
      --since T, --until T
                      only what happened from T, until T (RFC 3339)
      --no-cache      read every transcript anew
`

const pricesHelp = `      --prices FILE   a price table in place of the built-in one
      --providers F   provider rows whose prices are added; repeatable
`

const appHelp = `usage: okstra-token-usage [COMMAND] [FLAGS] [FILE...]

Finds what a run's lead and workers consumed, from the transcripts that the
agent CLIs leave on disk, and prices it at the public list price. What could
not be measured is said, never shown as zero.

COMMANDS
  collect  usage blocks, summary and phase timeline of a run (the default)
  events   transcripts as usage events
  sum      events as totals
  price    events as totals, with their price
  phases   when the lead passed its checkpoints
  report   what a project's runs consumed
  models   the price table, or how a name finds its price

FLAGS
` + cli.CommonFlags + `
` + statuses + `
EXAMPLES
  okstra-token-usage events --home home | okstra-token-usage sum --by model
  okstra-token-usage collect --home home team-state.json
`

const collectHelp = `usage: okstra-token-usage collect [FLAGS] [TEAM_STATE]

The default command. Gives each worker the sessions of its dispatches and
prints the team state with usage blocks, usageSummary and phaseTimeline. With
--write the file is replaced and the summary printed.

FLAGS
` + scanHelp + `      --write         replace the team state
      --report DATA   fill the report's data too and render it again
` + pricesHelp + `      --now T         the time (the clock)
` + cli.CommonFlags + `
` + statuses + `
EXAMPLES
  okstra-token-usage collect --home home team-state.json
  okstra-token-usage --write --home home team-state.json
`

const eventsHelp = `usage: okstra-token-usage events [FLAGS] [PATH...]

Prints one JSON line per model reply, each reply once however often the
transcripts repeat it; the last line says what else was seen.

FLAGS
` + scanHelp + `      --provider P    only this provider's; may be repeated
` + cli.CommonFlags + `
` + statuses + `
EXAMPLES
  okstra-token-usage events --home home
  okstra-token-usage events --home home --provider claude
`

const sumHelp = `usage: okstra-token-usage sum [FLAGS] [PATH...|-]

Adds up events from standard input; with paths, --home or --provider it scans
by itself.

FLAGS
      --by LIST       session, model, day, cwd, provider, worker
      --price         add what it costs
` + pricesHelp + `      --provider P    only this provider's; may be repeated
      --timezone Z    where a day ends (the local zone)
` + scanHelp + `` + cli.CommonFlags + `
` + statuses + `
EXAMPLES
  okstra-token-usage sum --home home --by model
  okstra-token-usage events --home home | okstra-token-usage sum -
`

const priceHelp = `usage: okstra-token-usage price [FLAGS] [PATH...|-]

Adds up events from standard input; with paths, --home or --provider it scans
by itself.

FLAGS
      --by LIST       session, model, day, cwd, provider, worker
` + pricesHelp + `      --provider P    only this provider's; may be repeated
      --timezone Z    where a day ends (the local zone)
` + scanHelp + `` + cli.CommonFlags + `
` + statuses + `
EXAMPLES
  okstra-token-usage price --home home --by model
  okstra-token-usage events --home home | okstra-token-usage price -
`

const phasesHelp = `usage: okstra-token-usage phases [FLAGS] [TEAM_STATE]

Prints the phase timeline from the lead's progress lines.

FLAGS
      --home DIR      where the lead's transcripts are
      --since T, --until T
                      the window (the run's)
      --now T         the time (the clock)
` + cli.CommonFlags + `
` + statuses + `
EXAMPLES
  okstra-token-usage phases team-state.json
  okstra-token-usage phases < team-state.json
`

const reportHelp = `usage: okstra-token-usage report [FLAGS] [TEAM_STATE...|-]

Adds up what phase 7 wrote into the team states of a project's runs, and says
of how many runs it could not. Team states may be named in place of a project;
- reads their paths, one JSON text a line.

FLAGS
      --project DIR   the project (the one around the current folder)
      --days N        runs that began in the last N days (30)
      --since T, --until T
                      runs that began from T, until T (RFC 3339)
      --all           runs of any time
      --task-type T   only runs of this type; may be repeated
      --group G       only runs of this task group
      --by LIST       task-type, group, provider, model, day (task-type; a
                      page has a part for each)
      --timezone Z    where a day ends (the local zone)
      --format F      text, json, csv or html
      --now T         the time (the clock)
` + cli.CommonFlags + `
` + statuses + `
EXAMPLES
  okstra-token-usage report --project project --now 2026-09-09T00:00:00Z
  okstra-token-usage report --all --format html team-state.json
`

const modelsHelp = `usage: okstra-token-usage models [--format F] [NAME...]

Prints the price table, USD per million tokens; a question mark says that a
rate is uncertain. With names, how each finds its row.

FLAGS
      --format F      text or json
` + pricesHelp + `` + cli.CommonFlags + `
` + statuses + `
EXAMPLES
  okstra-token-usage models
  okstra-token-usage models gpt-5.6-terra kimi-code/k3
`

package main

import "okstra/lib/cli"

const appHelp = `usage: okstra-translate COMMAND --data REPORT.data.json [--lang TAG] [FLAGS]

Hands the texts of a final report to a translator and takes them back, checked,
as a file beside the report. The report's data is never edited.

COMMANDS
  prepare   take the translatable texts out: payload and Markdown
  write     check the translated Markdown and write the sidecar
  check     the same without writing; findings on standard output
  status    which translations are fresh, stale, invalid or missing
  update    the payload for a report that changed: ask for the rest only
  apply     print the report's data in another language
  render    show the report as Markdown or as one HTML page
  export    the texts as gettext PO or XLIFF 2.1
  import    take a translation from a PO or XLIFF file

Each has its own page: okstra-translate COMMAND --help

FLAGS
` + cli.CommonFlags + `
EXIT STATUS
  0         done; check: no error; status: all fresh
  1         translation refused, report changed since prepare, stale
  2         usage, bad language tag, unreadable or malformed input, symlink
  3         write error, full disk, or a fault of the program
  130, 143  interrupted

EXAMPLES
  okstra-translate prepare --data final-report-error-analysis-001.data.json \
    --lang ko --markdown T.md
  okstra-translate render --data final-report-error-analysis-001.data.json
`

const exits = `EXIT STATUS
  0         done
  2         usage, bad language tag, unreadable or malformed input, symlink
  3         write error, full disk, or a fault of the program
  130, 143  interrupted
`

const exitsRefused = `EXIT STATUS
  0         done
  1         refused: faults in the translation, or the report has changed
  2         usage, bad language tag, unreadable or malformed input, symlink
  3         write error, full disk, or a fault of the program
  130, 143  interrupted
`

const prepareHelp = `usage: okstra-translate prepare --data REPORT.data.json --lang TAG
       [--markdown FILE]

Prints the payload for a translation: every text once, where it stands, and a
digest of it all. The Markdown has one block for each text, under a heading
"## T-001"; that file is what a translator fills in.

FLAGS
      --data FILE         the report's data; the name ends in .data.json
      --lang TAG          the language to translate into, as ko or pt-BR
      --markdown FILE     write the blocks there
` + cli.CommonFlags + `
` + exits + `
EXAMPLES
  okstra-translate prepare --data final-report-error-analysis-001.data.json \
    --lang ko --markdown T.md
  okstra-translate prepare --data final-report-error-analysis-001.data.json \
    --lang ko --select '.strings | length'
`

const ruleFlags = `      --placeholder RE    more placeholders to keep, a regular expression;
                          repeatable
      --glossary FILE     terms and their translations, a tab between them
      --waive NAME=WHY    switch a check off; the reason goes into the sidecar;
                          repeatable
      --strict            warnings refuse the translation too
`

const answerFlagsHelp = `      --data FILE         the report's data; the name ends in .data.json
      --lang TAG          the language of the translation
      --source FILE       the payload of prepare or update; - is stdin
      --source-digest D   its digest, as the dispatcher recorded it
      --translations FILE the translated Markdown; - is stdin
` + ruleFlags

const writeHelp = `usage: okstra-translate write --data REPORT.data.json --lang TAG
       --source SRC.json --source-digest sha256:... --translations T.md
       [--placeholder RE]... [--waive NAME=WHY]... [--glossary FILE] [--strict]

Checks a translation and writes it beside the report, as
<report>.translation.<lang>.json, then prints that path. The payload is made
anew from the report and has to agree before the translation is read. All
faults are told at once, each with its line and item; then nothing is written.

FLAGS
` + answerFlagsHelp + cli.CommonFlags + `
` + exitsRefused + `
EXAMPLES
  okstra-translate write --data final-report-error-analysis-001.data.json \
    --lang ko --source SRC.json --source-digest "$(cat SRC.digest)" \
    --translations KO.md
  okstra-translate write --data final-report-error-analysis-001.data.json \
    --lang ko --source SRC.json --source-digest "$(cat SRC.digest)" \
    --translations KO.md --waive number='counters are spelled out'
`

const checkHelp = `usage: okstra-translate check --data REPORT.data.json --lang TAG
       --source SRC.json --source-digest sha256:... --translations T.md
       [--placeholder RE]... [--waive NAME=WHY]... [--glossary FILE] [--strict]
       [--format {text|json}]

Does what write does, but prints the findings and writes nothing. As text, at
most ten findings of one kind are listed; as JSON, all.

FLAGS
` + answerFlagsHelp + `      --format FORMAT     text (default) or json
` + cli.CommonFlags + `
` + exitsRefused + `
EXAMPLES
  okstra-translate check --data final-report-error-analysis-001.data.json \
    --lang ko --source SRC.json --source-digest "$(cat SRC.digest)" \
    --translations KO.md
  okstra-translate check --data final-report-error-analysis-001.data.json \
    --lang ko --source SRC.json --source-digest "$(cat SRC.digest)" \
    --translations KO.md --format json --select .errors
`

const statusHelp = `usage: okstra-translate status --data REPORT.data.json [--lang TAG]...
       [--format {text|json}]

Lists the translations beside a report: fresh, stale (the report has changed),
invalid or missing, with the number of texts whose translation still stands.
Without --lang it lists those that exist.

FLAGS
      --data FILE         the report's data; the name ends in .data.json
      --lang TAG          only this language, missing or not; repeatable
      --format FORMAT     text (default) or json
` + cli.CommonFlags + `
EXIT STATUS
  0         all are fresh
  1         one is not
  2         usage, bad language tag, unreadable or malformed report
  3         write error, or a fault of the program
  130, 143  interrupted

EXAMPLES
  okstra-translate status --data final-report-error-analysis-001.data.json
  okstra-translate status --data final-report-error-analysis-001.data.json \
    --lang ja --format json                                     # status 1
`

const updateHelp = `usage: okstra-translate update --data REPORT.data.json --lang TAG
       [--markdown FILE]

Prints the payload for a report that has changed since it was translated.
Texts that are still there keep their translation; only the others are asked
for, with what stood in their place before. Give the payload and the filled-in
Markdown to write as usual.

FLAGS
      --data FILE         the report's data; the name ends in .data.json
      --lang TAG          the language of the translation to update
      --markdown FILE     write the blocks that are asked for there
` + cli.CommonFlags + `
` + exits + `
EXAMPLES
  okstra-translate update --data final-report-error-analysis-001.data.json \
    --lang de --markdown T.md
  okstra-translate update --data final-report-error-analysis-001.data.json \
    --lang de --select .ask
`

const applyHelp = `usage: okstra-translate apply --data REPORT.data.json --lang TAG [--partial]

Prints the report's data with the translated texts in the place of their
sources and the language in its header. Keys, their order and all other values
stay. A stale translation is refused, so that no page is half translated.

FLAGS
      --data FILE         the report's data; the name ends in .data.json
      --lang TAG          the language of the translation
      --partial           use what still stands of a stale translation
` + cli.CommonFlags + `
EXIT STATUS
  0         done
  1         the translation is stale and --partial was not given
  2         usage, bad language tag, no or invalid translation, bad report
  3         write error, or a fault of the program
  130, 143  interrupted

EXAMPLES
  okstra-translate apply --data final-report-error-analysis-001.data.json \
    --lang de
  okstra-translate apply --data final-report-error-analysis-001.data.json \
    --lang de --partial --select .verdictCard
`

const renderHelp = `usage: okstra-translate render --data REPORT.data.json [--lang TAG]
       [--format {md|html}] [--partial]

Prints the report as Markdown, or as one HTML page with its charts that needs
no script and no network. With --lang it is in that language; when that
translation is stale, the page is in the source language and says so.

FLAGS
      --data FILE         the report's data; the name ends in .data.json
      --lang TAG          show a translation (default: the report's language)
      --format FORMAT     md (default) or html
      --partial           use what still stands of a stale translation; texts
                          in the source language are marked
` + cli.CommonFlags + `
` + exits + `
EXAMPLES
  okstra-translate render --data final-report-error-analysis-001.data.json
  okstra-translate render --data final-report-error-analysis-001.data.json \
    --lang de --format html > report.de.html
`

const exportHelp = `usage: okstra-translate export --data REPORT.data.json --lang TAG
       --format {po|xliff}

Prints the texts of the report, with the translations that exist, for a
translation tool: gettext PO (Poedit, Weblate) or XLIFF 2.1 (OmegaT and other
CAT tools). Texts that changed keep their old translation, marked as such.

FLAGS
      --data FILE         the report's data; the name ends in .data.json
      --lang TAG          the language to translate into
      --format FORMAT     po or xliff
` + cli.CommonFlags + `
` + exitsRefused + `
EXAMPLES
  okstra-translate export --data final-report-error-analysis-001.data.json \
    --lang ko --format po > report.ko.po
  okstra-translate export --data final-report-error-analysis-001.data.json \
    --lang de --format xliff > report.de.xlf
`

const importHelp = `usage: okstra-translate import --data REPORT.data.json --lang TAG
       [--placeholder RE]... [--waive NAME=WHY]... [--glossary FILE] [--strict]
       [FILE]

Takes a translation from a PO or XLIFF 2.1 file that export printed, checks it
as write does, writes it beside the report and prints the path. Entries that
are still fuzzy count as translated, those without fuzzy as reviewed.

FLAGS
      --data FILE         the report's data; the name ends in .data.json
      --lang TAG          the language of the translation
` + ruleFlags + cli.CommonFlags + `
` + exitsRefused + `
EXAMPLES
  okstra-translate import --data final-report-error-analysis-001.data.json \
    --lang ko KO.po
  okstra-translate import --data final-report-error-analysis-001.data.json \
    --lang ko --strict < KO.po
`

#!/bin/sh
# cross-verify.sh TASK.md: let several agents look at one task apart from each
# other, let them re-verify what only one of them claims, and report.
#
# Run it at the top of a git work tree, with the programs on the PATH. It composes
# the six filters; every step leaves its documents below .okstra/, where they can
# be read and checked later. It ends with the validator's status; with 1 as well
# when no worker gave a result or the translation is not there, with 2 when a program
# is missing or a question got no answer, and with 130 or 143 when it was stopped,
# after the workers have been.
#
# Environment:
#   WORKERS    who takes part, as codex,claude; their   (claude,codex,kimi)
#              CLIs must be on the PATH
#   TRANSLATE  a language to translate the report into  (none)
#   GROUP      the task's group                         (adhoc)
#   TASK       its name in the group                    (from the file's name)
#   JOBS       how many workers at once                 (3)
#   TIMEOUT    wall limit of one job                    (60m)
#   BOUNDARY   acceptable boundaries                    (overlay,landlock,none)
#   OKSTRA_REPLAY_DIR  recordings that stand in for the CLIs (docs/replay.md)
set -eu

[ $# -eq 1 ] || { echo "usage: cross-verify.sh TASK.md" >&2; exit 2; }
brief=$1
workers=${WORKERS:-claude,codex,kimi}
language=${TRANSLATE:-none}
group=${GROUP:-adhoc}
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

# A signal ends the workers first. The dispatcher runs in the background, since a
# shell that waits for a command in the foreground hears no signal.
job=
stop() {
	trap '' INT TERM HUP
	[ -z "$job" ] || { kill -TERM "$job" && wait "$job"; } 2>/dev/null || :
	exit "$1"
}
trap 'stop 129' HUP
trap 'stop 130' INT
trap 'stop 143' TERM

# All of them are needed: better to know before the workers have been paid for.
for tool in wizard dispatch converge token-usage translate validate; do
	command -v "okstra-$tool" >/dev/null || { echo "cross-verify.sh: okstra-$tool is not on the PATH" >&2; exit 2; }
done

# A task is named after its file: lower-case letters, digits and dashes. Where
# none of them is in the name, its checksum tells it from others.
named() {
	words=$(basename -- "$brief" .md | LC_ALL=C tr 'A-Z\n' 'a-z-' | LC_ALL=C tr -c 'a-z0-9' '-' | sed 's/^-*//' | cut -c 1-64 | sed 's/-*$//')
	[ -n "$words" ] || words=task-$(basename -- "$brief" | cksum | cut -d ' ' -f 1)
	echo "$words"
}
task=${TASK:-$(named)}

say() { printf '\n== %s\n' "$1"; }
mark() { okstra-dispatch progress append --run-manifest "$manifest" -- "PROGRESS: $1"; }

# run_jobs FILE [FLAG...]: run the jobs of a file and tell how each ended. A
# job that did not complete is no failure, what it means is decided later;
# anything worse is.
run_jobs() {
	file=$1
	shift
	status=0
	okstra-dispatch run -j "${JOBS:-3}" --timeout "${TIMEOUT:-60m}" --boundary "${BOUNDARY:-overlay,landlock,none}" "$@" \
		--select '"  \(.workerId): \(.outcome), \(.cause), attempt \(.attempt)"' "$file" >"$scratch/results" &
	job=$!
	wait "$job" || status=$?
	job=
	[ "$status" -le 1 ] || return "$status"
	tr -d '"' <"$scratch/results" | sort
}

# sound JUDGE FILE...: the files that JUDGE, a command, takes. One that its worker
# spoilt is told and left out, as if the worker were lost; the validator finds it
# again.
sound() {
	judge=$1
	shift
	for file; do
		if $judge "$file" >/dev/null 2>"$scratch/faults"; then
			echo "$file"
		else
			echo "cross-verify.sh: left out: $file" >&2
			cat "$scratch/faults" >&2
		fi
	done
}

# ---- what to ask, and whom -------------------------------------------------
# The loop is what a host does: show the pending step, relay the answer.
say "inputs"
answer() {
	case $1 in
	task_pick) [ -d ".okstra/tasks/$group/$task" ] && echo "$group/$task" || echo __new__ ;;
	task_group_pick) [ -d ".okstra/tasks/$group" ] && echo "$group" || echo __type_custom__ ;;
	task_group) printf '%s\n' "$group" ;;
	task_id) printf '%s\n' "$task" ;;
	task_type) echo error-analysis ;;
	work_category) echo bugfix ;;
	brief_keep) echo replace ;;
	brief_path) printf '%s\n' "$brief" ;;
	base_ref_pick) echo HEAD ;;
	defaults_or_custom) echo custom ;;
	workers) printf '%s\n' "$workers" ;;
	*_model) echo keep ;;
	critic_pick) echo no ;;
	report_language_pick) offered "$1" "$language" ;;
	report_language) printf '%s\n' "$language" ;;
	clarification_pick | related_tasks_pick | directive_pick) echo skip ;;
	confirm) echo proceed ;;
	*) echo "cross-verify.sh: no answer to the question $1" >&2 && exit 2 ;;
	esac
}
# wizard EXPR COMMAND [FLAG...]: call the wizard and pick words from what it
# prints. An answer that it refuses is the end: asked again, the script would
# only give the same one.
wizard() {
	pick=$1
	shift
	okstra-wizard "$@" --state-file "$scratch/wizard.json" --select "$pick" >"$scratch/picked" || exit 2
	tr -d '"' <"$scratch/picked"
}
# offered STEP VALUE: the value, where it is one of the choices; else it is typed.
offered() {
	wizard ".next.questions[] | select(.step == \"$1\") | .options[].value" step --no-submit >"$scratch/choices"
	if grep -Fqx -e "$2" "$scratch/choices"; then printf '%s\n' "$2"; else echo __type_custom__; fi
}
# A group of questions is answered by one object, keyed by their names.
reply() {
	case $1 in
	group:*)
		questions=$(wizard '.next.questions[].step' step --no-submit)
		sep='{'
		for q in $questions; do
			word=$(answer "$q")
			printf '%s"%s":"%s"' "$sep" "$q" "$word"
			sep=','
		done
		echo '}'
		;;
	*) answer "$1" ;;
	esac
}
step=$(wizard .next.step init --host text --project-root .)
while [ "$step" != done ]; do
	text=$(reply "$step")
	step=$(wizard .next.step step --answer="$text")
done
okstra-wizard confirmation --state-file "$scratch/wizard.json" | sed 's/^/  /'

# The tag in its canonical form, which file names are made of.
[ "$language" = none ] || language=$(wizard '.inputs.translations[0]' render-args)

# ---- the same task to every worker -----------------------------------------
okstra-wizard render-args --state-file "$scratch/wizard.json" | okstra-dispatch plan --inputs - >"$scratch/jobs.jsonl"
manifest=$(sed -n 's/.*"runManifestPath":"\([^"]*\)".*/\1/p;q' "$scratch/jobs.jsonl")
run=$(dirname "$(dirname "$manifest")")
suffix=$(basename "$manifest" .json | sed 's/^run-manifest-//')
mark "phase-1-intake reading task bundle"

say "analysis"
run_jobs "$scratch/jobs.jsonl" --progress-events
mark "phase-batch-cleanup analysis batch closed"

# ---- what they found, grouped ----------------------------------------------
state=$run/state/convergence-$suffix.json
results=$(okstra-dispatch status --run-manifest "$manifest" --select 'select(.outcome == "completed") | .resultPath' | tr -d '"' | sort -u)
# shellcheck disable=SC2086
[ -z "$results" ] || results=$(sound "okstra-converge items" $results)
[ -n "$results" ] || { echo "cross-verify.sh: no worker gave a result; their logs are in $run/prompts" >&2; exit 1; }
# shellcheck disable=SC2086
okstra-converge items $results >"$scratch/items.jsonl"
okstra-converge draft-groups --run-manifest "$manifest" --output "$run/state/grouping-$suffix.md" "$scratch/items.jsonl"
okstra-converge prepare-groups --run-manifest "$manifest" --input "$run/state/grouping-$suffix.md" --output "$run/state/convergence-input-$suffix.json"
okstra-converge seed --output "$state" "$run/state/convergence-input-$suffix.json"

# ---- single-source claims go to the others until they settle ----------------
round=1
while okstra-converge queue --round "$round" "$state" >"$scratch/packets.jsonl" 2>"$scratch/why"; do
	say "re-verification, round $round"
	mark "phase-5.5-convergence round $round"
	okstra-dispatch plan --run-manifest "$manifest" --queue "$scratch/packets.jsonl" >"$scratch/jobs.jsonl"
	run_jobs "$scratch/jobs.jsonl"
	verdicts=
	for file in $(okstra-converge queue --round "$round" --select .resultPath "$state" | tr -d '"'); do
		[ ! -s "$file" ] || verdicts="$verdicts $file"
	done
	# A worker that is really lost is a missing vote, never an agreeing one.
	# shellcheck disable=SC2086
	verdicts=$(sound "okstra-converge apply --round $round --allow-missing --state $state" $verdicts)
	# shellcheck disable=SC2086
	okstra-converge apply --round "$round" --state "$state" --allow-missing --output "$scratch/state.json" $verdicts
	mv "$scratch/state.json" "$state"
	mark "phase-batch-cleanup round $round closed"
	round=$((round + 1))
done
grep -q wrong-order "$scratch/why" || { cat "$scratch/why" >&2; exit 2; }
okstra-converge finalize --output "$scratch/state.json" "$state"
mv "$scratch/state.json" "$state"

# ---- one report --------------------------------------------------------------
say "report"
data=$run/reports/final-report-$suffix.data.json
mark "phase-6-synthesis dispatching report writer"
okstra-dispatch plan --run-manifest "$manifest" --batch report-writer >"$scratch/jobs.jsonl"
run_jobs "$scratch/jobs.jsonl"
report=
[ ! -s "$data" ] || report=$(sound "okstra-validate doc --kind okstra-final-report" "$data")

# ---- translated ----------------------------------------------------------------
# A translator that failed, or whose work is refused, takes nothing away from the
# report: that is still priced, judged and shown.
translated=0
translate() {
	okstra-translate prepare --data "$data" --lang "$language" --markdown "$scratch/source.md" >"$scratch/source.json" || return
	digest=$(sed -n 's/.*"digest": "\(sha256:[0-9a-f]*\)".*/\1/p' "$scratch/source.json")
	okstra-dispatch plan --run-manifest "$manifest" --batch "translator-$language" --attach "$scratch/source.md" >"$scratch/jobs.jsonl" || return
	run_jobs "$scratch/jobs.jsonl" || return
	okstra-translate write --data "$data" --lang "$language" --source "$scratch/source.json" --source-digest "$digest" \
		--translations "$run/worker-results/translator-translator-$language-$suffix.md" >/dev/null
}
if [ "$language" != none ]; then
	say "translation into $language"
	[ -n "$report" ] && translate || translated=1
fi

# ---- what it cost ----------------------------------------------------------------
team=$run/state/team-state-$suffix.json
# shellcheck disable=SC2086
okstra-token-usage collect --write ${report:+--report "$report"} "$team" --select '
	(.roles[] | "  \(.label): " + (if .totalTokens then "\(.totalTokens) tokens, $\(.costUsd), \(.model)" else "not measured: \(.reason)" end)),
	(([.unavailableReasons[] | split(":")[0]] | join(", ")) as $without |
		(if $without == "" then "" else " or more" end) as $tokens |
		(if .costComplete then $tokens else " or more" end) as $cost |
		"  total: " + (if .grandTotalTokens then "\(.grandTotalTokens) tokens\($tokens), $\(.costUsd)\($cost)" else "not measured" end) +
		(if $without == "" then "" else "; not in it: \($without)" end))' >"$scratch/usage"

# ---- the summary -------------------------------------------------------------------
unquote() { sed 's/^"//; s/"$//; s/\\"/"/g'; }
say "findings"
okstra-converge summary "$state" --select '
	(.consensus[], .differences[]) | "  \(.classification): \(.groupId) \(.claim)",
	(.positions[] | "      \(.workerId): \(.stance)" + (if .note then ", \(.note)" else "" end))' | unquote
say "tokens and cost"
unquote <"$scratch/usage"
if [ "$language" != none ] && [ -n "$report" ]; then
	say "translation"
	okstra-translate status --data "$data" --lang "$language" --format json --select '.translations[] | "  \(.lang): \(.state)"' | unquote
fi
say "validation"
status=0
okstra-validate run "$manifest" --format json --select '.runs[] | "  \(.result): \(.counts.error) errors, \(.counts.warning) warnings, \(.counts.note) notes",
	(.findings[] | "      \(.level) \(.code) \(.artifact): \(.message)")' >"$scratch/verdict" || status=$?
unquote <"$scratch/verdict"
say "files"
echo "  run folder: $run"
echo "  manifest:   $manifest"
[ -z "$report" ] || echo "  report:     $run/reports/final-report-$suffix.md"
[ "$status" -ne 0 ] || status=$translated
exit "$status"

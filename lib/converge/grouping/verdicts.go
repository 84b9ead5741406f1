package grouping

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"okstra/lib/finding"
	"okstra/lib/run"
)

// The three verdicts on a claim.
const (
	Agree      = "AGREE"
	Disagree   = "DISAGREE"
	Supplement = "SUPPLEMENT"
)

// Verdicts lists them.
var Verdicts = []string{Agree, Disagree, Supplement}

// Bases of a DISAGREE: counter-evidence was shown, or the cited evidence does
// not establish the claim.
var Bases = []string{"refuted", "unsupported"}

// Letters of a DISAGREE on an item of a plan.
var Letters = []string{"a", "b", "c", "d", "e"}

// Codes of a bad header, which refuses the whole file, and of bad blocks.
const (
	CodeVerdictHeader    = "verdict-header"
	CodeVerdictDuplicate = "verdict-duplicate"
	CodeVerdictUnknown   = "verdict-unknown"
	CodeVerdictLabel     = "verdict-label"
	CodeVerdictEvidence  = "verdict-evidence-missing"
	CodeVerdictReason    = "verdict-reason-missing"
	CodeVerdictBasis     = "verdict-basis"
	CodeVerdictLetter    = "verdict-letter"
)

// VerdictFile is what one worker answered in one round.
type VerdictFile struct {
	Name   string
	Round  int    // 0 where the header names none
	Worker string // "" where the header names none
	Votes  []Vote // one for each id judged, in order of first mention
}

// Vote is the block of one group or plan item. A vote with faults must not be
// counted: its first fault says why it is missing.
type Vote struct {
	ID               string
	Verdict          string
	Basis, Letter    string // "" for none
	Evidence, Reason string
	Line             int
	Faults           []finding.Finding
}

// Form says what a block must hold.
type Form struct {
	Adversarial bool // the burden of proof is on the claim: AGREE quotes evidence, DISAGREE names its basis
	PlanBody    bool // plan items: DISAGREE carries a letter, there is no basis
}

// ParseVerdicts reads a verdict file. Its own faults are those of the header,
// which refuse the whole file; a bad block is in the Faults of its vote.
func ParseVerdicts(name string, src []byte, form Form) (VerdictFile, []finding.Finding) {
	p := &verdictParser{source: newSource(name, src), form: form, header: make(map[string]int), blocks: make(map[string]int)}
	p.file.Name = name
	for i, line := range p.lines {
		p.line(i+1, line)
	}
	p.closeBlock()
	p.checkHeader()
	return p.file, p.done()
}

type verdictParser struct {
	*source
	form   Form
	file   VerdictFile
	header map[string]int // label → line
	blocks map[string]int // id → index of its vote
	open   *Vote
	values map[string]string
	bad    []finding.Finding // of the open block
	last   string
	titled bool
}

func (p *verdictParser) line(n int, line string) {
	if blank(line) {
		return
	}
	if text, ok := continuation(line); ok && p.open != nil && p.last != "" {
		p.values[p.last] = strings.TrimSpace(p.values[p.last] + "\n" + text)
		return
	}
	level, text := heading(line)
	switch {
	case level == 2:
		p.closeBlock()
		p.open = &Vote{ID: text, Line: n}
		p.values = make(map[string]string)
	case p.open != nil:
		p.blockLine(n, line)
	case level == 1 && !p.titled && len(p.header) == 0:
		p.titled = true
	default:
		p.headerLine(n, line)
	}
}

func (p *verdictParser) headerLine(n int, line string) {
	name, value, ok := label(line)
	switch {
	case !ok || name != "Round" && name != "Worker":
		p.fault(n, CodeVerdictHeader, "unexpected line %q (expected \"Round: 1\", \"Worker: worker-id\", then \"## G-001\")", line)
		return
	case p.header[name] != 0:
		p.fault(n, CodeVerdictHeader, "label %q is repeated (first in line %d)", name, p.header[name])
		return
	}
	p.header[name] = n
	if name == "Round" {
		if !roundForm.MatchString(value) {
			p.fault(n, CodeVerdictHeader, "round %q (expected a number from 1)", value)
			return
		}
		p.file.Round, _ = strconv.Atoi(value)
		return
	}
	if err := run.CheckWorkerID(value); err != nil {
		p.fault(n, CodeVerdictHeader, "%v", err)
		return
	}
	p.file.Worker = value
}

var roundForm = regexp.MustCompile(`^[1-9][0-9]{0,5}$`)

func (p *verdictParser) checkHeader() {
	for _, name := range []string{"Round", "Worker"} {
		if p.header[name] == 0 {
			p.fault(1, CodeVerdictHeader, "header has no label %q", name)
		}
	}
}

func (p *verdictParser) labels() []string {
	if p.form.PlanBody {
		return []string{"Verdict", "Letter", "Evidence", "Reason", "Basis"}
	}
	return []string{"Verdict", "Basis", "Evidence", "Reason"}
}

func (p *verdictParser) blockLine(n int, line string) {
	name, value, ok := label(line)
	known := slices.Contains(p.labels(), name)
	_, again := p.values[name]
	switch {
	case !ok:
		p.bad = append(p.bad, p.at(n, CodeVerdictLabel, "unexpected text %q in block %s (expected a label; a value goes on over lines indented by two blanks)", line, p.open.ID))
		p.last = ""
	case !known:
		p.bad = append(p.bad, p.at(n, CodeVerdictLabel, "label %q in block %s (expected %s)", name, p.open.ID, strings.Join(p.labels(), ", ")))
		p.last = ""
	case again:
		p.bad = append(p.bad, p.at(n, CodeVerdictLabel, "label %q is repeated in block %s", name, p.open.ID))
		p.last = ""
	default:
		p.values[name] = value
		p.last = name
	}
}

func (p *verdictParser) closeBlock() {
	if p.open == nil {
		return
	}
	v := p.open
	v.Verdict, v.Evidence, v.Reason = p.values["Verdict"], p.values["Evidence"], p.values["Reason"]
	v.Basis, v.Letter = p.values["Basis"], p.values["Letter"]
	v.Faults = p.bad
	for _, f := range p.form.judge(v, hasKey(p.values, "Basis"), hasKey(p.values, "Letter")) {
		v.Faults = append(v.Faults, p.at(v.Line, f.code, "%s", f.text))
	}
	p.open, p.bad, p.last = nil, nil, ""
	at, again := p.blocks[v.ID]
	if !again {
		sortFaults(v.Faults)
		p.blocks[v.ID] = len(p.file.Votes)
		p.file.Votes = append(p.file.Votes, *v)
		return
	}
	first := &p.file.Votes[at]
	first.Faults = append(first.Faults, v.Faults...)
	first.Faults = append(first.Faults, p.at(v.Line, CodeVerdictDuplicate, "second block for %s (first in line %d); neither counts", v.ID, first.Line))
	sortFaults(first.Faults)
}

// blockFault is something wrong with the labels of a block.
type blockFault struct{ code, text string }

// Code is the code for which a vote with these labels would not count, "" for
// one that counts. An empty text stands for an absent label.
func (f Form) Code(v Vote) string {
	if faults := f.judge(&v, v.Basis != "", v.Letter != ""); len(faults) > 0 {
		return faults[0].code
	}
	return ""
}

// judge tells what is wrong with the labels of a vote, which has a basis or a
// letter also where it is empty. Where the verdict is none of the three,
// nothing can be said about the rest.
func (f Form) judge(v *Vote, hasBasis, hasLetter bool) []blockFault {
	var faults []blockFault
	bad := func(code, format string, args ...any) {
		faults = append(faults, blockFault{code, fmt.Sprintf(format, args...)})
	}
	if !slices.Contains(Verdicts, v.Verdict) {
		bad(CodeVerdictUnknown, "verdict %q on %s (expected %s)", v.Verdict, v.ID, strings.Join(Verdicts, ", "))
		return faults
	}
	disagrees := v.Verdict == Disagree
	adversarial := f.Adversarial && !f.PlanBody
	if !Visible(v.Evidence) && (v.Verdict != Agree || adversarial) {
		bad(CodeVerdictEvidence, "%s on %s quotes no evidence", v.Verdict, v.ID)
	}
	if !Visible(v.Reason) && v.Verdict != Agree {
		bad(CodeVerdictReason, "%s on %s has no reason", v.Verdict, v.ID)
	}
	switch {
	case hasBasis && (f.PlanBody || !disagrees):
		bad(CodeVerdictBasis, "%s on %s has a basis (expected one on a %s about a finding only)", v.Verdict, v.ID, Disagree)
	case hasBasis && !slices.Contains(Bases, v.Basis), !hasBasis && disagrees && adversarial:
		bad(CodeVerdictBasis, "basis %q of %s on %s (expected %s)", v.Basis, v.Verdict, v.ID, strings.Join(Bases, " or "))
	}
	switch {
	case hasLetter && !disagrees:
		bad(CodeVerdictLetter, "%s on %s has a letter (expected one on %s only)", v.Verdict, v.ID, Disagree)
	case f.PlanBody && disagrees && !slices.Contains(Letters, v.Letter):
		bad(CodeVerdictLetter, "letter %q of %s on %s (expected one of %s)", v.Letter, v.Verdict, v.ID, strings.Join(Letters, ", "))
	}
	return faults
}

// Visible says whether there is anything to read in a text: marks that show
// nothing are no evidence and no reason.
func Visible(text string) bool {
	return strings.ContainsFunc(text, func(r rune) bool { return unicode.IsGraphic(r) && !unicode.IsSpace(r) })
}

// BlockCodes are the codes of bad blocks, in the order in which one of them is
// recorded as the reason of the missing vote: two blocks first, because then
// neither says anything.
var BlockCodes = []string{
	CodeVerdictDuplicate, CodeVerdictUnknown, CodeVerdictLabel, CodeVerdictEvidence, CodeVerdictReason,
	CodeVerdictBasis, CodeVerdictLetter,
}

func sortFaults(faults []finding.Finding) {
	slices.SortStableFunc(faults, func(a, b finding.Finding) int {
		if by := slices.Index(BlockCodes, a.Code) - slices.Index(BlockCodes, b.Code); by != 0 {
			return by
		}
		return a.Line - b.Line
	})
}

func hasKey(m map[string]string, key string) bool {
	_, ok := m[key]
	return ok
}

package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"okstra/lib/cli"
	"okstra/lib/finding"
	"okstra/lib/finding/output"
	"okstra/lib/validate"
)

// Formats of findings. Text and jsonl are written run by run, the others when
// all runs are judged.
var formats = []string{"text", "json", "jsonl", "sarif", "junit", "github", "intoto"}

// verdict is the flags that say how findings are printed and what they mean
// for the exit status.
type verdict struct {
	format   *string
	failOn   *string
	exitZero *bool
	baseline *cli.Input
}

func verdictFlags(f *cli.Flags) verdict {
	return verdict{
		format:   f.Enum("format", "text", formats...),
		failOn:   f.Enum("fail-on", string(finding.Error), "error", "warning", "note", "none"),
		exitZero: f.Bool("exit-zero"),
		baseline: f.InputFlag("baseline"),
	}
}

// printer writes results as they come, or as one document at the end.
type printer struct {
	std    cli.IO
	flags  verdict
	known  map[string]bool // fingerprints of the baseline
	runs   []output.Run
	faults []output.Fault
	failed bool
	lost   error
	shown  map[string]bool // findings that were printed while a run was followed
}

func (v verdict) printer(std cli.IO) (*printer, error) {
	p := &printer{std: std, flags: v, shown: map[string]bool{}}
	if v.baseline.Set() {
		known, err := readBaseline(std, v.baseline)
		if err != nil {
			return nil, err
		}
		p.known = known
	}
	return p, nil
}

// actions says whether the output is read by a GitHub job.
func (p *printer) actions() bool { return p.std.Env.Getenv("GITHUB_ACTIONS") == "true" }

// add takes the result of a run or a document.
func (p *printer) add(r validate.Result) error {
	run := p.convert(r)
	p.judge(r)
	p.runs = append(p.runs, run)
	return p.stream(run)
}

// lose takes what could not be judged at all: the caller's mistake, which
// every format tells of that has a place for it.
func (p *printer) lose(errs ...error) {
	for _, err := range errs {
		if cli.Status(err) == cli.StatusFault { // nobody has said whose fault it is
			err = cli.BadInput(err)
		}
		p.lost = errors.Join(p.lost, err)
		p.faults = append(p.faults, output.Fault{Message: err.Error()})
	}
}

// convert marks what the baseline knows.
func (p *printer) convert(r validate.Result) output.Run {
	for i := range r.Findings {
		if p.known[r.Findings[i].Fingerprint] {
			r.Findings[i].Baseline = "unchanged"
		}
	}
	run := output.Run{Run: r.Run, TaskType: r.TaskType, RunSeq: r.RunSeq, Findings: r.Findings, Judged: r.Judged, Prefix: p.prefix(r.Root)}
	for _, s := range r.Subjects {
		run.Subjects = append(run.Subjects, output.Subject{Name: s.Name, Digest: s.Digest})
	}
	for _, rule := range validate.Rules() {
		if rule.Applies(r.TaskType) {
			run.Rules = append(run.Rules, output.Rule{Code: rule.Code, Level: rule.Level, Title: rule.Title, Help: rule.Checks + " " + rule.Why})
		}
	}
	return run
}

// prefix leads from the workspace to the project of a run, "" where they are
// one, or where the project lies elsewhere.
func (p *printer) prefix(root string) string {
	workspace := p.std.Env.Getenv("GITHUB_WORKSPACE")
	if workspace == "" {
		workspace = p.std.Env.Dir
	}
	rel, err := filepath.Rel(workspace, root)
	if root == "" || err != nil || rel == "." || rel == ".." || strings.HasPrefix(rel, ".."+string(filepath.Separator)) {
		return ""
	}
	return filepath.ToSlash(rel)
}

// stream prints a run in the formats that do not wait for the others.
func (p *printer) stream(run output.Run) error {
	var fresh []finding.Finding
	for _, f := range run.Findings {
		if !p.shown[run.Run+f.Fingerprint] {
			fresh = append(fresh, f)
		}
	}
	run.Findings = fresh
	switch *p.flags.format {
	case "text":
		text := output.Text(run)
		if p.actions() {
			text = output.Inert(text)
		}
		return p.std.Printf("%s", text)
	case "jsonl":
		for _, line := range output.Lines(run) {
			if err := p.std.Record(line); err != nil {
				return err
			}
		}
	}
	return nil
}

// early prints what a run that still goes on has shown so far, once.
func (p *printer) early(r validate.Result) error {
	run := p.convert(r)
	if err := p.stream(run); err != nil {
		return err
	}
	for _, f := range run.Findings {
		p.shown[run.Run+f.Fingerprint] = true
	}
	return p.std.Flush()
}

// judge decides what a result means for the exit status.
func (p *printer) judge(r validate.Result) {
	for _, f := range r.Findings {
		if *p.flags.failOn != "none" && f.Baseline != "unchanged" && f.Level.AtLeast(finding.Level(*p.flags.failOn)) {
			p.failed = true
		}
	}
	if f := r.Unusable; f != nil {
		text := complaint(*f)
		p.lost = errors.Join(p.lost, cli.BadInput(errors.New(text)))
		p.faults = append(p.faults, output.Fault{Artifact: f.Artifact, Message: text})
	}
}

// complaint is the error line for a document that could not be used.
func complaint(f finding.Finding) string {
	at := f.Artifact
	if f.Line > 0 {
		at += fmt.Sprintf(":%d:%d", f.Line, f.Column)
	}
	text := at + ": " + output.Sentence(finding.Finding{Pointer: f.Pointer, Message: f.Message})
	if f.Code == "doc-version" || f.Code == "doc-kind" {
		text += " (expected " + f.Expected + ")"
	}
	return text
}

// close writes what belongs behind the last result and gives the verdict.
func (p *printer) close() error {
	if err := p.document(); err != nil {
		return err
	}
	if p.actions() {
		if err := p.annotate(); err != nil {
			return err
		}
	}
	if err := p.std.Flush(); err != nil { // the summary closes what was printed
		return err
	}
	p.std.Warnf("%s", output.Summary(p.runs, len(p.faults)))
	status := cli.StatusOK
	if p.failed && !*p.flags.exitZero {
		status = cli.StatusRefused
	}
	return errors.Join(p.lost, cli.Verdict(status))
}

// document prints the formats that need all runs.
func (p *printer) document() error {
	switch *p.flags.format {
	case "json":
		return p.std.Document(output.JSON(p.runs))
	case "sarif":
		return p.std.Document(output.SARIF(p.runs, p.faults, cli.Version()))
	case "junit":
		text, err := output.JUnit(p.runs)
		if err != nil {
			return err
		}
		return p.std.Printf("%s", text)
	case "github":
		return p.std.Printf("%s", output.GitHub(p.runs))
	case "intoto":
		rules, err := validate.RulesDigest()
		if err != nil {
			return err
		}
		for _, r := range p.runs {
			if err := p.std.Record(output.InToto(r, rules)); err != nil {
				return err
			}
		}
	}
	return nil
}

// annotate adds to the text what GitHub shows beside the code and on the page
// of the job.
func (p *printer) annotate() error {
	if *p.flags.format == "text" {
		if err := p.std.Printf("%s", output.GitHub(p.runs)); err != nil {
			return err
		}
	}
	name := p.std.Env.Getenv("GITHUB_STEP_SUMMARY")
	if name == "" {
		return nil
	}
	f, err := os.OpenFile(name, os.O_APPEND|os.O_WRONLY|os.O_CREATE, 0o644)
	if err != nil {
		return fmt.Errorf("job summary: %w", err)
	}
	_, err = f.WriteString(output.StepSummary(p.runs, p.faults) + "\n")
	return errors.Join(err, f.Close())
}

package main

import (
	"errors"
	"fmt"

	"okstra/lib/cli"
	"okstra/lib/finding"
	"okstra/lib/finding/output"
	"okstra/lib/validate"
)

// verdict is the flags that say how findings are printed and what they mean
// for the exit status.
type verdict struct {
	format   *string
	failOn   *string
	exitZero *bool
}

func verdictFlags(f *cli.Flags) verdict {
	return verdict{
		format:   f.Enum("format", "text", "text", "json", "jsonl"),
		failOn:   f.Enum("fail-on", string(finding.Error), "error", "warning", "note", "none"),
		exitZero: f.Bool("exit-zero"),
	}
}

// printer writes results as they come, or as one document at the end.
type printer struct {
	std    cli.IO
	flags  verdict
	runs   []output.Run
	failed bool
	lost   error
}

func (v verdict) printer(std cli.IO) (*printer, error) {
	return &printer{std: std, flags: v}, nil
}

func (p *printer) options() validate.Options {
	return validate.Options{}
}

// add takes the result of a run or a document.
func (p *printer) add(r validate.Result) error {
	run := output.Run{Run: r.Run, TaskType: r.TaskType, RunSeq: r.RunSeq, Findings: r.Findings}
	p.judge(r)
	p.runs = append(p.runs, run)
	switch *p.flags.format {
	case "text":
		return p.std.Printf("%s", output.Text(run))
	case "jsonl":
		for _, line := range output.Lines(run) {
			if err := p.std.Record(line); err != nil {
				return err
			}
		}
	}
	return nil
}

// judge decides what a result means for the exit status.
func (p *printer) judge(r validate.Result) {
	for _, f := range r.Findings {
		if *p.flags.failOn != "none" && f.Level.AtLeast(finding.Level(*p.flags.failOn)) {
			p.failed = true
		}
	}
	if f := r.Unusable; f != nil {
		p.lost = errors.Join(p.lost, cli.BadInput(errors.New(complaint(*f))))
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
	if *p.flags.format == "json" {
		if err := p.std.Document(output.JSON(p.runs)); err != nil {
			return err
		}
	}
	p.std.Warnf("%s", output.Summary(p.runs))
	status := cli.StatusOK
	if p.failed && !*p.flags.exitZero {
		status = cli.StatusRefused
	}
	return errors.Join(p.lost, cli.Verdict(status))
}

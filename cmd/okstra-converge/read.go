package main

import (
	"errors"
	"fmt"
	"strings"

	"okstra/lib/cli"
	"okstra/lib/converge"
	"okstra/lib/finding"
	"okstra/lib/jsondoc"
)

// faults makes one error of all the faults of a file: malformed input.
func faults(list []finding.Finding) error {
	if len(list) == 0 {
		return nil
	}
	return cli.BadInput(errors.Join(converge.Errors(list)...))
}

// located gives each finding in a document its place: where there is nothing
// at its pointer, that of what should hold it.
func located(doc jsondoc.Doc, list []finding.Finding) error {
	var errs []error
	for _, f := range list {
		line, column := doc.Position(f.Pointer)
		for at := f.Pointer; line == 0 && at != ""; {
			at = at[:max(strings.LastIndexByte(at, '/'), 0)]
			line, column = doc.Position(at)
		}
		errs = append(errs, fmt.Errorf("%s:%d:%d: %s: %s: %s", doc.Name, line, column, f.Pointer, f.Code, f.Message))
	}
	return errors.Join(errs...)
}

// readAnswers reads verdict files as they lie there. Beside an error, which
// names every file that cannot be read, stand those that can.
func readAnswers(std cli.IO, files []cli.Input) ([]converge.Answer, error) {
	var answers []converge.Answer
	var errs []error
	for i := range files {
		content, err := files[i].Bytes(std)
		if err != nil {
			errs = append(errs, err)
			continue
		}
		answers = append(answers, converge.Answer{Name: files[i].Name(), Content: content})
	}
	return answers, errors.Join(errs...)
}

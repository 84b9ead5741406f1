package planbody

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"

	"okstra/lib/converge/grouping"
	"okstra/lib/digest"
	"okstra/lib/run"
)

// Report is the part of a report's data that is verified.
type Report struct {
	Header                 run.Task `json:"header"`
	ImplementationPlanning *Plan    `json:"implementationPlanning"`
}

// Plan is an implementation plan, its parts as they stand.
type Plan struct {
	Options    []json.RawMessage `json:"options"`
	Stages     []json.RawMessage `json:"stages"`
	Validation []json.RawMessage `json:"validation"`
	Rollback   []json.RawMessage `json:"rollback"`
}

const (
	planRef = "/implementationPlanning"
	steps   = "stepwiseExecution"
)

// Items lists the parts of a plan that are judged: options, stages each with
// its steps behind it, validation, rollback. An error names the part that has
// no digest.
func (p Plan) Items() ([]Item, error) {
	c := &itemList{}
	c.all("/options", p.Options)
	for i, stage := range p.Stages {
		at := fmt.Sprintf("/stages/%d", i)
		c.add(at, stage)
		var parts map[string]json.RawMessage
		var list []json.RawMessage
		if err := json.Unmarshal(stage, &parts); err == nil && parts[steps] != nil {
			if err := json.Unmarshal(parts[steps], &list); err != nil {
				return nil, fmt.Errorf("/implementationPlanning%s/%s: %w", at, steps, err)
			}
		}
		c.all(at+"/"+steps, list)
	}
	c.all("/validation", p.Validation)
	c.all("/rollback", p.Rollback)
	return c.items, c.err
}

type itemList struct {
	items []Item
	err   error
}

func (c *itemList) all(at string, parts []json.RawMessage) {
	for i, part := range parts {
		c.add(fmt.Sprintf("%s/%d", at, i), part)
	}
}

func (c *itemList) add(at string, part json.RawMessage) {
	ref := planRef + at
	sum, err := digest.JSON(part)
	if err != nil && c.err == nil {
		c.err = fmt.Errorf("%s: %w", ref, err)
	}
	c.items = append(c.items, Item{ItemID: grouping.ID("P", len(c.items)+1), Ref: ref, Digest: sum, Part: part})
}

// titleOf says what kind of part a reference points to.
func titleOf(ref string) string {
	at := strings.Split(strings.TrimPrefix(ref, planRef+"/"), "/")
	switch {
	case at[0] == "options":
		return "Option"
	case at[0] == "stages" && len(at) > 3:
		stage, _ := strconv.Atoi(at[1])
		return fmt.Sprintf("Step of stage %d", stage+1)
	case at[0] == "stages":
		return "Stage"
	case at[0] == "validation":
		return "Validation"
	case at[0] == "rollback":
		return "Rollback"
	}
	return ref
}

// text is an item for people: the keys of its part in their order, a line for
// each. The steps of a stage are items of their own. Where a state holds no
// parts, it is the place to look at.
func (i Item) text() string {
	if len(i.Part) == 0 {
		return i.Ref
	}
	title, part := titleOf(i.Ref), i.Part
	var b strings.Builder
	b.WriteString(title)
	dec := json.NewDecoder(bytes.NewReader(part))
	if open, err := dec.Token(); err != nil || open != json.Delim('{') {
		return title + ": " + string(part)
	}
	for dec.More() {
		key, err := dec.Token()
		var value json.RawMessage
		if err != nil || dec.Decode(&value) != nil {
			break
		}
		name, _ := key.(string)
		b.WriteString("\n" + name + ":" + valueText(name, value))
	}
	return b.String()
}

// valueText is a value behind its key: on the same line, or as a list.
func valueText(key string, value json.RawMessage) string {
	var text string
	var list []json.RawMessage
	switch {
	case json.Unmarshal(value, &text) == nil:
		return " " + text
	case json.Unmarshal(value, &list) != nil || list == nil:
		return " " + compact(value)
	case len(list) == 0:
		return " none"
	case key == steps:
		return fmt.Sprintf(" %d, each an item of its own", len(list))
	}
	var b strings.Builder
	for _, v := range list {
		b.WriteString("\n-" + valueText("", v))
	}
	return b.String()
}

func compact(value json.RawMessage) string {
	var b bytes.Buffer
	if json.Compact(&b, value) != nil {
		return string(value)
	}
	return b.String()
}

package wizard

import (
	_ "embed"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"sync"
)

//go:embed hosts.json
var hostsJSON []byte

// Names of the functions that a host may have.
const (
	singleSelect = "native_single_select"
	questionSet  = "native_question_group"
	multiSelect  = "native_multi_select"
)

// Functions are the known names of host functions.
var Functions = []string{singleSelect, questionSet, multiSelect}

// minSelect is the least number of options that a picker must hold: a toggled
// screen needs an option, a page and done.
const minSelect = 3

// Host is a row of the host table: what it can show, how much of it, and in
// whose form. SelfDeclared hosts tell in each session what they can do, so
// that "auto" means nothing there. FreeText says that the host lets a person
// type in place of every choice, Other what it calls that choice.
type Host struct {
	ID                string            `json:"id"`
	Profile           string            `json:"profile"`
	SemanticFunctions []string          `json:"semanticFunctions"`
	FunctionMap       map[string]string `json:"functionMap"`
	AsyncFunction     string            `json:"asyncFunction"`
	Limits            Limits            `json:"limits"`
	SelfDeclared      bool              `json:"selfDeclared"`
	FreeText          bool              `json:"freeText"`
	Other             string            `json:"other"`
	Hint              string            `json:"hint"`
}

// Limits of one call of a host's picker.
type Limits struct {
	Questions  int `json:"questions"`
	MinOptions int `json:"minOptions"`
	Options    int `json:"options"`
}

var hostTable = sync.OnceValue(func() []Host {
	hosts, err := parseHosts(hostsJSON)
	if err != nil {
		panic(err) // an embedded file that a test reads
	}
	return hosts
})

// Hosts returns the embedded host table, in its order.
func Hosts() []Host { return slices.Clone(hostTable()) }

func parseHosts(raw []byte) ([]Host, error) {
	var hosts []Host
	if err := json.Unmarshal(raw, &hosts); err != nil {
		return nil, err
	}
	for _, h := range hosts {
		if h.Has(singleSelect) && h.Limits.Options < minSelect {
			return nil, fmt.Errorf("host %q: %d options (expected %d or more: an option, a page and done)", h.ID, h.Limits.Options, minSelect)
		}
	}
	return hosts, nil
}

// FindHost returns the row of a host id; there is no fallback.
func FindHost(id string) (Host, error) {
	var ids []string
	for _, h := range hostTable() {
		if h.ID == id {
			return h, nil
		}
		ids = append(ids, h.ID)
	}
	return Host{}, fmt.Errorf("unknown host %q (expected %s)", id, list(ids, "or"))
}

// Has says whether the host has a function at all.
func (h Host) Has(function string) bool { return slices.Contains(h.SemanticFunctions, function) }

// CanMulti and CanGroup say what the host can ask in one call.
func (h Host) CanMulti() bool { return h.Has(multiSelect) }
func (h Host) CanGroup() bool { return h.Has(questionSet) }

// Fits says whether a pick is within the host's limits: hosts join several
// chosen labels with commas, so that no label of a multi pick may have one.
func (h Host) Fits(s Screen) bool {
	labels := map[string]bool{}
	for _, o := range s.Options {
		if labels[o.Label] || s.IsMulti() && strings.Contains(o.Label, ",") {
			return false
		}
		labels[o.Label] = true
	}
	n := len(s.Options)
	return h.Limits.MinOptions <= n && n <= h.Limits.Options && (!s.IsMulti() || h.CanMulti())
}

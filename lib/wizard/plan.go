package wizard

import (
	_ "embed"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
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

// Kinds of an interaction.
const (
	nativeSingle    = "native-single"
	nativeMulti     = "native-multi"
	nativeGroup     = "native-group"
	sequentialGroup = "sequential-group"
	numbered        = "numbered"
	hostText        = "text"
)

// Host is a row of the host table: what it can show and how much of it.
type Host struct {
	ID                string            `json:"id"`
	Profile           string            `json:"profile"`
	SemanticFunctions []string          `json:"semanticFunctions"`
	FunctionMap       map[string]string `json:"functionMap"`
	AsyncFunction     string            `json:"asyncFunction"`
	Limits            Limits            `json:"limits"`
	Hint              string            `json:"hint"`
}

// Limits of one call of a host's picker.
type Limits struct {
	Questions  int `json:"questions"`
	MinOptions int `json:"minOptions"`
	Options    int `json:"options"`
}

// Hosts returns the embedded host table, in its order.
func Hosts() []Host {
	hosts, err := parseHosts(hostsJSON)
	if err != nil {
		panic(err) // an embedded file that a test reads
	}
	return hosts
}

func parseHosts(raw []byte) ([]Host, error) {
	var hosts []Host
	if err := json.Unmarshal(raw, &hosts); err != nil {
		return nil, err
	}
	for _, h := range hosts {
		if slices.Contains(h.SemanticFunctions, singleSelect) && h.Limits.Options < 3 {
			return nil, fmt.Errorf("host %q: %d options (expected 3 or more: a toggled screen needs an option, a page and done)", h.ID, h.Limits.Options)
		}
	}
	return hosts, nil
}

// FindHost returns the row of a host id; there is no fallback.
func FindHost(id string) (Host, error) {
	var ids []string
	for _, h := range Hosts() {
		if h.ID == id {
			return h, nil
		}
		ids = append(ids, h.ID)
	}
	return Host{}, fmt.Errorf("unknown host %q (expected one of %s)", id, strings.Join(ids, ", "))
}

// planner decides how a host asks a screen: with the functions that it has
// and that the session declared.
type planner struct {
	host      Host
	functions []string
	async     bool
}

func newPlanner(s State) (planner, error) {
	h, err := FindHost(s.HostRuntime)
	if err != nil {
		return planner{}, err
	}
	p := planner{host: h, async: s.AsyncQuestions}
	for _, f := range s.AvailableFunctions {
		if slices.Contains(h.SemanticFunctions, f) {
			p.functions = append(p.functions, f)
		}
	}
	return p, nil
}

func (p planner) can(function string) bool { return slices.Contains(p.functions, function) }

// fits says whether the host can show a pick as it is.
func (p planner) fits(s Screen) bool {
	labels := map[string]bool{}
	for _, o := range s.Options {
		if labels[o.Label] || s.IsMulti() && strings.Contains(o.Label, ",") {
			return false
		}
		labels[o.Label] = true
	}
	n := len(s.Options)
	return p.host.Limits.MinOptions <= n && n <= p.host.Limits.Options && (!s.IsMulti() || p.can(multiSelect))
}

// kind is the first of these rules that holds.
func (p planner) kind(s Screen) string {
	switch {
	case s.Ended():
		return ""
	case s.Kind == KindText:
		return hostText
	case s.Kind == KindGroup && len(s.Questions) == 1:
		return p.kind(s.Questions[0])
	case s.Kind == KindGroup && p.groupFits(s):
		return nativeGroup
	case s.Kind == KindGroup && p.can(singleSelect):
		return p.kind(s.Questions[0])
	case s.Kind == KindGroup:
		return sequentialGroup
	case s.IsMulti() && p.can(multiSelect) && p.fits(s):
		return nativeMulti
	case p.can(singleSelect):
		return nativeSingle
	}
	return numbered
}

func (p planner) groupFits(s Screen) bool {
	texts := map[string]bool{}
	for _, q := range s.Questions {
		if texts[q.Label] || !p.fits(q) {
			return false
		}
		texts[q.Label] = true
	}
	return p.can(questionSet) && len(s.Questions) <= p.host.Limits.Questions
}

func (p planner) interaction(s Screen) *Interaction {
	kind := p.kind(s)
	function := "host-text"
	switch kind {
	case "":
		return nil
	case nativeSingle:
		function = p.host.FunctionMap[singleSelect]
	case nativeMulti:
		function = p.host.FunctionMap[multiSelect]
	case nativeGroup:
		function = p.host.FunctionMap[questionSet]
	}
	if p.async && p.host.AsyncFunction != "" && strings.HasPrefix(kind, "native-") {
		function = p.host.AsyncFunction
	}
	return &Interaction{Kind: kind, Function: function}
}

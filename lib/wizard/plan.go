package wizard

import (
	"slices"
	"strings"
)

// Kinds of an interaction.
const (
	nativeSingle    = "native-single"
	nativeMulti     = "native-multi"
	nativeGroup     = "native-group"
	sequentialGroup = "sequential-group"
	numbered        = "numbered"
	hostText        = "text"
)

// hostTextFunction is the function of a host that writes a question out and
// takes the next message for the answer.
const hostTextFunction = "host-text"

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

// CanSelect says whether the session has a picker of the host to show choices
// with.
func (s State) CanSelect() bool {
	p, err := newPlanner(s)
	return err == nil && p.can(singleSelect)
}

func (p planner) can(function string) bool { return slices.Contains(p.functions, function) }

// fits says whether the host can show a pick as it is.
func (p planner) fits(s Screen) bool {
	return p.host.Fits(s) && (!s.IsMulti() || p.can(multiSelect))
}

// kind is how a screen is asked: the first of these rules that holds.
func (p planner) kind(s Screen) string {
	switch {
	case s.Ended():
		return ""
	case s.Kind == KindText:
		return hostText
	case s.Kind == KindGroup && len(s.Questions) == 1:
		return p.kind(s.Questions[0])
	case s.Kind == KindGroup && p.can(questionSet) && p.groupFits(s):
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
	for _, q := range s.Questions {
		if !p.fits(q) {
			return false
		}
	}
	return len(s.Questions) <= p.host.Limits.Questions && differ(s.Questions)
}

// differ says whether no two questions read the same.
func differ(questions []Screen) bool {
	texts := map[string]bool{}
	for _, q := range questions {
		if texts[q.Label] {
			return false
		}
		texts[q.Label] = true
	}
	return true
}

// narrow leaves of a group that the host cannot ask in one call its first
// question.
func (p planner) narrow(s Screen) Screen {
	if s.Kind == KindGroup && p.can(singleSelect) && p.kind(s) != nativeGroup {
		return s.Questions[0]
	}
	return s
}

// presents says whether the picker cuts the pick into pages and toggles.
func (p planner) presents(s Screen) bool {
	return s.Kind == KindPick && p.can(singleSelect) && p.kind(s) != nativeMulti
}

// interaction is the plan of a screen as it is shown. It is asked a second
// time here, because a presented pick is always a single one.
func (p planner) interaction(s Screen) *Interaction {
	kind := p.kind(s)
	function := hostTextFunction
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

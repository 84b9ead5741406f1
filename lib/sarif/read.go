package sarif

import (
	"fmt"
	"net/url"
	"path"
	"regexp"
	"strconv"
	"strings"
)

// Artifact is a file that results refer to by its index.
type Artifact struct {
	Location ArtifactLocation `json:"location"`
}

// External names files in which parts of a run lie.
type External struct {
	Results []struct {
		Location ArtifactLocation `json:"location"`
	} `json:"results,omitempty"`
}

// RuleReference is how a result names its rule, besides by ruleId.
type RuleReference struct {
	ID            string `json:"id,omitempty"`
	Index         *int   `json:"index,omitempty"`
	ToolComponent *struct {
		Index *int   `json:"index,omitempty"`
		Name  string `json:"name,omitempty"`
		GUID  string `json:"guid,omitempty"`
	} `json:"toolComponent,omitempty"`
}

// CheckVersion says why a log file cannot be understood, or nil.
func (l Log) CheckVersion() error {
	if l.Version != Version {
		return fmt.Errorf("/version: %q (expected %q)", l.Version, Version)
	}
	return nil
}

// component is the part of the tool that a result's rule belongs to; nil for
// one that is not there.
func (r *Run) component(res Result) *Driver {
	if res.Rule == nil || res.Rule.ToolComponent == nil {
		return &r.Tool.Driver
	}
	ref := res.Rule.ToolComponent
	if ref.Index != nil {
		return at(r.Tool.Extensions, ref.Index)
	}
	for i := range r.Tool.Extensions {
		e := &r.Tool.Extensions[i]
		if ref.GUID != "" && e.GUID == ref.GUID || ref.GUID == "" && ref.Name != "" && e.Name == ref.Name {
			return e
		}
	}
	return &r.Tool.Driver
}

func at[T any](list []T, index *int) *T {
	if index == nil || *index < 0 || *index >= len(list) {
		return nil
	}
	return &list[*index]
}

// RuleOf is the rule of a result, by reference, index or id; of several that
// an id is a case of, the one with the longest id. Where the run does not
// describe it there is only its id, which may be "".
func (r *Run) RuleOf(res Result) Rule {
	id := res.RuleID
	index := res.RuleIndex
	if res.Rule != nil {
		if id == "" {
			id = res.Rule.ID
		}
		if res.Rule.Index != nil {
			index = res.Rule.Index
		}
	}
	c := r.component(res)
	if c == nil {
		return Rule{ID: id}
	}
	if rule := at(c.Rules, index); rule != nil && (id == "" || describes(*rule, id)) {
		return named(*rule, id)
	}
	found, closest := Rule{ID: id}, ""
	for _, rule := range c.Rules {
		switch {
		case id != "" && rule.ID == id:
			return rule
		case id != "" && len(rule.ID) > len(closest) && describes(rule, id):
			closest, found = rule.ID, named(rule, id)
		}
	}
	return found
}

// describes says whether a rule is that of an id; "CA1000/1" is a case of
// CA1000.
func describes(rule Rule, id string) bool {
	rest, ok := strings.CutPrefix(id, rule.ID)
	return ok && rule.ID != "" && (rest == "" || rest[0] == '/')
}

func named(rule Rule, id string) Rule {
	if id != "" {
		rule.ID = id
	}
	return rule
}

// Text is the message of a result in words: its own text, or the rule's or
// tool's text of that id with the arguments filled in; "" where there is none.
// A link to a related place is its text.
func (r *Run) Text(res Result) string {
	text := res.Message.Text
	if text == "" && res.Message.ID != "" {
		text = r.RuleOf(res).MessageStrings[res.Message.ID].Text
		if c := r.component(res); text == "" && c != nil {
			text = c.GlobalMessageStrings[res.Message.ID].Text
		}
	}
	if text == "" {
		text = res.Message.Markdown
	}
	text = fill(text, res.Message.Arguments)
	if len(res.RelatedLocations) > 0 {
		text = relatedLink.ReplaceAllString(text, "$1")
	}
	return text
}

var placeholder = regexp.MustCompile(`\{\{|\}\}|\{[0-9]{1,4}\}`)

// fill puts arguments where a text says {0}, {1}, …; {{ and }} are braces. A
// placeholder without an argument stays. A text without arguments is no
// pattern.
func fill(text string, arguments []string) string {
	if len(arguments) == 0 {
		return text
	}
	return placeholder.ReplaceAllStringFunc(text, func(s string) string {
		if s == "{{" || s == "}}" {
			return s[:1]
		}
		if n, err := strconv.Atoi(s[1 : len(s)-1]); err == nil && n < len(arguments) {
			return arguments[n]
		}
		return s
	})
}

var relatedLink = regexp.MustCompile(`\[([^\[\]]*)\]\([0-9]+\)`)

// LevelOf is the level of a result as SARIF has it: its own, else its rule's,
// else warning; none for what is no failure.
func (r *Run) LevelOf(res Result) string {
	switch rule := r.RuleOf(res); {
	case res.Kind != "" && res.Kind != KindFail:
		return LevelNone
	case res.Level != "":
		return res.Level
	case rule.DefaultConfiguration != nil && rule.DefaultConfiguration.Level != "":
		return rule.DefaultConfiguration.Level
	}
	return LevelWarning
}

// Suppressed says whether a result was rejected: it has suppressions, and none
// of them is still under review or was refused.
func (res Result) Suppressed() bool {
	for _, s := range res.Suppressions {
		if s.Status != "" && s.Status != "accepted" {
			return false
		}
	}
	return len(res.Suppressions) > 0
}

// maxBases bounds a chain of bases, which a hostile file can close to a ring.
const maxBases = 16

// File is the path of an artifact, relative to the root of its base wherever
// the base says so; a URI that is no file is given as it stands. It is "" for
// a location that names nothing.
func (r *Run) File(loc ArtifactLocation) string {
	if artifact := at(r.Artifacts, loc.Index); loc.URI == "" && artifact != nil {
		loc = artifact.Location
	}
	if loc.URI == "" {
		return ""
	}
	uri, base := loc.URI, loc.URIBaseID
	for range maxBases {
		known, ok := r.OriginalURIBaseIDs[base]
		if !ok || known.URI == "" || isAbsolute(known.URI) || isAbsolute(uri) {
			break
		}
		uri, base = strings.TrimSuffix(known.URI, "/")+"/"+uri, known.URIBaseID
	}
	file := Path(uri)
	if file == "" {
		return loc.URI
	}
	file = path.Clean(file)
	if path.IsAbs(file) {
		return r.below(file)
	}
	return file
}

func isAbsolute(uri string) bool {
	u, err := url.Parse(uri)
	return err == nil && u.IsAbs()
}

// below makes an absolute path relative to the outermost base of the run that
// it lies in: the root of the source, where the run says what that is.
func (r *Run) below(file string) string {
	root := ""
	for _, base := range r.OriginalURIBaseIDs {
		dir := path.Clean("/" + Path(base.URI))
		if isAbsolute(base.URI) && dir != "/" && strings.HasPrefix(file, dir+"/") && (root == "" || len(dir) < len(root)) {
			root = dir
		}
	}
	if root == "" {
		return file
	}
	return strings.TrimPrefix(file, root+"/")
}

// Lines are the first and last line of a region; 0, 0 where it has none.
func (p PhysicalLocation) Lines() (first, last int) {
	if p.Region == nil || p.Region.StartLine < 1 {
		return 0, 0
	}
	return p.Region.StartLine, max(p.Region.StartLine, p.Region.EndLine)
}

package provider

import (
	"encoding/json"
	"path/filepath"
	"slices"
	"strings"
)

// Variant is what a boundary changes in a row: the values of placeholders of
// its own, and runs of arguments that are replaced. Both sides of Replace are
// arguments with one blank between them; an empty right side drops the run.
type Variant struct {
	Values  map[string]string
	Replace map[string]string
}

// placeholders are those that every row may use. A row's variants add their
// own.
var placeholders = []string{
	"workdir", "projectRoot", "artifactRoot", "modelExecutionValue", "sessionId",
	"promptPath", "promptPointer", "resultPath", "self", "home", "tmp",
}

// piece is a part of a template: a text, or the name of a placeholder.
type piece struct {
	text string
	name string
}

// cut takes a template apart. A brace that begins no placeholder is a text.
// ok is false for a placeholder that is not closed.
func cut(template string) (pieces []piece, ok bool) {
	for template != "" {
		open := strings.IndexByte(template, '{')
		if open < 0 {
			return append(pieces, piece{text: template}), true
		}
		if open > 0 {
			pieces = append(pieces, piece{text: template[:open]})
		}
		end := strings.IndexByte(template[open:], '}')
		if end < 0 {
			return nil, false
		}
		pieces = append(pieces, piece{name: template[open+1 : open+end]})
		template = template[open+end+1:]
	}
	return pieces, true
}

// names gives the placeholders of a template; nil and false when it is broken.
func names(template string) ([]string, bool) {
	pieces, ok := cut(template)
	var list []string
	for _, p := range pieces {
		if p.name != "" || p.text == "" {
			list = append(list, p.name)
		}
	}
	return list, ok
}

// expand fills a template in. filled is false when one of its placeholders is
// empty: such an argument is to be left out.
func expand(template string, value func(name string) string) (text string, filled bool) {
	pieces, _ := cut(template)
	filled = true
	var b strings.Builder
	for _, p := range pieces {
		if p.name == "" {
			b.WriteString(p.text)
			continue
		}
		v := value(p.name)
		filled = filled && v != ""
		b.WriteString(v)
	}
	return b.String(), filled
}

// arguments fills the argument templates in. An argument with an empty
// placeholder drops out together with the flag before it: "-m {model}" without
// a model is no argument at all, and "-m ”" would be another model.
func arguments(templates []string, value func(name string) string) []string {
	var args []string
	flag := false // the last argument is a literal flag whose value may follow
	for _, t := range templates {
		text, filled := expand(t, value)
		used, _ := names(t)
		if !filled {
			if flag && !strings.HasPrefix(t, "-") {
				args = args[:len(args)-1]
			}
			flag = false
			continue
		}
		args = append(args, text)
		flag = len(used) == 0 && strings.HasPrefix(t, "-")
	}
	return args
}

// apply gives the argument templates with the variant's replacements made. A
// longer run goes before a shorter one, so that the order of a JSON object
// does not decide.
func (v Variant) apply(templates []string) []string {
	runs := make([]string, 0, len(v.Replace))
	for run := range v.Replace {
		runs = append(runs, run)
	}
	slices.SortFunc(runs, func(a, b string) int {
		if d := len(b) - len(a); d != 0 {
			return d
		}
		return strings.Compare(a, b)
	})
	out := slices.Clone(templates)
	for _, run := range runs {
		old := strings.Fields(run)
		if i := indexRun(out, old); i >= 0 {
			out = slices.Replace(out, i, i+len(old), strings.Fields(v.Replace[run])...)
		}
	}
	return out
}

// indexRun finds a run of arguments in a list, or gives -1.
func indexRun(list, run []string) int {
	for i := 0; i+len(run) <= len(list) && len(run) > 0; i++ {
		if slices.Equal(list[i:i+len(run)], run) {
			return i
		}
	}
	return -1
}

// environmentName takes "env:NAME|default" apart.
func environmentName(placeholder string) (name, def string, ok bool) {
	rest, ok := strings.CutPrefix(placeholder, "env:")
	if !ok {
		return "", "", false
	}
	name, def, _ = strings.Cut(rest, "|")
	return name, def, name != ""
}

// tilde puts the home directory in the place of a leading "~". Where no home
// is known such a path is empty: it must not become one of the root's.
func tilde(path, home string) string {
	if path == "~" || home == "" && strings.HasPrefix(path, "~/") {
		return home
	}
	if rest, ok := strings.CutPrefix(path, "~/"); ok {
		return filepath.Join(home, rest)
	}
	return path
}

// UnmarshalJSON reads a variant: "replace" is an object, every other key is
// the value of a placeholder.
func (v *Variant) UnmarshalJSON(raw []byte) error {
	var keys map[string]json.RawMessage
	if err := json.Unmarshal(raw, &keys); err != nil {
		return err
	}
	*v = Variant{Values: make(map[string]string), Replace: make(map[string]string)}
	for key, value := range keys {
		if key == "replace" {
			if err := json.Unmarshal(value, &v.Replace); err != nil {
				return err
			}
			continue
		}
		var text string
		if err := json.Unmarshal(value, &text); err != nil {
			return err
		}
		v.Values[key] = text
	}
	return nil
}

// MarshalJSON writes a variant as UnmarshalJSON reads it.
func (v Variant) MarshalJSON() ([]byte, error) {
	keys := make(map[string]any, len(v.Values)+1)
	for key, value := range v.Values {
		keys[key] = value
	}
	if len(v.Replace) > 0 {
		keys["replace"] = v.Replace
	}
	return json.Marshal(keys)
}

package wizard

import (
	"slices"
	"strings"
)

// row is one step of the table. What a step asks, when, and what it takes is
// decided here and nowhere else; the engine knows no step by name but the
// last two.
type row struct {
	id    string
	texts string   // key of the texts when it is not the id
	args  []string // arguments of the texts
	about string   // what the question is about, another argument of its text
	when  string   // the condition, for people

	text  bool     // a text step; otherwise a pick
	empty bool     // an empty text means "none"
	multi bool     // several options may be chosen
	min   int      // least number of choices of a multi pick
	alone []string // choices that exclude every other
	typed string   // the text step behind the choice to type an answer
	group string   // neighbours of one group are asked together

	reads []string // rows that shown, options and check look at
	facts []string // and facts

	shown   func(v view) bool // nil: always
	options func(v view) []Option
	leftOut func(v view) int                  // options that the facts could not name
	offers  func(v view, value string) bool   // is it an option; faster than to list them all
	label   func(v view, value string) string // of an option, likewise
	alias   func(v view) map[string]string    // words that stand for a value
	ask     func(v view) string               // which of the question's texts
	detail  func(v view) string
	check   func(v view, answer string) error
	pin     func(v view, answer string) []string
	input   func(v view, r row, in *inputs)
}

func (r row) key() string {
	if r.texts != "" {
		return r.texts
	}
	return r.id
}

func (r row) isShown(v view) bool { return r.shown == nil || r.shown(v) }

// ends says whether the row is one of those that close the walk and stand for
// no input.
func (r row) ends() bool { return r.id == confirmStep || r.id == editStep }

// choices are the options of a pick, the typed answer last, and how many had
// to be left out.
func (r row) choices(v view) ([]Option, int) {
	var options []Option
	leftOut := 0
	if r.options != nil {
		options, leftOut = usable(r.options(v))
	}
	if r.leftOut != nil {
		leftOut += r.leftOut(v)
	}
	if r.typed != "" {
		options = append(options, Option{Value: Custom, Label: v.say.Text("type_it")})
	}
	if options == nil {
		options = []Option{}
	}
	return options, leftOut
}

// phrase is a text of the row, with the row's arguments.
func (v view) phrase(r row, part string) string {
	var args []any
	for _, a := range r.args {
		args = append(args, a)
	}
	if r.about != "" && strings.HasPrefix(part, "label") {
		args = append(args, r.about)
	}
	return v.say.Text(r.key()+"."+part, args...)
}

// name is the short name of a row.
func (v view) name(r row) string { return v.phrase(r, "name") }

// screen is the plain screen of a row, before a host is thought of. A question
// that is too long for a host's picker goes on in the detail.
func (v view) screen(r row) Screen {
	label := v.phrase(r, "label")
	if r.ask != nil {
		label = v.phrase(r, "label."+r.ask(v))
	}
	s := Screen{Step: r.id, Header: v.phrase(r, "header"), Label: cut(label, maxLabel)}
	if r.detail != nil {
		s.Detail = r.detail(v)
	}
	if s.Label != label {
		s.Detail = join("\n\n", label, s.Detail)
	}
	if r.text {
		s.Kind, s.Optional = KindText, new(r.empty)
		return s
	}
	s.Kind, s.Multi = KindPick, new(r.multi)
	leftOut := 0
	if s.Options, leftOut = r.choices(v); leftOut > 0 {
		s.Label += " (" + v.say.Text("left_out", leftOut) + ")"
	}
	return s
}

// accepts says why an answer is not taken today.
func (v view) accepts(r row, value string) error {
	if !r.text {
		if err := v.offered(r, value); err != nil {
			return err
		}
	}
	if r.check == nil || r.text && r.empty && value == "" {
		return nil
	}
	return r.check(v, value)
}

func (v view) offered(r row, value string) error {
	chosen := r.split(value)
	for _, one := range chosen {
		if !v.offersOne(r, one) {
			return Refuse("option-gone", "%s: %q is not on offer any more", r.id, one)
		}
		if len(chosen) > 1 && (one == Custom || slices.Contains(r.alone, one)) {
			return Refuse("exclusive-choice", "%s: %q excludes every other choice", r.id, one)
		}
	}
	if r.multi && len(chosen) < r.min {
		return Refuse("too-few", "%s: %d chosen (expected %d or more)", r.id, len(chosen), r.min)
	}
	return nil
}

// offersOne says whether a value is on offer today.
func (v view) offersOne(r row, value string) bool {
	if value == Custom {
		return r.typed != ""
	}
	if r.offers != nil {
		return r.offers(v, value)
	}
	options, _ := r.choices(v)
	return slices.ContainsFunc(options, func(o Option) bool { return o.Value == value })
}

// split gives the values of an answer.
func (r row) split(value string) []string {
	if !r.multi {
		return []string{value}
	}
	return strings.FieldsFunc(value, func(c rune) bool { return c == ',' })
}

// shownAnswer is an answer as a person reads it: the labels of the options, or
// what a file or a ref turned out to be.
func (v view) shownAnswer(r row, answer string) string {
	if r.text {
		return v.orNone(oneLine(answer))
	}
	var options []Option
	labels := []string{}
	for _, value := range r.split(answer) {
		switch {
		case value == Custom:
			labels = append(labels, v.say.Text("type_it"))
			continue
		case r.label != nil:
			labels = append(labels, r.label(v, value))
			continue
		case options == nil:
			options, _ = r.choices(v)
		}
		label := value
		if i := slices.IndexFunc(options, func(o Option) bool { return o.Value == value }); i >= 0 {
			label = options[i].Label
		}
		labels = append(labels, label)
	}
	return v.orNone(join(", ", labels...))
}

func (v view) orNone(s string) string {
	if s == "" {
		return v.say.Text("none")
	}
	return s
}

// plain makes options whose labels are texts of the step.
func plain(step string, values ...string) func(view) []Option {
	return func(v view) []Option {
		options := make([]Option, len(values))
		for i, value := range values {
			options[i] = Option{Value: value, Label: v.say.Text(step + "=" + value)}
			if key := step + "=" + value + ".about"; v.say.Has(key) {
				options[i].Description = v.say.Text(key)
			}
		}
		return options
	}
}

// cutRef splits "group/task".
func cutRef(ref string) (group, id string, ok bool) {
	group, id, ok = strings.Cut(ref, "/")
	return group, id, ok && group != "" && id != "" && !strings.Contains(id, "/")
}

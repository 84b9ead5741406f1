package provider

import (
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"

	"okstra/lib/jsondoc"
)

var (
	idForm     = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[a-z0-9][a-z0-9._-]{0,63}$`) })
	nameForm   = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]*$`) })
	passForm   = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]*\*?$`) })
	slugForm   = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[a-z0-9]([a-z0-9-]*[a-z0-9])?$`) })
	priceForm  = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[0-9]{1,6}(\.[0-9]{1,6})?$`) })
	boundaries = []string{BoundaryOverlay, BoundaryLandlock, BoundaryNone}
	precisions = []string{"exact-path", "directory-boundary", "none"}
	// causePlaces is also the order in which the places are asked: the cheap
	// ones first.
	causePlaces = []string{"stderr", "stdout", "sessionFile"}
)

// isTextMap tells whether the keys of the object at a pointer are the user's
// own, and no keys of a row.
func isTextMap(at string) bool {
	return at == "/env/set" || at == "/env/asRoot" || strings.HasPrefix(at, "/variants") || strings.HasPrefix(at, "/causes/") && strings.HasSuffix(at, "/match")
}

// checker collects what is wrong with the row at a pointer of a document.
type checker struct {
	doc    jsondoc.Doc
	at     string
	row    *Provider
	faults []error
}

func (c *checker) oneOf(pointer, value string, choices []string) {
	if !slices.Contains(choices, value) {
		c.fault(pointer, "%q (expected %s)", value, orList(choices))
	}
}

// nulls refuses a null in a list or among named texts, where it would be an
// empty text: an event without a name, a pattern that fits everything. As the
// value of a key of the row it is as good as no such key.
func (c *checker) nulls(at string, value any, listed bool) {
	switch v := value.(type) {
	case nil:
		if listed {
			c.fault(at, "null (expected a value, or nothing at all)")
		}
	case []any:
		for i, element := range v {
			c.nulls(at+"/"+strconv.Itoa(i), element, true)
		}
	case map[string]any:
		for _, key := range slices.Sorted(maps.Keys(v)) {
			c.nulls(at+"/"+strings.NewReplacer("~", "~0", "/", "~1").Replace(key), v[key], isTextMap(at))
		}
	}
}

// words refuses blank entries of lists in which an entry is a name.
func (c *checker) words() {
	r := c.row
	lists := map[string][]string{"/writableHome": r.WritableHome, "/progressPaths": r.ProgressPaths}
	if r.Login != nil {
		lists["/login/files"], lists["/login/env"] = r.Login.Files, r.Login.Env
	}
	if s := r.Stream; s != nil {
		lists["/stream/good"], lists["/stream/bad"], lists["/stream/harmless"], lists["/stream/retry"] = s.Good, s.Bad, s.Harmless, s.Retry
	}
	for _, at := range slices.Sorted(maps.Keys(lists)) {
		for i, word := range lists[at] {
			if strings.TrimSpace(word) == "" {
				c.fault(at+"/"+strconv.Itoa(i), "%q is blank (expected a name)", word)
			}
		}
	}
}

func (c *checker) start() {
	r := c.row
	if !idForm().MatchString(r.ID) {
		c.fault("/id", "%q is no provider id (expected small letters, digits, '.', '_' and '-')", r.ID)
	}
	if strings.TrimSpace(r.Command) == "" {
		c.fault("/command", "no command (expected the name of a program)")
	}
	c.oneOf("/prompt", r.Prompt, []string{PromptStdin, PromptPointer})
	if r.Boundaries != nil && len(r.Boundaries) == 0 {
		c.fault("/boundaries", "an empty list: no job could be started (expected some of %s, or no such key for %q)", orList(boundaries), BoundaryNone)
	}
	for i, b := range r.Boundaries {
		c.oneOf("/boundaries/"+strconv.Itoa(i), b, boundaries)
		if slices.Contains(r.Boundaries[:i], b) {
			c.fault("/boundaries/"+strconv.Itoa(i), "%q stands there twice", b)
		}
	}
	if r.MaxBoundaryPrecision != "" {
		c.oneOf("/maxBoundaryPrecision", r.MaxBoundaryPrecision, precisions)
	}
	c.oneOf("/tempDir", r.TempDir, []string{"", TempOutside})
	c.template("/command", r.Command)
	c.template("/cwd", r.Cwd)
	c.templates("/argv", r.Argv)
	c.templates("/writableHome", r.WritableHome)
	c.templates("/progressPaths", r.ProgressPaths)
	for i, name := range r.SandboxDirs {
		if name == "." || name == ".." || name == ".git" || name == "" || strings.ContainsRune(name, '/') {
			c.fault("/sandboxDirs/"+strconv.Itoa(i), "%q is no folder at the top of a tree (expected a name)", name)
		}
	}
	if r.Login != nil {
		c.templates("/login/files", r.Login.Files)
	}
	if r.Prompt == PromptPointer && !c.uses("promptPointer") && !c.uses("promptPath") {
		c.fault("/argv", "the prompt is given to nobody (expected an argument {promptPointer} or {promptPath})")
	}
}

func (c *checker) uses(name string) bool {
	return slices.ContainsFunc(c.row.Argv, func(t string) bool { list, _ := names(t); return slices.Contains(list, name) })
}

func (c *checker) templates(pointer string, list []string) {
	for i, t := range list {
		c.template(pointer+"/"+strconv.Itoa(i), t)
	}
}

// template refuses a placeholder that nothing fills: it would be empty and
// take its argument away without a word.
func (c *checker) template(pointer, t string) {
	list, ok := names(t)
	if !ok {
		c.fault(pointer, "%q has a placeholder that is not closed", t)
	}
	for _, name := range list {
		variable, _, isEnv := environmentName(name)
		switch {
		case isEnv && nameForm().MatchString(variable), slices.Contains(placeholders, name), c.ownValue(name):
		default:
			c.fault(pointer, "unknown placeholder {%s} (expected env:NAME|default, %s, or a value of a variant)", name, orList(placeholders))
		}
	}
}

func (c *checker) ownValue(name string) bool {
	for _, v := range c.row.Variants {
		if _, ok := v.Values[name]; ok {
			return true
		}
	}
	return false
}

func (c *checker) variants() {
	for _, boundary := range slices.Sorted(maps.Keys(c.row.Variants)) {
		v, at := c.row.Variants[boundary], "/variants/"+boundary
		if !slices.Contains(boundaries, boundary) {
			c.fault(at, "unknown boundary (expected %s)", orList(boundaries))
		}
		for _, run := range slices.Sorted(maps.Keys(v.Replace)) {
			if indexRun(c.row.Argv, strings.Fields(run)) < 0 {
				c.fault(at+"/replace", "the arguments %q do not occur in argv", run)
			}
			c.template(at+"/replace", v.Replace[run])
		}
		for _, name := range slices.Sorted(maps.Keys(v.Values)) {
			if slices.Contains(placeholders, name) {
				c.fault(at, "the value %q would hide a placeholder of every row", name)
			}
		}
	}
}

func (c *checker) environment() {
	for i, name := range c.row.Env.Pass {
		if !passForm().MatchString(name) {
			c.fault("/env/pass/"+strconv.Itoa(i), "%q is no variable (expected a name, with * at its end for all that begin so)", name)
		}
	}
	c.settings("/env/set/", c.row.Env.Set)
	c.settings("/env/asRoot/", c.row.Env.AsRoot)
}

func (c *checker) settings(at string, list map[string]string) {
	for _, name := range slices.Sorted(maps.Keys(list)) {
		if !nameForm().MatchString(name) {
			c.fault(at+name, "%q is no variable", name)
		}
		c.template(at+name, list[name])
	}
}

func (c *checker) stream() {
	if s := c.row.Stream; s != nil {
		c.oneOf("/stream/format", s.Format, []string{"jsonl", "text"})
		if s.Format == "jsonl" && len(s.Good) == 0 {
			c.fault("/stream/good", "no event ends a run well: every run would count as cut off")
		}
		c.pointer("/stream/typePointer", s.TypePointer)
		c.pointer("/stream/usagePointer", s.UsagePointer)
		if s.Denials != nil {
			c.pointer("/stream/denials", *s.Denials)
		}
	}
	if s := c.row.Session; s != nil {
		c.oneOf("/session/from", s.From, []string{"minted", "stream", "recording"})
		c.pointer("/session/pointer", s.Pointer)
		if s.Mint != (s.From == "minted") {
			c.fault("/session/mint", "%v with an id from %q (expected them to agree)", s.Mint, s.From)
		}
		if s.Mint && !c.uses("sessionId") {
			c.fault("/argv", "the minted session id is given to nobody (expected an argument {sessionId})")
		}
	}
	c.causes()
}

func (c *checker) causes() {
	for i, cause := range c.row.Causes {
		at := "/causes/" + strconv.Itoa(i)
		if !slugForm().MatchString(cause.Cause) {
			c.fault(at+"/cause", "%q is no cause (expected small letters, digits and '-')", cause.Cause)
		}
		if len(cause.Match) == 0 {
			c.fault(at+"/match", "matches everything")
		}
		for _, place := range causePlaces {
			if text, ok := cause.Match[place]; ok && text == "" {
				c.fault(at+"/match/"+place, "empty text matches everything")
			}
		}
		for _, place := range slices.Sorted(maps.Keys(cause.Match)) {
			c.oneOf(at+"/match/"+place, place, causePlaces)
		}
	}
}

func (c *checker) pointer(at, pointer string) {
	if _, ok := jsondoc.Tokens(pointer); !ok {
		c.fault(at, "%q is no JSON pointer (expected it to begin with /)", pointer)
	}
}

// models checks the rows and that every name means one model: an alias that
// two rows share, or that is another row's id, would make the answer depend on
// the order of the file.
func (c *checker) models() {
	owner := make(map[string]int)
	claim := func(pointer, name string, row int) {
		key := strings.ToLower(name)
		if other, taken := owner[key]; taken {
			c.fault(pointer, "%q already names model %q", name, c.row.Models[other].ID)
			return
		}
		owner[key] = row
	}
	for i, m := range c.row.Models {
		at := "/models/" + strconv.Itoa(i)
		if strings.TrimSpace(m.ID) != m.ID || m.ID == "" {
			c.fault(at+"/id", "%q is no model id", m.ID)
		}
		claim(at+"/id", m.ID, i)
		for j, alias := range m.Aliases {
			if strings.TrimSpace(alias) == "" {
				c.fault(at+"/aliases/"+strconv.Itoa(j), "empty alias")
			}
			claim(at+"/aliases/"+strconv.Itoa(j), alias, i)
		}
		c.pricing(at+"/pricing", m)
	}
	if _, err := c.row.Resolve(""); err != nil || c.row.DefaultModel == "" {
		c.fault("/defaultModel", "%q is none of the models", c.row.DefaultModel)
	}
}

func (c *checker) pricing(at string, m Model) {
	if m.Pricing == nil {
		if m.Selectable {
			c.fault(at, "model %q is selectable and has no price (expected a price, or \"selectable\": false)", m.ID)
		}
		return
	}
	for k, price := range m.Pricing {
		if !priceForm().MatchString(price.String()) {
			c.fault(at+"/"+strconv.Itoa(k), "%q is no price (expected a plain decimal of USD per million tokens)", price)
		}
	}
}

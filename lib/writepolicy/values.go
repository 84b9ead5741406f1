package writepolicy

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"unicode"
)

// object is a JSON object as jsondoc gives it.
type object = map[string]any

// mostShown is how much of a value a message shows: a path, as a rule whole.
const mostShown = 200

// describe names a value in a message.
func describe(v any) string {
	text, err := json.Marshal(v)
	if err != nil {
		return "a value that is no JSON"
	}
	if len(text) > mostShown {
		return strings.ToValidUTF8(string(text[:mostShown]), "") + "..."
	}
	return string(text)
}

// or gives a key's value, or def when the key is absent. A null is no absent
// key: whoever wrote it down meant something, and it is refused like any other
// value that does not fit.
func or(o object, key string, def any) any {
	if v, ok := o[key]; ok {
		return v
	}
	return def
}

// texts is an array of texts that are not empty. A text of blanks passes: it
// can be the name of a file.
func texts(v any, label string) ([]string, error) {
	list, ok := v.([]any)
	if !ok {
		return nil, refuse("not-an-array", "%s: %s (expected an array)", label, describe(v))
	}
	out := make([]string, len(list))
	for i, item := range list {
		text, ok := item.(string)
		if !ok || text == "" {
			return nil, refuse("empty-text", "%s: item %d is %s (expected a text that is not empty)", label, i, describe(item))
		}
		out[i] = text
	}
	return out, nil
}

// requiredText is a text that is more than blanks, as it stands.
func requiredText(o object, key string) (string, error) {
	text, ok := o[key].(string)
	if !ok || isBlank(text) {
		return "", refuse("text-required", "%s: %s (expected a text that is not blank)", key, describe(o[key]))
	}
	return text, nil
}

// isBlank tells whether a text is made of white space only. The separators
// U+001C to U+001F count as white space, as they do for the authors of the
// documents.
func isBlank(s string) bool { return trim(s) == "" }

func trim(s string) string {
	return strings.TrimFunc(s, func(r rune) bool { return unicode.IsSpace(r) || r >= 0x1c && r <= 0x1f })
}

// absoluteText is an absolute path, of which the file system is not asked.
func absoluteText(v any, label string) (string, error) {
	text, ok := v.(string)
	if !ok || !strings.HasPrefix(text, "/") {
		return "", refuse("not-absolute", "%s: %s (expected an absolute path)", label, describe(v))
	}
	return text, nil
}

// relativePaths is a list of paths in their one normal form, each once. The
// order is kept: it is a part of the digest.
func relativePaths(v any, label string) ([]string, error) {
	paths, err := texts(v, label)
	if err != nil {
		return nil, err
	}
	seen := make(map[string]bool, len(paths))
	for _, p := range paths {
		if !isNormalRelative(p) {
			return nil, refuse("path-form", "%s: %q is no normalised relative path", label, p)
		}
		if seen[p] {
			return nil, refuse("path-twice", "%s: path %q stands twice", label, p)
		}
		seen[p] = true
	}
	return paths, nil
}

// isNormalRelative tells whether p is a relative POSIX path of names only. A
// backslash and a blank are ordinary characters of a name.
func isNormalRelative(p string) bool {
	for name := range strings.SplitSeq(p, "/") {
		if name == "" || name == "." || name == ".." {
			return false
		}
	}
	return true
}

// absoluteRoots is a list of existing files or directories that are named
// without any link on the way. What is given back are the resolved paths.
func (m Machine) absoluteRoots(v any, label string) ([]string, error) {
	roots, err := texts(v, label)
	if err != nil {
		return nil, err
	}
	resolved := make([]string, len(roots))
	for i, root := range roots {
		if !strings.HasPrefix(root, "/") {
			return nil, refuse("root-missing", "%s: %q (expected an existing absolute path)", label, root)
		}
		if _, err := os.Stat(root); err != nil {
			return nil, refuse("root-missing", "%s: %q (expected an existing absolute path): %v", label, root, reason(err))
		}
		resolved[i] = m.resolve(root)
		if lexical(root) != resolved[i] {
			return nil, refuse("root-link", "%s: %q leads through a link or a .. (expected %q)", label, root, resolved[i])
		}
		if slices.Contains(resolved[:i], resolved[i]) {
			return nil, refuse("root-twice", "%s: root %q stands twice", label, resolved[i])
		}
	}
	return resolved, nil
}

// reason drops the operation and path of an error of the os package.
func reason(err error) error {
	for {
		inner, ok := err.(interface{ Unwrap() error })
		if !ok {
			return err
		}
		err = inner.Unwrap()
	}
}

// lexical is an absolute path without doubled slashes, "." and a slash at its
// end. Unlike filepath.Clean it keeps "..", which may not be cancelled where
// the name in front of it is a link. Two slashes at the beginning stay, because
// POSIX lets them mean something else than one.
func lexical(p string) string {
	root := "/"
	if strings.HasPrefix(p, "//") && !strings.HasPrefix(p, "///") {
		root = "//"
	}
	var names []string
	for name := range strings.SplitSeq(p, "/") {
		if name != "" && name != "." {
			names = append(names, name)
		}
	}
	return root + strings.Join(names, "/")
}

// maxLinks is how many links a path may lead through before it counts as a
// loop; the kernel's own limit.
const maxLinks = 40

// resolve follows every link of a path, also of one that does not exist: from
// the first name that is missing on, names are taken as they stand. A relative
// path begins at the machine's directory. A loop is left unresolved.
func (m Machine) resolve(p string) string {
	if !strings.HasPrefix(p, "/") {
		p = m.Dir + "/" + p
	}
	pending := strings.Split(p, "/")
	done, links := "/", 0
	for len(pending) > 0 {
		name := pending[0]
		pending = pending[1:]
		switch name {
		case "", ".":
			continue
		case "..":
			done = filepath.Dir(done)
			continue
		}
		next := filepath.Join(done, name)
		target, err := os.Readlink(next)
		if err != nil || links == maxLinks {
			done = next
			continue
		}
		links++
		if strings.HasPrefix(target, "/") {
			done = "/"
		}
		pending = slices.Concat(strings.Split(target, "/"), pending)
	}
	return done
}

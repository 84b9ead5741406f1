package audit

import (
	"bytes"
	"context"
	"runtime"
	"slices"
	"strings"
	"sync"
)

// entry is what one directory says about one name in it. Row.Path is the name
// alone until the tree is put together.
type entry struct {
	row Row
	dir *directory // for a directory that was read
}

// directory is one directory that was read.
type directory struct {
	entries    []entry
	unreadable bool // it could not be listed, or not to its end
}

// scanRoot reads a tree. Up to two workers read directories; more than two do
// not pay, because the kernel's directory cache is what they wait for.
//
// A worker that meets a subdirectory hands it to a worker that waits, if one
// does, and else descends into it itself. So at most one open descriptor per
// level and worker is needed, whatever the shape of the tree.
func scanRoot(ctx context.Context, root string) (Root, error) {
	s := &scanner{ctx: ctx, idle: make(chan func())}
	top, row, err := s.start(root)
	if err != nil {
		return Root{}, err
	}
	if err := ctx.Err(); err != nil {
		return Root{}, err
	}
	out := Root{Root: root, Unreadable: []string{}}
	out.Rows = make([]Row, 0, 1+int(s.count.Load()))
	a := assembler{root: &out}
	a.add(top, "")
	a.finish()
	row.Path = "."
	at, _ := slices.BinarySearchFunc(out.Rows, row, comparePaths)
	out.Rows = slices.Insert(out.Rows, at, row)
	slices.Sort(out.Unreadable)
	return out, nil
}

// work runs the scan of the top directory, and whatever it hands on.
func (s *scanner) work(top func()) {
	s.pending.Add(1)
	go func() {
		s.pending.Wait()
		close(s.idle)
	}()
	var helpers sync.WaitGroup
	for range min(2, runtime.NumCPU()) - 1 {
		helpers.Go(s.help)
	}
	top()
	s.pending.Done()
	s.help()
	helpers.Wait()
}

func (s *scanner) help() {
	for job := range s.idle {
		job()
	}
}

// descend has the job of a subdirectory done by whoever is free.
func (s *scanner) descend(job func()) {
	s.pending.Add(1)
	done := func() {
		defer s.pending.Done()
		job()
	}
	select {
	case s.idle <- done:
	default:
		done()
	}
}

// assembler puts the directories together to one list in byte order of the
// whole paths. That is not the order in which one would walk: "a-b" stands
// between "a" and "a/x", because "-" comes before "/".
type assembler struct {
	root  *Root
	paths bytes.Buffer
	ends  []int // where in paths the path of each row ends
}

// step is a row of a directory, or all that lies below one of its entries.
type step struct {
	key   string
	entry *entry
	below bool
}

func (a *assembler) add(d *directory, prefix string) {
	if d.unreadable {
		a.root.Unreadable = append(a.root.Unreadable, orDot(strings.TrimSuffix(prefix, "/")))
	}
	steps := make([]step, 0, len(d.entries))
	for i := range d.entries {
		e := &d.entries[i]
		steps = append(steps, step{key: e.row.Path, entry: e})
		if e.dir != nil {
			steps = append(steps, step{key: e.row.Path + "/", entry: e, below: true})
		}
	}
	slices.SortFunc(steps, func(a, b step) int { return strings.Compare(a.key, b.key) })
	for _, s := range steps {
		if s.below {
			a.add(s.entry.dir, prefix+s.key)
			continue
		}
		a.paths.WriteString(prefix)
		a.paths.WriteString(s.key)
		a.ends = append(a.ends, a.paths.Len())
		if s.entry.row.Type == Unknown {
			a.root.Unreadable = append(a.root.Unreadable, prefix+s.key)
		}
		a.root.Rows = append(a.root.Rows, s.entry.row)
	}
}

// finish cuts the paths out of one text, which costs one allocation instead of
// one for each row.
func (a *assembler) finish() {
	text, from := a.paths.String(), 0
	for i, end := range a.ends {
		a.root.Rows[i].Path = text[from:end]
		from = end
	}
}

func comparePaths(a, b Row) int { return strings.Compare(a.Path, b.Path) }

func orDot(path string) string {
	if path == "" {
		return "."
	}
	return path
}

// isObjectStore tells whether a directory is the object store of a git
// directory: named so, and beside the HEAD and refs of one. Objects are named
// by their content, so a new one changes nothing by itself.
func isObjectStore(name string, siblings []entry) bool {
	if name != "objects" {
		return false
	}
	found := 0
	for _, e := range siblings {
		if e.row.Path == "HEAD" || e.row.Path == "refs" {
			found++
		}
	}
	return found == 2
}

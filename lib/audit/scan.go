package audit

import (
	"context"
	"runtime"
	"slices"
	"strings"
	"sync"
)

// directory is one directory that was read. The paths of its rows are the
// names alone until the tree is put together, and in byte order.
type directory struct {
	rows       []Row
	subs       []sub // in the order of rows
	unreadable bool  // it could not be listed, or not to its end
}

// sub is a directory in a directory that was read itself.
type sub struct {
	at  int // its row
	dir *directory
}

// scanRoot reads a tree. Up to two workers read directories; more than two do
// not pay, because the kernel's directory cache is what they wait for.
//
// A worker that meets a subdirectory hands it to a worker that waits, if one
// does, and else descends into it itself. So at most one open descriptor per
// level and worker is needed, whatever the shape of the tree.
//
// The stores are not descended into.
func scanRoot(ctx context.Context, root string, stores ...string) (Root, error) {
	s := &scanner{ctx: ctx, idle: make(chan func()), stores: stores}
	top, row, err := s.start(root)
	if err != nil {
		return Root{}, err
	}
	if err := ctx.Err(); err != nil {
		return Root{}, err
	}
	row.Path = "."
	at, _ := slices.BinarySearchFunc(top.rows, row, comparePaths)
	top.rows = slices.Insert(top.rows, at, row)
	for i := range top.subs {
		if top.subs[i].at >= at {
			top.subs[i].at++
		}
	}
	out := Root{Root: root, Unreadable: []string{}, Rows: make([]Row, 0, 1+int(s.count.Load()))}
	a := assembler{root: &out}
	a.paths.Grow(1 + int(s.text.Load()))
	a.add(top, "")
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
//
// So what lies below a directory waits until a name comes that is behind the
// directory's name with a slash. The names until then all begin with that name,
// so of several directories that wait the last one is the first to end:
//
//	name     put down                 waits
//	a        a                        a/
//	a-       a-                       a/ a-/
//	a-b      what is in a-/, a-b      a/
//	a0       what is in a/, a0
type assembler struct {
	root  *Root
	paths strings.Builder // of all rows, which costs one allocation instead of one for each
}

func (a *assembler) add(d *directory, prefix string) {
	if d.unreadable {
		a.root.Unreadable = append(a.root.Unreadable, orDot(strings.TrimSuffix(prefix, "/")))
	}
	var waiting []sub
	below := func() {
		last := waiting[len(waiting)-1]
		waiting = waiting[:len(waiting)-1]
		a.add(last.dir, prefix+d.rows[last.at].Path+"/")
	}
	subs := d.subs
	for i := range d.rows {
		for len(waiting) > 0 && isBehind(d.rows[i].Path, d.rows[waiting[len(waiting)-1].at].Path) {
			below()
		}
		a.row(&d.rows[i], prefix)
		if len(subs) > 0 && subs[0].at == i {
			waiting, subs = append(waiting, subs[0]), subs[1:]
		}
	}
	for len(waiting) > 0 {
		below()
	}
}

// row adds a row with its whole path.
func (a *assembler) row(r *Row, prefix string) {
	from := a.paths.Len()
	a.paths.WriteString(prefix)
	a.paths.WriteString(r.Path)
	a.root.Rows = append(a.root.Rows, *r)
	path := a.paths.String()[from:]
	a.root.Rows[len(a.root.Rows)-1].Path = path
	if r.Type == Unknown {
		a.root.Unreadable = append(a.root.Unreadable, path)
	}
}

// isBehind tells whether a name comes after all that lies below dir, a name
// that is less than it.
func isBehind(name, dir string) bool {
	return !strings.HasPrefix(name, dir) || name[len(dir)] > '/'
}

func comparePaths(a, b Row) int { return strings.Compare(a.Path, b.Path) }

func orDot(path string) string {
	if path == "" {
		return "."
	}
	return path
}

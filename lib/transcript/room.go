package transcript

import "unsafe"

// Room makes an empty slice with room for n values. A large one lies on large
// pages where the system has them: the first touch of a page costs the kernel
// more than all that is written into it here.
func Room[T any](n int) []T {
	room := make([]T, 0, n)
	var one T
	if size := n * int(unsafe.Sizeof(one)); size >= largePage {
		wantLargePages(unsafe.Pointer(unsafe.SliceData(room)), size)
	}
	return room
}

// largePage is the size of a large page of the processors of today.
const largePage = 2 << 20

// More is a list with room for at least one value more. A list that has become
// long moves to large pages in one step, and short ones move seldom: whatever is
// touched once costs a page.
func More[T any](list []T) []T {
	if len(list) < cap(list) {
		return list
	}
	return append(Room[T](NextRoom[T](cap(list))), list...)
}

// NextRoom is for how many values to make room after there was room for n: eight
// times as many until they fill a large page, then twice as many.
func NextRoom[T any](n int) int {
	var one T
	page := largePage / max(int(unsafe.Sizeof(one)), 1)
	if n >= page {
		return 2 * n
	}
	return min(max(8*n, 16), page)
}

// rowsAtOnce is how many rows the room is made for that files share.
const rowsAtOnce = 2 * largePage / int(unsafe.Sizeof(Row{}))

// Begin gives an empty list with room for about as many rows as a file of that
// many bytes may have.
func (s *Scratch) Begin(bytes int64) []Row {
	few := int(min(max(bytes, 0), 1<<32)/rowBytes) + 1
	if cap(s.rows)-len(s.rows) < few {
		s.rows = Room[Row](max(few, rowsAtOnce))
	}
	return s.rows[len(s.rows):]
}

// rowBytes is how many bytes of a transcript a row stands for, at least in most.
const rowBytes = 4 << 10

// End takes the list that began with Begin, and gives it as it may be kept: the
// room behind it is for the next one.
func (s *Scratch) End(rows []Row) []Row {
	s.rows = rows
	return rows[:len(rows):len(rows)]
}

// File gives an empty file, to be kept.
func (s *Scratch) File() *File {
	if len(s.files) == cap(s.files) {
		s.files = Room[File](min(NextRoom[File](cap(s.files)), filesAtOnce))
	}
	s.files = s.files[:len(s.files)+1]
	return &s.files[len(s.files)-1]
}

const filesAtOnce = largePage / int(unsafe.Sizeof(File{}))

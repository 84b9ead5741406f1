package rawjson

var empty = []byte{}

// FirstText reads a text member into a field unless an equal key came before it.
// A value that is no text still takes the place of one, as an empty text.
func (c *Cursor) FirstText(into *[]byte) {
	text, ok := c.Text()
	if *into != nil {
		return
	}
	*into = empty
	if ok && len(text) > 0 {
		*into = text
	}
}

// Counter reads counts of one object, each key once, and how many of them were
// no counts.
type Counter struct {
	seen uint64
	Bad  int64
}

// Count reads the count that the cursor stands before into a field. which, below
// 64, tells the object's keys apart: the first of two equal keys counts.
func (k *Counter) Count(c *Cursor, into *int64, which uint) {
	n, ok := c.Count()
	if k.seen&(1<<which) != 0 {
		return
	}
	k.seen |= 1 << which
	if !ok {
		k.Bad++
		return
	}
	*into = n
}

// Member calls read at the first member of that name of the object that the
// cursor stands before, and steps over everything else.
func (c *Cursor) Member(name string, read func(*Cursor)) {
	if !c.Object() {
		c.Skip()
		return
	}
	seen := false
	for key, ok := c.Key(); ok; key, ok = c.Key() {
		if string(key) == name && !seen {
			seen = true
			read(c)
			continue
		}
		c.Skip()
	}
}

package render

// field is a column of a table that comes straight from the data: the key of
// a row, or a path of keys, and how its value is shown.
type field struct {
	title string
	path  string
	show  func(node) cell
}

// rowsOf lays out the elements of an array as a table, one row each, or says
// that there are none.
func rowsOf(caption string, rows []node, fields ...field) block {
	if len(rows) == 0 {
		return none()
	}
	t := table{caption: caption}
	for _, f := range fields {
		t.columns = append(t.columns, column{title: f.title})
	}
	for _, row := range rows {
		cells := make([]cell, len(fields))
		for i, f := range fields {
			cells[i] = f.show(row.get(f.path))
		}
		t.rows = append(t.rows, cells)
	}
	return t
}

// factsOf lays out single values below each other; those that are not there
// are left out.
func factsOf(caption string, n node, fields ...field) table {
	t := table{caption: caption}
	for _, f := range fields {
		value := n.get(f.path)
		if value.isNull() {
			continue
		}
		t.rows = append(t.rows, []cell{line(span{kind: label, text: f.title}), f.show(value)})
	}
	return t
}

func asPlain(n node) cell { return textCell(plain, n) }
func asCode(n node) cell  { return textCell(code, n) }
func asToken(n node) cell { return textCell(token, n) }

// asProse keeps the pointer, by which a text is known as translated or not.
func asProse(n node) cell {
	if n.text() == "" {
		return nil
	}
	return cell{proseOf(n)}
}

func textCell(kind spanKind, n node) cell {
	if n.text() == "" {
		return nil
	}
	return line(span{kind: kind, text: n.text()})
}

// asProseLines shows a list of texts, one line each.
func asProseLines(n node) cell {
	var c cell
	for _, e := range n.list() {
		c = append(c, proseOf(e))
	}
	return c
}

// asID shows the id by which the row is cited elsewhere.
func asID(n node) cell { return textCell(anchor, n) }

// asRefs shows a list of ids on one line.
func asRefs(n node) cell {
	var spans []span
	for _, text := range n.texts() {
		if spans != nil {
			spans = append(spans, span{kind: label, text: ", "})
		}
		spans = append(spans, span{kind: ref, text: text})
	}
	if spans == nil {
		return nil
	}
	return cell{spans}
}

// asRef shows one id.
func asRef(n node) cell { return textCell(ref, n) }

// asCodes shows a list of paths, one line each.
func asCodes(n node) cell {
	var c cell
	for _, e := range n.list() {
		c = append(c, []span{{kind: code, text: e.text()}})
	}
	return c
}

// asYesNo shows a boolean.
func asYesNo(n node) cell {
	switch n.v {
	case true:
		return line(span{kind: label, text: "yes"})
	case false:
		return line(span{kind: label, text: "no"})
	}
	return nil
}

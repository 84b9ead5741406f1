// Package render shows the data of a final report to a person: as Markdown and
// as one self-contained HTML page.
//
// The data is read as it stands, without a schema in between: a report that
// breaks its contract is still shown, and the keys that are missing are simply
// not there. Every text of it is taken for hostile. Terminal escapes and
// invisible characters are removed, no text can break out of its table cell,
// its paragraph or its line, no markup of its own becomes HTML, and links go to
// http, https, mailto and relative addresses only.
//
// Both forms are made of one page, a small tree of sections, tables and texts
// that this package builds from the data, so they say the same. The same data
// gives the same bytes. Rule: docs/report.md.
package render

// Package translate turns the data of a final report into a list of
// translatable items and turns translations of those items back into a sidecar
// and into translated report data. The report itself is never edited.
//
// The package is pure: it reads and writes byte slices and values. Files,
// flags and messages are the business of cmd/okstra-translate; the comparison
// of a translation with its source is lib/translate/check; the exchange
// formats of translators are lib/translate/po and lib/translate/xliff.
//
// Two laws decide every detail here. Reading what was prepared gives back the
// very strings that went in, byte for byte, whatever they hold. And a
// translation that equals its source is never refused.
//
// Rules: docs/translate.md.
package translate

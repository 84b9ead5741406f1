// Package agreement measures how far raters agree, beyond what chance would
// give: Krippendorff's alpha, Fleiss' and Cohen's kappa, the Wilson interval
// of a share and the reliability of each rater after Dawid and Skene.
//
// Where a definition is rational the figures are exact fractions; where it is
// not, only operations are used that round alike on every machine, in a fixed
// order. The same table therefore gives the same bytes everywhere. A figure
// that the data cannot carry is no number but a Reason.
//
// Rule: docs/agreement.md.
package agreement

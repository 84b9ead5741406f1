// Package evidence finds what a lead has said about the course of its run in
// the transcript of its session: the lines that claim to be progress lines, with
// the time and the place of each. What is in order about them is for others.
//
// Only what the lead itself wrote counts. A progress line in a prompt, in a tool
// call or in what a tool printed is somebody's quotation, and so is one inside a
// code fence. Transcripts are read leniently: a line that is no JSON is skipped.
// Rule: docs/validate.md, "Evidence".
package evidence

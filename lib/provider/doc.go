// Package provider is the catalogue of agent CLIs: how each one is started,
// what it may see of the environment, where its session id comes from, how its
// stream is read, and which models it offers at which list price.
//
// A provider is data. The rows that come with okstra are embedded; a file of
// the user adds rows or replaces them. Nothing here starts a process or reads
// the environment of this one: Launch is a function of its arguments.
//
// Rule: docs/providers.md.
package provider

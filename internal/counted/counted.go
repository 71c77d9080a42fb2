// Package counted lets the tests of all libraries ask the one for Go what no public name shows.
package counted

// Calls returns how often a *rostering.Client has called the plugin's core.
var Calls func(client any) int

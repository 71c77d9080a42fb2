// Package release defines what the export version returns.
package release

const (
	// Version is the version of all packages; it repeats the file VERSION.
	Version = "0.1.0"
	// Contract is the version of docs/contract.md, which says when it rises.
	Contract = 1
)

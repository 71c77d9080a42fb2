// Package release has the versions that a host can ask for.
package release

const (
	// Version is that of all packages; it repeats the file VERSION.
	Version = "0.1.0"
	// Contract is that of docs/contract.md. It rises when a host would have to change.
	Contract = 2
)

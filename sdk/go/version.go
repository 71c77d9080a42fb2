package rostering

const (
	// Version is the version of this package.
	Version = "0.1.0"
	// Contract is the version of the contract between a plugin and its host that this
	// package implements. [New] refuses a plugin with another one.
	Contract = 1
)

const userAgent = "automatic-rostering/" + Version + " (go)"

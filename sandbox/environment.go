package sandbox

// The environments of the service. Each has one client, which gets the scope of that
// environment and no other.
const (
	Stage      = "stage"
	Production = "production"
)

// The scopes of the environments.
const (
	StageScope      = "automatic-rostering-stage"
	ProductionScope = "automatic-rostering-prod"
)

// The client ids of the environments.
const (
	StageClientID      = "sandbox-stage"
	ProductionClientID = "sandbox-production"
)

// Scope returns the scope of an environment, or "" for an unknown one.
func Scope(environment string) string {
	switch environment {
	case Stage:
		return StageScope
	case Production:
		return ProductionScope
	default:
		return ""
	}
}

func knownScope(scope string) bool {
	return scope == StageScope || scope == ProductionScope
}

//go:build vet

// With an assembly file, the ordinary toolchain takes functions that have no body: see vet.sh.

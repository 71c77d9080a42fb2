// Command rostering gets tokens of the Automatic Rostering service, and calls it. docs/cli.md is
// its manual.
package main

import "automatic-rostering.example/rostering/cli"

func main() { cli.Main() }

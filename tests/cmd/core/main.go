// Command core runs the core as a raw host in a separate process, because a mutant may end it: see tests/adapters/README.md.
package main

import (
	"log"

	"automatic-rostering/tests/runner/play"
	"automatic-rostering/tests/runner/protocol"
)

func main() {
	core, before := &play.Core{}, 0
	protocol.Serve(func(r protocol.Request, logged func(protocol.Log)) protocol.Response {
		if r.Op == "open" {
			before = 0
		}
		pending, err := core.Send(r)
		if err != nil {
			log.Fatal(err)
		}
		lines := core.Logs("")
		for _, line := range lines[before:] {
			logged(line)
		}
		before = len(lines)
		response, _ := pending.Response()
		return response
	})
}

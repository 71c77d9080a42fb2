// Command core runs the core as a raw host in a separate process, because a mutant may end it: see tests/adapters/README.md.
package main

import (
	"encoding/json"
	"log"
	"os"

	"automatic-rostering/tests/runner/play"
	"automatic-rostering/tests/runner/protocol"
)

func main() {
	core, in, out := &play.Core{}, json.NewDecoder(os.Stdin), json.NewEncoder(os.Stdout)
	for logged := 0; ; {
		var r protocol.Request
		if in.Decode(&r) != nil {
			return
		}
		if r.Op == "open" {
			logged = 0
		}
		pending, err := core.Send(r)
		if err != nil {
			log.Fatal(err)
		}
		response, _ := pending.Response()
		lines := core.Logs("")
		for _, line := range lines[logged:] {
			_ = out.Encode(protocol.Response{Event: "log", Client: r.Client, Log: line})
		}
		logged, response.ID = len(lines), r.ID
		_ = out.Encode(response)
	}
}

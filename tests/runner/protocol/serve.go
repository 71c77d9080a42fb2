package protocol

import (
	"encoding/json"
	"log"
	"os"
)

// Serve is a raw host in this process, which takes one request at a time until its standard input ends.
func Serve(take func(r Request, logged func(Log)) Response) {
	in, out := json.NewDecoder(os.Stdin), json.NewEncoder(os.Stdout)
	for r := (Request{}); in.Decode(&r) == nil; r = (Request{}) {
		a := take(r, func(l Log) { _ = out.Encode(Response{Event: "log", Log: l}) })
		a.ID = r.ID
		if err := out.Encode(a); err != nil {
			log.Fatal(err)
		}
	}
}

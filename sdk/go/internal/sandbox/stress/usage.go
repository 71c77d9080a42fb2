package main

import (
	"fmt"
	"net/http"
	"os"
	"runtime"
	"time"
)

// usage is what a program without clients takes.
type usage struct {
	goroutines, files int
	heap              uint64
}

// slack is how much the heap may grow: as much as four clients take.
const slack = 8 << 20

func measure() usage {
	http.DefaultTransport.(*http.Transport).CloseIdleConnections()
	var memory runtime.MemStats
	runtime.GC()
	runtime.GC() // frees what finalizers kept
	runtime.ReadMemStats(&memory)
	files, _ := os.ReadDir("/proc/self/fd") // none on other systems
	return usage{runtime.NumGoroutine(), len(files), memory.HeapAlloc}
}

// compare fails if the program does not return to this usage.
func (u usage) compare() {
	var now usage
	for deadline := time.Now().Add(hangs); time.Now().Before(deadline); time.Sleep(100 * time.Millisecond) {
		if now = measure(); now.goroutines <= u.goroutines && now.files <= u.files && now.heap <= u.heap+slack {
			return
		}
	}
	panic(fmt.Sprintf("left behind: %+v, before: %+v", now, u))
}

// Stress calls clients of the library at random in many goroutines, while both servers and the stores fail, tokens expire
// and are revoked, callers leave, and clients are closed and opened anew. It ends at the first violation:
//
//   - a call, or a close, that does not end
//   - an error that the contract does not have, or not for this call
//   - the response of another call
//   - a secret or a token in an error or in the log
//   - after the faults, a client that does not recover
//   - in the end, a goroutine, a file or memory that is left behind
//
// It runs for STRESS_SECONDS. STRESS_SEED repeats the random choices of a run, though not their interleaving.
package main

import (
	"cmp"
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"runtime/debug"
	"strconv"
	"sync"
	"sync/atomic"
	"time"

	"automatic-rostering.example/rostering"
	"automatic-rostering.example/rostering/internal/sandbox"
)

const (
	workers     = 24
	callTimeout = 3 * time.Second
	hangs       = time.Minute // a call that takes this long does not end
	recovers    = 3 * time.Minute
)

// stress is what all workers share.
type stress struct {
	sandbox *sandbox.Sandbox
	config  rostering.Config
	store   *faultyStore
	slots   []*slot
	token   atomic.Pointer[rostering.Token] // the last that a call returned

	calls, succeeded, canceled, faults, opened atomic.Int64
}

func main() {
	debug.SetTraceback("all") // what every goroutine does when a call hangs
	seed, seconds := setting("STRESS_SEED", rand.Uint32()), setting("STRESS_SECONDS", 60)
	fmt.Printf("STRESS_SEED=%d\n", seed)
	folder, err := os.MkdirTemp("", "stress")
	if err != nil {
		fail("%v", err)
	}
	files, err := rostering.NewFileStore(folder)
	if err != nil {
		fail("%v", err)
	}
	s := &stress{sandbox: sandbox.Start(), store: new(faultyStore)}
	s.config = s.sandbox.Config()
	s.slots = []*slot{{}, {store: s.store}, {store: s.store}, {store: files}}
	s.token.Store(new(rostering.Token))

	s.openAll()
	s.recover()
	s.closeAll()
	before := measure()
	s.openAll()
	s.run(seed, time.Duration(seconds)*time.Second)
	s.recover()
	s.closeAll()
	before.compare()

	s.sandbox.Close()
	if err := os.RemoveAll(folder); err != nil {
		fail("%v", err)
	}
	fmt.Printf("%d calls, of which %d succeeded; %d cancels, %d faults, %d clients\n",
		s.calls.Load(), s.succeeded.Load(), s.canceled.Load(), s.faults.Load(), s.opened.Load())
}

func setting(name string, otherwise uint32) uint64 {
	n, err := strconv.ParseUint(cmp.Or(os.Getenv(name), fmt.Sprint(otherwise)), 10, 32)
	if err != nil {
		fail("%s must be an integer from 0 to 4294967295", name)
	}
	return n
}

// fail ends the program.
func fail(format string, values ...any) {
	fmt.Printf("stress: "+format+"\n", values...)
	os.Exit(1)
}

// run has the workers call until the time is over.
func (s *stress) run(seed uint64, length time.Duration) {
	ctx, cancel := context.WithTimeout(context.Background(), length)
	defer cancel()
	var group sync.WaitGroup
	for n := range workers {
		group.Go(func() {
			for r := rand.New(rand.NewPCG(seed, uint64(n))); ctx.Err() == nil; {
				slot := s.slots[r.IntN(len(s.slots))]
				if client := slot.client.Load(); r.IntN(50) == 0 {
					s.reopen(slot, client, r)
				} else {
					s.call(client, r)
				}
			}
		})
	}
	r := rand.New(rand.NewPCG(seed, workers))
	for ctx.Err() == nil {
		s.disturb(r)
		time.Sleep(time.Duration(r.IntN(150)) * time.Millisecond)
	}
	group.Wait()
}

// recover ends all faults. Each client must then list jobs when its backoff is over, even after an error that is not
// retryable, which a backoff repeats.
func (s *stress) recover() {
	s.sandbox.ClearFaults()
	s.sandbox.SetLifetime(3600)
	s.store.mode.Store(works)
	var group sync.WaitGroup
	for n, slot := range s.slots {
		group.Go(func() {
			client, end := slot.client.Load(), time.Now().Add(recovers)
			for {
				_, err := client.ListJobs(context.Background())
				if err == nil {
					return
				}
				if time.Now().After(end) {
					fail("client %d does not recover: %v", n, err)
				}
				time.Sleep(time.Second)
			}
		})
	}
	group.Wait()
}

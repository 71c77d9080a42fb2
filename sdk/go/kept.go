package rostering

import "sync"

// keptSteps are the first steps of calls that have a token. The plugin would begin the same
// call with the same step until a time that it names, unless anything else than begin is
// called first. A call that finds its step here needs no plugin.
type keptSteps struct {
	mutex      sync.Mutex
	generation int
	latest     int64 // time at which a call began
	steps      map[string]*step
}

// mostKept bounds the steps for different requests.
const mostKept = 256

// find returns the first step of a call, or nil. A clock that was set back drops all steps.
func (k *keptSteps) find(key string, now int64) *step {
	k.mutex.Lock()
	defer k.mutex.Unlock()
	if now < k.latest {
		k.drop()
	}
	k.latest = now
	if s := k.steps[key]; s != nil && now < s.Until {
		return s
	}
	return nil
}

func (k *keptSteps) drop() {
	k.generation++
	clear(k.steps)
}

// use returns the generation of the steps. If the plugin's state is about to change, a new
// generation begins.
func (k *keptSteps) use(changes bool) (generation int) {
	k.mutex.Lock()
	defer k.mutex.Unlock()
	if changes {
		k.drop()
	}
	return k.generation
}

// keep keeps a step, unless the plugin's state may have changed since the generation.
func (k *keptSteps) keep(key string, s *step, generation int) {
	k.mutex.Lock()
	defer k.mutex.Unlock()
	if s.Until == 0 || generation != k.generation {
		return
	}
	if k.steps == nil || len(k.steps) == mostKept {
		k.steps = map[string]*step{}
	}
	k.steps[key] = s
}

package call

import (
	"encoding/binary"

	"automatic-rostering/plugin/core/backoff"
	"automatic-rostering/plugin/core/config"
	"automatic-rostering/plugin/core/oauth2"
	"automatic-rostering/plugin/core/vars"
)

// loadSummary reads what a warm call needs to know about the cached token.
func (c *Call) loadSummary() {
	c.token = vars.Token{}
	first, second, ok := c.host.Words(vars.Summary)
	c.loaded(ok && c.token.SetWords(first, second))
}

// load reads all that is known about the cached token. Other calls of this instance may have
// changed it since the last step.
func (c *Call) load() {
	c.token = vars.Token{}
	c.loaded(c.token.Decode(c.host.Var(vars.Summary)))
}

func (c *Call) loaded(ok bool) {
	c.text = ""
	c.cached = ok && !c.token.Dropped
	if !ok {
		c.token = vars.Token{}
	}
}

// loadRetry reads the failures so far.
func (c *Call) loadRetry() { c.retry = backoff.Decode(c.host.Var(vars.Retry)) }

// current reports, after load, whether the cached token is the one in use.
func (c *Call) current() bool {
	return c.cached && (c.inUse == 0 || c.token.Hash == c.inUse)
}

// keepToken makes a token the cached one. Its lifetime in seconds starts at askedAt, or now
// if that is earlier; without a clock its expiry is unknown. The summary is written last, so
// that a call that is cut off in between leaves nothing inconsistent behind. Vars are removed
// before they are set: a host without room may keep the old value.
func (c *Call) keepToken(text string, askedAt, lifetime int64, replacement bool) {
	c.replace()
	c.cached, c.text = true, text
	c.token = vars.Token{Epoch: c.token.Epoch, Hash: hash(text), Owner: uint32(c.ownerNow()), Replacement: replacement}
	switch {
	case c.now == 0:
	case askedAt == 0:
		c.setLifetime(c.now, lifetime)
	default:
		c.setLifetime(min(askedAt, c.now), lifetime)
	}
	c.keepObject()
	c.saveToken()
}

// setLifetime sets when the cached token expires, and when it is renewed.
func (c *Call) setLifetime(askedAt, lifetime int64) {
	c.token.AskedAt, c.token.Lifetime = askedAt, lifetime
	c.renewAfter(lifetime - c.margin(lifetime))
}

// margin is how long before its expiry a token of that lifetime is renewed, in seconds.
func (c *Call) margin(lifetime int64) int64 { return min(c.client.Margin, lifetime/2) }

// renewAfter sets when the cached token is renewed. Prepared steps have another time, and are
// discarded.
func (c *Call) renewAfter(seconds int64) {
	c.token.RenewAfter = seconds
	c.token.Prepared, c.token.StepPrepared = vars.Nothing, false
}

func (c *Call) keepObject() {
	c.object = oauth2.AppendToken(nil, c.text, c.token.ExpiresAt(), oauth2.CacheKey(&c.client))
	c.host.SetVar(vars.TokenObject, nil)
	c.host.SetVar(vars.TokenObject, c.object)
}

// replace makes the cached token the previous one, because a response to come may still
// contain it. What was prepared with it is removed first, to make room.
func (c *Call) replace() {
	c.host.SetVar(vars.JobsRequest, nil)
	c.host.SetVar(vars.TokenStep, nil)
	if c.cached {
		object := c.host.Var(vars.TokenObject)
		c.forgetToken()
		c.host.SetVar(vars.TokenObject, nil)
		c.host.SetVar(vars.Previous, nil)
		c.host.SetVar(vars.Previous, object)
	}
}

// dropToken drops the cached token, which the service refused, and what was prepared with it.
func (c *Call) dropToken() {
	refused := c.token.Hash
	c.replace() // first, which makes room
	c.refuse(refused)
}

func (c *Call) forgetToken() {
	c.cached, c.text = false, ""
	c.token = vars.Token{Epoch: c.token.Epoch, Owner: c.token.Owner, Dropped: true}
	c.saveToken()
}

// refuse remembers that the service refused a token.
func (c *Call) refuse(hash int64) {
	calls := c.readCalls()
	calls.Refuse(hash)
	c.writeCalls(calls)
}

func (c *Call) saveToken() { c.host.SetVar(vars.Summary, c.token.Encode()) }

// accessToken returns the cached token, or "".
func (c *Call) accessToken() string {
	if c.text == "" && c.cached {
		c.text = oauth2.AccessToken(c.host.Var(vars.TokenObject))
	}
	return c.text
}

// epochBits is how many bits of an owner's number the epoch has: a flow would have to outlive
// 65,536 clear_tokens to count as one that began after the last.
const epochBits = 16

// ownerOf returns a 32-bit number for a client and an epoch, never 0.
func ownerOf(client *config.Client, epoch uint32) int64 {
	return (hash(oauth2.CacheKey(client))|1<<15)<<epochBits&bits32 | int64(epoch)&(1<<epochBits-1)
}

// hash returns 48 bits of the 64-bit FNV-1a hash of a text, so that a JSON number represents
// it in every language and a flow is short. It is 0 only for "".
func hash(text string) int64 {
	if text == "" {
		return 0
	}
	h := uint64(14695981039346656037) // FNV-1a, over words
	b := []byte(text + "\x00\x00\x00\x00\x00\x00\x00")
	for ; len(b) >= 8; b = b[8:] {
		h = (h ^ binary.LittleEndian.Uint64(b)) * 1099511628211
		h ^= h >> 32
	}
	return int64(h>>16 | 1)
}

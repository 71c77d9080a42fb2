//go:build !tinygo

package model

import (
	"encoding/json"
	"fmt"
	"strconv"
	"strings"

	"automatic-rostering/plugin/core/jobs"
)

// sample is a result that a host may pass: its members, and how the contract reads it. NEW,
// USED, KEY, PASSWORD, PLAIN, NOW, SOON and LATER are replaced.
type sample struct {
	raw    string
	result result
}

// canary is the time in a forged flow, which must not appear in another call.
const canary = "4242424242"

func tokenResponse(status int, body, token string, lifetime int64, err string) sample {
	return sample{fmt.Sprintf(`,"status":%d,"body":%s`, status, quote(body)),
		result{fits: "token", status: status, token: token, lifetime: lifetime, error: err}}
}

func granted(lifetime string, seconds int64) sample {
	return tokenResponse(200, `{"access_token":"NEW","token_type":"Bearer","expires_in":`+lifetime+`}`, "NEW", seconds, "")
}

const (
	rejected    = "error token_endpoint_rejected"
	unavailable = "error token_endpoint_unavailable"
	invalid     = "error token_response_invalid"
	network     = "error network_error"
)

// tokenResponses are responses of the token endpoint.
var tokenResponses = []sample{
	granted("3600", 3600), granted("3600", 3600), granted(`"3600"`, 3600), granted("36e2", 3600), granted("1", 1), granted("30", 30),
	granted("100000", 86400), granted("null", 300),
	granted2("0"), granted2("-5"), granted2("0.5"), granted2(`"x"`), granted2("true"),
	tokenResponse(200, `{"access_token":"USED","token_type":"bearer"}`, "USED", 300, ""),
	tokenResponse(200, `{"access_token":"NEW","token_type":"mac"}`, "", 0, invalid),
	tokenResponse(200, `{"access_token":"NEW\r\nX: y","token_type":"Bearer"}`, "", 0, invalid),
	tokenResponse(200, `{"access_token":"NEW","token_type":"Bearer","error":"PASSWORD"}`, "", 0, invalid),
	tokenResponse(200, `["NEW"]`, "", 0, invalid),
	tokenResponse(200, ``, "", 0, invalid),
	tokenResponse(200, `{"access_token":"NEW","token_type":"Bearer"`, "", 0, invalid),
	tokenResponse(503, `{"access_token":"NEW","token_type":"Bearer"}`, "", 0, unavailable),
	tokenResponse(500, `{"access_token":"NEW","error":"no PASSWORD","error_description":"PASSWORD and NEW and MET"}`, "", 0, unavailable),
	tokenResponse(400, `{"error":"invalid_client","error_description":"not PASSWORD"}`, "", 0, rejected),
	tokenResponse(302, ``, "", 0, rejected),
	tokenResponse(408, ``, "", 0, unavailable),
	{`,"status":429,"headers":{"retry-after":"7"}`, result{fits: "token", status: 429, retryAfter: 7, error: unavailable}},
	{`,"status":429,"headers":{"Retry-After":["9000","1"]}`, result{fits: "token", status: 429, error: unavailable, retryAfter: 9000}},
	{`,"status":503,"headers":{"Retry-After":"0"}`, result{fits: "token", status: 503, error: unavailable, retryAfter: 1}},
	{`,"status":503,"headers":{"Retry-After":"soon"}`, result{fits: "token", status: 503, error: unavailable}},
	{`,"status":503`, result{fits: "token", status: 503, error: unavailable}},
	{`,"status":503`, result{fits: "token", status: 503, error: unavailable}},
	{`,"status":0`, result{fits: "token", error: network}},
	{`,"failed":"no route with PLAIN"`, result{fits: "token", failed: true, error: network}},
}

func granted2(lifetime string) sample {
	a := granted(lifetime, 0)
	a.result.token, a.result.error = "", invalid
	return a
}

func serviceResponse(status int, body string) sample {
	return sample{fmt.Sprintf(`,"status":%d,"body":%s`, status, quote(body)), result{fits: "service", status: status}}
}

// serviceResponses are responses of the service.
var serviceResponses = []sample{
	{`,"status":401`, result{fits: "service", status: 401}},
	{`,"status":401`, result{fits: "service", status: 401}},
	serviceResponse(401, `no USED for PLAIN`),
	{`,"status":401,"repeatable":true`, result{fits: "service", status: 401}},
	{`,"status":401,"repeatable":false`, result{fits: "service", status: 401, unrepeated: true}},
	{`,"status":200`, result{fits: "service", status: 200}},
	{`,"status":204,"body":"USED"`, result{fits: "service", status: 204}},
	serviceResponse(403, `{"token":"USED","secret":"PASSWORD"}`),
	serviceResponse(500, `USEDUSEDPLAINUSED`),
	{`,"status":503,"headers":{"Retry-After":"30"},"body":""`, result{fits: "service", status: 503}},
	serviceResponse(302, ``),
	{`,"failed":"reset after USED"`, result{fits: "service", failed: true}},
	{`,"status":0`, result{fits: "service"}},
}

// cutResponses are responses that a host cut within the secret and then decoded: a character
// that was cut in the middle became U+FFFD.
var cutResponses = func() (all []sample) {
	for cut := 1; cut < len(secret); cut++ {
		body := strings.Repeat("x", jobs.MaxBody+1-cut) + secret
		all = append(all, serviceResponse(500, strings.ToValidUTF8(body[:jobs.MaxBody+1], "\ufffd")))
	}
	return all
}()

func storedValue(value string) sample {
	return sample{`,"value":` + quote(value), result{fits: "get"}}
}

// storeValues are values of both keys: what instances write, and what none writes.
var storeValues = []sample{
	storedValue(`{"access_token":"NEW","token_type":"Bearer","expires_at":LATER,"cache_key":"KEY"}`),
	storedValue(`{"access_token":"NEW","token_type":"Bearer","expires_at":SOON,"cache_key":"KEY"}`),
	storedValue(`{"access_token":"NEW","token_type":"Bearer","expires_at":NOW,"cache_key":"KEY"}`),
	storedValue(`{"access_token":"USED","token_type":"Bearer","expires_at":LATER,"cache_key":"KEY"}`),
	storedValue(`{"access_token":"NEW","token_type":"Bearer","expires_at":LATER,"cache_key":"other"}`),
	storedValue(`{"access_token":"NEW\r\nX: y","token_type":"Bearer","expires_at":LATER,"cache_key":"KEY"}`),
	storedValue(`{"state":"asking"}`), storedValue(`{"state":"asking"}`), storedValue(`{"state":"done"}`), storedValue(`{"state":"refused"}`),
	storedValue(`{"state":"failed","code":"token_endpoint_unavailable","status":503,"until":SOON,"wait":4,"failures":3}`),
	storedValue(`{"state":"failed","code":"network_error","status":0,"until":LATER,"wait":2,"failures":1}`),
	storedValue(`{"state":"failed","code":"service_unauthorized","status":401,"until":NOW,"wait":2,"failures":1}`),
	storedValue(`{"state":"failed","code":"token_endpoint_unavailable","status":503,"until":1799990000,"wait":4,"failures":3}`),
	storedValue(`{"access_token":"NEW","token_type":"Bearer","expires_at":LATER,"cache_key":"KEY","next":1}`),
	storedValue(`{"state":"failed","code":"network_error","status":0,"until":SOON,"wait":9,"failures":2,"next":1}`),
	storedValue(`{"state":"failed","code":"token_endpoint_rejected","until":SOON,"wait":4,"failures":3}`),
	storedValue(`{"state":"failed","code":"PASSWORD","status":1,"until":1,"failures":-1}`),
	storedValue(`[]`), storedValue("\x00"), storedValue(``),
	{`,"value":null`, result{fits: "get"}}, {`,"value":null`, result{fits: "get"}},
	{`,"failed":"down"`, result{fits: "get", failed: true}},
}

var addResults = []sample{
	{`,"added":true`, result{fits: "add", added: true}},
	{`,"added":false`, result{fits: "add"}}, {`,"added":false`, result{fits: "add"}},
	{`,"failed":"down"`, result{fits: "add", failed: true}},
}

var setResults = []sample{{"", result{fits: "set"}}, {`,"failed":"down"`, result{fits: "set", failed: true}}}

// nonsense are results that do not fit the step.
var nonsense = []sample{
	{`,"status":99`, result{fits: "none"}}, {`,"status":"200"`, result{fits: "none"}},
	{`,"value":7`, result{fits: "none"}}, {`,"added":null`, result{fits: "none"}},
	{`,"status":200,"added":true`, result{fits: "none"}}, {`,"body":"x"`, result{fits: "none"}},
	{`,"repeatable":false`, result{fits: "none"}}, {`,"what":1`, result{fits: "none"}},
	{`,"value":null,"failed":"x"`, result{fits: "none"}}, {`,"status":200,"headers":7`, result{fits: "none"}},
}

func (g *generator) poison(a *action) {
	n := one(g, storeValues...)
	value := "{" + strings.TrimPrefix(n.raw, ",") + "}"
	var parsed struct{ Value *string }
	if json.Unmarshal([]byte(value), &parsed) != nil || parsed.Value == nil {
		parsed.Value = new(string)
	}
	now := int(start + g.w.time)
	g.id++
	a.name = one(g, "lock", "token")
	a.text = strings.NewReplacer("NEW", "TOKEN-put"+itoa(g.id), "USED", g.token(), "NOW", itoa(now), "SOON", itoa(now+30),
		"LATER", itoa(now+3600), "PASSWORD", inJSON(secret)).Replace(*parsed.Value)
	a.num = one[int64](g, 5, 60, 4000)
}

func itoa(n int) string { return strconv.Itoa(n) }

// inJSON escapes a text for a JSON string within a JSON string.
func inJSON(text string) string {
	inner := quote(text)
	outer := quote(inner[1 : len(inner)-1])
	return outer[1 : len(outer)-1]
}

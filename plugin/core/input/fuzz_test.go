package input_test

import (
	"bytes"
	"encoding/json"
	"math/big"
	"reflect"
	"strings"
	"testing"
	"unicode/utf8"

	"automatic-rostering/plugin/core/apierror"
	"automatic-rostering/plugin/core/clock"
	"automatic-rostering/plugin/core/input"
)

// FuzzInput compares Parse with a slow and simple reading by encoding/json.
func FuzzInput(f *testing.F) {
	for _, text := range []string{"", " \n", "{}", "[]", `{"force":true}`, `{"force":true,"\u0066orce":false}`,
		`{"now":1.8e9,"force":false}`, `{"customer_id":null,"user_id":"a b"}`, `{"customer_id":"\ud83d"}`,
		`{"customer_id":""}`, `{"user_id":" a"}`,
		`{"now":-1}{}`, `{"now":253402300800}`, `{"user_id":{"now":[1]}}`, `{"now":1,"now":1}`,
		`{"now":1e-999999999999}`, `{"now":1E+99999999999}`, `{"now":-1.5}`,
		`{"refused":"a.b","used":true,"now":1}`, `{"force":true,"refused":"a"}`, `{"used":true}`} {
		f.Add([]byte(text), false)
		f.Add([]byte(text), true)
	}
	f.Fuzz(func(t *testing.T, b []byte, jobs bool) {
		fields, allowed := input.GetToken, []string{"force", "refused", "used", "now"}
		if jobs {
			fields, allowed = input.ListJobs, []string{"now", "customer_id", "user_id"}
		}
		in, err := input.Parse(b, fields)
		if err != nil && (err.Code != apierror.InvalidInput || err.Message == "" || err.Retryable) {
			t.Fatalf("got %+v", err)
		}
		if !utf8.Valid(b) || bytes.Count(b, []byte("["))+bytes.Count(b, []byte("{")) > 64 {
			return // encoding/json replaces invalid UTF-8, and allows deeper nesting
		}
		want, ok := slowly(b, allowed)
		if (err == nil) != ok {
			t.Fatalf("%q: got %+v, %+v; read slowly: %+v, %v", b, in, err, want, ok)
		}
		if ok && !reflect.DeepEqual(in, &want) {
			t.Errorf("%q: got %+v; read slowly: %+v", b, in, want)
		}
	})
}

// slowly reads an input as the contract describes it.
func slowly(b []byte, allowed []string) (in input.Input, ok bool) {
	if len(bytes.Trim(b, " \t\r\n")) == 0 {
		return in, true
	}
	d := json.NewDecoder(bytes.NewReader(b))
	d.UseNumber()
	if first, err := d.Token(); err != nil || first != json.Delim('{') || !json.Valid(b) {
		return in, false
	}
	for d.More() {
		name, _ := d.Token()
		var value any
		if d.Decode(&value) != nil {
			return in, false
		}
		rest := remove(allowed, name.(string))
		if len(rest) == len(allowed) || !set(&in, name.(string), value) {
			return in, false
		}
		allowed = rest // no field is allowed twice
	}
	return in, in.Refused != "" && !in.Force || in.Refused == "" && !in.Used
}

func remove(names []string, name string) (rest []string) {
	for _, n := range names {
		if n != name {
			rest = append(rest, n)
		}
	}
	return rest
}

func set(in *input.Input, name string, value any) (ok bool) {
	switch name {
	case "force":
		in.Force, ok = value.(bool)
		return ok
	case "used":
		in.Used, ok = value.(bool)
		return ok
	case "refused":
		in.Refused, ok = value.(string)
		return ok && input.AccessToken(in.Refused)
	case "now":
		number, ok := value.(json.Number)
		in.HasNow = true
		in.Now = seconds(number)
		return ok && in.Now <= clock.Latest
	case "customer_id":
		return setID(&in.Customer, value)
	default:
		return setID(&in.User, value)
	}
}

func setID(id *input.ID, value any) (ok bool) {
	if value == nil {
		id.Omitted = true
		return true
	}
	id.Text, ok = value.(string)
	return ok && id.Text != "" && input.ValidID(id.Text)
}

// seconds returns a number without its fraction: 0 if it is negative, and the second after the
// year 9999 if it is later.
func seconds(number json.Number) int64 {
	const precision = 4096 // bits, more than a fuzzer's digits need
	digits, exponent, _ := strings.Cut(strings.ToLower(string(number)), "e")
	sign := exponent[:len(exponent)-len(strings.TrimLeft(exponent, "+-"))]
	exponent = "0" + strings.TrimLeft(exponent, "+-0")
	exponent = exponent[:min(6, len(exponent))] // math/big takes no longer ones
	x, _, err := big.ParseFloat(digits+"e"+sign+exponent, 10, precision, big.ToZero)
	if err != nil || x.Sign() < 0 {
		return 0
	}
	n, _ := x.Int64() // at most math.MaxInt64
	return min(n, clock.Latest+1)
}

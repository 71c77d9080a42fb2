package input_test

import (
	"strings"
	"testing"

	"automatic-rostering/plugin/internal/fault"
	"automatic-rostering/plugin/internal/input"
)

func checkFault(t *testing.T, err *fault.Error, key string) {
	t.Helper()
	if err == nil {
		t.Fatal("accepted")
	}
	if err.Code != fault.InvalidInput || err.Key != key || err.Retryable || err.Message == "" {
		t.Errorf("got %s about %q, retryable %v, %q; want it about %q", err.Code, err.Key, err.Retryable, err.Message, key)
	}
}

func TestInputIsRefused(t *testing.T) {
	for _, tt := range []struct {
		name   string
		fields input.Field
		text   string
		key    string
	}{
		{"a list", input.ForGetToken, `[]`, ""},
		{"text", input.ForGetToken, `"force"`, ""},
		{"a number", input.ForGetToken, `1`, ""},
		{"null", input.ForGetToken, `null`, ""},
		{"true", input.ForGetToken, `true`, ""},
		{"no JSON", input.ForGetToken, `force`, ""},
		{"half an object", input.ForGetToken, `{"force":true`, ""},
		{"an opening brace", input.ForGetToken, `{`, ""},
		{"two objects", input.ForGetToken, `{} {}`, ""},
		{"garbage behind", input.ForGetToken, `{}x`, ""},
		{"NUL behind", input.ForGetToken, "{}\x00", ""},
		{"NUL alone", input.ForGetToken, "\x00", ""},
		{"a byte order mark", input.ForGetToken, "\xef\xbb\xbf{}", ""},
		{"white space that is not JSON's", input.ForGetToken, "\u00a0", ""},
		{"a comma too many", input.ForGetToken, `{"force":true,}`, ""},
		{"single quotes", input.ForGetToken, `{'force':true}`, ""},
		{"a name without quotes", input.ForGetToken, `{force:true}`, ""},
		{"a comment", input.ForGetToken, `{/**/}`, ""},
		{"garbage behind a wrong field", input.ForGetToken, `{"x":1}x`, ""},
		{"nesting that is too deep", input.ForListJobs, `{"customer_id":` + strings.Repeat(`[`, 100000), ""},
		{"valid nesting that is too deep", input.ForListJobs,
			`{"customer_id":` + strings.Repeat(`[`, 64) + strings.Repeat(`]`, 64) + `}`, ""},

		{"an unknown field", input.ForGetToken, `{"froce":true}`, "froce"},
		{"a field in capitals", input.ForGetToken, `{"Force":true}`, "Force"},
		{"an empty name", input.ForGetToken, `{"":true}`, ""},
		{"an unknown field of null", input.ForGetToken, `{"x":null}`, "x"},
		{"a field of the other call", input.ForGetToken, `{"customer_id":"c"}`, "customer_id"},
		{"another field of the other call", input.ForGetToken, `{"user_id":null}`, "user_id"},
		{"and the other way round", input.ForListJobs, `{"force":false}`, "force"},
		{"an unknown field after a good one", input.ForGetToken, `{"force":true,"x":1}`, "x"},
		{"a field given twice", input.ForGetToken, `{"force":true,"force":true}`, "force"},
		{"a field given twice, once escaped", input.ForGetToken, `{"force":true,"\u0066orce":true}`, "force"},
		{"a field given twice with another between", input.ForGetToken, `{"now":1,"force":true,"now":1}`, "now"},
		{"an id given twice, once null", input.ForListJobs, `{"user_id":null,"user_id":"u"}`, "user_id"},
		{"an id given twice, once empty", input.ForListJobs, `{"user_id":"","user_id":"u"}`, "user_id"},

		{"force as text", input.ForGetToken, `{"force":"true"}`, "force"},
		{"force as a number", input.ForGetToken, `{"force":1}`, "force"},
		{"force as null", input.ForGetToken, `{"force":null}`, "force"},
		{"force as a list", input.ForGetToken, `{"force":[true]}`, "force"},
		{"force as an object", input.ForGetToken, `{"force":{}}`, "force"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			_, err := input.Parse([]byte(tt.text), tt.fields)
			checkFault(t, err, tt.key)
		})
	}
}

func TestInputIsRead(t *testing.T) {
	for _, tt := range []struct {
		name   string
		fields input.Field
		text   string
		want   input.Input
	}{
		{"no bytes", input.ForGetToken, ``, input.Input{}},
		{"white space", input.ForListJobs, " \t\r\n", input.Input{}},
		{"an empty object", input.ForGetToken, `{}`, input.Input{}},
		{"white space around and inside", input.ForGetToken, " { \"force\" :\n true } ", input.Input{Force: true}},
		{"force", input.ForGetToken, `{"force":true}`, input.Input{Force: true}},
		{"no force", input.ForGetToken, `{"force":false}`, input.Input{}},
		{"an escaped name", input.ForGetToken, `{"\u0066orce":true}`, input.Input{Force: true}},
		{"all of get_token", input.ForGetToken, `{"now":1,"force":true}`, input.Input{Force: true, Now: 1, HasNow: true}},
		{"all of list_jobs", input.ForListJobs, `{"user_id":"u","customer_id":null,"now":2}`,
			input.Input{Now: 2, HasNow: true, Customer: input.ID{Omitted: true}, User: input.ID{Text: "u"}}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got, err := input.Parse([]byte(tt.text), tt.fields)
			if err != nil || got != tt.want {
				t.Errorf("got %+v, %+v, want %+v", got, err, tt.want)
			}
		})
	}
}

func TestAMadeUpNameFillsNoError(t *testing.T) {
	for _, tt := range []struct{ name, field, key string }{
		{"64 characters are shown", strings.Repeat("x", 64), strings.Repeat("x", 64)},
		{"65 are not", strings.Repeat("x", 65), ""},
		{"a control character is not", `a\u001b[31m`, ""},
		{"nor is what is not ASCII", "é", ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			_, err := input.Parse([]byte(`{"`+tt.field+`":1}`), input.ForGetToken)
			checkFault(t, err, tt.key)
		})
	}
}

func TestAMessageNamesTheFieldsOfItsCall(t *testing.T) {
	_, err := input.Parse([]byte(`{"x":1}`), input.ForListJobs)
	checkFault(t, err, "x")
	if !strings.Contains(err.Message, " now, customer_id, user_id") || strings.Contains(err.Message, "force") {
		t.Errorf("got %q", err.Message)
	}
}

package input_test

import (
	"reflect"
	"strings"
	"testing"

	"automatic-rostering/plugin/core/apierror"
	"automatic-rostering/plugin/core/input"
)

func checkError(t *testing.T, err *apierror.Error, key string) {
	t.Helper()
	if err == nil {
		t.Fatal("accepted")
	}
	if err.Code != apierror.InvalidInput || err.Key != key || err.Retryable || err.Message == "" {
		t.Errorf("got %s about %q, retryable %v, %q; want it about %q", err.Code, err.Key, err.Retryable, err.Message, key)
	}
}

func TestInputIsRefused(t *testing.T) {
	for _, tt := range []struct {
		name string
		call input.Export
		text string
		key  string
	}{
		{"a list", input.GetToken, `[]`, ""},
		{"text", input.GetToken, `"force"`, ""},
		{"a number", input.GetToken, `1`, ""},
		{"null", input.GetToken, `null`, ""},
		{"true", input.GetToken, `true`, ""},
		{"no JSON", input.GetToken, `force`, ""},
		{"half an object", input.GetToken, `{"force":true`, ""},
		{"an opening brace", input.GetToken, `{`, ""},
		{"two objects", input.GetToken, `{} {}`, ""},
		{"garbage behind", input.GetToken, `{}x`, ""},
		{"NUL behind", input.GetToken, "{}\x00", ""},
		{"NUL alone", input.GetToken, "\x00", ""},
		{"a byte order mark", input.GetToken, "\xef\xbb\xbf{}", ""},
		{"white space that is not JSON's", input.GetToken, "\u00a0", ""},
		{"a comma too many", input.GetToken, `{"force":true,}`, ""},
		{"single quotes", input.GetToken, `{'force':true}`, ""},
		{"a name without quotes", input.GetToken, `{force:true}`, ""},
		{"a comment", input.GetToken, `{/**/}`, ""},
		{"garbage behind a wrong field", input.GetToken, `{"x":1}x`, ""},
		{"nesting that is too deep", input.ListJobs, `{"customer_id":` + strings.Repeat(`[`, 100000), ""},
		{"valid nesting that is too deep", input.ListJobs,
			`{"customer_id":` + strings.Repeat(`[`, 64) + strings.Repeat(`]`, 64) + `}`, ""},

		{"an unknown field", input.GetToken, `{"froce":true}`, "froce"},
		{"a field in capitals", input.GetToken, `{"Force":true}`, "Force"},
		{"an empty name", input.GetToken, `{"":true}`, ""},
		{"an unknown field of null", input.GetToken, `{"x":null}`, "x"},
		{"a field of the other call", input.GetToken, `{"customer_id":"c"}`, "customer_id"},
		{"another field of the other call", input.GetToken, `{"user_id":null}`, "user_id"},
		{"and the other way round", input.ListJobs, `{"force":false}`, "force"},
		{"an unknown field after a good one", input.GetToken, `{"force":true,"x":1}`, "x"},
		{"a field given twice", input.GetToken, `{"force":true,"force":true}`, "force"},
		{"a field given twice, once escaped", input.GetToken, `{"force":true,"\u0066orce":true}`, "force"},
		{"a field given twice with another between", input.GetToken, `{"now":1,"force":true,"now":1}`, "now"},
		{"an id given twice, once null", input.ListJobs, `{"user_id":null,"user_id":"u"}`, "user_id"},
		{"an id given twice, once empty", input.ListJobs, `{"user_id":"","user_id":"u"}`, "user_id"},

		{"a refused token that is empty", input.GetToken, `{"refused":""}`, "refused"},
		{"a refused token that is null", input.GetToken, `{"refused":null}`, "refused"},
		{"a refused token that is no text", input.GetToken, `{"refused":["a"]}`, "refused"},
		{"a refused token with a space", input.GetToken, `{"refused":"a b"}`, "refused"},
		{"a refused token beyond ASCII", input.GetToken, `{"refused":"é"}`, "refused"},
		{"a refused token of more than 32 KiB", input.GetToken, `{"refused":"` + strings.Repeat("a", 32<<10+1) + `"}`, "refused"},
		{"a refused token and force", input.GetToken, `{"refused":"a","force":true}`, "refused"},
		{"a refused token for another call", input.ListJobs, `{"refused":"a"}`, "refused"},

		{"used without a refused token", input.GetToken, `{"used":true}`, "used"},
		{"used as a number", input.GetToken, `{"refused":"a","used":1}`, "used"},
		{"accepts of another export", input.GetToken, `{"accepts":[]}`, "accepts"},
		{"accepts that is text", input.Begin, `{"accepts":"store"}`, "accepts"},
		{"accepts that is null", input.Begin, `{"accepts":null}`, "accepts"},
		{"accepts that is an object", input.Begin, `{"accepts":{"store":true}}`, "accepts"},
		{"an unknown word in accepts", input.Begin, `{"accepts":["wait"]}`, "accepts"},
		{"a word in capitals", input.Begin, `{"accepts":["Store"]}`, "accepts"},
		{"a word twice", input.Begin, `{"accepts":["store","store"]}`, "accepts"},
		{"a word that is no text", input.Begin, `{"accepts":[null]}`, "accepts"},
		{"refused and force in begin", input.Begin, `{"refused":"a","force":true}`, "refused"},
		{"a time for request", input.Request, `{"now":1}`, "now"},

		{"force as text", input.GetToken, `{"force":"true"}`, "force"},
		{"force as a number", input.GetToken, `{"force":1}`, "force"},
		{"force as null", input.GetToken, `{"force":null}`, "force"},
		{"force as a list", input.GetToken, `{"force":[true]}`, "force"},
		{"force as an object", input.GetToken, `{"force":{}}`, "force"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			_, err := input.Parse([]byte(tt.text), tt.call)
			checkError(t, err, tt.key)
		})
	}
}

func TestInputIsRead(t *testing.T) {
	for _, tt := range []struct {
		name string
		call input.Export
		text string
		want input.Input
	}{
		{"no bytes", input.GetToken, ``, input.Input{}},
		{"white space", input.ListJobs, " \t\r\n", input.Input{}},
		{"an empty object", input.GetToken, `{}`, input.Input{}},
		{"white space around and inside", input.GetToken, " { \"force\" :\n true } ", input.Input{Force: true}},
		{"force", input.GetToken, `{"force":true}`, input.Input{Force: true}},
		{"no force", input.GetToken, `{"force":false}`, input.Input{}},
		{"an escaped name", input.GetToken, `{"\u0066orce":true}`, input.Input{Force: true}},
		{"a refused token", input.GetToken, `{"refused":"a.b","force":false}`, input.Input{Refused: "a.b"}},
		{"a long refused token", input.GetToken, `{"refused":"` + strings.Repeat("a", 32<<10) + `"}`, input.Input{Refused: strings.Repeat("a", 32<<10)}},
		{"a refused token that worked", input.GetToken, `{"refused":"a.b","used":true}`, input.Input{Refused: "a.b", Used: true}},
		{"one that did not", input.Begin, `{"refused":"a.b","used":false}`, input.Input{Refused: "a.b"}},
		{"no store", input.Begin, `{"accepts":[]}`, input.Input{}},
		{"a store", input.Begin, `{"accepts":["store"],"now":1}`, input.Input{Store: true, Clock: input.Clock{Now: 1, HasNow: true}}},
		{"force at a time", input.GetToken, `{"now":1,"force":true}`, input.Input{Force: true, Clock: input.Clock{Now: 1, HasNow: true}}},
		{"all of list_jobs", input.ListJobs, `{"user_id":"u","customer_id":null,"now":2}`,
			input.Input{Clock: input.Clock{Now: 2, HasNow: true}, Customer: input.ID{Omitted: true}, User: input.ID{Text: "u"}}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got, err := input.Parse([]byte(tt.text), tt.call)
			if err != nil || !reflect.DeepEqual(got, &tt.want) {
				t.Errorf("got %+v, %+v, want %+v", got, err, tt.want)
			}
		})
	}
}

func TestAnUnknownNameFillsNoError(t *testing.T) {
	for _, tt := range []struct{ name, field, key string }{
		{"64 characters are shown", strings.Repeat("x", 64), strings.Repeat("x", 64)},
		{"65 are not", strings.Repeat("x", 65), ""},
		{"a control character is not", `a\u001b[31m`, ""},
		{"nor is what is not ASCII", "é", ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			_, err := input.Parse([]byte(`{"`+tt.field+`":1}`), input.GetToken)
			checkError(t, err, tt.key)
		})
	}
}

func TestAMessageNamesTheFieldsOfItsCall(t *testing.T) {
	_, err := input.Parse([]byte(`{"x":1}`), input.ListJobs)
	checkError(t, err, "x")
	if !strings.Contains(err.Message, " now customer_id user_id") || strings.Contains(err.Message, "force") {
		t.Errorf("got %q", err.Message)
	}
}

package json_test

import (
	"slices"
	"strings"
	"testing"

	"automatic-rostering.example/rostering/plugin/core/json"
)

// The fuzz targets compare the rest with encoding/json.

func TestObjectStops(t *testing.T) {
	calls := 0
	valid := json.Object([]byte(`{"a":1,"b":2,"c":3}`), func(name string, _ json.Value) bool {
		calls++
		return name != "b"
	})
	if !valid || calls != 2 {
		t.Errorf("valid = %v after %d calls", valid, calls)
	}
}

func TestEach(t *testing.T) {
	for text, want := range map[string][]string{
		`{ "b" : {"c":1} , "d":[] }`: {`b={"c":1}`, "d=[]"}, ` {"a":1}`: {"a=1"}, ``: nil, ` `: nil, `null`: nil, `"{}"`: nil, `[{"a":1}]`: nil,
	} {
		var got []string
		isObject := json.Value(text).Each(func(name string, inner json.Value) bool {
			got = append(got, name+"="+string(inner))
			return true
		})
		if !slices.Equal(got, want) || isObject != (want != nil) {
			t.Errorf("%s: got %q, %v", text, got, isObject)
		}
	}
}

func TestGet(t *testing.T) {
	v := json.Value(`{"a":1,"b":2,"b":3}`)
	if string(v.Get("b")) != "2" || v.Get("c") != nil || json.Value(nil).Get("a") != nil {
		t.Errorf("got %s, %s", v.Get("b"), v.Get("c"))
	}
}

func TestDecodeAllocatesOnce(t *testing.T) {
	for want, value := range []json.Value{
		json.Value(`"` + strings.Repeat("a", 1e5) + `"`), // the source's bytes
		json.Value(`"` + strings.Repeat(`\u00e9\n\ud83d\ude00`, 1e4) + `"`),
	} {
		if got := testing.AllocsPerRun(10, func() { value.Decode() }); got != float64(want) {
			t.Errorf("%.20s…: %v allocations", value, got)
		}
	}
}

func TestTexts(t *testing.T) {
	for _, tt := range []struct {
		text string
		want []string
		ok   bool
	}{
		{`"a\n"`, []string{"a\n"}, true}, {`[ "a" , "b,]" ]`, []string{"a", "b,]"}, true}, {`[ ]`, nil, true},
		{`1`, nil, false}, {`{"a":"b"}`, nil, false}, {`["a",1]`, nil, false}, {`[["a"]]`, nil, false},
	} {
		if got, ok := json.Value(tt.text).Texts(); ok != tt.ok || !slices.Equal(got, tt.want) {
			t.Errorf("%s: got %q, %v", tt.text, got, ok)
		}
	}
}

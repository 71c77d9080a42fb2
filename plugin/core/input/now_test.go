package input_test

import (
	"testing"

	"automatic-rostering/plugin/core/clock"
	"automatic-rostering/plugin/core/input"
)

func TestNow(t *testing.T) {
	for _, tt := range []struct {
		name, text string
		want       int64
	}{
		{"whole seconds", "1800000000", 1800000000},
		{"a fraction is cut off", "1800000000.999999999999", 1800000000},
		{"a fraction of zeros", "1800000000.0", 1800000000},
		{"an exponent", "1.8e9", 1800000000},
		{"an exponent in capitals, with a sign", "18E+8", 1800000000},
		{"a negative exponent", "18000000005e-1", 1800000000},
		{"zero", "0", 0},
		{"less than a second", "0.9", 0},
		{"the last second of the year 9999", "253402300799", clock.Latest},
		{"its last fraction", "253402300799.9", clock.Latest},
	} {
		t.Run(tt.name, func(t *testing.T) {
			in, err := input.Parse([]byte(`{"now":`+tt.text+`}`), input.GetToken)
			if err != nil || !in.HasNow || in.Now != tt.want {
				t.Errorf("got %+v, %v, want %d", in, err, tt.want)
			}
		})
	}
}

func TestAnImpossibleNowIsNotUsable(t *testing.T) {
	for _, text := range []string{"-1", "-0", "-1800000000", "-1.8e9", "-0.5", "0", "1e-400", "-253402300800", "-1e400"} {
		t.Run(text, func(t *testing.T) {
			in, err := input.Parse([]byte(`{"now":`+text+`}`), input.ListJobs)
			if err != nil || !in.HasNow || clock.Usable(in.Now) {
				t.Errorf("got %+v, %v", in, err)
			}
		})
	}
}

func TestNowIsRefused(t *testing.T) {
	for _, tt := range []struct{ name, text string }{
		{"the first second of the year 10000", "253402300800"},
		{"milliseconds", "1800000000000"},
		{"nanoseconds", "1.8e18"},
		{"more than a float holds", "1e400"},
		{"more than an exponent holds", "1e99999999999999999999"},
		{"more than 64 bits", "99999999999999999999999"},
		{"text", `"1800000000"`},
		{"null", "null"},
		{"a list", "[1800000000]"},
		{"an object", "{}"},
		{"true", "true"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			_, err := input.Parse([]byte(`{"now":`+tt.text+`}`), input.GetToken)
			checkError(t, err, "now")
		})
	}
}

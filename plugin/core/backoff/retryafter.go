package backoff

import "automatic-rostering.example/rostering/plugin/core/ascii"

// RetryAfter reads a Retry-After header (RFC 9110 §10.2.3): seconds, at most an hour, or 0 for anything
// that is not a wait. A date counts from the Date of its response, so that only the server's clock
// matters, or from now, unless that is 0.
func RetryAfter(header, date string, now int64) (seconds int64) {
	seconds, ok := ascii.Digits(header, MaxWait)
	if !ok {
		if from := fixdate(date); from != 0 {
			now = from
		}
		seconds = fixdate(header)
		if seconds == 0 || now == 0 {
			return 0
		}
		seconds -= now
	}
	return min(max(seconds, 0), MaxWait)
}

// fixdate reads an IMF-fixdate (RFC 9110 §5.6.7), such as Sun, 06 Nov 1994 08:49:37 GMT, as Unix
// seconds, or returns 0. It does not check all of it, because no wait is longer than an hour.
func fixdate(s string) int64 {
	if len(s) != 29 || s[25:] != " GMT" {
		return 0
	}
	month := int64(ascii.Word("Mar Apr May Jun Jul Aug Sep Oct Nov Dec Jan Feb", s[8:11]))
	valid := month >= 0
	digits := func(at int) int64 {
		n, ok := ascii.Digits(s[at:at+2], 99)
		valid = valid && ok
		return n
	}
	day, year := digits(5), digits(12)*100+digits(14)
	hour, minute, second := digits(17), digits(20), digits(23)
	if !valid {
		return 0
	}
	year -= month / 10 // it begins in March
	// The days since 1970-01-01 of a year that begins in March (Hinnant, days_from_civil).
	days := year*365 + year/4 - year/100 + year/400 + (month*306+5)/10 + day - 719469
	return ((days*24+hour)*60+minute)*60 + second
}

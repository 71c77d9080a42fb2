package run

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"strings"
	"time"

	"automatic-rostering/tests/conformance/protocol"
)

// client sends the requests of steps for hosts without a driver of their own.
var client = &http.Client{
	Timeout:       10 * time.Second,
	CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
}

// step is what begin and resume give.
type step struct {
	Step    string
	Flow    json.RawMessage
	Request struct {
		Method, URL string
		Headers     map[string]string
		Body        string
	}
	Output json.RawMessage
}

// drive makes a call by begin and resume.
func (h *Host) drive(instance, export string, input []byte) (protocol.Answer, error) {
	begin := map[string]any{"call": export}
	if len(bytes.TrimSpace(input)) > 0 {
		begin["input"] = json.RawMessage(input)
	}
	name, in := "begin", begin
	var body []byte // of the last answer
	var logs []protocol.Log
	for {
		b, err := json.Marshal(in)
		if err != nil {
			return protocol.Answer{}, err
		}
		a, err := h.export(instance, name, b)
		logs = append(logs, a.Logs...)
		a.Logs = logs
		if err != nil || a.Error != "" || a.Trap != "" {
			return a, err
		}
		var s step
		if err := json.Unmarshal(a.Output, &s); err != nil {
			return a, err
		}
		if s.Step == "done" {
			a.Output = body
			if s.Output != nil {
				a.Output = s.Output
			}
			return a, nil
		}
		name = "resume"
		in, body = s.send()
	}
}

// send sends the step's request and gives the input of resume.
func (s *step) send() (resume map[string]any, body []byte) {
	failed := func(err error) map[string]any { return map[string]any{"flow": s.Flow, "failed": err.Error()} }
	request, err := http.NewRequest(s.Request.Method, s.Request.URL, strings.NewReader(s.Request.Body))
	if err != nil {
		return failed(err), nil
	}
	for name, value := range s.Request.Headers {
		request.Header.Set(name, value)
	}
	response, err := client.Do(request)
	if err != nil {
		return failed(err), nil
	}
	defer response.Body.Close()
	body, err = io.ReadAll(response.Body)
	if err != nil {
		return failed(err), nil
	}
	resume = map[string]any{"flow": s.Flow, "status": response.StatusCode, "headers": response.Header}
	if strings.HasSuffix(s.Request.URL, "/connect/token") {
		resume["body"] = string(body)
	}
	return resume, body
}

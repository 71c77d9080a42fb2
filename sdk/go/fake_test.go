package rostering_test

import (
	"context"
	"errors"
	"testing"

	"automatic-rostering.example/rostering"
)

// jobLister is what the code under test needs of a client.
type jobLister interface {
	ListJobs(context.Context, ...rostering.CallOption) (*rostering.Response, error)
}

var _ jobLister = (*rostering.Client)(nil)

// fake is a client for tests.
type fake struct {
	body string
	err  error
}

func (f fake) ListJobs(context.Context, ...rostering.CallOption) (*rostering.Response, error) {
	if f.err != nil {
		return nil, f.err
	}
	return &rostering.Response{Status: 200, Body: []byte(f.body)}, nil
}

// countJobs is the code under test.
func countJobs(ctx context.Context, client jobLister) (int, error) {
	response, err := client.ListJobs(ctx)
	if err != nil {
		return 0, err
	}
	var list struct{ Jobs []any }
	err = response.JSON(&list)
	return len(list.Jobs), err
}

// README.md shows this fake.
func TestFake(t *testing.T) {
	if n, err := countJobs(t.Context(), fake{body: `{"jobs":[{},{}]}`}); err != nil || n != 2 {
		t.Errorf("%d jobs, %v", n, err)
	}
	down := &rostering.Error{Code: rostering.CodeServiceError, Status: 503, Retryable: true}
	if _, err := countJobs(t.Context(), fake{err: down}); !errors.Is(err, down) {
		t.Errorf("the error is %v", err)
	}
	_, client := open(t)
	if n, err := countJobs(t.Context(), client); err != nil || n == 0 {
		t.Errorf("%d jobs in the sandbox, %v", n, err)
	}
}

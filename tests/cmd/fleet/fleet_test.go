package main

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"automatic-rostering/tests/conformance/hosts"
)

// One process of each language shows all that more would; a language that is alone has two.
func TestStories(t *testing.T) {
	if err := checkRedis(); err != nil {
		hosts.Skip(t, err.Error())
	}
	for _, s := range stories {
		t.Run(s.name, func(t *testing.T) {
			t.Parallel()
			s.languages = setup(t, s.languages...)
			processes := 1
			if len(s.languages) == 1 {
				processes = 2
			}
			err := s.run(t.Context(), processes, func(r result) {
				t.Logf("%d processes, %d calls, %d token requests, longest %v: %s", r.processes, r.calls, r.requests, r.longest, r.stage)
			})
			if err != nil {
				t.Fatal(err)
			}
		})
	}
}

// The stages are played on two processes that share nothing.
func TestStagesThatGoWrong(t *testing.T) {
	none := func(context.Context, *fleet) error { return nil }
	slow := func(context.Context, *fleet) error { return errSlow }
	for want, wrong := range map[string]stage{
		"0 token requests, not 1": {play: none, tokens: exactly(1)},
		"2 token requests, not 0": {play: begin, tokens: exactly(0)},
		"has another token":       {play: turns, tokens: each},
		"ended in the middle":     {play: killed, tokens: exactly(0)},
		"too slow":                {play: slow, tokens: exactly(0)},
		"there is a file other":   {play: disorder, tokens: exactly(0)},
	} {
		t.Run(want, func(t *testing.T) {
			s := story{"it", setup(t, "go"), noStore, []stage{wrong}}
			err := s.run(t.Context(), 2, func(result) { t.Error("the stage went well") })
			if err == nil || !strings.Contains(err.Error(), want) {
				t.Errorf("the error is %v", err)
			}
		})
	}
}

func killed(_ context.Context, f *fleet) error {
	f.workers[0].kill()
	return f.call(1)
}

func disorder(ctx context.Context, f *fleet) error {
	if err := folderStore(ctx, f); err != nil {
		return err
	}
	err := errors.Join(os.Mkdir(f.folder, 0o700), os.WriteFile(filepath.Join(f.folder, "other"), nil, 0o600))
	return errors.Join(err, f.folderInOrder())
}

// setup sees to it that all is there that the languages need, and leaves out those that HOSTS does.
func setup(t *testing.T, languages ...string) []string {
	t.Helper()
	languages = slices.DeleteFunc(slices.Clone(languages), func(language string) bool { return !hosts.Wanted(language) })
	if len(languages) == 0 {
		t.Skip("HOSTS leaves all of its languages out")
	}
	for _, language := range languages {
		if language != "go" {
			hosts.Setup(t, language)
		}
	}
	return languages
}

package runner

import (
	"bytes"
	"slices"
	"testing"

	"automatic-rostering.example/rostering/tests/runner/canary"
	"automatic-rostering.example/rostering/tests/runner/hosts"
	"automatic-rostering.example/rostering/tests/runner/play"
	"automatic-rostering.example/rostering/tests/runner/protocol"
	"automatic-rostering.example/rostering/tests/runner/rule"
	"automatic-rostering.example/rostering/tests/runner/world"
)

// Cases of fleets have a process of each language, which shows all that more would; a language that is alone has two.
func TestFleet(t *testing.T) {
	t.Parallel()
	hosts.Require(t, "redis")
	for _, r := range load(t) {
		for _, c := range r.Cases {
			if c.Fleet != nil {
				t.Run(c.Name, func(t *testing.T) {
					t.Parallel()
					playFleet(t, &c)
				})
			}
		}
	}
}

func playFleet(t *testing.T, c *rule.Case) {
	languages := slices.DeleteFunc(slices.Clone(c.Fleet), func(language string) bool { return !hosts.Wanted(language) })
	if len(languages) == 0 {
		t.Skip("HOSTS omits all of its languages")
	}
	for _, language := range languages {
		hosts.Setup(t, language, "adapter")
	}
	const password = "the-password-of-a-fleet"
	redis, err := world.StartRedis(t.Context(), password)
	if err != nil {
		t.Fatal(err)
	}
	defer redis.End()
	var written bytes.Buffer
	log := &canary.Watch{To: &written, Secrets: []string{rule.Secret, rule.TokenPrefix + "00", password}}
	f := &play.Fleet{Processes: max(2, len(languages)), Redis: redis, Logf: t.Logf, Start: func(n int) (*protocol.Process, error) {
		return hosts.Libraries(languages[n%len(languages)])[0].Process(t.Context(), log)
	}}
	w := world.New()
	defer w.Close()
	defer f.Close()
	player := play.Player{Adapter: f, Fleet: f, Library: true, Redis: func() (string, error) { return redis.URL, nil }}
	if err := player.Case(w, c); err != nil {
		t.Errorf("%v\n%s", err, written.String())
	}
	if err := log.Err(); err != nil {
		t.Error("a process:", err)
	}
}

package rostering_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"log/slog"
	"strings"
	"testing"

	"automatic-rostering.example/rostering"
)

func wantHidden(t *testing.T, output, secret string) {
	t.Helper()
	if strings.Contains(output, secret) || strings.Contains(output, fmt.Sprintf("%x", secret)) {
		t.Errorf("it shows the secret: %s", output)
	}
	if !strings.Contains(output, "[redacted]") {
		t.Errorf("[redacted] is missing: %s", output)
	}
}

func TestSecretDoesNotShow(t *testing.T) {
	config := rostering.Config{ClientID: "client", ClientSecret: "s3cr3t"}
	for _, v := range []any{config.ClientSecret, config, &config} {
		for _, format := range []string{"%v", "%+v", "%#v", "%s", "%q", "%x"} {
			wantHidden(t, fmt.Sprintf(format, v), "s3cr3t")
		}
		object, err := json.Marshal(v)
		if err != nil {
			t.Fatal(err)
		}
		wantHidden(t, string(object), "s3cr3t")
		var log bytes.Buffer
		slog.New(slog.NewTextHandler(&log, nil)).Info("config", "v", v)
		slog.New(slog.NewJSONHandler(&log, nil)).Info("config", "v", v)
		wantHidden(t, log.String(), "s3cr3t")
	}
	if got := fmt.Sprint(rostering.Secret("")); got != "" {
		t.Errorf("an empty secret prints as %q", got)
	}
}

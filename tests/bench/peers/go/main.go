// A plugin with a cached token as go-pdk has it, for TinyGo and for Go itself.
package main

import (
	"encoding/json"
	"fmt"
	"net/url"
	"time"

	"github.com/extism/go-pdk"
)

const margin = 60 // seconds

type token struct {
	AccessToken string `json:"access_token"`
	ExpiresAt   int64  `json:"expires_at"`
}

func main() {}

//go:wasmexport get_token
func getToken() int32 {
	t, err := cachedToken()
	if err == nil {
		err = pdk.OutputJSON(t)
	}
	return result(err)
}

//go:wasmexport list_jobs
func listJobs() int32 {
	t, err := cachedToken()
	if err != nil {
		return result(err)
	}
	response := pdk.NewHTTPRequest(pdk.MethodGet, "https://service.example/jobs").
		SetHeader("Authorization", "Bearer "+t.AccessToken).
		SetHeader("CUSTOMER_ID", "c").
		SetHeader("USER_ID", "u").
		Send()
	if response.Status() != 200 {
		return result(fmt.Errorf("the service answered %d", response.Status()))
	}
	pdk.OutputMemory(response.Memory())
	return 0
}

func result(err error) int32 {
	if err != nil {
		pdk.SetError(err)
		return 1
	}
	return 0
}

func cachedToken() (*token, error) {
	now := time.Now().Unix()
	if cached := pdk.GetVar("token"); cached != nil {
		if expiry := int64(pdk.GetVarInt("expiry")); now < expiry-margin {
			return &token{string(cached), expiry}, nil
		}
	}
	form := url.Values{
		"grant_type": {"client_credentials"}, "client_id": {"client"}, "client_secret": {"the-secret"},
		"scope": {"automatic-rostering-stage"},
	}
	response := pdk.NewHTTPRequest(pdk.MethodPost, "https://auth.example/connect/token").
		SetHeader("Content-Type", "application/x-www-form-urlencoded").
		SetBody([]byte(form.Encode())).
		Send()
	if response.Status() != 200 {
		return nil, fmt.Errorf("the token endpoint answered %d", response.Status())
	}
	var answer struct {
		AccessToken string `json:"access_token"`
		ExpiresIn   int64  `json:"expires_in"`
	}
	if err := json.Unmarshal(response.Body(), &answer); err != nil {
		return nil, err
	}
	expiry := now + answer.ExpiresIn
	pdk.SetVar("token", []byte(answer.AccessToken))
	pdk.SetVarInt("expiry", int(expiry))
	return &token{answer.AccessToken, expiry}, nil
}

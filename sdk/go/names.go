package rostering

import (
	"regexp"
	"strings"
)

// configNames are the fields of [Config] by the contract's names.
var configNames = map[string]string{
	"environment": "Environment", "scope": "Scope",
	"auth_url": "AuthURL", "base_url": "BaseURL",
	"client_id": "ClientID", "client_secret": "ClientSecret",
	"customer_id": "CustomerID", "user_id": "UserID",
	"refresh_margin": "RefreshMargin", "allow_http": "AllowHTTP",
}

// inputNames are the fields of [Request] and [Token], and the options of a call, likewise.
var inputNames = map[string]string{
	"path": "Path", "method": "Method", "headers": "Header", "body": "Body",
	"access_token": "AccessToken", "token_type": "Type", "expires_at": "ExpiresAt", "cache_key": "CacheKey",
	"force": "Force", "refused": "Refused",
}

// word also matches what stands in parentheses, which is not the plugin's.
var word = regexp.MustCompile(`(?s)\(.*\)|[a-z_]+`)

// inNamesOfGo returns the plugin's message about a key in the names of this package.
func inNamesOfGo(code Code, key, message string) string {
	name := configNames[key]
	if name == "" {
		name = inputNames[key]
	}
	if key == "customer_id" || key == "user_id" {
		kind := strings.TrimSuffix(name, "ID")
		switch code {
		case CodeConfigMissing:
			return "set " + name + ", or use For" + kind + " or ForNo" + kind
		case CodeInvalidInput:
			return "For" + kind + ": the id must be 1 to 256 visible ASCII characters, with spaces only inside; ForNo" + kind + " sends none"
		}
	}
	named := name == ""
	message = word.ReplaceAllStringFunc(message, func(w string) string {
		switch {
		case w == key && !named:
			named = true // the next may be the word: "refused must be the refused access token"
			return name
		case configNames[w] != "" && strings.Contains(w, "_"):
			return configNames[w]
		}
		return w
	})
	if !named {
		return name + ": " + message
	}
	return message
}

#!/usr/bin/env bash
# Runs build/tests in a folder that has certificates, with a server that requires one of them.
set -euo pipefail
here=$(cd "$(dirname "$0")/.." && pwd)
work=$(mktemp -d)
trap 'kill $server 2>/dev/null || true; rm -rf "$work"' EXIT
server=
cd "$work"

# certificate NAME: one that the authority signs.
openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -subj /CN=ca -keyout ca.key -out ca.pem -days 2 2>/dev/null
certificate() {
	openssl req -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -subj "/CN=$1" -keyout "$1.key" -out "$1.csr" 2>/dev/null
	openssl x509 -req -in "$1.csr" -CA ca.pem -CAkey ca.key -CAcreateserial -days 2 -out "$1.pem" \
		-extfile <(echo subjectAltName=IP:127.0.0.1) 2>/dev/null
}
certificate server
certificate client
cat client.pem client.key >both.pem

: >server.log
openssl s_server -accept 127.0.0.1:0 -cert server.pem -key server.key -CAfile ca.pem -Verify 1 -verify_return_error \
	-www >>server.log 2>&1 &
server=$!
for _ in {1..100}; do
	port=$(sed -n 's/^ACCEPT.*:\([0-9]*\)$/\1/p' server.log)
	[ -z "$port" ] || break
	sleep 0.1
done
[ -x "$here/../../build/sandbox" ] || make -C "$here/../.." build/sandbox
TLS_URL=https://127.0.0.1:${port:?openssl s_server did not start: $(cat server.log)} \
	timeout 300 "$here/../../build/sandbox" "$here/build/tests"

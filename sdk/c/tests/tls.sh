#!/usr/bin/env bash
# Tests ca_file, client_certificate_file and client_key_file against a server that requires a client's certificate.
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

: >server.log
openssl s_server -accept 127.0.0.1:0 -cert server.pem -key server.key -CAfile ca.pem -Verify 1 -verify_return_error \
	-www >>server.log 2>&1 &
server=$!
for _ in {1..100}; do
	port=$(sed -n 's/^ACCEPT.*:\([0-9]*\)$/\1/p' server.log)
	[ -z "$port" ] || break
	sleep 0.1
done
gcc -std=c11 -Wall -Wextra -Werror "$here/tests/tls.c" -o tls \
	$(PKG_CONFIG_PATH=$here/build/installed/lib/pkgconfig pkg-config --cflags --libs rostering)
"$here/../../build/sandbox" ./tls "https://127.0.0.1:${port:?openssl s_server did not start: $(cat server.log)}"
echo "C: TLS options work"

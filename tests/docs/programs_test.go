package docs

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"automatic-rostering/tests/runner/hosts"
)

// A reader copies the sections Install and Quick start of a page into an empty folder, block by block, and has jobs. All from a
// clean clone, on a machine without what builds the plugin.
func TestClone(t *testing.T) {
	clone := t.TempDir()
	t.Setenv("CLONE", clone)
	t.Setenv("PATH", without(t, "tinygo", "wasm-opt", "clang-19")+":"+os.Getenv("PATH"))
	run(t, `cd "$ROOT"
		git ls-files -co --exclude-standard -z | tar --null -T - -c --ignore-failed-read | tar -x -C "$CLONE"
		make -C "$CLONE" MAKEFLAGS= HOSTS= build/sandbox
		mkdir -p sdk/rust/target
		ln -s "$ROOT/sdk/rust/target" "$CLONE/sdk/rust/target" # a dependency is compiled once`)
	for page, start := range map[string]struct{ host, before, after string }{
		"README.md": {"python", `git -C "$CLONE" init -q
			git -C "$CLONE" add -A
			git -C "$CLONE" -c user.name=a -c user.email=a@b.invalid commit -qm clone
			git clone -q "$CLONE" project
			mkdir -p project/build
			cp "$CLONE/build/sandbox" project/build
			cd project
			export MAKEFLAGS= HOSTS=
			`, `pip install --quiet --force-reinstall --no-deps "git+file://$CLONE#subdirectory=sdk/python"
			build/sandbox python jobs.py`},
		"sdk/c/README.md":  {"c", "", ""},
		"sdk/go/README.md": {"go", "", `go test -C "$CLONE/sdk/go" ./...`},
		// Maven's local repository is another one, with what was downloaded before.
		"sdk/java/README.md": {"java", `mkdir maven
			for group in ~/.m2/repository/*; do ln -s "$group" maven; done
			rm -f maven/example
			export MAVEN_OPTS="-Dmaven.repo.local=$PWD/maven"
			`, `mvn --quiet -f "$CLONE/sdk/java" test`},
		"sdk/javascript/README.md": {"node", "", `ln -s "$ROOT/sdk/javascript/node_modules" "$CLONE/sdk/javascript"
			npm test --silent --prefix "$CLONE/sdk/javascript"`},
		"sdk/python/README.md": {"python", "", `pip install --quiet "$CLONE/sdk/python[redis]" pytest==9.0.1 prometheus-client==0.26.0 opentelemetry-sdk==1.45.2
			cd "$CLONE/sdk/python"
			pytest --quiet`},
		"sdk/rust/README.md": {"rust", "export CARGO_TARGET_DIR=$ROOT/sdk/rust/target\n", `cd "$CLONE/sdk/rust"
			source cargo.sh # other flags would compile all dependencies again, here and in the next build
			export NO_PROXY='*,0.0.0.0/0,::/0'
			with_cargo test --quiet --workspace --test behavior
			with_cargo test --quiet --workspace --doc`},
	} {
		t.Run(page, func(t *testing.T) {
			t.Parallel()
			hosts.Setup(t, start.host, "setup")
			script := copied(t, sections(read(t, page), "##", "Install", "Quick start", "Use it"))
			if out := run(t, start.before+script+start.after); !strings.Contains(out, "sandbox-job-1") {
				t.Errorf("no jobs: %s\n%s", script, out)
			}
		})
	}
}

// without returns a folder for the PATH in which these programs fail.
func without(t *testing.T, programs ...string) string {
	t.Helper()
	folder := t.TempDir()
	for _, name := range programs {
		script := "#!/bin/sh\necho " + name + " is not on this machine >&2\nexit 127\n"
		if err := os.WriteFile(filepath.Join(folder, name), []byte(script), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	return folder
}

// prepared is a module for the programs in Python. It fills docs/manifest.json, whose hosts must be those of its URLs.
const prepared = `import json, os, urllib.parse, httpx
manifest = json.load(open(os.environ["ROOT"] + "/docs/manifest.json"))
urls = [manifest["config"][key] for key in ("auth_url", "base_url")]
assert manifest["allowed_hosts"] == [urllib.parse.urlsplit(url).hostname for url in urls]
config = {key: os.environ["ROSTERING_" + key.upper()] for key in manifest["config"]}
json.dump(manifest | {"config": config, "allowed_hosts": ["127.0.0.1"]}, open("manifest.json", "w"))

def control(path, **fields):
    httpx.post(os.environ["ROSTERING_SANDBOX_URL"] + path, json=fields).raise_for_status()

def sent(tokens, jobs):
    return httpx.get(os.environ["ROSTERING_SANDBOX_URL"] + "/counts").json() == {"token_requests": tokens, "job_requests": jobs}
`

// The last program of docs/plugin.md keeps the calls of threads apart.
const threads = `
import concurrent.futures
ids = [f"c-{i}" for i in range(50)]
with concurrent.futures.ThreadPoolExecutor(8) as threads:
    for id, jobs in zip(ids, threads.map(lambda id: call("list_jobs", customer_id=id), ids)):
        assert json.loads(jobs)["customer_id"] == id, jobs
`

// The host of docs/contract.md requests as many tokens as it must, and its error is that at the top of the page.
const calls = `
from prepared import control, sent
jobs = send(path="/jobs")
assert sent(1, 1)
assert send(path="/jobs") == jobs and sent(1, 2)
control("/revoke")
assert send(path="/jobs") == jobs and sent(2, 4)
control("/faults", server="jobs", status=503, headers={"Retry-After": "7"}, body="down")
try:
    raise SystemExit(send(path="/jobs"))
except RuntimeError as e:
    assert sent(2, 5) and e.args[0].pop("headers")["retry-after"] == "7" and e.args[0] == {
        "code": "service_error", "message": "the service is unavailable; retry later", "retryable": True,
        "status": 503, "body": "down", "retry_after": 7}, e
print(jobs)
`

// The programs of pages that use the raw plugin run as they stand there. On a page, one continues the one before it.
func TestProgramsOfTheRawPlugin(t *testing.T) {
	for page, around := range map[string][2]string{
		"README.md":        {"import prepared\n", ""},
		"docs/plugin.md":   {"", threads},
		"docs/contract.md": {"from prepared import config\n", calls},
	} {
		t.Run(page, func(t *testing.T) {
			t.Parallel()
			hosts.Setup(t, "python", "setup")
			code := around[0]
			for _, found := range block.FindAllStringSubmatch(sections(read(t, page), "##", "Programs", "One thread at a time", "The raw plugin", "A host"), -1) {
				if found[2] == "python" {
					code += found[3]
				}
			}
			out := run(t, sandboxOnPath+`ln -s "$ROOT/plugin" "$ROOT/plugin/rostering.wasm" .
				export ROSTERING_WASM=$PWD/plugin/rostering.wasm
				cat >prepared.py <<'END'
`+prepared+`END
				cat >program.py <<'END'
`+code+around[1]+`END
				rostering-sandbox "$ROOT/sdk/python/.venv/bin/python" program.py`)
			if !strings.Contains(out, "sandbox-job-1") {
				t.Errorf("no jobs: %s", out)
			}
		})
	}
}

const sandboxPage = "docs/sandbox.md"

// The requests to the controls work as they stand.
func TestSandboxPageControls(t *testing.T) {
	requests := strings.ReplaceAll(copied(t, sections(read(t, sandboxPage), "##", "Controls")), "curl ", "curl --no-progress-meter --fail ")
	out := run(t, sandboxOnPath+"cat >controls <<'END'\n"+requests+"END\nrostering-sandbox bash -euo pipefail controls")
	for _, want := range []string{`"stage":"`, `{"token_requests":0,"job_requests":0}`, "\n[]\n"} {
		if !strings.Contains(out, want) {
			t.Errorf("no %s in %s", want, out)
		}
	}
}

// Each test of the page passes as it stands, once over plain HTTP and once over TLS, in a project of its reader: prepare makes
// it, and sets variables. The command prints passed if it has run one test.
func TestSandboxPageTests(t *testing.T) {
	page := read(t, sandboxPage)
	tests := sections(page, "##", "Tests")
	tls := block.FindAllStringSubmatch(sections(page, "##", "TLS"), -1)
	frameworks := map[string]struct{ host, verb, prepare, passed string }{
		"pytest": {"python", "setup", `tools=$ROOT/build/pytest
			[ -x "$tools/bin/pytest" ] || "$ROOT/sdk/python/.venv/bin/python" -m pip install --quiet --disable-pip-version-check --target "$tools" pytest==9.0.1 prometheus-client==0.26.0 opentelemetry-sdk==1.45.2
			export PYTHONPATH=$tools PATH=$tools/bin:$PATH
			`, "1 passed"},
		"node --test": {"node", "setup", `mkdir node_modules
			ln -s "$ROOT/sdk/javascript" node_modules/automatic-rostering
			`, "pass 1"},
		"go test -p 1 ./...": {"go", "setup", `cp "$ROOT"/sdk/go/go.sum .
			go mod init example.com/jobs
			go mod edit -require=automatic-rostering.example/rostering@v0.0.0 -replace="automatic-rostering.example/rostering=$ROOT/sdk/go"
			export GOFLAGS=-mod=mod
			`, "ok  \texample.com/jobs"},
		"mvn test": {"java", "adapter", "CLONE=\nmvn() { :; }\n" + copied(t, sections(read(t, "sdk/java/README.md"), "##", "Install")) + `
			unset -f mvn # the adapter has installed the package
			packages="<repositories><repository><id>automatic-rostering</id><url>file://$ROOT/sdk/java/target/adapter/maven</url></repository></repositories>"
			sed -i "s#<dependencies>#$packages&#" pom.xml
			junit='<dependency><groupId>org.junit.jupiter</groupId><artifactId>junit-jupiter</artifactId><version>5.13.4</version></dependency>'
			surefire='<plugin><artifactId>maven-surefire-plugin</artifactId><version>3.5.4</version></plugin>'
			sed -i "s#</dependencies>#$junit&<build><plugins>$surefire</plugins></build>#" pom.xml
			export MAVEN_OPTS="-Dmaven.repo.local=$ROOT/sdk/java/target/adapter/local"
			`, "Tests run: 1, Failures: 0, Errors: 0, Skipped: 0"},
		"cargo test -- --test-threads 1": {"rust", "setup", `export CARGO_TARGET_DIR=$ROOT/sdk/rust/target
			cp "$ROOT/sdk/rust/Cargo.lock" .
			cat >Cargo.toml <<-EOF
				[package]
				name = "jobs"
				edition = "2024"
				[dependencies]
				automatic-rostering = { path = "$ROOT/sdk/rust", features = ["blocking"] }
				[dev-dependencies]
				ureq = { version = "3", default-features = false }
			EOF
			mkdir src
			touch src/lib.rs
			`, "test busy ... ok"},
	}
	if got := strings.Count(tests, "\n### "); got != len(frameworks) {
		t.Errorf("the page has %d tests, not %d", got, len(frameworks))
	}
	for command, f := range frameworks {
		t.Run(command, func(t *testing.T) {
			t.Parallel()
			hosts.Setup(t, f.host, f.verb)
			script := copied(t, sections(tests, "###", "`rostering-sandbox "+command+"`")) + "rostering-sandbox " + command + "\n"
			secure := strings.Replace(script, "rostering-sandbox ", "rostering-sandbox -tls tls ", 1)
			if command == "mvn test" {
				secure = tls[len(tls)-1][3] // with a key store
			}
			if out := run(t, sandboxOnPath+f.prepare+script+secure); strings.Count(out, f.passed) != 2 {
				t.Errorf("the test did not pass twice:\n%s", out)
			}
		})
	}
}

// Both stores of docs/fleet.md get, add and set values that expire, and clients share a token through them.
func TestYourOwnStore(t *testing.T) {
	stores := copied(t, sections(read(t, "docs/fleet.md"), "##", "Your own store"))
	t.Run("Postgres", func(t *testing.T) {
		t.Parallel()
		hosts.Require(t, "postgres")
		hosts.Setup(t, "python", "setup")
		run(t, sandboxOnPath+stores+`
			as() { if [ "$(id -u)" = 0 ]; then runuser -u postgres -- "$@"; else "$@"; fi; }
			bin=$(ls -d /usr/lib/postgresql/*/bin | tail -n 1)
			data=$(as mktemp -d)
			trap 'as "$bin/pg_ctl" -D "$data/db" -m immediate stop >/dev/null; as rm -r "$data"' EXIT
			cd "$data" # which that user may read
			as "$bin/initdb" -D "$data/db" -A trust -U rostering >/dev/null
			as "$bin/pg_ctl" -D "$data/db" -w -l "$data/log" -o "-c listen_addresses= -k $data" start >/dev/null
			cd "$OLDPWD"
			tools=$ROOT/build/psycopg
			[ -d "$tools/psycopg_pool" ] || "$ROOT/sdk/python/.venv/bin/python" -m pip install --quiet --disable-pip-version-check \
				--target "$tools" 'psycopg[binary]==3.3.9' psycopg-pool==3.3.3
			cat >test.py <<-END
				import concurrent.futures, time, httpx, os
				from automatic_rostering import Client, Config
				from postgres_store import ConnectionPool, PostgresStore
				with ConnectionPool("host=$data user=rostering dbname=postgres", min_size=4, open=True) as pool:
				    one, other = PostgresStore(pool), PostgresStore(pool)
				    with concurrent.futures.ThreadPoolExecutor(8) as threads:
				        assert sum(threads.map(lambda i: one.add("k", str(i), 1), range(50))) == 1
				        assert other.get("k") and other.get("absent") is None
				        while other.get("k"):
				            time.sleep(0.05)
				        assert sum(threads.map(lambda i: one.add("k", "b", 60), range(50))) == 1 and other.get("k") == "b"
				    one.set("k", "c", 60)
				    assert other.get("k") == "c" and not other.add("k", "d", 60)
				    for store in (one, other):
				        with Client(Config.from_env(), store=store) as client:
				            client.list_jobs()
				counts = httpx.get(os.environ["ROSTERING_SANDBOX_URL"] + "/counts").json()
				assert counts == {"token_requests": 1, "job_requests": 2}, counts
			END
			PYTHONPATH=$tools rostering-sandbox timeout 60 "$ROOT/sdk/python/.venv/bin/python" test.py`)
	})
	t.Run("DynamoDB", func(t *testing.T) {
		t.Parallel()
		hosts.Setup(t, "node", "setup")
		run(t, sandboxOnPath+stores+`
			tools=$ROOT/build/dynamo
			[ -d "$tools/node_modules/dynalite" ] || npm install --silent --prefix "$tools" dynalite@4.0.0 @aws-sdk/client-dynamodb@3
			ln -s "$tools/node_modules" node_modules
			ln -sfn "$ROOT/sdk/javascript" node_modules/automatic-rostering
			cat >test.mjs <<-'END'
				import assert from 'node:assert/strict';
				import dynalite from 'dynalite';
				import { CreateTableCommand, DynamoDBClient } from '@aws-sdk/client-dynamodb';
				import { Client, configFromEnv } from 'automatic-rostering';
				import { DynamoStore } from './dynamo-store.mjs';
				const server = dynalite({ createTableMs: 0 });
				await new Promise((ready) => server.listen(0, '127.0.0.1', ready));
				const credentials = { accessKeyId: 'a', secretAccessKey: 'b' };
				const db = new DynamoDBClient({ endpoint: 'http://127.0.0.1:' + server.address().port, region: 'local', credentials });
				await db.send(new CreateTableCommand({ TableName: 'tokens', KeySchema: [{ AttributeName: 'id', KeyType: 'HASH' }],
				  AttributeDefinitions: [{ AttributeName: 'id', AttributeType: 'S' }], BillingMode: 'PAY_PER_REQUEST' }));
				const [one, other] = [new DynamoStore(db, 'tokens'), new DynamoStore(db, 'tokens')];
				const added = async (value, ttl) => {
				  const results = await Promise.all(Array.from({ length: 20 }, () => one.add('k', value, ttl)));
				  return results.filter(Boolean).length;
				};
				assert.equal(await added('a', 1), 1);
				assert.equal(await other.get('absent') ?? null, null);
				while (await other.get('k')) await new Promise((next) => setTimeout(next, 50));
				assert.equal(await added('b', 60), 1);
				assert.equal(await other.get('k'), 'b');
				await one.set('k', 'c', 60);
				assert.equal(await other.get('k'), 'c');
				assert.equal(await other.add('k', 'd', 60), false);
				for (const store of [one, other]) {
				  const client = await Client.open(configFromEnv(), { store });
				  await client.listJobs();
				  await client.close();
				}
				const counts = await (await fetch(process.env.ROSTERING_SANDBOX_URL + '/counts')).json();
				assert.deepEqual(counts, { token_requests: 1, job_requests: 2 });
				db.destroy();
				server.close();
			END
			rostering-sandbox timeout 60 node test.mjs`)
	})
}

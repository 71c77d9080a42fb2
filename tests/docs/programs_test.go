package docs

import (
	"os"
	"strings"
	"testing"

	"automatic-rostering.example/rostering/tests/runner/hosts"
)

// reader follows a page: before its blocks, and after them. Then the test of docs/sandbox.md with this command passes.
type reader struct{ host, before, after, test, passed string }

var readers = map[string]reader{
	"README.md": {"python", `git clone -q "$CLONE" project
		mkdir -p project/build
		cp "$CLONE/build/sandbox" project/build
		cd project
		export MAKEFLAGS= HOSTS=
		`, `pip install --quiet --force-reinstall --no-deps "git+file://$CLONE#subdirectory=sdk/python"
		build/sandbox python jobs.py`, "", ""},
	"sdk/c/README.md":  {"c", "", "", "", ""},
	"sdk/go/README.md": {"go", "", "rm main.go # of another package", "go test -p 1 ./...", "ok  \texample.com/jobs"},
	// Maven's local repository is another one, with what was downloaded before.
	"sdk/java/README.md": {"java", `mkdir maven
		for group in ~/.m2/repository/*; do ln -s "$group" maven; done
		rm -f maven/example
		export MAVEN_OPTS="-Dmaven.repo.local=$PWD/maven"
		`, `junit='<dependency><groupId>org.junit.jupiter</groupId><artifactId>junit-jupiter</artifactId><version>5.13.4</version></dependency>'
		surefire='<plugin><artifactId>maven-surefire-plugin</artifactId><version>3.5.4</version></plugin>'
		sed -i "s#</dependencies>#$junit&<build><plugins>$surefire</plugins></build>#" pom.xml`,
		"mvn test", "Tests run: 1, Failures: 0, Errors: 0, Skipped: 0"},
	"sdk/javascript/README.md": {"node", "", "", "node --test", "pass 1"},
	"sdk/python/README.md":     {"python", "", "pip install --quiet pytest==9.0.1", "pytest", "1 passed"},
	"sdk/rust/README.md": {"rust", "export CARGO_TARGET_DIR=$ROOT/sdk/rust/target CARGO_PROFILE_DEV_DEBUG=0\n", `tar -xf "$CARGO_TARGET_DIR"/package/automatic-rostering-*.crate
		cargo add --path automatic-rostering-*/
		cargo add --dev ureq@3 --no-default-features`, "cargo test -- --test-threads 1", "test busy ... ok"},
}

// A reader copies the sections Install and Quick start of a page into an empty folder, block by block, and has jobs; then the test
// of that language, which passes once over plain HTTP and once over TLS. All from a clean clone, on a machine without what
// builds the plugin.
func TestClone(t *testing.T) {
	clone := t.TempDir()
	t.Setenv("CLONE", clone)
	t.Setenv("PATH", clone+"/build/without:"+os.Getenv("PATH"))
	run(t, `cd "$CLONE"
		`+repository+`mkdir -p build/without
		for name in tinygo wasm-opt clang-19; do
			printf '#!/bin/sh\necho "$0 is not on this machine" >&2\nexit 127\n' >build/without/$name
		done
		chmod +x build/without/*
		make MAKEFLAGS= HOSTS= build/sandbox
		mkdir -p "$ROOT/sdk/rust/target"
		ln -s "$ROOT/sdk/rust/target" sdk/rust # a dependency is compiled once`)
	tests := sections(read(t, sandboxPage), "##", "Tests")
	tls := block.FindAllStringSubmatch(sections(read(t, sandboxPage), "##", "TLS"), -1)
	untested := strings.Count(tests, "\n### ")
	for page, r := range readers {
		script := r.before + copied(t, sections(read(t, page), "##", "Install", "Quick start", "Use it")) + r.after + "\n"
		if r.test != "" {
			untested--
			test := copied(t, sections(tests, "###", "`rostering-sandbox "+r.test+"`")) + "rostering-sandbox " + r.test + "\n"
			secure := strings.Replace(test, "rostering-sandbox ", "rostering-sandbox -tls tls ", 1)
			if r.host == "java" {
				secure = tls[len(tls)-1][3] // with a key store
			}
			script += test + secure
		}
		t.Run(page, func(t *testing.T) {
			t.Parallel()
			hosts.Setup(t, r.host, "setup")
			out := run(t, script)
			if !strings.Contains(out, "sandbox-job-1") || r.test != "" && strings.Count(out, r.passed) != 2 {
				t.Errorf("no jobs, or the test did not pass twice: %s\n%s", script, out)
			}
		})
	}
	if untested != 0 {
		t.Errorf("%d tests of %s belong to no page", untested, sandboxPage)
	}
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
time.sleep(10)  # patience with a token of which the service may not know yet
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

// The programs of pages that use the raw plugin run as they stand there. In these sections of a page, one continues the one
// before it.
func TestProgramsOfTheRawPlugin(t *testing.T) {
	const config = "from prepared import config\n"
	for _, p := range []struct {
		page, before, after string
		sections            []string
	}{
		{"README.md", "import prepared\n", "", []string{"The raw plugin"}},
		{"docs/plugin.md", "", threads, []string{"Programs", "One thread at a time"}},
		{"docs/contract.md", config, calls, []string{"A host"}},
		{"docs/contract.md", config, calls, []string{"A host", "Without Extism"}},
	} {
		t.Run(p.page, func(t *testing.T) {
			t.Parallel()
			hosts.Setup(t, "python", "setup")
			code := p.before
			for _, found := range block.FindAllStringSubmatch(sections(read(t, p.page), "##", p.sections...), -1) {
				if found[2] == "python" {
					code += found[3]
				}
			}
			out := run(t, `ln -s "$ROOT/plugin" "$ROOT"/plugin/rostering*.wasm .
				export ROSTERING_WASM=$PWD/plugin/rostering.wasm
				cat >prepared.py <<'END'
`+prepared+`END
				cat >program.py <<'END'
`+code+p.after+`END
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
	out := run(t, "cat >controls <<'END'\n"+requests+"END\nrostering-sandbox bash -euo pipefail controls")
	for _, want := range []string{`"stage":"`, `{"token_requests":0,"job_requests":0}`, "\n[]\n"} {
		if !strings.Contains(out, want) {
			t.Errorf("no %s in %s", want, out)
		}
	}
}

// Both stores of docs/fleet.md get, add and set values that expire, and clients share a token through them.
func TestYourOwnStore(t *testing.T) {
	stores := copied(t, sections(read(t, "docs/fleet.md"), "##", "Your own store"))
	t.Run("Postgres", func(t *testing.T) {
		t.Parallel()
		hosts.Require(t, "postgres")
		hosts.Setup(t, "python", "setup")
		run(t, stores+`
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
				        for ttl in (1, 60):
				            while other.get("k") is not None:
				                time.sleep(0.05)
				            assert sum(threads.map(lambda i: one.add("k", str(i), ttl), range(50))) == 1
				    one.set("k", "c", 60)
				    assert other.get("k") == "c"
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
		run(t, stores+`
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
				for (const ttl of [1, 60]) {
				  while ((await other.get('k') ?? null) !== null) await new Promise((next) => setTimeout(next, 50));
				  const added = await Promise.all(Array.from({ length: 20 }, () => one.add('k', 'a', ttl)));
				  assert.equal(added.filter(Boolean).length, 1);
				}
				await one.set('k', 'c', 60);
				assert.equal(await other.get('k'), 'c');
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

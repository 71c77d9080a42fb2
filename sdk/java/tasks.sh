#!/usr/bin/env bash
# Usage: tasks.sh VERB
# A verb is a function below. Exits with 69 if Java or Maven is missing.
set -euo pipefail
cd "$(dirname "$0")"
export MAVEN_OPTS="${MAVEN_OPTS:-} -XX:TieredStopAtLevel=1" # for short runs
root=$(cd ../.. && pwd)
version=$(cat "$root/VERSION")
tests=target/test-classes:target/classes:target/test-lib/*

maven() { mvn --batch-mode --no-transfer-progress --quiet "$@"; }

# Compiles everything into target, with the libraries in target/lib and target/test-lib and the plugin of dist. Does
# nothing if that was done before.
setup() (
	# Concurrent runs take turns.
	exec 9<pom.xml
	if command -v flock >/dev/null; then flock 9; fi

	../setup/setup.sh java
	sum=$(find pom.xml src ../../host-example/java/src COMPILED_NOTICES.md \
		../../LICENSE ../../THIRD_PARTY_NOTICES.md ../../dist/rostering-nowasi.wasm -type f |
		LC_ALL=C sort | xargs sha256sum; javac -version 2>&1)
	[ "$sum" != "$(cat target/setup.sum 2>/dev/null)" ] || exit 0
	rm -rf target # an older library must not stay on the class path
	maven test-compile
	printf '%s\n' "$sum" >target/setup.sum
)

# Checks the format; setup compiles with javac -Xlint:all -Werror.
check() (
	bash -n tasks.sh
	maven fmt:check
)

# Formats the code as check expects it.
format() (
	maven fmt:format
)

# Runs the tests of the library.
test() (
	mvn --batch-mode --no-transfer-progress surefire:test
)

# Makes the package: a Maven repository in dist/maven with the jar, its sources and its Javadoc, which must build without
# a warning. The same files give the same bytes. An argument names a folder in place of dist.
package() (
	dist=${1:-$root/dist}
	grep -q "^  <version>$version</version>" pom.xml || { echo "pom.xml has another version than VERSION" >&2; exit 1; }
	stage=$(mktemp -d)
	trap 'rm -rf "$stage"' EXIT

	# A copy: a jar has the modes of the files in it, which vary with the umask.
	umask 022
	copy=$stage/copy/sdk/java
	mkdir -p "$copy"/{src,target} "$stage/maven"
	cp "$root/LICENSE" "$root/THIRD_PARTY_NOTICES.md" "$stage/copy"
	cp pom.xml "$copy"
	cp -R src/main "$copy/src"
	cp -R target/classes "$copy/target"
	chmod -R u=rwX,go=rX "$stage/copy"
	maven -f "$copy/pom.xml" jar:jar source:jar-no-fork javadoc:jar deploy:deploy \
		-DaltDeploymentRepository="dist::file://$stage/maven"
	# It has a timestamp, and nothing that the POM does not say.
	rm "$stage"/maven/example/automaticrostering/automatic-rostering/maven-metadata.xml*
	mkdir -p "$dist"
	rm -rf "$dist/maven"
	cp -R "$stage/maven" "$dist/maven"
)

# Uses the package as its users do: the programs of host-example compile with it, a module lists the jobs with it, it is
# complete. That the quick start runs with it is a test of tests/docs.
test_package() (
	new=$(mktemp -d)
	repository=$HOME/.m2/repository # passed to Maven, which looks for it in the password file's home
	trap 'rm -rf "$new" "$repository/example/automaticrostering"' EXIT
	fail() { echo "$*" >&2; exit 1; }

	rm -rf "$repository/example/automaticrostering" # of an earlier package
	cp -R "$root/host-example/java" "$new/programs"
	maven -f "$new/programs/pom.xml" -Dmaven.repo.local="$repository" -Dpackages="$root/dist/maven" \
		compile dependency:copy-dependencies -DincludeScope=runtime

	files=$root/dist/maven/example/automaticrostering/automatic-rostering/$version
	jar=$files/automatic-rostering-$version.jar
	cmp "$jar" "$new/programs/target/dependency/$(basename "$jar")"
	jar tf "$jar" >"$new/entries"
	for entry in META-INF/{LICENSE,{THIRD_PARTY,COMPILED}_NOTICES.md} example/automaticrostering/PluginMachine.class; do
		grep -qx "$entry" "$new/entries" || fail "the jar lacks $entry"
	done
	! grep -E '^(demo|example/[^a])' "$new/entries" || fail "the jar has examples"
	(cd "$files" && for file in *.sha1; do echo "$(cat "$file")  ${file%.sha1}"; done | sha1sum --quiet --check)

	# lists_jobs MODULES PROGRAM…: a module of these programs, which requires these modules, lists the jobs.
	lists_jobs() {
		rm -rf "$new/module"
		mkdir "$new/module"
		for program in "${@:2}"; do cp "$root/host-example/java/src/main/java/demo/$program.java" "$new/module"; done
		printf 'module demo { %s }' "$(printf 'requires %s;' $1)" >"$new/module/module-info.java"
		javac -p "$new/path" -d "$new/module" "$new"/module/*.java
		"$root/build/sandbox" java -p "$new/path:$new/module" -m demo/demo.Jobs >"$new/jobs" 2>&1 || true
		grep -q '"jobs":\[{"id":"sandbox-job-1"' "$new/jobs" || { cat "$new/jobs"; fail "a module listed no jobs"; }
	}
	mkdir "$new/path"
	dependencies=$new/programs/target/dependency
	cp "$jar" "$dependencies"/{runtime,wasm}-1.0.0.jar "$dependencies"/nanojson-*.jar "$new/path"
	lists_jobs example.automaticrostering Jobs
	cp "$dependencies"/{jedis,redis-authx-core,commons-pool2,gson,json,slf4j-api}-*.jar "$new/path"
	lists_jobs "example.automaticrostering redis.clients.jedis org.apache.commons.pool2" Jobs Fleet

	echo "Java: a package of $(stat -c %s "$jar") bytes works"
)

# Installs the package as its users do, from a Maven repository in target, and compiles tests/adapters/java with it. Does
# nothing if that was done before.
adapter() (
	exec 9<pom.xml
	if command -v flock >/dev/null; then flock 9; fi

	adapter=../../tests/adapters/java
	sum=$(cat target/setup.sum; sha256sum tasks.sh "$adapter"/src/adapter/* ../../host-example/java/pom.xml)
	[ "$sum" != "$(cat target/adapter/sum 2>/dev/null)" ] || exit 0
	rm -rf target/adapter
	package "$PWD/target/adapter"
	# Maven's local repository, without an older package.
	mkdir target/adapter/local
	for group in "$HOME"/.m2/repository/*; do ln -s "$group" target/adapter/local; done
	rm -f target/adapter/local/example
	maven -f ../../host-example/java/pom.xml -Dpackages="$PWD/target/adapter/maven" \
		-Dmaven.repo.local="$PWD/target/adapter/local" \
		dependency:copy-dependencies -DincludeScope=runtime -DoutputDirectory="$PWD/target/adapter/lib"
	javac -Xlint:all -Werror --release 17 -cp "target/adapter/lib/*" -d target/adapter/classes "$adapter"/src/adapter/*
	printf '%s\n' "$sum" >target/adapter/sum
)

# Makes random calls for STRESS_SECONDS (default: 60) while everything fails: Stress.java. STRESS_SEED repeats the random
# choices of a run.
stress() (
	java -Xmx512m -cp "$tests" example.automaticrostering.Stress
)

# Measures list_jobs next to the JDK's HTTP client: Bench.java.
bench() (
	"$root/build/sandbox" java -cp "$tests" example.automaticrostering.Bench
)

case ${1:-} in
setup) setup ;;
check | format | test | package | adapter | stress | bench) setup; "$1" ;;
test-package) setup; test_package ;;
*) echo "usage: tasks.sh setup|check|format|test|package|adapter|test-package|stress|bench" >&2; exit 64 ;;
esac

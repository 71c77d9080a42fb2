#!/usr/bin/env bash
# Usage: tasks.sh VERB
source "$(dirname "$0")/../../tools/tasks.sh"
export MAVEN_OPTS="${MAVEN_OPTS:-} -XX:TieredStopAtLevel=1" # for short runs

maven() { mvn --batch-mode --no-transfer-progress --quiet "$@"; }

# Compiles everything into target, with the libraries in target/lib. Does
# nothing if that was done before.
setup() (
	take_turns
	../../tools/setup.sh java
	sum=$(find pom.xml src ../../host-example/java/src ../../tests/adapters/raw/java LICENSE ./*_NOTICES.md -type f |
		LC_ALL=C sort | xargs cksum; javac -version 2>&1)
	[ "$sum" != "$(cat target/setup.sum 2>/dev/null)" ] || exit 0
	rm -rf target # an older library must not stay on the class path
	maven test-compile org.apache.maven.plugins:maven-dependency-plugin:3.8.1:copy-dependencies \
		-DincludeScope=test -DoutputDirectory=target/lib
	find ../../host-example/java/src ../../tests/adapters/raw/java -name '*.java' -print0 |
		xargs -0 javac -Xlint:all -Werror --release 17 -cp 'target/classes:target/lib/*' -d target/test-classes
	printf '%s\n' "$sum" >target/setup.sum
)

# Checks the format; setup compiles with javac -Xlint:all -Werror.
check() { google_java_format check; }

format() { google_java_format format; }
google_java_format() {
	maven "com.spotify.fmt:fmt-maven-plugin:2.27:$1" \
		-DadditionalSourceDirectories=src/build,../../host-example/java/src/main/java,../../host-example/spring/src/main/java,../../tests/adapters/java/src,../../tests/adapters/raw/java
}

# Runs the tests of the library.
test() { mvn --batch-mode --no-transfer-progress surefire:test; }

# Makes the package: a Maven repository in dist/maven with the jar, its sources, its Javadoc, which must build without a warning,
# and its bill of materials. The same files give the same bytes. An argument names a folder in place of dist.
package() (
	dist=${1:-$root/dist}
	grep -q "^  <version>$version</version>" pom.xml || fail "pom.xml has another version than VERSION"
	# A copy: a jar has the modes of the files in it, which vary with the umask.
	umask 022
	rm -rf "$dist/maven"
	copy=$new/copy
	mkdir -p "$copy"/{src,target}
	cp pom.xml LICENSE ./*_NOTICES.md "$copy"
	cp -R src/main "$copy/src"
	cp -R target/classes "$copy/target"
	chmod -R u=rwX,go=rX "$copy"
	local apache=org.apache.maven.plugins
	maven -f "$copy/pom.xml" jar:jar $apache:maven-source-plugin:3.3.1:jar-no-fork \
		$apache:maven-javadoc-plugin:3.11.3:jar -Ddoclint=all,-missing -Dmaven.javadoc.failOnWarnings -DdetectOfflineLinks=false -DdetectJavaApiLink=false \
		org.cyclonedx:cyclonedx-maven-plugin:2.9.3:makeBom -DschemaVersion=1.6 -DoutputFormat=json -DincludeTestScope=false \
		$apache:maven-deploy-plugin:3.1.4:deploy -DaltDeploymentRepository="dist::file://$dist/maven"
	# It has a timestamp, and nothing that the POM does not say.
	rm "$dist"/maven/example/automaticrostering/automatic-rostering/maven-metadata.xml*
)

# Uses the package as its users do: what adapter installs has the same bytes and is complete, the programs of host-example compile
# with it, and a module lists the jobs. That the quick start runs with it is a test of tests/docs.
test_package() (
	adapter
	lib=$PWD/target/adapter/lib
	jar=$lib/automatic-rostering-$version.jar
	cmp "$root/dist/maven/example/automaticrostering/automatic-rostering/$version/automatic-rostering-$version.jar" "$jar"
	javac -Xlint:all -Werror --release 17 -cp "$lib/*" -d "$new/programs" "$root"/host-example/java/src/main/java/demo/*.java
	jar tf "$jar" >"$new/entries"
	for entry in META-INF/{LICENSE,{THIRD_PARTY,COMPILED}_NOTICES.md} example/automaticrostering/PluginMachine.class; do
		grep -qx "$entry" "$new/entries" || fail "the jar lacks $entry"
	done
	! grep -E '^(demo|example/[^a])' "$new/entries" || fail "the jar has examples"

	# module_lists_jobs MODULE…: a module that requires these modules.
	mkdir "$new/path" "$new/module"
	cp "$root/host-example/java/src/main/java/demo/Jobs.java" "$new/module"
	module_lists_jobs() {
		printf 'module demo { %s }' "$(printf 'requires %s;' "$@")" >"$new/module/module-info.java"
		javac -p "$new/path" -d "$new/module" "$new"/module/*.java
		lists_jobs java -p "$new/path:$new/module" -m demo/demo.Jobs
	}
	cp "$jar" "$lib"/{runtime,wasm}-1.0.0.jar "$lib"/nanojson-*.jar "$new/path"
	module_lists_jobs example.automaticrostering
	# What jlink would put into an image: TLS finds this module by reflection.
	java -p "$new/path" --limit-modules example.automaticrostering --list-modules | grep '^jdk\.crypto\.ec' >/dev/null ||
		fail "an image of jlink has no TLS"
	cp "$lib"/{jedis,redis-authx-core,commons-pool2,gson,json,slf4j-api}-*.jar "$new/path"
	echo 'package demo; class Redis { Object store = new example.automaticrostering.RedisStore(new redis.clients.jedis.JedisPooled()); }' >"$new/module/Redis.java"
	module_lists_jobs example.automaticrostering redis.clients.jedis org.apache.commons.pool2
)

# Installs the package as its users do, from a Maven repository in target, and compiles tests/adapters/java with it. Does
# nothing if that was done before.
adapter() (
	take_turns
	adapter=../../tests/adapters/java
	sum=$(cat target/setup.sum; cksum tasks.sh "$adapter"/src/adapter/* ../../host-example/java/pom.xml)
	[ "$sum" != "$(cat target/adapter/sum 2>/dev/null)" ] || exit 0
	rm -rf target/adapter
	package "$PWD/target/adapter"
	# A local repository without an older package, but with all else that was downloaded before.
	mkdir target/adapter/local
	ln -s "$HOME"/.m2/repository/* target/adapter/local
	rm -f target/adapter/local/example
	maven -f ../../host-example/java/pom.xml -Dpackages="$PWD/target/adapter/maven" -Dmaven.repo.local="$PWD/target/adapter/local" \
		dependency:copy-dependencies -DincludeScope=runtime -DoutputDirectory="$PWD/target/adapter/lib"
	javac -Xlint:all -Werror --release 17 -cp "target/adapter/lib/*" -d target/adapter/classes "$adapter"/src/adapter/*
	printf '%s\n' "$sum" >target/adapter/sum
)

run "$@"

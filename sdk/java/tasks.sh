#!/usr/bin/env bash
# Usage: tasks.sh VERB
source "$(dirname "$0")/../tasks.sh"
export MAVEN_OPTS="${MAVEN_OPTS:-} -XX:TieredStopAtLevel=1" # for short runs
examples=../../host-example adapters=../../tests/adapters
apache=org.apache.maven.plugins

maven() { mvn --batch-mode --no-transfer-progress --quiet "$@"; }
javac=(javac -Xlint:all -Werror --release 17)

# Compiles everything into target, with the libraries in target/lib, unless that was done before.
setup() (
	take_turns
	../../tools/setup.sh java
	sum=$(find pom.xml src $examples/java/src $adapters/raw/java LICENSE ./*_NOTICES.md -type f |
		LC_ALL=C sort | xargs cksum; javac -version 2>&1)
	[ "$sum" != "$(cat target/setup.sum 2>/dev/null)" ] || exit 0
	rm -rf target # an older library must not stay on the class path
	maven test-compile $apache:maven-dependency-plugin:3.8.1:copy-dependencies \
		-DincludeScope=test -DoutputDirectory=target/lib
	find $examples/java/src $adapters/raw/java -name '*.java' -print0 |
		xargs -0 "${javac[@]}" -cp 'target/classes:target/lib/*' -d target/test-classes
	printf '%s\n' "$sum" >target/setup.sum
)

# Checks the format; setup compiles with javac -Xlint:all -Werror.
check() { google_java_format check; }
format() { google_java_format format; }
google_java_format() {
	maven "com.spotify.fmt:fmt-maven-plugin:2.27:$1" -DadditionalSourceDirectories="$(
		echo src/build $examples/{java,spring}/src/main/java $adapters/{java/src,raw/java} | tr ' ' ,)"
}

test() {
	mvn --batch-mode --no-transfer-progress surefire:test -DargLine=-XX:TieredStopAtLevel=1
}

# package: makes a Maven repository in dist/maven with the jar, its sources, its Javadoc, which must
# build without a warning, and its bill of materials. package FOLDER makes one in FOLDER/maven with
# the jar alone. The same files give the same bytes.
package() (
	dist=${1:-$root/dist}
	others=("$apache:maven-source-plugin:3.3.1:jar-no-fork"
		"$apache:maven-javadoc-plugin:3.11.3:jar" "-Ddoclint=all,-missing"
		-Dmaven.javadoc.failOnWarnings
		-DdetectOfflineLinks=false -DdetectJavaApiLink=false
		org.cyclonedx:cyclonedx-maven-plugin:2.9.3:makeBom -DschemaVersion=1.6 -DoutputFormat=json
		-DincludeTestScope=false)
	[ $# = 0 ] || others=()
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
	maven -f "$copy/pom.xml" jar:jar "${others[@]}" \
		$apache:maven-deploy-plugin:3.1.4:deploy -DaltDeploymentRepository="dist::file://$dist/maven"
	# It has a timestamp, and nothing that the POM does not say.
	rm "$dist"/maven/example/automaticrostering/automatic-rostering/maven-metadata.xml*
)

# Uses the package as its users do: what adapter installs has the same bytes and is complete, the
# programs of host-example compile with it, and a module lists the jobs. tests/docs runs the quick
# start.
test_package() (
	adapter
	local lib=$PWD/target/adapter/lib module=$new/module jar
	jar=$lib/automatic-rostering-$version.jar
	cmp "$root/dist/maven/example/automaticrostering/automatic-rostering/$version/${jar##*/}" "$jar"
	"${javac[@]}" -cp "$lib/*" -d "$new/programs" "$root"/host-example/java/src/main/java/demo/*.java
	jar tf "$jar" >"$new/entries"
	for entry in META-INF/{LICENSE,{THIRD_PARTY,COMPILED}_NOTICES.md} \
		example/automaticrostering/PluginMachine.class; do
		grep -qx "$entry" "$new/entries" || fail "the jar lacks $entry"
	done
	! grep -E '^(demo|example/[^a])' "$new/entries" || fail "the jar has examples"

	# module_lists_jobs MODULE…: a module that requires these modules.
	mkdir "$new/path" "$module"
	cp "$root/host-example/java/src/main/java/demo/Jobs.java" "$module"
	module_lists_jobs() {
		printf 'module demo { %s }' "$(printf 'requires %s;' "$@")" >"$module/module-info.java"
		javac -p "$new/path" -d "$module" "$module"/*.java
		lists_jobs java -p "$new/path:$module" -m demo/demo.Jobs
	}
	cp "$jar" "$lib"/{runtime,wasm}-1.0.0.jar "$lib"/nanojson-*.jar "$new/path"
	module_lists_jobs example.automaticrostering
	# What jlink would put into an image: TLS finds this module by reflection.
	java -p "$new/path" --limit-modules example.automaticrostering --list-modules >"$new/image"
	grep -q '^jdk\.crypto\.ec' "$new/image" || fail "an image of jlink has no TLS"
	cp "$lib"/{jedis,redis-authx-core,commons-pool2,gson,json,slf4j-api}-*.jar "$new/path"
	cat >"$module/Redis.java" <<-EOF
		package demo;
		class Redis {
			Object store = new example.automaticrostering.RedisStore(new redis.clients.jedis.JedisPooled());
		}
	EOF
	module_lists_jobs example.automaticrostering redis.clients.jedis org.apache.commons.pool2
)

# Installs the package as its users do, from a Maven repository in target, and compiles
# tests/adapters/java with it, unless that was done before.
adapter() (
	take_turns
	into=$PWD/target/adapter sources=("$adapters"/java/src/adapter/*)
	sum=$(cat target/setup.sum; cksum tasks.sh "${sources[@]}" $examples/java/pom.xml)
	[ "$sum" != "$(cat "$into/sum" 2>/dev/null)" ] || exit 0
	rm -rf "$into"
	package "$into"
	# A local repository without an older package, but with all else that was downloaded before.
	mkdir "$into/local"
	ln -s "$HOME"/.m2/repository/* "$into/local"
	rm -f "$into/local/example"
	maven -f $examples/java/pom.xml -Dpackages="$into/maven" -Dmaven.repo.local="$into/local" \
		dependency:copy-dependencies -DincludeScope=runtime -DoutputDirectory="$into/lib"
	"${javac[@]}" -cp "$into/lib/*" -d "$into/classes" "${sources[@]}"
	printf '%s\n' "$sum" >"$into/sum"
)

run "$@"

#!/usr/bin/env bash
# Usage: release.sh VERB
#   check            rehearses the release of the last commit in a clone, build/release; publishes
#                    nothing
#   bundle DIST ZIP  makes ZIP of DIST/maven, for Maven Central, signed with gpg's default key
#   reproducible     compares all bytes of the packages that two clones of the last commit give
set -euo pipefail
cd "$(dirname "$0")/.."
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
trap 'echo "release-check failed" >&2' ERR

fail() {
	echo "$*" >&2
	false
}

# Central demands two checksums, which Maven's deploy makes, and a signature of each file.
bundle() {
	cp -R "$1/maven" "$work"
	find "$work/maven" -type f ! -name '*.md5' ! -name '*.sha1' -print0 |
		xargs -0 -n 1 gpg --batch --armor --detach-sign
	jar --create --no-manifest --file "$2" -C "$work/maven" .
}

# The second clone's folder has a longer name, and another time zone, umask and cache of Go.
reproducible() {
	packages() { git clone -q . "$1" && HOSTS='' MAKEFLAGS='' make -C "$1" packages >&2; }
	packages "$work/a"
	(umask 077 && mkdir -p "$work/b/a-longer-name" &&
		GOCACHE=$work/cache TZ=Asia/Kathmandu packages "$work/b/a-longer-name/b")
	diff -r "$work/a/dist" "$work/b/a-longer-name/b/dist"
	echo "$(wc -l <"$work/a/dist/SHA256SUMS") files are the same from both clones"
}

# Of a file, npm would not check package.json.
check_npm() {
	tar -xzf "dist/$name-$version.tgz" -C "$work"
	npm publish --dry-run "$work/package" 2>&1 | tee "$work/npm"
	! grep -E '^npm (warn|error)' "$work/npm" | grep -v 'requires you to be logged in' ||
		fail "npm would change the package, or reject it"
}

check_pypi() {
	python3 -m venv "$work/python"
	"$work/python/bin/python" -m pip install --quiet --disable-pip-version-check twine==7.0.0
	"$work/python/bin/twine" check --strict "dist/${name//-/_}-$version"*
}

check_crates() {
	CARGO_PROFILE_DEV_DEBUG=0 cargo publish --dry-run --locked --manifest-path sdk/rust/Cargo.toml \
		--package "$name" 2>&1 | tee "$work/cargo"
	! grep '^warning' "$work/cargo" | grep -vE 'aborting upload due to dry run|ignoring test' ||
		fail "cargo warns"
}

# Central has no dry run. Its rules: https://central.sonatype.org/publish/requirements
check_central() {
	local element file kind
	for element in name description url licenses developers scm; do
		grep -q "^  <$element>" sdk/java/pom.xml || fail "pom.xml lacks $element"
	done
	export GNUPGHOME=$work/gpg # with a key that is forgotten
	mkdir -m 700 "$GNUPGHOME"
	gpg --batch --quiet --passphrase '' --quick-generate-key rehearsal default default never
	bundle dist "$work/central.zip"
	mkdir "$work/central"
	(cd "$work/central" && jar --extract --file ../central.zip)
	for kind in .pom .jar -sources.jar -javadoc.jar -cyclonedx.json; do
		file=$(find "$work/central" -name "$name-$version$kind")
		[[ -s $file && -s $file.asc && -s $file.md5 && -s $file.sha1 ]] ||
			fail "the bundle lacks $name-$version$kind, or what signs it"
		gpg --quiet --verify "$file.asc"
	done
}

# The go command takes the modules from the tags, as a proxy does; GitHub is the clone.
check_go() {
	local folder module
	module=$(sed -n 's/^module //p' go.mod)
	for folder in '' sdk/go/redisstore/ sandbox/ cli/; do
		git tag --force "${folder}v$version"
	done
	GOPROXY=file://$(go env GOMODCACHE)/cache/download,$(go env GOPROXY)
	export GOPROXY GOPRIVATE=$module GOFLAGS=-modcacherw GOMODCACHE=$work/modules GIT_CONFIG_COUNT=1 \
		GIT_CONFIG_KEY_0="url.file://$PWD.insteadOf" GIT_CONFIG_VALUE_0="https://$module"
	mkdir "$work/program"
	cd "$work/program"
	go mod init example.com/program
	go get "$module/sdk/go@v$version" "$module/sdk/go/redisstore@v$version" \
		"$module/sandbox@v$version" "$module/cli@v$version"
	go vet "$module/sdk/go" "$module/sdk/go/redisstore"
	go build -o "$work/programs/" "$module/sandbox/cmd/rostering-sandbox" "$module/cli/cmd/rostering"
	go version -m "$work/programs/rostering-sandbox" | grep "$module/sandbox.v$version\s"
}

# The names are examples until tools/rename.sh has the real ones.
check() {
	local registry
	rm -rf build/release
	git clone -q . build/release
	cd build/release
	if [ -e tools/rename.sh ]; then
		tools/rename.sh acme/rostering com.acme.rostering acme-rostering
		git -c user.name=rehearsal -c user.email= commit -q -m "Rename"
	fi
	version=$(cat VERSION) name=$(sed -n '/^name = /{s/.*"\(.*\)"/\1/p;q;}' sdk/python/pyproject.toml)
	HOSTS='' MAKEFLAGS='' make packages
	git diff --exit-code
	for registry in npm pypi crates central go; do
		echo "== $registry"
		"check_$registry"
	done
}

case ${1:-} in
check | reproducible) "$1" ;;
bundle) bundle "${2:?the folder of the packages}" "${3:?the file to make}" ;;
*) echo "usage: release.sh check | bundle DIST ZIP | reproducible" >&2; exit 64 ;;
esac

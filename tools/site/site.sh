#!/usr/bin/env bash
# Usage: site.sh [LANG…]
# Builds the site of the pages in build/site/html, with the API references of these languages as far
# as their tools are there. A warning is an error: a link leads nowhere, or a page is not in the
# navigation.
set -euo pipefail
cd "$(dirname "$0")/../.."
site=build/site venv=build/site/venv
tools/setup.sh python
if ! cmp -s tools/site/requirements.txt $venv/requirements.txt; then
	rm -rf $venv
	python3 -m venv $venv
	$venv/bin/python -m pip install --quiet --disable-pip-version-check -r tools/site/requirements.txt
	cp tools/site/requirements.txt $venv
fi
rm -rf $site/pages $site/html
$venv/bin/python tools/site/stage.py $site/pages
cp tools/site/mkdocs.yml $site/mkdocs.yml
sed -i "s#\.\./\.\./$site/##" $site/mkdocs.yml

# Each writes its reference into the folder $to, and prints the name of its first page.
javascript() {
	node_modules/.bin/typedoc --logLevel Warn --out "$to"
	echo index.html
}
python() {
	.venv/bin/python -W error -m pdoc -o "$to" automatic_rostering automatic_rostering.redis_store
	echo automatic_rostering.html
}
java() {
	mvn --batch-mode --quiet org.apache.maven.plugins:maven-javadoc-plugin:3.11.3:javadoc \
		-DdetectOfflineLinks=false \
		-DdetectJavaApiLink=false >&2
	cp -R target/reports/apidocs/. "$to"
	echo index.html
}
rust() {
	cargo doc --quiet --locked --no-deps --all-features --target-dir target >&2
	cp -R target/doc/. "$to"
	echo automatic_rostering/index.html
}
go() { # as text
	{ echo '# The API of Go' && echo '```text' && command go doc -all . && echo '```'; } >"$to/api.md"
	echo api.md
}
c() {
	{ echo '# rostering.h' && echo '```c' && cat build/rostering.h && echo '```'; } >"$to/api.md"
	echo api.md
}

[ $# = 0 ] || echo "  - API references:" >>$site/mkdocs.yml
for language in "$@"; do
	runtime=''
	[ "$language" != javascript ] || runtime=node
	sdk/"$language"/tasks.sh setup $runtime >&2 || { echo "skipped: the reference of $language" >&2 &&
		continue; }
	to=$PWD/$site/pages/reference/$language
	mkdir -p "$to"
	first=$(cd sdk/"$language" && "$language")
	echo "      - $language: reference/$language/$first" >>$site/mkdocs.yml
done
NO_MKDOCS_2_WARNING=1 $venv/bin/mkdocs build --config-file $site/mkdocs.yml >$site/log 2>&1 ||
	{ cat $site/log >&2 && exit 1; }
echo "$site/html/index.html"

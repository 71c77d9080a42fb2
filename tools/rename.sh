#!/usr/bin/env bash
# Usage: rename.sh OWNER/REPOSITORY PACKAGE NAME
# Before the first release: writes the repository on GitHub, Java's package and the name for npm,
# PyPI, crates.io and Maven into all files, in place of those under which nothing can be published,
# allows to publish the crate, and removes itself and its section of CONTRIBUTING.md. The scopes
# automatic-rostering-stage and -prod and the contract's URN are not ours to rename.
set -euo pipefail
cd "$(dirname "$0")/.."
part='[a-z][a-z0-9]*'
[[ $# = 3 && $1 =~ ^[A-Za-z0-9-]+/[A-Za-z0-9._-]+$ && $2 =~ ^$part(\.$part)+$ &&
	$3 =~ ^$part(-[a-z0-9]+)*$ ]] ||
	{ echo "usage: rename.sh OWNER/REPOSITORY PACKAGE NAME" >&2; exit 64; }
[ -z "$(git status --porcelain)" ] || { echo "rename.sh: commit your changes first" >&2; exit 1; }
export repository=github.com/$1 package=$2 name=$3
git rm -q tools/rename.sh
perl -0 -pi -e 's/^### Before the first release\n.*?(?=^##? )//ms' CONTRIBUTING.md
perl -ni -e 'print unless /^publish = false/' sdk/rust/Cargo.toml
# What is written is not read again: the repository, too, may be named automatic-rostering.
renamed='
	s{automatic-rostering\.example(/rostering\b)?}{\0}g;
	s{(?<!urn:)automatic-rostering(?!-stage|-prod|-sandbox|-toolchain)}{$ENV{name}}g;
	s{automatic_rostering}{$ENV{name} =~ tr/-/_/r}ge;
	s{example([./])automaticrostering}{my $between = $1; $ENV{package} =~ s/\./$between/gr}ge;
	s{\0}{$ENV{repository}}g;'
git grep -lzIE 'automatic[-_]rostering|example[./]automaticrostering' |
	xargs -0 perl -pi -e "$renamed"
git ls-files | grep -E 'automatic_rostering|example/automaticrostering' | while read -r file; do
	to=$(perl -pe "$renamed" <<<"$file")
	mkdir -p "$(dirname "$to")"
	[ "$to" = "$file" ] || git mv "$file" "$to"
done
git clean -fdq # the folders that are empty now
for module in $(git ls-files '*go.mod'); do (cd "$(dirname "$module")" && go mod tidy); done
# Sorts its lock file.
! command -v cargo >/dev/null || cargo metadata --format-version 1 \
	--manifest-path sdk/rust/Cargo.toml >/dev/null
git add --all
left=$(git grep -niI 'automatic.\?rostering' | perl -ne '
	s/\Q$ENV{repository}\E|\Q$ENV{name}\E(?!\.example)//g;
	s/(urn:)?automatic-rostering(:|-stage|-prod|-sandbox|-toolchain)//g;
	print if /automatic[^ ]?rostering/i &&
		($ENV{name} ne "automatic-rostering" || !/automatic_rostering/)')
[ -z "$left" ] || { printf 'rename.sh: old names are left:\n%s\n' "$left" >&2; exit 1; }

#!/bin/sh
# Installs what the tests need of npm into DEST: the pinned MCP servers, and the
# conformance suite with a Node.js that runs it. With SOURCE, what that folder
# of the source tree pins: ../peers is what the benchmarks compare anvil with.
#
# usage: install.sh DEST [SOURCE]
#
# DEST is a build folder outside the source tree. The stamp file is written
# last and holds the checksum of what was installed, so an interrupted run is
# repeated, and a run with nothing new to install does no work at all.
set -eu

if [ "$#" -lt 1 ] || [ "$#" -gt 2 ] || [ -z "$1" ]; then
	echo "usage: install.sh DEST [SOURCE]" >&2
	exit 2
fi

src=$(CDPATH='' cd -- "${2:-$(dirname -- "$0")}" && pwd -P)
mkdir -p -- "$1"
dest=$(CDPATH='' cd -- "$1" && pwd -P)
case $dest/ in
"$src"/*)
	echo "install.sh: $dest lies inside the source folder; give a build folder elsewhere" >&2
	rmdir -- "$dest" 2>/dev/null || : # made above; stays if it holds anything
	exit 2
	;;
esac

want=$(cd -- "$src" && cksum package.json package-lock.json .npmrc)
stamp=$dest/.installed
if [ -d "$dest/node_modules" ] && [ -f "$stamp" ] && [ "$(cat -- "$stamp")" = "$want" ]; then
	exit 0
fi

rm -f -- "$stamp"
cp -- "$src/package.json" "$src/package-lock.json" "$src/.npmrc" "$dest/"
# npm writes its summary to stdout; results of this script are files alone.
# Peers may want optional packages that a registry does not have, which "ci"
# refuses and "install" leaves out; the versions are those of the lock file.
how=ci
[ "$#" -eq 1 ] || how=install
(cd -- "$dest" && npm "$how" --no-audit --no-fund --ignore-scripts >&2)
printf '%s\n' "$want" >"$stamp.new"
mv -- "$stamp.new" "$stamp"

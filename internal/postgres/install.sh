#!/bin/sh
# Installs Debian's postgresql where there is no initdb. The tests start a cluster of their own, so the one that the package makes is not needed.
set -eu
if command -v initdb >/dev/null 2>&1 || ls /usr/lib/postgresql/*/bin/initdb >/dev/null 2>&1; then
	exit 0
fi
as_root=""
if [ "$(id -u)" != 0 ]; then
	as_root="sudo -n"
fi
if command -v apt-get >/dev/null 2>&1 && $as_root true 2>/dev/null; then
	$as_root apt-get update -qq
	DEBIAN_FRONTEND=noninteractive $as_root apt-get install -y -qq --no-install-recommends postgresql >/dev/null
	exit 0
fi
echo "there is no initdb, and it cannot be installed from here: install PostgreSQL (on Debian: apt-get install postgresql), or put its bin folder on PATH" >&2
if [ "${CI:-}" = true ]; then
	exit 1
fi

#!/bin/sh
# The main job on the example server: adopt it behind the facade, approve what only reads, call a tool through the facade, and see what a
# reviewer sees when the server changes. Nothing but Go is needed. Every step must end with the exit code it is shown for.
#
# usage: demo.sh BUILD-FOLDER
set -eu
build=$1
pack=$build/demo/refunds
rm -rf "$build/demo"
mkdir -p "$build/demo"
bold= plain=
if [ -t 1 ] && [ -z "${NO_COLOR:-}" ]; then bold=$(printf '\033[1m') plain=$(printf '\033[0m'); fi

# step CODE ARG...: runs anvil, shows how it is typed, and demands the exit code.
step() {
	want=$1
	shift
	printf '\n%s$ anvil %s%s\n' "$bold" "$*" "$plain"
	code=0
	"$build/bin/anvil" "$@" 2>&1 || code=$?
	[ "$code" -eq 0 ] || printf '(exit %s)\n' "$code"
	[ "$code" -eq "$want" ] || { echo "demo.sh: expected exit $want" >&2; exit 1; }
}

step 0 mcp adopt --mode facade --out "$pack" -- "$build/bin/refunds"
step 0 mcp approve "$pack" --read-only --by demo --reason "reads only"
step 0 mcp call "$pack" get_refund --arg refundId=rf-1001
step 6 mcp call "$pack" delete_customer --arg customerId=cus-ada
step 0 pack verify "$pack"
step 1 mcp diff "$pack" -- "$build/bin/refunds" -surface v2

#!/bin/sh
# The main job on the example server: adopt it behind the facade, approve what only reads, call a tool through the facade, and see what a
# reviewer sees when the server changes. Nothing but Go is needed.
#
# usage: demo.sh BUILD-FOLDER
set -eu
build=$1
anvil=$build/bin/anvil
pack=$build/demo/refunds
rm -rf "$build/demo"
mkdir -p "$build/demo"

say() { printf '\n\033[1m$ %s\033[0m\n' "$*"; }

say anvil mcp adopt --mode facade --out "$pack" -- "$build/bin/refunds"
"$anvil" mcp adopt --mode facade --out "$pack" -- "$build/bin/refunds"

say anvil mcp approve "$pack" --read-only --by demo --reason "reads only"
"$anvil" mcp approve "$pack" --read-only --by demo --reason "reads only"

say anvil mcp call "$pack" get_refund --arg refundId=rf-1001
"$anvil" mcp call "$pack" get_refund --arg refundId=rf-1001

say anvil mcp call "$pack" delete_customer --arg customerId=cu-1 "  # not approved: refused"
"$anvil" mcp call "$pack" delete_customer --arg customerId=cu-1 || echo "(exit $?)"

say anvil pack verify "$pack"
"$anvil" pack verify "$pack"

say anvil mcp diff "$pack" -- "$build/bin/refunds" -surface v2
"$anvil" mcp diff "$pack" -- "$build/bin/refunds" -surface v2 || echo "(exit $?)"

#!/bin/sh
# The main job on the example server: adopt it behind the facade, approve what only reads, block what nobody may call, call a tool through the facade
# and by the pack's own command line, certify the pack, and see what a reviewer sees when the server changes. Nothing but Go is needed. Every step must
# end with the exit code it is shown for.
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
step 1 mcp call "$pack" delete_customer --arg customerId=cus-ada
step 0 mcp block "$pack" delete_customer --by demo --reason "done by hand"

# The command line that comes with the pack finds anvil by its name, or by the variable ANVIL.
printf '\n%s$ %s get-refund --refund-id rf-1001%s\n' "$bold" "$pack/cli/refunds" "$plain"
ANVIL=$build/bin/anvil "$pack/cli/refunds" get-refund --refund-id rf-1001

step 0 keys new --name demo --out "$build/demo/demo.pem"
step 0 mcp certify "$pack" --key "$build/demo/demo.pem"
cat >"$build/demo/trust.yaml" <<END
schemaVersion: 1
keys:
  - {name: demo, roles: [certify], path: demo.pem.pub}
END
step 0 pack verify "$pack" --trust "$build/demo/trust.yaml"
step 1 mcp diff "$pack" -- "$build/bin/refunds" -surface v2

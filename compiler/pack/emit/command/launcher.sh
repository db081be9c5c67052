#!/bin/sh
# The command line of the service @SERVICE@. It belongs to the anvil pack that it stands in: anvil reads the commands from that pack, checks it
# and makes the calls. commands.json beside this file lists the commands for other programs. To have it in PATH, link to it; a copy finds no pack.
# Where the server itself is started out of PATH by this file's name, give the link another name, or the server's start would end up here.
#
#   ANVIL=/path/to/anvil   which anvil to start; without it, the one in PATH
service='@SERVICE@'
signature='@SIGNATURE@'

fail() {
	printf '%s: %s\n' "$service" "$1" >&2
	exit 3
}

self=$0
case $self in
*/*) ;;
*)
	if [ -f "./$self" ]; then
		self=./$self
	else
		self=$(command -v "$self") || fail "cannot tell where this file is; start it by its path"
	fi
	;;
esac
links=0
while [ -h "$self" ]; do
	links=$((links + 1))
	[ "$links" -le 40 ] || fail "the links to this file lead in a circle; start it by its path"
	to=$(readlink "$self" && echo .) || fail "cannot read the link $self; start the file that it leads to"
	to=${to%??} # the dot, and the line break that readlink adds: names may end in one
	case $to in
	/*) self=$to ;;
	*) self=${self%/*}/$to ;;
	esac
done
pack=$(CDPATH='' cd -P "${self%/*}/.." 2>/dev/null && pwd -P && echo .) || fail "cannot enter the folder of the pack, ${self%/*}/.."
pack=${pack%??}
[ -f "$pack/anvil-pack.json" ] || fail "$pack is no anvil pack: this is a copy of a pack's file; link to the one in the pack instead (ln -s)"
command -v "${ANVIL:-anvil}" >/dev/null 2>&1 || fail "anvil is needed and ${ANVIL:-anvil} is not there; install it, or set ANVIL to where it is"
exec "${ANVIL:-anvil}" pack run --called="$0" --signature="$signature" "$pack" -- "$@"

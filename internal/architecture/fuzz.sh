#!/bin/sh
# Runs every fuzz target of the module for TIME each. Inputs that fail are kept by go test under testdata/fuzz of their package.
#
# usage: fuzz.sh TIME
set -eu
time=${1:-30s}
for dir in $(grep -rl --include='*_test.go' '^func Fuzz' . | xargs -n 1 dirname | sort -u); do
	for target in $(grep -rhoE '^func Fuzz[A-Za-z0-9_]+' "$dir" --include='*_test.go' | sed 's/^func //' | sort -u); do
		echo "$dir $target"
		go test -run '^$' -fuzz "^$target\$" -fuzztime "$time" "$dir"
	done
done

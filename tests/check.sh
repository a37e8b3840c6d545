# shellcheck shell=bash
# check.sh - for scripts of tests: checks that count. To be sourced.
passed=0
failed=0

check() { # name, command…
	local name=$1 said
	shift
	if said=$("$@" 2>&1); then
		passed=$((passed + 1))
	else
		failed=$((failed + 1))
		printf 'FAILED %s\n%s\n' "$name" "$said"
	fi
}

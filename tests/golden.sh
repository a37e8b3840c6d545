#!/usr/bin/env bash
# golden.sh - commands and everything they printed.
#
#     tests/golden.sh [--accept | --plain] PROGRAM [CASE…]
#
# A case is a folder tests/golden/NAME/ with
#
#     cmd                 shell lines; `postrun` is the program, `samples/` and `case/` (this
#                         folder, for inputs of its own) are at hand in an empty working folder
#     expected.txt        standard output
#     expected.err        standard error; absent: nothing is said there
#     expected.exit       exit status; absent: 0
#     expected.files/     files that the command must write, byte for byte: only those named here
#                         are compared, so touch one and --accept fills it. No pictures: their
#                         bytes belong to the font libraries.
#
# Each case runs twice: in a plain environment, and in one that is hostile (another zone, locale,
# terminal and umask). Both must print the same: nothing may leak in from outside. With --plain only
# the first: under sanitizers, which look at memory.

set -u
here=$(cd "$(dirname "$0")" && pwd)
accept=false
plain=false
[ "${1:-}" = --accept ] && { accept=true; shift; }
[ "${1:-}" = --plain ] && { plain=true; shift; }
program=$(realpath "$1") || exit 2
shift
room=$(mktemp -d) || exit 2
trap 'rm -rf "$room"' EXIT
mkdir "$room/bin"
ln -s "$program" "$room/bin/postrun"
passed=0
failed=0

# Runs the case in a fresh folder; leaves out, err, exit and the files in $room/$2.
run_case() { # case folder, name of the result, environment…
	local result=$room/$2 case=$1
	shift 2
	rm -rf "$result"
	mkdir -p "$result/files"
	ln -s "$here/../samples" "$result/files/samples"
	ln -s "$case" "$result/files/case"
	(cd "$result/files" && env -i PATH="$room/bin:/usr/bin:/bin" HOME=/nonexistent ${TSAN_OPTIONS:+TSAN_OPTIONS="$TSAN_OPTIONS"} "$@" \
		timeout 60 sh "$case/cmd" >../out 2>../err </dev/null)
	echo $? >"$result/exit"
}

compare() { # expected, actual, what; a missing expectation is $4
	if [ -e "$1" ]; then
		diff -u --label "expected $3" --label "printed $3" "$1" "$2"
	else
		diff -u --label "expected $3" --label "printed $3" <(printf '%s' "$4") "$2"
	fi
}

compare_files() { # case folder
	[ -d "$1/expected.files" ] || return 0
	(cd "$1/expected.files" && find . -type f | sort) | while read -r file; do
		compare "$1/expected.files/$file" "$room/plain/files/$file" "${file#./}" '' || echo
	done
}

judge_case() { # case folder
	compare "$1/expected.txt" "$room/plain/out" 'standard output' ''
	compare "$1/expected.err" "$room/plain/err" 'standard error' ''
	compare "$1/expected.exit" "$room/plain/exit" 'exit status' "0
"
	compare_files "$1"
	$plain || (cd "$room" && diff -r --no-dereference plain hostile | sed 's/^/hostile environment: /' | head -n 20)
}

record() { # file, what was printed, what need not be recorded
	if [ "$(cat "$2")" = "$3" ]; then rm -f "$1"; else cp "$2" "$1"; fi
}

accept_case() { # case folder
	cp "$room/plain/out" "$1/expected.txt"
	record "$1/expected.err" "$room/plain/err" ''
	record "$1/expected.exit" "$room/plain/exit" 0
	[ -d "$1/expected.files" ] || return 0
	(cd "$1/expected.files" && find . -type f) | while read -r file; do
		cp "$room/plain/files/$file" "$1/expected.files/$file"
	done
}

for case in "$here"/golden/*/; do
	case=${case%/}
	name=${case##*/}
	[ -f "$case/cmd" ] || continue
	[ $# -eq 0 ] || [[ " $* " == *" $name "* ]] || continue
	run_case "$case" plain TZ=UTC LC_ALL=C
	$plain || run_case "$case" hostile TZ=Pacific/Chatham LC_ALL=de_DE.UTF-8 LANG=tr_TR.UTF-8 LC_NUMERIC=de_DE.UTF-8 \
		COLUMNS=37 TERM=dumb TMPDIR=/nonexistent XDG_CONFIG_HOME=/nonexistent POSIXLY_CORRECT=1
	! $accept || accept_case "$case"
	difference=$(judge_case "$case" 2>&1)
	if [ -z "$difference" ]; then
		passed=$((passed + 1))
	else
		failed=$((failed + 1))
		printf 'FAILED %s\n%s\n' "$name" "$difference"
	fi
done
echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]

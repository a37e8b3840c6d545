#!/usr/bin/env bash
# recordings.sh - the recorded runs with a known truth, given in every way a user could give them.
#
#     tests/recordings.sh [DIR [PROGRAM [OTHER]]]      ../shared/recordings, build/postrun, the same built by the other compiler
#
# samples/ ships a part of these folders; here are all of their files: gpu-nounits.csv (another
# step, no units, bus ids only), and the logs of tools that we can't read, which must do no harm.
# What a report must say is in truth.py; which logs say the same, in agreement_*.py; any two of them together, in pairs.py; what must not
# change it, in metamorphic.py. Here: the same bytes wherever, in whatever language, and with whatever compiler.
#
# The last line is "N passed, N failed".

set -u
cd "$(dirname "$0")/.." || exit 2
recordings=$(realpath "${1:-../shared/recordings}") || exit 2
program=$(realpath "${2:-build/postrun}") || exit 2
room=$(mktemp -d) || exit 2
trap 'rm -rf "$room"' EXIT
. tests/check.sh
. tests/lanes.sh

# The report folder of a run, made in a working folder of its own with the same words each time.
report() { # name of the result, run, program, environment…
	local place=$room/$1 run=$2 with=$3
	shift 3
	rm -rf "$place"
	mkdir -p "$place"
	ln -s "$recordings/$run" "$place/$run"
	ln -s "$with" "$place/postrun"
	(cd "$place" && env "$@" ./postrun report "$run/gpu.csv" "$run/vmstat.txt" "$run/mpstat.txt" -o out --quiet) ||
		echo "exit status $?" >"$place/failed"
	[ -f "$place/out/card.png" ] || echo 'no card' >"$place/failed"
}

same_everywhere() { # run
	report "$1/plain" "$1" "$program" LC_ALL=C TZ=UTC
	report "$1/there/elsewhere" "$1" "$program" LC_ALL=de_DE.UTF-8 LANG=tr_TR.UTF-8 TZ=Asia/Tokyo COLUMNS=40 HOME=/nonexistent
	[ ! -e "$room/$1/plain/failed" ] && diff -r "$room/$1/plain/out" "$room/$1/there/elsewhere/out"
}

# What the program itself was built with stands in its comments; it is built once more by the other compiler.
other_compiler() {
	if grep -q 'clang version' "$program"; then echo gcc; else echo clang; fi
}

build_with() { # compiler
	mkdir -p "$room/$1" && cp -r Makefile src rules templates "$room/$1" && make -s -j"$(nproc)" -C "$room/$1" CC="$1" all
}

same_compiled() { # run, the other compiler
	report "$1/by-$2" "$1" "$room/$2/build/release/postrun" LC_ALL=C TZ=UTC
	[ ! -e "$room/$1/by-$2/failed" ] && diff -r "$room/$1/plain/out" "$room/$1/by-$2/out"
}

check_run() { # run, the other compiler or nothing
	check "$1: the same bytes everywhere" same_everywhere "$1"
	[ -z "$2" ] || check "$1: the same bytes from gcc and clang" same_compiled "$1" "$2"
}

count() { # command that ends in "N passed, N failed"
	local said status good bad
	said=$("$@" 2>&1)
	status=$?
	read -r good bad < <(sed -nE '$s/^([0-9]+) passed, ([0-9]+) failed$/\1 \2/p' <<<"$said")
	passed=$((passed + ${good:-0}))
	failed=$((failed + ${bad:-0}))
	[ $status -eq 0 ] && return
	[ "${bad:-0}" -gt 0 ] || failed=$((failed + 1))
	grep '^FAILED' <<<"$said" || printf '%s\n' "$said"
}

begin count tests/pairs.py "$program" "$recordings"
other=$(other_compiler)
if [ -n "${3:-}" ]; then
	mkdir -p "$room/$other/build/release" && cp "$3" "$room/$other/build/release/postrun"
elif command -v "$other" >/dev/null; then
	check "built by $other" build_with "$other"
else
	echo "skipped  $other is not installed: its reports are not compared"
	other=
fi
for folder in "$recordings"/*/; do
	[ ! -f "$folder/gpu.csv" ] || begin check_run "$(basename "$folder")" "$other"
done
for folder in "$recordings"/*/ samples/throttled; do
	begin count tests/metamorphic.py "$program" "$folder"
done
begin count tests/truth.py "$program" --recordings "$recordings"
begin count tests/agreement_cpu.py "$program" "$recordings"
begin count tests/agreement_gpu.py "$program" "$recordings"
begin count tests/salvage.py "$program" "$recordings"
tell_all
echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]

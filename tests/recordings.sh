#!/usr/bin/env bash
# recordings.sh - the recorded runs with a known truth, given in every way a user could give them.
#
#     tests/recordings.sh [DIR [PROGRAM]]      ../shared/recordings, build/postrun
#
# samples/ ships a part of these folders; here are all of their files: gpu-nounits.csv (another
# step, no units, bus ids only), and the logs of tools that we can't read, which must do no harm.
# What a report must say is in truth.py; which logs say the same, in agreement_*.py; any two of them together, in pairs.py. Here: the same
# bytes wherever, in whatever language, and with whatever compiler.
#
# The last line is "N passed, N failed".

set -u
cd "$(dirname "$0")/.." || exit 2
recordings=$(realpath "${1:-../shared/recordings}") || exit 2
program=$(realpath "${2:-build/postrun}") || exit 2
room=$(mktemp -d) || exit 2
trap 'rm -rf "$room"' EXIT
. tests/check.sh

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
	report plain "$1" "$program" LC_ALL=C TZ=UTC
	report there/elsewhere "$1" "$program" LC_ALL=de_DE.UTF-8 LANG=tr_TR.UTF-8 TZ=Asia/Tokyo COLUMNS=40 HOME=/nonexistent
	[ ! -e "$room/plain/failed" ] && diff -r "$room/plain/out" "$room/there/elsewhere/out"
}

build_with() { # compiler
	mkdir -p "$room/$1" && cp -r Makefile src rules templates "$room/$1" && make -s -j"$(nproc)" -C "$room/$1" CC="$1" all
}

same_compiled() { # run
	report by-gcc "$1" "$room/gcc/build/release/postrun" LC_ALL=C
	report by-clang "$1" "$room/clang/build/release/postrun" LC_ALL=C
	[ ! -e "$room/by-gcc/failed" ] && diff -r "$room/by-gcc/out" "$room/by-clang/out"
}

for folder in "$recordings"/*/; do
	[ ! -f "$folder/gpu.csv" ] || check "$(basename "$folder"): the same bytes everywhere" same_everywhere "$(basename "$folder")"
done
if command -v gcc >/dev/null && command -v clang >/dev/null; then
	check 'built by gcc' build_with gcc
	check 'built by clang' build_with clang
	for folder in "$recordings"/*/; do
		[ ! -f "$folder/gpu.csv" ] || check "$(basename "$folder"): the same bytes from gcc and clang" same_compiled "$(basename "$folder")"
	done
else
	echo 'skipped  gcc and clang are not both installed: their reports are not compared'
fi

count() { # command that ends in "N passed, N failed"
	local good bad status
	"$@" >"$room/said" 2>&1
	status=$?
	read -r good bad < <(sed -nE '$s/^([0-9]+) passed, ([0-9]+) failed$/\1 \2/p' "$room/said")
	passed=$((passed + ${good:-0}))
	failed=$((failed + ${bad:-0}))
	[ $status -eq 0 ] && return
	[ "${bad:-0}" -gt 0 ] || failed=$((failed + 1))
	grep -v ' passed, ' "$room/said"
}

count tests/truth.py "$program" --recordings "$recordings"
count tests/agreement_cpu.py "$program" "$recordings"
count tests/agreement_gpu.py "$program" "$recordings"
count tests/pairs.py "$program" "$recordings"
count tests/salvage.py "$program" "$recordings"
echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]

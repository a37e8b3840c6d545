#!/usr/bin/env bash
# report_bench.sh - the time of a report against the least it could take.
#
#     tests/bench/report_bench.sh PROGRAM PNG_ENCODE [SAMPLE]     what `make bench` does
#
# Measured by turns, so that a busy machine slows all alike: the report with its pictures, the report
# as text only, and the yardstick, `cat` of the inputs plus one PNG encoded by libpng. Medians of ROUNDS
# wall times; the ratio is what to compare between machines. LIMIT_MS is the promise of README.

set -u
cd "$(dirname "$0")/../.." || exit 2
program=$1
png_encode=$2
sample=${3:-samples/loader_bound}
rounds=${ROUNDS:-15}
limit_ms=${LIMIT_MS:-250}
room=$(mktemp -d) || exit 2
trap 'rm -rf "$room"' EXIT

pictures() { "$program" report "$sample" -o "$room/out" >/dev/null; }
text() { "$program" report "$sample" >/dev/null; }
yardstick() { cat "$sample"/* >/dev/null && "$png_encode" >"$room/page.png"; }

measure() { # what: adds its milliseconds to a file
	local begin=$EPOCHREALTIME end
	"$1" || { echo "report_bench: $1 failed" >&2; exit 1; }
	end=$EPOCHREALTIME
	awk -v a="$begin" -v b="$end" 'BEGIN { printf "%.1f\n", (b - a) * 1000 }' >>"$room/$1"
}

median() { sort -n "$room/$1" | awk '{ x[NR] = $1 } END { print x[int((NR + 1) / 2)] }'; }

export LC_ALL=C
for what in pictures text yardstick; do "$what" || exit 1; done # the page cache is warm for all
for _ in $(seq "$rounds"); do
	for what in pictures text yardstick; do measure "$what"; done
done

unit=$(median yardstick)
row() { awk -v name="$1" -v ms="$2" -v unit="$unit" 'BEGIN { printf "%-36s %8.1f ms %7.2f\n", name, ms, ms / unit }'; }
printf '%-36s %11s %7s\n' "$sample, median of $rounds" wall ratio
row 'cat of the inputs + one PNG' "$unit"
row 'report, text only' "$(median text)"
row 'report -o, with pictures' "$(median pictures)"
awk -v ms="$(median pictures)" -v limit="$limit_ms" 'BEGIN { if (ms > limit) { print "over the limit of " limit " ms"; exit 1 } }'

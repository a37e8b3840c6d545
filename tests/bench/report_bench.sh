#!/usr/bin/env bash
# report_bench.sh - the time of a report against the least it could take.
#
#     tests/bench/report_bench.sh PROGRAM PNG_ENCODE [SAMPLE]     what `make bench` does
#
# Measured by turns, so that a busy machine slows all alike: all that is written for a ticket (text, Markdown, JSON, the pictures, and
# the page with pictures in both themes), the report as text only, and the yardstick, `cat` of the inputs plus one PNG encoded by
# libpng. Medians of ROUNDS; time is the processor's, all threads together, which neighbours disturb least, and the wall's. The ratio
# of the processor's is what to compare between machines. LIMIT_MS of it is the promise; that it is not kept is told, and no failure.

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

TIMEFORMAT='%R %U %S'
measure() { # what: adds its seconds to a file: wall, processor
	{ time "$1" 2>"$room/said"; } 2>"$room/time" || { echo "report_bench: $1 failed" >&2; exit 1; }
	awk '{ printf "%.1f %.1f\n", $1 * 1000, ($2 + $3) * 1000 }' "$room/time" >>"$room/$1"
}

median() { # what, column
	awk -v c="$2" '{ print $c }' "$room/$1" | sort -n | awk '{ x[NR] = $1 } END { print x[int((NR + 1) / 2)] }'
}

export LC_ALL=C
for what in pictures text yardstick; do "$what" || exit 1; done # the page cache is warm for all
for _ in $(seq "$rounds"); do
	for what in pictures text yardstick; do measure "$what"; done
done

unit=$(median yardstick 2)
row() { # name, what
	awk -v name="$1" -v wall="$(median "$2" 1)" -v cpu="$(median "$2" 2)" -v unit="$unit" \
		'BEGIN { printf "%-44s %8.1f ms %8.1f ms %7.2f\n", name, wall, cpu, cpu / unit }'
}
files=("$room"/out/*.png)
inside=$(grep -o 'data:image/png' "$room/out/report.html" | wc -l)
printf '%-44s %11s %11s %7s\n' "$sample, median of $rounds" wall CPU ratio
row 'cat of the inputs + one PNG' yardstick
row 'report, text only' text
row "report -o: ${#files[@]} pictures, $inside in the page" pictures
awk -v ms="$(median pictures 2)" -v limit="$limit_ms" \
	'BEGIN { printf "ms for all that is written for a ticket, at most %d: %.0f, %s\n", limit, ms, (ms > limit ? "not met" : "met") }'

#!/bin/bash
# loop.sh - a batch shard by shard in a plain loop, and the merge behind it: on a machine without any engine, or in several shells at once.
#
#     templates/cluster/loop.sh OUT SHARDS [I/N] -- PATH… [POSTRUN-OPTION…]
#     templates/cluster/loop.sh /scratch/out 16 -- /archive/2025
#     templates/cluster/loop.sh /scratch/out 16 0/2 -- /archive/2025     in one shell, and 1/2 in another one, also on another machine
#
# POSTRUN names the program where it is not in PATH. A shard that ends with 75 is tried three times, PAUSE seconds apart (60); after one that
# ends with 6, which could not read a folder, the loop goes on and ends with 6; any other failure ends it. Whenever it was ended, run it again:
# what is done is left out.
set -u

usage() { sed -n '4,6p' "$0" >&2; exit 2; }

POSTRUN=${POSTRUN:-postrun} OUT=${1:-} SHARDS=${2:-} part=0 of=1 gaps=0
[[ -n $OUT && $SHARDS =~ ^[1-9][0-9]{0,5}$ ]] || usage
shift 2
if [[ ${1:-} =~ ^([0-9]{1,5})/([1-9][0-9]{0,4})$ ]]; then
	part=$((10#${BASH_REMATCH[1]})) of=${BASH_REMATCH[2]}
	shift
fi
[[ $part -lt $of && ${1:-} = -- && $# -ge 2 ]] || usage
shift

for ((shard = part; shard < SHARDS; shard += of)); do
	for try in 1 2 3; do
		"$POSTRUN" batch "$@" -o "$OUT" --resume --shard "$shard/$SHARDS"
		status=$?
		[ "$status" = 75 ] || break
		[ "$try" = 3 ] || sleep "${PAUSE:-60}"
	done
	[ "$status" != 6 ] || gaps=6
	[[ $status =~ ^(0|6|75)$ ]] || exit "$status" # a wrong option is wrong for all of them
done
if [ "$of" = 1 ]; then
	"$POSTRUN" merge "$OUT" --shards "$SHARDS" --wait 0s || exit
else
	echo "when the other shells are done, too: postrun merge $OUT --shards $SHARDS"
fi
exit "$gaps"

#!/bin/bash
# parallel.sh - a batch shard by shard through GNU parallel, on this machine's cores or on hosts that ssh leads to, and the merge after it.
#
#     templates/cluster/parallel.sh OUT SHARDS [PARALLEL-OPTION…] -- PATH… [POSTRUN-OPTION…]
#     templates/cluster/parallel.sh /scratch/out 16 -- /archive/2025
#     templates/cluster/parallel.sh /nfs/out 64 -S 4/node01,4/node02 -- /nfs/archive/2025
#
# POSTRUN names the program where it is not in PATH; of hosts it, the logs and OUT must lie at the same place on each. A job is a shard on
# one core and not a run: to start one by ssh takes a quarter of a second. A shard that fails is tried three times, on other hosts first.
# Run it again: what is done is left out. That is postrun's to say: parallel's own --resume counts lines, whatever is in them.
set -u

usage() { sed -n '4,6p' "$0" >&2; exit 2; }

[[ $# -ge 4 && $2 =~ ^[1-9][0-9]{0,5}$ ]] || usage
OUT=$(realpath -m -- "$1") SHARDS=$2 POSTRUN=$(command -v "${POSTRUN:-postrun}") || { echo "parallel.sh: there is no postrun here" >&2; exit 2; }
shift 2
options=()
while [ $# -gt 0 ] && [ "$1" != -- ]; do
	options+=("$1")
	shift
done
[ $# -gt 1 ] || usage
shift
parallel --version 2>/dev/null | grep -q '^GNU parallel' || { echo "parallel.sh: GNU parallel is not installed" >&2; exit 2; }

"$POSTRUN" batch "$@" --plan "$SHARDS" # what is wrong with the paths or options is said once, and not by each shard
planned=$?
[[ $planned =~ ^(0|6)$ ]] || exit "$planned" # 6: a folder could not be read; all other runs are done
# Each line is a command as it is typed, so that no name in it can stand for something else ({} and its like).
line=$(printf '%q ' "$(realpath "$POSTRUN")" batch "$@" -o "$OUT" --resume --jobs 1 --shard)
for ((shard = 0; shard < SHARDS; shard++)); do printf '%s%d/%d\n' "$line" "$shard" "$SHARDS"; done |
	PARALLEL_SHELL=$BASH parallel --will-cite --retries 3 --wd "$PWD" ${options[@]+"${options[@]}"}
"$POSTRUN" merge "$OUT" --shards "$SHARDS" || exit # which says what is missing
exit "$planned"

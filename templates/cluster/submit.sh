#!/bin/bash
# submit.sh - a batch as an array of Slurm jobs, and the merge after them.
#
#     templates/cluster/submit.sh OUT SHARDS [SBATCH-OPTION…] -- PATH… [POSTRUN-OPTION…]
#     templates/cluster/submit.sh /scratch/out 64 -t 30 -- /archive/2025
#
# POSTRUN names the program where it is not in PATH. A shard should be some minutes of work: `postrun batch PATH… --plan SHARDS` tells how
# even they are. Where some shards fail the merge says which, and exits with 6; then run submit.sh again: what is done is left out.
set -eu

[ $# -ge 4 ] || { sed -n '2,7p' "$0" >&2; exit 2; }
OUT=$(realpath -m "$1") SHARDS=$2 POSTRUN=${POSTRUN:-$(command -v postrun)}
shift 2
options=()
while [ $# -gt 0 ] && [ "$1" != -- ]; do
	options+=("$1")
	shift
done
[ $# -gt 1 ] || { echo "submit.sh: behind -- there must be paths of runs" >&2; exit 2; }
shift
mkdir -p "$OUT/slurm"
printf '%s\n' "$@" > "$OUT/slurm/arguments"
export OUT SHARDS POSTRUN

script=$(dirname "$(realpath "$0")")/shard.sbatch
most=$(scontrol show config | awk '/^MaxArraySize/ { print $3 }') # of one array; its indexes end below it
jobs=
for ((first = 0; first < SHARDS; first += most)); do
	n=$((SHARDS - first < most ? SHARDS - first : most))
	id=$(FIRST_SHARD=$first sbatch --parsable --export=ALL --array=0-$((n - 1)) ${options[@]+"${options[@]}"} \
		-o "$OUT/slurm/%A_%a.log" "$script")
	jobs=$jobs:${id%%;*}
done
# afterany: with afterok one failed shard would leave the merge waiting for ever. It says itself what is missing.
merge=$(sbatch --parsable --export=ALL --dependency="afterany$jobs" ${options[@]+"${options[@]}"} -o "$OUT/slurm/merge-%j.log" \
	--wrap "'$POSTRUN' merge '$OUT' --shards $SHARDS")
echo "shards ${jobs#:}, merge ${merge%%;*}"

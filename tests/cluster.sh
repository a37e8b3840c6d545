#!/bin/bash
# cluster.sh - a batch on a real Slurm: whatever happens to its shards, the index has the bytes that one process makes.
#
#     tests/cluster.sh build/postrun SANDBOX.SH
#
# SANDBOX.SH starts a cluster of two nodes on this machine from Debian's packages and stops it (up, down, env, kill-node, start-node). The
# runs are our samples. Prints N passed, N failed.
set -u
export LC_ALL=C

[ $# -eq 2 ] || { sed -n '4p' "$0" >&2; exit 2; }
POSTRUN=$(realpath "$1") sandbox=$(realpath "$2")
here=$(dirname "$(realpath "$0")")
samples=$here/../samples
passed=0
failed=0
folder=$(mktemp -d "$(dirname "$POSTRUN")/cluster.XXXXXX") # not where all may write: munged refuses that
export POSTRUN
trap '"$sandbox" down -d "$folder/slurm" --purge >/dev/null 2>&1; rm -rf "$folder"' EXIT

check() { # what, command…
	local what=$1
	shift
	if "$@" >/dev/null 2>&1; then
		passed=$((passed + 1))
		echo "  ok       $what"
	else
		failed=$((failed + 1))
		echo "  FAILED   $what"
	fi
}

submit() { # OUT, shards
	"$here/../templates/cluster/submit.sh" "$folder/$1" "$2" -- "$folder/tree" --outputs json >/dev/null
}

wait_for_jobs() {
	for _ in $(seq 300); do
		[ -n "$(squeue -h)" ] || return 0
		sleep 1
	done
	return 1
}

is_as_one() { cmp "$folder/one/index.jsonl" "$folder/$1/index.jsonl"; }

apt-get install -y --no-install-recommends slurmctld slurmd slurm-client munge >"$folder/apt.log" 2>&1 ||
	{ tail -n 3 "$folder/apt.log"; echo "0 passed, 1 failed"; exit 1; }
mkdir "$folder/tree"
for sample in "$samples"/*/; do
	ls "$sample"gpu*.csv >/dev/null 2>&1 || continue
	for copy in 1 2 3; do cp -r "$sample" "$folder/tree/$(basename "$sample")-$copy"; done
done
"$POSTRUN" batch "$folder/tree" -o "$folder/one" --outputs json >/dev/null
"$sandbox" up -d "$folder/slurm" -n 2 >"$folder/up.log" 2>&1 || { tail -n 3 "$folder/up.log"; echo "0 passed, 1 failed"; exit 1; }
eval "$("$sandbox" env -d "$folder/slurm")"

submit whole 1
check "jobs of one shard end" wait_for_jobs
check "one shard" is_as_one whole

submit sixteen 16
check "jobs of sixteen shards end" wait_for_jobs
check "sixteen shards" is_as_one sixteen

submit killed 16
sleep 1
"$sandbox" kill-node -d "$folder/slurm" n2 --mark-down >/dev/null 2>&1
sleep 2
"$sandbox" start-node -d "$folder/slurm" n2 >/dev/null 2>&1
check "jobs end though a node was lost" wait_for_jobs
check "sixteen shards, a node killed amid them" is_as_one killed

submit twice 16
submit twice 16
check "jobs of shards that run twice end" wait_for_jobs
check "each shard twice, two at a time" is_as_one twice

rm "$folder/sixteen/shards/00003-of-00016.jsonl"
truncate -s -30 "$folder/sixteen/shards/00005-of-00016.jsonl"
said=$("$POSTRUN" merge "$folder/sixteen" --shards 16 --wait 0s 2>&1)
status=$?
check "a shard that is gone and one that is cut: status 6" [ "$status" = 6 ]
check "which shards to run again" grep -q -- '--array=3,5$' <<<"$said"

echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]

#!/bin/bash
# cluster.sh - a batch on a real Slurm and by other engines: whatever happens to its shards, the index has the bytes that one process makes.
#
#     tests/cluster.sh build/postrun SANDBOX.SH
#
# SANDBOX.SH starts a cluster of two nodes on this machine from Debian's packages and stops it (up, down, env, kill-node, start-node). The
# runs are our samples, in a folder whose name would do something if an engine let it. Last come the epilog's jobs: none of them may take a node out of service. What GNU parallel does is skipped where that is not installed. Prints N passed, N failed.
set -u
export LC_ALL=C

[ $# -eq 2 ] || { sed -n '4p' "$0" >&2; exit 2; }
POSTRUN=$(realpath "$1") sandbox=$(realpath "$2")
here=$(dirname "$(realpath "$0")")
samples=$here/../samples
engines=$here/../templates/cluster
passed=0
failed=0
folder=$(mktemp -d -p "$(dirname "$POSTRUN")") # not where all may write: munged refuses that
room=$(mktemp -d) # where all may: what the epilog works on
tree="$folder/a {} of 'runs' & \$(more)"
export POSTRUN
trap '"$sandbox" down -d "$folder/slurm" --purge >/dev/null 2>&1; rm -rf "$folder" "$room"' EXIT

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

no() { ! "$@"; }

comes_true() { # within a minute
	for _ in $(seq 600); do
		"$@" >/dev/null 2>&1 && return 0
		sleep 0.1
	done
	return 1
}

# ------------------------------------------------ a batch as an array

submit() { # OUT, shards: `jobs` are those of the array and the merge
	jobs=$("$engines/submit.sh" "$folder/$1" "$2" -- "$tree" --outputs json | tr -cs '0-9\n' ,)
	jobs=${jobs//,,/,}
	jobs=${jobs#,}
}

wait_for() { # jobs
	for _ in $(seq 1200); do
		[ -n "$(squeue -h -j "$1")" ] || return 0
		sleep 0.25
	done
	return 1
}

is_as_one() { cmp "$folder/one/index.jsonl" "$folder/$1/index.jsonl"; }

says_of() { scontrol show job -o "$1" | grep -q -- "$2"; } # job, text

# A program that is not what it seems: $1 is what it does before it is POSTRUN; for tasks OUT says where they write.
program() {
	printf '#!/bin/bash\n%s\nexec %q "$@"\n' "$1" "$POSTRUN" >"$folder/$2.sh"
	chmod 755 "$folder/$2.sh"
	echo "$folder/$2.sh"
}

has_begun() { [ -n "$(find "$folder/$1/runs" -name record.json -print -quit)" ]; }

# SIGTERM is bit 14 of what waits for a process that is stopped.
waits_for_it() { grep -q '^ShdPnd:.*[4567c-f][0-9a-f]\{3\}$' "/proc/$1/status"; }

is_held() { # OUT: `held` is the task that is stopped
	local process
	read -r held process <"$folder/$1/slurm/held/task" && grep -q '^State:.T' "/proc/$process/status"
}

end_amid_work() { # OUT: its only task is asked to end, by its script, when some runs are done and before all are
	local process
	comes_true has_begun "$1" && process=$(cat "$folder/$1/slurm/process") && kill -STOP "$process" || return 1
	sleep 0.2 # for the run that it was about to begin
	[ "$(find "$folder/$1/runs" -name record.json | wc -l)" -lt "$n_runs" ] || return 1
	scancel --signal=TERM --batch "${jobs%%,*}_0" && comes_true waits_for_it "$process"
	local status=$?
	kill -CONT "$process"
	return $status
}

# ------------------------------------------------ the cluster

"$sandbox" up -d "$folder/slurm" -n 2 --install >"$folder/up.log" 2>&1 || { tail -n 3 "$folder/up.log"; echo "0 passed, 1 failed"; exit 1; }
eval "$("$sandbox" env -d "$folder/slurm")"
# An epilog that can be told what to do, and nobody who requeues but the task itself.
printf '#!/bin/bash\n. %q\nexec %q\n' "$room/settings" "$engines/epilog.sh" >"$room/epilog"
chmod 755 "$room" "$room/epilog"
touch "$room/settings"
sed -i -e '/^RequeueExit/d' -e "\$aEpilog=$room/epilog" "$SLURM_CONF"
scontrol reconfigure

mkdir "$tree"
n_runs=0
for sample in "$samples"/*/; do
	ls "$sample"gpu*.csv >/dev/null 2>&1 || continue
	for copy in 1 2 3; do cp -r "$sample" "$tree/$(basename "$sample")-$copy"; done
	n_runs=$((n_runs + 3))
done
"$POSTRUN" batch "$tree" -o "$folder/one" --outputs json >/dev/null

# Takes a while for nothing: beside the others.
POSTRUN=$(program 'exit 75' hopeless) submit hopeless 2
hopeless=$jobs

submit whole 1
check "jobs of one shard end" wait_for "$jobs"
check "one shard" is_as_one whole

submit sixteen 16
check "jobs of sixteen shards end" wait_for "$jobs"
check "sixteen shards" is_as_one sixteen

# The first task on n2 is stopped amid its work, and is there when the node is killed. (One that is just beginning would outlive its node in
# this cluster, whose nodes share a machine, and be told as failed.)
# shellcheck disable=SC2016 # for the program
POSTRUN=$(program '
if [ "$SLURMD_NODENAME" = n2 ] && mkdir "$OUT/slurm/held"; then
	"$0" "$@" & # which finds the folder
	sleep 0.02
	kill -STOP $!
	echo "${SLURM_ARRAY_JOB_ID}_$SLURM_ARRAY_TASK_ID $!" >"$OUT/slurm/held/task"
	wait
fi' held) submit killed 16
check "a task is amid its work" comes_true is_held killed
"$sandbox" kill-node -d "$folder/slurm" n2 --mark-down >/dev/null 2>&1
sleep 2
"$sandbox" start-node -d "$folder/slurm" n2 >/dev/null 2>&1
check "jobs end though a node was lost" wait_for "$jobs"
check "the task that was lost was in the queue once more" says_of "$held" ' Restarts=1 '
check "sixteen shards, a node killed amid them" is_as_one killed

submit twice 16
first=$jobs
submit twice 16
check "jobs of shards that run twice end" wait_for "$first,$jobs"
check "each shard twice, two at a time" is_as_one twice

# shellcheck disable=SC2016 # for the program
POSTRUN=$(program 'echo $$ >"$OUT/slurm/process"' told) submit ended 1
check "a task is asked to end amid its work" end_amid_work ended
check "its jobs end" wait_for "$jobs"
check "it was in the queue once more" says_of "${jobs%%,*}_0" ' Restarts=1 '
check "it said why" grep -rq '^postrun: ended before all runs were done' "$folder/ended/slurm"
check "it went on" grep -rqx "$n_runs runs: .*" "$folder/ended/slurm"
check "a task that was ended amid its work" is_as_one ended

check "jobs of tasks that always fail end" wait_for "$hopeless"
check "a task that always fails was in the queue three times more" says_of "${hopeless%%,*}_0" ' Restarts=3 '
check "it did not end with 75" says_of "${hopeless%%,*}_1" ' ExitCode=1:0 '
check "it said that it gave up" grep -rqx 'shard 1/2: given up after three more tries' "$folder/hopeless/slurm"

rm "$folder/sixteen/shards/00003-of-00016.jsonl"
truncate -s -30 "$folder/sixteen/shards/00005-of-00016.jsonl"
said=$("$POSTRUN" merge "$folder/sixteen" --shards 16 --wait 0s 2>&1)
status=$?
check "a shard that is gone and one that is cut: status 6" [ "$status" = 6 ]
check "which shards to run again" grep -q -- '--array=3,5$' <<<"$said"

# ------------------------------------------------ other engines

# The first time each shard is ended before it is done. $MARKS is a folder.
# shellcheck disable=SC2016 # for the program
flaky=$(program 'for word; do case $word in [0-9]*/*) mkdir "$MARKS/${word%/*}" 2>/dev/null && exit 75 ;; esac; done' flaky)

by_engine() { # OUT, script, arguments…
	local out=$1
	shift
	mkdir -p "$folder/marks/$out"
	MARKS=$folder/marks/$out POSTRUN=$flaky PAUSE=0 "$engines/$1" "$folder/$out" "${@:2}" -- "$tree" --outputs json
}

check "a loop" by_engine looped loop.sh 4
check "a loop over shards" is_as_one looped
check "each shard was tried again" [ "$(ls "$folder/marks/looped")" = $'0\n1\n2\n3' ]
by_engine in_two loop.sh 4 0/2 >/dev/null 2>&1 &
check "two loops at once, one" by_engine in_two loop.sh 4 1/2
check "two loops at once, the other one" wait $!
check "two loops at once, their merge" "$POSTRUN" merge "$folder/in_two" --shards 4
check "two loops at once" is_as_one in_two
check "one loop of two" by_engine half loop.sh 4 1/2
check "it did its own shards alone" [ "$(cd "$folder/half/shards" && echo *.jsonl)" = '00001-of-00004.jsonl 00003-of-00004.jsonl' ]
"$engines/loop.sh" "$folder/wrong" 4 -- "$tree" --no-such-option >/dev/null 2>&1
check "a loop ends with what is wrong in all shards" [ $? = 2 ]
if parallel --version 2>/dev/null | grep -q '^GNU parallel'; then
	check "GNU parallel" by_engine parallel parallel.sh 4 -j 2
	check "shards by GNU parallel" is_as_one parallel
	check "each shard was tried again" [ "$(ls "$folder/marks/parallel")" = $'0\n1\n2\n3' ]
	"$engines/parallel.sh" "$folder/wrong" 4 -- "$tree" --no-such-option >/dev/null 2>&1
	check "GNU parallel does not begin with what is wrong in all shards" [ $? = 2 ]
else
	echo '  skipped  parallel.sh: GNU parallel is not installed'
fi

# ------------------------------------------------ the epilog

mkdir -m 1777 "$room/logs"
mkdir "$room/roots" && cp "$samples/healthy/"* "$room/roots"
install -m 755 "$POSTRUN" "$room/postrun"
printf '#!/bin/bash\ntrap "" TERM\nwhile :; do sleep 1; done\n' >"$room/hangs"
chmod 755 "$room/hangs"

# A job that leaves its logs, ended with its epilog: `id` is its number. $1: what the epilog is told; $2: what the job does. Jobs are root's,
# so that they need not reach their scripts as others; the epilog is told that they are those of nobody.
run_job() {
	printf '%s\n' "echo \$SLURM_JOB_UID \$SLURM_JOB_ID >$room/job; SLURM_JOB_UID=$(id -u nobody)" \
		"export POSTRUN=$room/postrun LOGS=$room/logs/%u-%j SECONDS_AT_MOST=20" "$1" >"$room/settings"
	id=$(cd "$room" && sbatch --parsable -o /dev/null --wrap "logs=$room/logs/nobody-\$SLURM_JOB_ID; $2; chown -hR nobody \$logs")
	comes_true is_over "$id" && comes_true all_idle
}
is_over() { says_of "$1" ' JobState=\(COMPLETED\|FAILED\) '; }
all_idle() { [ "$(sinfo -h -N -o %T | sort -u)" = idle ]; }

leaves_logs="cp -r $(printf %q "$samples/loader_bound") \$logs"
check "a job and its epilog" run_job '' "$leaves_logs"
check "its report" grep -q 'FINDINGS' "$room/logs/nobody-$id/report/report.txt"
check "the report is its user's" [ "$(stat -c %U "$room/logs/nobody-$id/report/report.txt" 2>/dev/null)" = nobody ]
check "slurmd tells whose job it was" [ "$(cat "$room/job")" = "0 $id" ]
check "a job of root" run_job 'SLURM_JOB_UID=0' "$leaves_logs"
check "it has no report" no ls "$room/logs/nobody-$id/report"
check "a job whose logs are a link" run_job '' "ln -s $room/roots \$logs"
check "what the link leads to is as it was" no ls "$room/roots/report"
check "a job without logs" run_job '' true
check "a job whose epilog has no program" run_job 'POSTRUN=/bin/false' "$leaves_logs"
check "a job whose epilog hangs" run_job "POSTRUN=$room/hangs SECONDS_AT_MOST=1" "$leaves_logs"
check "nothing of it is left" no pgrep -f "^/bin/bash $room/hangs"
check "a job whose epilog is told nonsense" run_job 'SLURM_JOB_UID="0 -x" SLURM_JOB_ID="../1"' "$leaves_logs"
check "no report for nonsense" no ls "$room/logs/nobody-$id/report"
check "no node is out of service" all_idle

echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]

#!/bin/bash
# epilog.sh - a Slurm epilog: when a job ends, a report of its logs beside them.
#
#     Epilog=/etc/slurm/epilog.sh      in slurm.conf: a copy of this file, executable, with its first lines as the site has it
#
# slurmd runs it as root on each node of a job, and takes a node out of service whose epilog fails. So it ends with 0 whatever happens, after
# SECONDS_AT_MOST and a few more at the latest. What lies in LOGS was written by a user, who may have made it a link, a pipe, or too much:
# it is read, and the report written, by a process of that user without any other right, and root does not even look whether it is there.
# Jobs of root have no report.
POSTRUN=${POSTRUN:-/usr/local/bin/postrun}
LOGS=${LOGS:-/scratch/%u/gpu-logs/%j} # %u: the name of the job's user, %j: its number
SECONDS_AT_MOST=${SECONDS_AT_MOST:-30}
KIB_AT_MOST=$((4 * 1024 * 1024)) # of memory

trap 'exit 0' EXIT HUP INT TERM
exec </dev/null >/dev/null 2>&1
cd / && umask 027
PATH=/usr/sbin:/usr/bin:/sbin:/bin

report() { # uid, the job's number
	local user group logs
	user=$(id -un -- "$1") && group=$(id -g -- "$1") || return
	logs=${LOGS//%u/"$user"}
	logs=${logs//%j/"$2"}
	ulimit -c 0 -v "$KIB_AT_MOST"
	exec setpriv --reuid="$1" --regid="$group" --init-groups --inh-caps=-all --bounding-set=-all --no-new-privs \
		nice -n 19 env -i HOME=/ PATH="$PATH" LC_ALL=C "$POSTRUN" report "$logs" -o "$logs/report" --quiet
}

case ${SLURM_JOB_UID:-}:${SLURM_JOB_ID:-} in
*[!0-9:]* | :* | *: | 0*) exit ;; # numbers, and not root's
esac
export -f report
export POSTRUN LOGS KIB_AT_MOST
# Who waits for a file system that hangs can't be ended: then we do not wait for it.
timeout --kill-after=5 "$SECONDS_AT_MOST" bash -c 'report "$@"' report "$SLURM_JOB_UID" "$SLURM_JOB_ID" &
sleep $((SECONDS_AT_MOST + 10)) &
guard=$!
wait -n
kill "$guard"

#!/usr/bin/env bash
# record.sh - the script that `postrun record` prints, run beside tools that play back what was recorded.
#
#     tests/record.sh PROGRAM
#
# The tools are scripts in a folder of their own, first in PATH: nvidia-smi has the fields of the sample "healthy", looks up those
# that it is asked for, and like the real one refuses a query with a field that it doesn't know. The last line is "N passed, N failed".

set -u
here=$(cd "$(dirname "$0")" && pwd)
program=$(realpath "$1") || exit 2
room=$(mktemp -d) || exit 2
trap 'rm -rf "$room"' EXIT
export SAMPLE=$here/../samples/healthy STARTED=$room/started TZ=Asia/Kolkata
# shellcheck source=tests/check.sh
. "$here/check.sh"

# A tool whose log is a file, and that then goes on until it is stopped. It notes its pid, and the zone it was told.
player() { # name, file
	cat >"$room/bin/$1" <<-END
		#!/bin/sh
		case " \$* " in *" -c 1 "*) exit 0 ;; esac
		echo "\$\$ $1 \$TZ \$*" >>"\$STARTED"
		cat $2
		exec sleep 30
	END
	chmod +x "$room/bin/$1"
}

fake_gpus() { # fields that the driver does not know, an extended regular expression
	cat >"$room/bin/nvidia-smi" <<-'END'
		#!/bin/sh
		case " $* " in
		*" -q "*) echo; exit 0 ;;
		*" dmon "* | *" pmon "*)
			[ -z "$NO_GPM" ] || case "$*" in *--gpm-metrics*) exit 2 ;; esac
			case "$*" in *"-c 1"*) exit 0 ;; esac
			echo "$$ nvidia-smi $TZ $*" >>"$STARTED"
			exec sleep 30 ;;
		esac
		for word; do case $word in --query-gpu=*) fields=${word#--query-gpu=} ;; esac; done
		for field in $(echo "$fields" | tr ',' ' '); do
			if echo "$field" | grep -qE "^($UNKNOWN)\$"; then
				echo "Field \"$field\" is not a valid field to query."
				exit 2
			fi
		done
		case "$*" in *noheader*) exit 0 ;; esac
		echo "$$ nvidia-smi $TZ $*" >>"$STARTED"
		awk -F', ' -v fields="$fields" '
			NR == 1 { for (i = 1; i <= NF; i++) { name = $i; sub(/ \[.*/, "", name); column[name] = i; head[name] = $i } n = split(fields, wanted, ",") }
			{
				for (i = 1; i <= n; i++) {
					cell = NR == 1 ? (wanted[i] in head ? head[wanted[i]] : wanted[i]) : (wanted[i] in column ? $column[wanted[i]] : "[N/A]")
					printf "%s%s", cell, i < n ? ", " : "\n"
				}
			}' "$SAMPLE/gpu.csv"
		exec sleep 30
	END
	chmod +x "$room/bin/nvidia-smi"
	export UNKNOWN=$1
}

fresh() { # fields unknown to the driver
	rm -rf "${room:?}/bin" "$room/logs" "$STARTED"
	mkdir -p "$room/bin" "$room/logs"
	: >"$STARTED"
	export NO_GPM=
	fake_gpus "$1"
	player mpstat "$SAMPLE/mpstat.txt"
	player vmstat "$SAMPLE/vmstat.txt"
	player iostat /dev/null
	for tool in sar journalctl pidstat dcgmi; do player $tool /dev/null; done
}

# The script, beside the players. In a subshell that becomes it, so that signals sent to that reach it; also where whoever runs the
# tests ignores SIGHUP (nohup), which a shell could not undo.
log() { # options of record, --, what is run
	local options=()
	while [ $# -gt 0 ] && [ "$1" != -- ]; do options+=("$1") && shift; done
	[ $# -eq 0 ] || shift
	"$program" record --dir "$room/logs" "${options[@]}" >"$room/log.sh" || exit
	cd "$room" && PATH="$room/bin:$PATH" exec env --default-signal=HUP $SHELL_OF_SCRIPT "$room/log.sh" "$@" 2>"$room/said"
}

folder() { echo "$room"/logs/run-*; }

nothing_runs() {
	local pid rest
	while read -r pid rest; do
		! kill -0 "$pid" 2>/dev/null || { echo "still there: $rest"; return 1; }
	done <"$STARTED"
	[ -s "$STARTED" ] || { echo 'nothing was started'; return 1; }
}

until_started() { # how many
	for _ in $(seq 100); do
		[ "$(wc -l <"$STARTED")" -lt "$1" ] || return 0
		sleep 0.1
	done
	echo "only $(cat "$STARTED") was started"
	return 1
}

says() { # file, text
	grep -qF -- "$2" "$1" || { echo "not said: $2"; cat "$1"; return 1; }
}
is_silent_on() { ! grep -F -- "$2" "$1"; } # file, text
is() { [ "$1" = "$2" ] || { echo "'$1' is not '$2'"; return 1; }; }

shell_is_clean() {
	command -v shellcheck >/dev/null || return 0
	local what
	for what in gpu host deep; do
		"$program" record --what $what --every 500ms --dir "some where's" | shellcheck - || return
	done
}

# A job that ends when something was logged, on a slow machine, too: the lines of a shell before its others.
WHEN_LOGGED='for _ in $(seq 200); do [ -s "$RUN_DIR/gpu.csv" ] && [ -s "$RUN_DIR/mpstat.txt" ] && [ -s "$RUN_DIR/vmstat.txt" ] && break; sleep 0.1; done'

beside_a_job() {
	fresh 'none'
	(log -- sh -c "$WHEN_LOGGED; "'cat; [ -d "$RUN_DIR" ] && exit 7') <<<'its input' >"$room/out"
	is $? 7 && is "$(cat "$room/out")" 'its input' && nothing_runs &&
		is "$(cd "$(folder)" && echo *)" 'gpu.csv mpstat.txt smi-q.txt vmstat.txt' && is "$(cut -d' ' -f3 "$STARTED" | sort -u)" UTC
}

# What was recorded comes out as if its own logs had been given; a column for each field, and none that nobody reads.
is_reported() {
	"$program" report "$(folder)" --format json >"$room/report.json" || return
	"$program" inspect "$(folder)/gpu.csv" >"$room/inspected" || return
	says "$room/report.json" '"sentence": "Healthy: the GPU was 100 % busy once work began.' && is_silent_on "$room/inspected" 'without a metric'
}

killed_by() { # signal, status
	fresh 'none'
	(log) >/dev/null &
	local script=$!
	until_started 6 || return
	sleep 0.3
	kill -s "$1" $script
	wait $script
	is $? "$2" && nothing_runs && says "$room/said" 'logging to '
}

killed_beside_a_job() {
	fresh 'none'
	(log -- sh -c 'echo $$ the job >>"$STARTED"; exec sleep 30') >/dev/null &
	local script=$!
	until_started 7 || return
	kill -s TERM $script
	wait $script
	is $? 143 && nothing_runs
}

older_driver() {
	fresh 'clocks_event_reasons.*|temperature.gpu.tlimit'
	(log --what gpu -- sleep 3)
	says "$room/said" 'left out, the driver has no answer to: temperature.gpu.tlimit clocks_event_reasons_counters.' &&
		says "$(folder)/gpu.csv" ', clocks_throttle_reasons.active, fan' && is_silent_on "$(folder)/gpu.csv" tlimit && nothing_runs
}

no_driver() {
	fresh '.*'
	(log --what gpu -- sh -c 'exit 3')
	is $? 3 && is_silent_on "$STARTED" query && says "$room/said" 'left out, the driver has no answer to: timestamp index'
}

missing_tools() {
	fresh 'none'
	rm "$room/bin/mpstat" "$room/bin/nvidia-smi"
	(log -- sleep 3)
	is $? 0 && says "$room/said" 'left out: nvidia-smi is not installed' && nothing_runs &&
		{ command -v mpstat >/dev/null || says "$room/said" 'left out: mpstat is not installed'; }
}

deep() { # not empty: --gpm-metrics is refused; what is started then
	fresh 'none'
	export NO_GPM=$1
	(log --what deep --every 500ms -- sleep 3)
	grep -qE "nvidia-smi UTC $2\$" "$STARTED" && says "$STARTED" 'pmon -o DT -d 1 -s um' && says "$STARTED" '--format=csv -lms 500' && nothing_runs
}

one_folder_a_run() {
	fresh 'none'
	(log --what gpu -- true) && (log --what gpu -- true) && is "$(echo "$room"/logs/run-* | wc -w)" 2
}

odd_folder() {
	fresh 'none'
	(cd "$room" && "$program" record --what gpu --dir "-it's \$HOME here" >log.sh && PATH="$room/bin:$PATH" sh log.sh sh -c 'cd / && [ -d "$RUN_DIR" ]') &&
		[ -d "$room/-it's \$HOME here/" ]
}

check 'shellcheck has nothing to say' shell_is_clean
for SHELL_OF_SCRIPT in sh bash 'busybox sh'; do
	command -v "${SHELL_OF_SCRIPT%% *}" >/dev/null || continue
	check "$SHELL_OF_SCRIPT: beside a job: its status, its input, its end" beside_a_job
	check "$SHELL_OF_SCRIPT: what was logged is reported" is_reported
	check "$SHELL_OF_SCRIPT: stopped by SIGTERM, nothing is left" killed_by TERM 143
	check "$SHELL_OF_SCRIPT: by SIGHUP" killed_by HUP 129
	check "$SHELL_OF_SCRIPT: beside a job, which ends too" killed_beside_a_job
done
SHELL_OF_SCRIPT="sh"
check 'a driver that lacks fields is asked for the others' older_driver
check 'a driver that answers nothing keeps no job from running' no_driver
check 'tools that are not there are named' missing_tools
check 'deep, with hardware counters' deep '' 'dmon -o DT -d 1 -s te --gpm-metrics [0-9,]+'
check 'deep, where dmon knows none' deep refused 'dmon -o DT -d 1 -s te'
check 'two runs in one second' one_folder_a_run
check 'a folder with a name for the careless' odd_folder
echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]

#!/usr/bin/env bash
# run.sh - runs what was built to check the program, and counts.
#
#     tests/run.sh BUILD_FOLDER                  everything: what `make test` does
#     tests/run.sh BUILD_FOLDER property         only the laws
#     tests/run.sh BUILD_FOLDER valgrind         test programs and reports of the samples under memcheck
#     tests/run.sh BUILD_FOLDER fuzz SECONDS [SEED]  each fuzz target for SECONDS, with the same inputs in the same order for a SEED
#
# A test program is a cmocka program (each of its tests counts) or any program whose exit status
# says it all (it counts once). It passes when it exits with 0. What a passing program says is
# kept in BUILD_FOLDER/tests/log/; what a failing one says is shown. The last line counts.
# Tests run side by side (lanes.sh): each keeps to files of its own.

set -u
cd "$(dirname "$0")/.." || exit 2
build=$1
what=${2:-all}
log=$build/tests/log
. tests/lanes.sh
mkdir -p "$log"
export LC_ALL=C TZ=UTC
export HOME=/nonexistent XDG_CONFIG_HOME=/nonexistent # nobody's own rules have a say in tests
export ASAN_OPTIONS=${ASAN_OPTIONS:-detect_leaks=1:abort_on_error=0}
export UBSAN_OPTIONS=${UBSAN_OPTIONS:-print_stacktrace=1}
export TSAN_OPTIONS=${TSAN_OPTIONS:-suppressions=$PWD/tests/tsan.supp}
most_s=300 # of a program

count() { # passed, failed
	passed=$((passed + $1))
	failed=$((failed + $2))
}

# A program, and the name it has in the summary: runs it, counts its tests.
run_program() {
	local name=$1
	shift
	local out=$log/${name//\//-}.log
	timeout "$most_s" "$@" >"$out" 2>&1
	local status=$? good bad
	good=$(grep -cE '^\[ +OK \]' "$out")
	bad=$(grep -cE '^\[  FAILED  \] [A-Za-z_][A-Za-z_0-9]*$' "$out")
	if [ $status -eq 0 ]; then
		[ "$good" -gt 0 ] || good=1
		count "$good" 0
		printf '  ok       %s (%d)\n' "$name" "$good"
		return
	fi
	# cmocka names a failed test when it fails and once more at the end
	bad=$(grep -E '^\[  FAILED  \] [A-Za-z_][A-Za-z_0-9]*$' "$out" | sort -u | wc -l)
	[ "$bad" -gt 0 ] || bad=1
	count "$good" "$bad"
	printf '  FAILED   %s: exit status %d%s\n' "$name" "$status" "$([ $status -ne 124 ] || echo ', ran out of time')"
	tail -n 60 "$out" | sed 's/^/           /'
}

# A script of cases whose last line is "N passed, N failed".
run_script() {
	local name=$1
	shift
	local out=$log/$name.log good bad
	"$@" >"$out" 2>&1
	local status=$?
	read -r good bad < <(tail -n 1 "$out" | sed -nE 's/^([0-9]+) passed, ([0-9]+) failed$/\1 \2/p')
	good=${good:-0}
	bad=${bad:-0}
	[ $status -eq 0 ] || [ "$bad" -gt 0 ] || bad=1
	count "$good" "$bad"
	if [ "$bad" -eq 0 ]; then
		printf '  ok       %s (%d)\n' "$name" "$good"
		sed -nE "s/^skipped: /  skipped  $name: /p" "$out" # what it needs is not here
	else
		printf '  FAILED   %s\n' "$name"
		tail -n 60 "$out" | sed 's/^/           /'
	fi
}

# Under sanitizers it is memory that is looked at: a twentieth of the cases is enough for laws; mutants of rules, and what looks at outputs
# that were looked at without sanitizers, are left out.
is_sanitized() { [[ $build == */san || $build == */tsan || $build == */fuzz ]]; }
is_for_coverage() { [[ $build == */coverage ]]; }
takes_few_cases() { is_sanitized || is_for_coverage; } # each line is reached by the first of them
! is_for_coverage || most_s=1200 # nothing is optimised there, and each branch is counted

run_programs() { # folder of tests/
	local source cases=()
	! takes_few_cases || [ "$2" != laws ] || cases=(5000)
	for source in tests/"$1"/*_"$2".c; do
		[ -e "$source" ] || continue
		source=${source#tests/}
		begin run_program "${source%.c}" "$build/tests/${source%.c}" "${cases[@]}"
	done
}

# Every input that once taught the fuzzer something, through the same doors without it.
replay_corpora() {
	local source name
	for source in tests/fuzz/*_fuzz.c; do
		[ -e "$source" ] || continue
		name=$(basename "$source" _fuzz.c)
		[ -d "tests/fuzz/corpus/$name" ] || continue
		begin run_program "fuzz/${name}_replay" "$build/tests/fuzz/${name}_replay" "tests/fuzz/corpus/$name"/*
	done
}

# The statistics of a sample's report against the second computation in Python.
check_sample() { # name
	if "$build/postrun" report "samples/$1/" -o "$log/$1" >"$log/$1.txt" 2>&1; then
		run_program "reference/$1" python3 tests/reference/check_stats.py "$log/$1/report.json" "samples/$1/"
	else
		count 0 1
		printf '  FAILED   reference/%s: no report\n' "$1"
		tail -n 10 "$log/$1.txt" | sed 's/^/           /'
	fi
}

check_statistics() {
	command -v python3 >/dev/null || { echo '  skipped  reference: python3 is not installed'; return; }
	begin run_program reference/stats_selftest python3 tests/reference/stats.py --selftest
	local run
	for run in samples/*/; do
		[ ! -e "$run/gpu.csv" ] || begin check_sample "$(basename "$run")"
	done
}

# What the reports say of runs whose truth is known, and whether a lie in them would be noticed.
check_truth() {
	command -v python3 >/dev/null || { echo '  skipped  truth: python3 is not installed'; return; }
	! is_sanitized || return 0
	begin run_script truth tests/truth.py "$build/postrun"
	begin run_script truth_selftest tests/truth.py "$build/postrun" --selftest
}

# Logs that other tools read wrongly, and made runs whose truth is known; `make planted` makes 400 of these.
check_made_logs() {
	command -v python3 >/dev/null || { echo '  skipped  mistakes, planted: python3 is not installed'; return; }
	! is_sanitized || return 0
	begin run_script mistakes tests/mistakes.py "$build/postrun"
	begin run_script corpus_selftest tests/corpus.py --selftest
	begin run_script hostile_selftest tests/hostile.py --selftest
	begin run_script hostile_rules tests/hostile_rules.py "$build/postrun"
	begin run_script planted tests/planted.py "$build/postrun" "$build/tests/planted/make_run" --healthy 10 --faulty 10 --stride 3
}

# What must hold of every picture, of the samples and a part of the stress matrix; `make stress` makes all of it.
check_scenes() {
	command -v python3 >/dev/null || { echo '  skipped  scenes: python3 is not installed'; return; }
	! is_sanitized || return 0
	begin run_script scenes tests/scene/check.py "$build/tests/scene/scene_dump"
	begin run_script scenes_selftest tests/scene/check.py "$build/tests/scene/scene_dump" --selftest
	begin run_script pixels tests/scene/pixels.py "$build/postrun" "$build/tests/scene/scene_dump"
	begin run_script pixels_selftest tests/scene/pixels.py "$build/postrun" "$build/tests/scene/scene_dump" --selftest
	if [ -e /usr/share/fonts/truetype/dejavu/DejaVuSans-Bold.ttf ]; then
		begin run_script scenes_dejavu tests/scene/check.py "$build/tests/scene/scene_dump_dejavu" --dejavu
	else
		echo '  skipped  scenes_dejavu: the font DejaVu Sans is not installed'
	fi
	begin run_script pictures tests/scene/pictures.py "$build/postrun"
	begin run_script pictures_selftest tests/scene/pictures.py "$build/postrun" --selftest
}

# The other outputs of a report, as those read them who get them.
check_reports() {
	command -v python3 >/dev/null || { echo '  skipped  reports: python3 is not installed'; return; }
	! is_sanitized || return 0
	begin run_script reports tests/reports.py "$build/postrun"
	begin run_script fleet tests/fleet.py "$build/tests/fleet/make_fleet"
	begin run_script sandbox tests/sandbox.py "$build/postrun"
	begin run_script batch tests/batch.py "$build/postrun" --shim "$build/tests/faults/shim.so"
	begin run_script names tests/names.py "$build/postrun"
	begin run_script names_selftest tests/names.py "$build/postrun" --selftest
	begin run_script same tests/same.py "$build/postrun"
	begin run_script same_selftest tests/same.py "$build/postrun" --selftest
	begin run_script metamorphic tests/metamorphic.py "$build/postrun" samples/{healthy,loader_bound,one_worker,phases,slow_files,straggler_4gpu,three_columns,troubles_4gpu,waiting_4gpu}
	begin run_script metamorphic_selftest tests/metamorphic.py "$build/postrun" samples/straggler_4gpu --selftest
}

# The pictures of the gallery, the logs that are made for it, the commands in documents, and what is installed.
check_shown() {
	command -v python3 >/dev/null || { echo '  skipped  gallery, examples, install: python3 is not installed'; return; }
	begin run_program remade tests/remade.py
	! is_sanitized || return 0
	begin run_script gallery tests/gallery.py "$build/postrun"
	begin run_script examples tests/examples.py "$build/postrun"
	begin run_script install tests/install.sh "$build"
}

# The shipped rules, and wrong ones, against the JSON Schema that editors use; and what their texts say in all combinations.
check_schema() {
	! is_sanitized || return 0
	python3 -c 'import jsonschema, yaml' 2>/dev/null ||
		{ echo '  skipped  rule_schema, rule_texts, thresholds: python3-jsonschema or python3-yaml is not installed'; return; }
	begin run_script rule_schema tests/rule_schema.py
	begin run_script rule_texts tests/rule_texts.py
	begin run_script thresholds tests/thresholds.py "$build/postrun" rules samples/{healthy,loader_bound,one_worker,phases,slow_files,straggler_4gpu,throttled,troubles_1gpu}
	begin run_script thresholds_selftest tests/thresholds.py "$build/postrun" rules samples/straggler_4gpu --selftest
}

# The shipped rules: nothing to mend, their own tests hold, and no number of theirs could be another without a test that fails.
check_rules() {
	begin run_program rules/check "$build/postrun" rules check --strict
	if is_sanitized; then
		begin run_program rules/test "$build/postrun" rules test
	else
		begin run_program rules/mutate "$build/postrun" rules test --mutate
	fi
}

# Logs that were cut anywhere; recordings.sh cuts them ten times as often.
check_salvage() {
	command -v python3 >/dev/null || { echo '  skipped  salvage: python3 is not installed'; return; }
	begin run_script salvage tests/salvage.py "$build/postrun" --cuts "$(is_sanitized && echo 3 || echo 10)"
}

# Some of the calls that may fail; `make faults` has all of them fail in turn. What sanitizers take the place of can't fail.
check_faults() {
	command -v python3 >/dev/null || { echo '  skipped  faults: python3 is not installed'; return; }
	! is_sanitized || return 0
	begin run_script faults tests/faults/faults.py "$build/postrun" "$build/tests/faults/shim.so"
}

# Words of rules for libFuzzer: the first text of each row of the tables, and those that are kept by hand.
fuzz_words() {
	sed -nE 's/^(METRIC|FOLD|UNIT)\([^"]*("[^"]+").*/\2/p' src/metric/catalogue.def src/series/fold.def src/base/unit.def
	cat tests/fuzz/rule.dict
}

# libFuzzer: new inputs go below the build folder; a crash stays there with its input.
fuzz() { # name, source, seconds, seed (0: any)
	local seeds=() words=()
	mkdir -p "$build/corpus/$1"
	! grep -q '"rule/' "$2" || words=("-dict=$build/rule.dict")
	[ ! -d "tests/fuzz/corpus/$1" ] || seeds=("tests/fuzz/corpus/$1")
	if "$build/tests/fuzz/$1_fuzz" -max_total_time="$3" -seed="$4" -timeout=10 -rss_limit_mb=2048 -max_len=8192 \
		"${words[@]}" -artifact_prefix="$build/crash/$1-" "$build/corpus/$1" "${seeds[@]}" >"$log/$1.log" 2>&1; then
		count 1 0
		printf '  ok       %s: %s\n' "$1" "$(grep -o 'Done.*' "$log/$1.log" | tail -n 1)"
	else
		count 0 1
		printf '  FAILED   %s\n' "$1"
		grep -vE '^#[0-9]+' "$log/$1.log" | tail -n 40 | sed 's/^/           /'
	fi
}

fuzz_all() { # seconds for each, seed
	local source
	mkdir -p "$build/crash"
	fuzz_words >"$build/rule.dict"
	for source in tests/fuzz/*_fuzz.c; do
		[ ! -e "$source" ] || begin fuzz "$(basename "$source" _fuzz.c)" "$source" "$1" "$2"
	done
}

# Memory that is used before it is written, or lost, which sanitizers don't see. Of laws a few cases. Left out is sandbox_test: walls
# would end valgrind itself. The alarm clocks of test programs are set for programs that run by themselves.
memcheck=(env --ignore-signal=ALRM valgrind --quiet --error-exitcode=99 --leak-check=full "--show-leak-kinds=definite,indirect"
	"--errors-for-leak-kinds=definite,indirect")

check_by_valgrind() {
	command -v valgrind >/dev/null || { echo "run.sh: valgrind is not installed" >&2; exit 2; }
	local source run
	rm -rf "$log/valgrind"
	mkdir "$log/valgrind"
	most_s=3600
	for source in tests/unit/*_test.c tests/property/*_laws.c; do
		source=${source#tests/}
		case $source in
		unit/sandbox_test.c | unit/many_runs_test.c) ;; # walls that valgrind does not stand, and memory that is its own
		unit/*) begin run_program "${source%.c}" "${memcheck[@]}" "$build/tests/${source%.c}" ;;
		*) begin run_program "${source%.c}" "${memcheck[@]}" "$build/tests/${source%.c}" 100 ;;
		esac
	done
	for run in samples/*/; do
		[ ! -e "$run/gpu.csv" ] || begin run_program "$run" "${memcheck[@]}" "$build/postrun" report "$run" --sandbox=off --all \
			-o "$log/valgrind/$(basename "$run")"
	done
}

case $what in
all)
	begin run_script golden tests/golden.sh $(! is_sanitized || echo --plain) "$build/postrun"
	run_programs unit test
	run_programs property laws
	replay_corpora
	begin run_script docs tests/docs.sh "$build/postrun"
	check_shown
	begin run_script record tests/record.sh "$build/postrun"
	check_statistics
	check_truth
	check_made_logs
	check_scenes
	check_reports
	check_schema
	check_rules
	check_salvage
	check_faults
	;;
property) run_programs property laws ;;
valgrind) check_by_valgrind ;;
fuzz) fuzz_all "${3:-60}" "${4:-0}" ;;
*)
	echo "run.sh: '$what' is none of all, property, valgrind, fuzz" >&2
	exit 2
	;;
esac
tell_all
echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]

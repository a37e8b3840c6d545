/*
 * trial.h - tests that stand in rule files. For this folder only.
 *
 *     tests:
 *       - name: two minutes of starvation
 *         given:
 *           gpu.util: 95 x 60 s, 10 x 120 s, 95 x 60 s
 *           host.cpu.busy: 30 x 60 s, 99 x 120 s, 30 x 60 s
 *         expect: {outcome: fired, windows: [60 s to 180 s], cost: 89 %, evidence: {gpu_busy: 10 %}}
 *       - name: the straggler alone
 *         given:
 *           gpu.util: {0-2: 100 x 5 min, 3: 20..80 x 5 min}
 *         expect:
 *           - {on: gpu 3, outcome: fired}
 *           - {on: gpus 0-2, outcome: clear}
 *
 *     series   := piece { "," piece }
 *     piece    := value "x" DURATION            50 x 60 s
 *               | value ".." value "x" DURATION      a ramp, 20..80 x 5 min
 *               | value "~" value "x" DURATION       noise: 50~10 x 60 s lies in 40 to 60, the same on every machine
 *               | "_" "x" DURATION                   no rows: a hole
 *               | "?" "x" DURATION                   rows without a value
 *
 * A value may have its metric's unit, or another of the dimension ("2 GiB"); without one it is in the metric's. A counter is given
 * as it is logged: 0..500 x 60 s counts to 500. A test has its clock: `step` (1 s without it) for all series, or a map of metric and
 * step; `start` (a time with a zone, "2026-03-29 00:30 +05:30"; midnight UTC without it), so that windows may be written
 * as times of day of that zone ("00:31:00 to 00:33:00") as well as durations since the start. `phases` is a series of names ("idle_head x 60 s, steady x 5 min");
 * without it all time belongs to the phases that the rule is judged in, and with `phases: found` phases_find() decides. `seed` changes the noise.
 * `host` values are of node01 unless a map says which: {node01: …, node02: …}; GPUs of the second host are "node02/3".
 */
#ifndef POSTRUN_TRIAL_H
#define POSTRUN_TRIAL_H

#include "base/yaml.h"
#include "rule/rule.h"

/*
 * The tests of a rule that is otherwise complete. Every problem of every test is reported with its place; false when there is one.
 * A test is checked for: known keys, metrics and places, dimensions of values, outcomes, names of evidence, GPUs that `given` has.
 */
bool rule_tests_read(struct arena *mem, struct rule *rule, const struct yaml_node *node, struct diags *diags);

#endif

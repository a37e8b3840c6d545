/*
 * trial.h - tests that stand in rule files. For this folder only.
 *
 *     tests:
 *       - name: two minutes of starvation
 *         given:
 *           gpu.util: 95 x 60 s, 10 x 120 s, 95 x 60 s
 *           host.cpu.busy: 30 x 60 s, 99 x 120 s, 30 x 60 s
 *         expect: {windows: [60 s to 180 s], cost: 89 %, evidence: {gpu_busy: 10 %}}
 *       - name: the straggler alone
 *         given:
 *           gpu.util: {0-2: 100 x 5 min, 3: 20..80 x 5 min}
 *         expect:
 *           - {on: gpu 3, outcome: fired}
 *           - {on: gpus 0-2, outcome: clear}
 *       - name: nobody logged the host
 *         given: {gpu.util: 10 x 5 min}
 *         expect: skipped
 *
 * What was measured
 *
 *     series   := part { "," part }              one after the other from the start of the test
 *     part     := piece | NUMBER "of" "(" piece { "," piece } ")"      again and again: 5 of (10 x 3 s, 95 x 7 s)
 *     piece    := value "x" DURATION             95 x 60 s
 *               | value ".." value "x" DURATION      a ramp, 20..80 x 5 min
 *               | value "~" value "x" DURATION       noise: 50~10 x 60 s lies in 40 to 60, the same on every machine
 *               | "_" "x" DURATION                   no rows: a hole
 *               | "?" "x" DURATION                   rows without a value; N/A where YAML does not let a text begin with ?
 *
 * A value may have its metric's unit, or another of the dimension ("2 GiB"); without one it is in the metric's. Of a ramp and of noise
 * one unit is enough for both. gpu.throttle is given by reasons: hw_thermal+sw_power, none. A ramp reaches its second value where
 * the piece ends, so that the next piece goes on from there. A counter is given as it is logged: 0..600 x 60 s grows by 10 a
 * second and shows 590 in its last row.
 *
 * Rows come every `step` (1 s) from the start on: a duration for all, or a map of metric and step. All is as in logs: a row holds until
 * the next, also over up to three missing steps, after which there is a hole; the last holds for a step. The run is what rows of GPUs
 * cover, and what follows from metrics (gpu.power_share of gpu.power and gpu.power_limit) is derived, unless it is given itself.
 *
 * A map says of whom: {0-2: …, 3: …} of GPUs or cores, {node01: …, node02: …} of hosts; "node02/3" is a GPU of another host than
 * node01, where all is that names none. Without a map it is said of all that stand anywhere in the test, or of number 0. Inside of { } a
 * comma ends a text for YAML: a series of several pieces must be in quotes there.
 *
 * `start` is a time with a zone ("2026-03-29 00:30 +05:30"; midnight UTC without it). `phases` is a series of names ("idle-head x 60 s,
 * steady x 5 min", the last goes on to the end); without it all time belongs to the phases that the rule is judged in, and
 * with `phases: found` phases_find() decides. `seed` changes the noise.
 *
 * What is expected: an outcome alone, a map, or a list of maps
 *
 *     on           gpu 3, gpus 0-2, node02/1, core 4, the host; or a list. Without it what is expected holds for all entities of the rule
 *     outcome      fired, clear, unknown, skipped; fired without it, if windows, evidence or cost are expected
 *     windows      all of them: [60 s to 180 s, 4 min to end], or times of day in the zone of `start`: 00:31:00 to 00:33:00
 *     evidence     {gpu_busy: 10 %}; or unknown
 *     cost         mean share lost while it fires, 89 %; cost_least, the least that it can be
 *     coverage     share of the judged time that was known
 *     margin       longest stretch of YES as a share of `for`
 *     reason       a part of the sentence why it is unknown or was skipped
 *     excluded_by  the id of the rule that took its time
 *
 * Windows are exact: one begins at the first row for which the condition holds, and ends where the hold of the last such row does,
 * which is where the next row stands: 10 x 120 s after 95 x 60 s is 60 s to 180 s. Numbers are rounded to the digits and in the
 * unit in which they are written, so that what a report prints may be copied: 9.6 % is 10 %, but not 10.0 %.
 */
#ifndef POSTRUN_TRIAL_H
#define POSTRUN_TRIAL_H

#include "base/yaml.h"
#include "rule/rule.h"

/*
 * The tests of a rule that is otherwise complete (source, params, evidence, cost). Every problem of every test is reported with its
 * place; false when there is one.
 */
bool rule_tests_read(struct arena *mem, struct rule *rule, const struct yaml_node *node, struct diags *diags);

#endif

#!/usr/bin/env python3
"""check.py - the acceptance checks of pictures (scenes.py) over runs.

    tests/scene/check.py SCENE_DUMP               the samples, and a part of the stress matrix
    tests/scene/check.py SCENE_DUMP --stress      the whole matrix: `make stress`
    tests/scene/check.py SCENE_DUMP --dejavu      a smaller part, with another font; SCENE_DUMP is scene_dump_dejavu
    tests/scene/check.py SCENE_DUMP --selftest    scenes with a fault: is each fault seen, by the check that is there for it?

SCENE_DUMP is build/…/tests/scene/scene_dump. The last line is "N passed, N failed".
"""

import argparse
import copy
import itertools
import multiprocessing
import os
import subprocess
import sys
import tempfile

import logs
import scenes

HERE = os.path.dirname(os.path.abspath(__file__))
SAMPLES = os.path.join(HERE, "..", "..", "samples")
MOST_COMPLAINTS = 6


def scenes_of(dump, paths, folder):
    out = os.path.join(folder, "scenes")
    os.mkdir(out)
    # nobody's own rules have a say
    done = subprocess.run([dump, out] + paths, env={"HOME": "/nonexistent"}, capture_output=True, text=True, timeout=300)
    return out if done.returncode == 0 else None, done.stderr


def case_of(dump, paths, folder, names=(), lacking=None):
    out, said = scenes_of(dump, paths, folder)
    if not out:
        raise RuntimeError(said)
    return scenes.Case.read(out, names, lacking)


# ---- the samples ----

def sample_names():
    return sorted(name for name in os.listdir(SAMPLES) if os.path.exists(os.path.join(SAMPLES, name, "gpu.csv")))


def check_sample(dump, name):
    with tempfile.TemporaryDirectory() as folder:
        return name, list(scenes.complaints_of(case_of(dump, [os.path.join(SAMPLES, name)], folder)))


# ---- the stress matrix ----

# Runs that differ in names and in what is missing follow each other: they are made of the same rows.
def whole_matrix():
    return list(itertools.product(reversed(logs.GPUS), logs.LENGTHS, ("short", "long"), logs.MISSING))


def part_of_matrix():
    """Each number of GPUs with each length, names and missing columns in turn; of 512 GPUs, which take long, one run."""
    turns = enumerate(itertools.product(logs.GPUS, logs.LENGTHS))
    some = [(n, length, ("short", "long")[i % 2], logs.MISSING[i % len(logs.MISSING)]) for i, (n, length) in turns]
    return [row for row in some if row[0] < 512 or row[1] == "26h"]


def check_row(dump, row):
    n_gpus, length, names, missing = row
    label = f"{n_gpus} GPUs, {length}, {names} names, {'no ' + missing if missing else 'all columns'}"
    with tempfile.TemporaryDirectory() as folder:
        given = logs.SHORT if names == "short" else logs.LONG
        run = logs.write_run(folder, n_gpus, logs.LENGTHS[length], given, missing)
        cut = logs.long_names(n_gpus) if names == "long" else ()
        try:
            return label, list(scenes.complaints_of(case_of(dump, [run], folder, cut, logs.SAID.get(missing))))
        except (RuntimeError, subprocess.TimeoutExpired) as problem:
            return label, [("no_report", str(problem))]


# ---- do the checks see anything? ----

def first(scene, part, mark="text"):
    return next(m for m in scene["marks"] if m["mark"] == mark and m["part"] == part)


def text_moved(case, x):
    first(case.scenes["card", "light"], "footer")["at"][0] = x


def text_shrunk(case):
    first(case.scenes["card", "light"], "key figures")["size"] = 8


def text_on_text(case):
    one, other = [t for t in scenes.texts_of(case.scenes["timeline", "light"]) if t["part"] == "ledger"][-2:]
    one["at"] = list(other["at"])


def badge_on_text(case):
    scene = case.scenes["card", "light"]
    badge, _ = next(scenes.badges_of(scene))
    name = next(t for t in scenes.texts_of(scene) if t["part"] == badge["part"] and not t["text"].isdigit())
    name["at"] = [badge["at"][0] + 6, badge["at"][1] + 2]


def badge_on_badge(case):
    """A second one where the first is: shape and number."""
    scene = case.scenes["card", "light"]
    at = next(i for i, m in enumerate(scene["marks"]) if m["mark"] == "text" and m is next(scenes.badges_of(scene))[0])
    scene["marks"] += copy.deepcopy(scene["marks"][at - 1:at + 1])


def text_unknown(case):
    first(case.scenes["card", "light"], "findings")["text"] = "\u65e5"


def text_replaced(case):
    first(case.scenes["card", "light"], "verdict")["replaced"] = 1


def text_cut(case):
    found = [t for t in scenes.texts_of(case.scenes["card", "light"]) if t["part"] == "findings"]
    found[2]["text"] = found[2]["text"][:20] + "…"


def text_measured_wrong(case):
    first(case.scenes["card", "light"], "verdict")["width"] *= 1.02


def text_pale(case):
    first(case.scenes["card", "light"], "key figures")["colour"] = "#9AA1AC"


def text_pale_in_the_dark(case):
    first(case.scenes["card", "dark"], "key figures")["colour"] = "#4B5563"


def text_on_a_wrong_ground(case):
    """A number in the ink of the page on a badge that has become pale."""
    first(case.scenes["card", "light"], "findings", "circle")["colour"] = "#FFD23F"


def line_through_text(case):
    scene = case.scenes["card", "light"]
    x, y = first(scene, "Busy, %")["at"]
    line = dict(first(scene, "Busy, %", "polyline"), points=[[x - 5, y - 8], [x + 40, y + 1]])
    scene["marks"].append(line)


def box_outside(case):
    first(case.scenes["card", "light"], "Busy, %", "box")["box"][2] = 900


def axis_scaled(case):
    next(t for t in scenes.part_of(case.scenes["card", "light"], "Busy, %") if t["text"] == "100")["text"] = "90"


def card_too_high(case):
    case.scenes["card", "light"]["height"] = case.scenes["card", "dark"]["height"] = 901


def line_over_hole(case):
    scene = case.scenes["card", "light"]
    a, b = scenes.holes_of(case)[0]
    line = [m for m in scene["marks"] if m["part"] == "Busy, %" and m["mark"] == "polyline"][-1]
    scene["marks"].append(dict(line, points=[[a - 10, 400], [b + 10, 400]]))


def band_over_hole(case):
    scene = case.scenes["timeline", "light"]
    a, b = scenes.holes_of(case)[0]
    band = first(scene, "Memory used, GiB", "polygon")
    scene["marks"].append(dict(band, points=[[a - 10, 400], [b + 10, 400], [b + 10, 410]]))


def hole_not_hatched(case):
    scene = case.scenes["card", "light"]
    scene["marks"] = [m for m in scene["marks"] if m["mark"] != "hatch" or m["part"] != "Busy, %"]


def segment_widened(case):
    scenes.bar_of(case.scenes["card", "light"])[0][2] += 3


def segment_lost(case):
    scene = case.scenes["card", "light"]
    box = scenes.bar_of(scene)[-1]
    scene["marks"] = [m for m in scene["marks"] if m.get("box") is not box]


def hours_wrong(case):
    case.report["ledger"][0]["gpu_hours"] *= 1.1


def dark_differs(case):
    first(case.scenes["timeline", "dark"], "footer")["at"][1] += 1


def dark_has_another_line(case):
    first(case.scenes["timeline", "dark"], "Busy, %", "polyline")["points"][0][1] += 1


def dark_lacks_a_mark(case):
    case.scenes["timeline", "dark"]["marks"].pop()


def verdict_of_card_wrong(case):
    first(case.scenes["card", "light"], "verdict")["text"] = "Healthy: nothing was lost."


def verdict_of_text_wrong(case):
    case.text = case.text.replace("VERDICT   ", "VERDICT   Not ", 1)


def hours_of_text_wrong(case):
    row = next(line for line in scenes.section(case.text, "WHERE THE").splitlines() if line.startswith("  ["))
    number = row.rsplit("%", 1)[0].split()[-2]
    case.text = case.text.replace(row, row.replace(f" {number} ", f" {number}9 ", 1))


def badge_wrong(case):
    for badge in scenes.part_of(case.scenes["card", "light"], "findings"):
        if badge["text"] == "2":
            badge["text"] = "9"


def text_too_wide(case):
    case.text += "x" * 81


def text_with_a_tab(case):
    case.text = case.text.replace("VERDICT ", "VERDICT\t", 1)


def nobody_says_what_lacks(case):
    case.lacking = "GPU memory"


def title_wrong(case):
    case.report["findings"][0]["title"] = "Something else happened"


def cost_wrong(case):
    cost = next(t for t in scenes.part_of(case.scenes["card", "light"], "findings") if "GPU-" in t["text"] and t["bold"])
    cost["text"] = "0.001 GPU-h lost"


FAULTS = {
    "text_in_80_columns": [text_too_wide, text_with_a_tab],
    "lacking_is_said": [nobody_says_what_lacks],
    "text_inside_the_page": [lambda case: text_moved(case, 9), lambda case: text_moved(case, 660)],
    "marks_inside_the_page": [box_outside],
    "text_large_enough": [text_shrunk],
    "text_apart": [text_on_text],
    "badges_apart": [badge_on_text, badge_on_badge],
    "text_in_the_font": [text_unknown, text_replaced],
    "text_as_wide_as_measured": [text_measured_wrong],
    "text_not_clipped": [text_cut],
    "text_stands_out": [text_pale, text_pale_in_the_dark, text_on_a_wrong_ground],
    "text_beside_lines": [line_through_text],
    "percent_from_0_to_100": [axis_scaled],
    "card_of_900": [card_too_high],
    "holes_empty": [line_over_hole, band_over_hole, hole_not_hatched],
    "bar_adds_up": [segment_widened, segment_lost, hours_wrong],
    "same_in_both_themes": [dark_differs, dark_has_another_line, dark_lacks_a_mark],
    "verdict_is_the_same": [verdict_of_card_wrong, verdict_of_text_wrong],
    "numbers_of_time_are_the_same": [hours_of_text_wrong],
    "findings_are_the_same": [badge_wrong, title_wrong, cost_wrong],
}


def selftest(dump):
    """A run with a hole, three findings and eight GPUs, of which nothing is complained; then with each fault."""
    with tempfile.TemporaryDirectory() as folder:
        good = case_of(dump, [logs.write_run(folder, 8, logs.LENGTHS["2h"], logs.SHORT, None)], folder)
    yield "no fault", list(scenes.complaints_of(good))
    for check in scenes.PLACE_CHECKS + scenes.COLOUR_CHECKS + scenes.RUN_CHECKS:
        if check.__name__ not in FAULTS:
            yield check.__name__, [("selftest", "no fault wakes this check")]
    for name, faults in FAULTS.items():
        for number, fault in enumerate(faults):
            case = copy.deepcopy(good)
            fault(case)
            seen = {check for check, _ in scenes.complaints_of(case)}
            yield f"{name} {number + 1}", [] if name in seen else [("selftest", f"the fault is not seen, but {seen or 'nothing'}")]


# ---- counting ----

def tell(label, complaints):
    if not complaints:
        return True
    print(f"FAILED   {label}")
    for check, complaint in complaints[:MOST_COMPLAINTS]:
        print(f"           {check}: {complaint}")
    if len(complaints) > MOST_COMPLAINTS:
        print(f"           and {len(complaints) - MOST_COMPLAINTS} more")
    return False


def results_of(dump, what):
    if what == "selftest":
        yield from selftest(dump)
        return
    rows = whole_matrix() if what == "stress" else part_of_matrix()[::3] if what == "dejavu" else part_of_matrix()
    with multiprocessing.Pool() as pool:
        if what != "stress":
            yield from pool.starmap(check_sample, [(dump, name) for name in sample_names()])
        alike = 2 * len(logs.MISSING) if what == "stress" else 1
        yield from pool.imap(checked, [(dump, row) for row in rows], alike)


def checked(arguments):
    return check_row(*arguments)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("dump")
    for what in ("stress", "dejavu", "selftest"):
        parser.add_argument("--" + what, action="store_const", dest="what", const=what)
    given = parser.parse_args()
    if given.what == "dejavu":
        scenes.draw_with_dejavu()
    n = [0, 0]
    for label, complaints in results_of(os.path.abspath(given.dump), given.what):
        n[not tell(label, complaints)] += 1
        sys.stdout.flush()
    print(f"{n[0]} passed, {n[1]} failed")
    return 1 if n[1] else 0


if __name__ == "__main__":
    sys.exit(main())

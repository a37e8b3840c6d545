#!/usr/bin/env python3
"""fleet.py - what is made of many runs, as those read it who get it: numbers counted anew, tables, pages in a browser, a picture.

    tests/fleet.py build/release/tests/fleet/make_fleet [--keep DIR]

Runs that never were (tests/made_records.h): 1, 18, 200 and 5,000 with common names, 200 with hostile ones, none at all. What is told is
counted a second time here, from index.jsonl alone. Pages are opened in Debian's chromium when it is installed, light and dark, from 360
to 1,400 px wide. The picture is asked what visual.md 17 asks of pictures (scene/scenes.py). With --keep the folders stay in DIR.
"""

import argparse
import csv
import datetime
import html
import io
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import urllib.parse
from collections import Counter, defaultdict

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, 'scene'))
import browser
import scenes
from reports import LOOK, PAGE_COLOURS, Cases

COMMON = [0, 1, 18, 200, 5000]
HOSTILE = 200
TEXT_ROWS = 40
PAGES = ['index.html', 'index-by-begin.html', 'index-by-name.html', 'index-by-host.html']
FILES = PAGES + ['fleet.png', 'fleet.svg', 'fleet.txt', 'index.csv', 'postrun.prom']
MAX_PAGE_BYTES = 3000000  # of 5,000 runs: what a browser opens at once
MAX_PICTURE_BYTES = 500000  # visual.md 4.1
WORST_FIRST = ['critical', 'warning', 'note', 'unknown', 'healthy']
US_PER_HOUR = 3.6e9
US_PER = {'GPU-hours': US_PER_HOUR, 'GPU-minutes': 6e7, 'GPU-seconds': 1e6}


class Fleet:
    def __init__(self, folder):
        self.folder = folder
        self.records = [json.loads(line) for line in self.read('index.jsonl').split('\n') if line]
        self.runs = sorted((r for r in self.records if r['status'] in ('ok', 'partial')),
                           key=lambda r: (-r['lost_us'], WORST_FIRST.index(r['severity']), r['id'].encode()))
        self.without = [r for r in self.records if r['status'] not in ('ok', 'partial')]
        self.lost_us = sum(r['lost_us'] for r in self.runs)
        self.gpu_us = sum(r['gpu_us'] for r in self.runs)
        self.suppressed_us = sum(r['suppressed_us'] for r in self.runs)

    def read(self, name):
        with open(os.path.join(self.folder, name), encoding='utf-8', newline='') as file:
            return file.read()


def week_of(ms):
    year, week, _ = datetime.datetime.fromtimestamp(ms / 1000, datetime.timezone.utc).isocalendar()
    return '%d-W%02d' % (year, week)


# ---------------------------------------------------------------- counted anew

def first_runs(fleet):
    """How few runs hold nine tenths of the loss, ten at most; and what they hold."""
    held = n = 0
    for run in fleet.runs[:10]:
        if held * 1000000 // max(fleet.lost_us, 1) >= 900000 or not run['lost_us']:
            break
        held, n = held + run['lost_us'], n + 1
    return n, held


def weeks_that_tell(runs):
    """Of the names of weeks those of the most runs that lie no more than a year from each other."""
    parts, number = [], None
    for name in sorted(runs):
        before, number = number, int(name[:4]) * 52 + int(name[6:])
        if before is None or number - before > 52:
            parts.append([])
        parts[-1].append(name)
    return max(reversed(parts), key=lambda part: sum(runs[name] for name in part))


def group_of(run):
    return run['id'].rpartition('-')[0]


def sums_by(runs, name_of):
    """Runs, what they lost and had, and by which rule most, of each name."""
    sums = defaultdict(lambda: {'runs': 0, 'lost_us': 0, 'gpu_us': 0, 'unknown': 0, 'causes': Counter()})
    for run in runs:
        one = sums[name_of(run)]
        one['runs'] += 1
        one['lost_us'] += run['lost_us']
        one['gpu_us'] += run['gpu_us']
        one['unknown'] += is_loss_unknown(run)
        for cause in run['causes']:
            one['causes'][cause['rule']] += cause['lost_us']
    return sums


def is_loss_unknown(run):
    """A job that was killed lost what nobody has counted, and of one that was hardly logged nobody knows: that is not nothing."""
    is_killed = any(c['severity'] == 'critical' and not c['lost_us'] for c in run['causes'])
    return not run['lost_us'] and (is_killed or run['severity'] == 'unknown')


def is_told(text, us, unit):
    """As visual.md 13.6 rounds; what is not 0 is never told as 0."""
    value = us / US_PER[unit]
    return 0 < value < 0.05 if text == '<0.1' else abs(float(text) - value) <= (0.05 if '.' in text else 0.5) + 1e-9


def check_title(cases, label, fleet, text):
    title = ' '.join(re.search(r'^VERDICT +(.*?)\n(?=[A-Z\n])', text, re.S | re.M).group(1).split())
    if not fleet.records:
        cases.same(title, 'There is no run.', label + ': title')
        return
    n, held = first_runs(fleet)
    told = re.fullmatch(r'Up to ([\d.]+) of ([\d.]+) (GPU-\w+) were lost in (\d+) runs?(?: beside ([\d.]+) that are suppressed)?(?:, and no log tells how ([\d.]+) went)?(?:, and what (\d+) of them lost is not known)?(?:; the first (?:(\d+) runs hold|run holds) (\d+) % of the (?:known )?loss)?(?:; (\d+) more runs? have no report)?\.', title)
    if not told:
        cases.check(False, '%s: title is %s' % (label, title))
        return
    lost, total, fleet.unit, runs, suppressed, no_log, unknown, first, percent, without = told.groups()
    cases.check(is_told(lost, fleet.lost_us, fleet.unit), label + ': lost in the title')
    cases.check(is_told(total, fleet.gpu_us, fleet.unit), label + ': GPU time in the title')
    cases.check(is_told(suppressed or '0', fleet.suppressed_us, fleet.unit), label + ': what is suppressed in the title')
    missing_us = sum(r['no_log_us'] for r in fleet.runs)
    is_much = missing_us > 0.2 * fleet.gpu_us or (missing_us > 0.01 * fleet.gpu_us and missing_us > fleet.lost_us)
    cases.check(is_told(no_log, missing_us, fleet.unit) if is_much else not no_log, '%s: no log in the title: %s' % (label, no_log))
    cases.same(int(runs), len(fleet.runs), label + ': runs in the title')
    cases.same(int(unknown or 0), sum(is_loss_unknown(r) for r in fleet.runs), label + ': runs in the title whose loss is not known')
    is_lacking = 10 * len(fleet.without) >= len(fleet.runs)
    cases.same(int(without or 0), len(fleet.without) if is_lacking else 0, label + ': runs in the title without a report')
    if percent:
        cases.same((int(first or 1), int(percent)), (n, round(100 * held / fleet.lost_us)), label + ': first runs in the title')
    else:
        cases.same(n, len(fleet.runs), label + ': the title says nothing of the first runs')


CLASSES = [('at the runs\' normal speed', 'normal_us'), ('lost', 'lost_us'), ('suppressed', 'suppressed_us'),
           ('start, end, pauses', 'overhead_us'), ('no log', 'no_log_us')]


def check_where(cases, label, fleet, text):
    """All of the GPU time has its place; of what is suppressed nothing is said where there is none."""
    rows = re.findall(r'^  (\S.{27,28}?) +(<?[\d.]+) +(\S+ %)', text.partition('WHERE THE ')[2].partition('\n\n')[0], re.M)
    sums = [(name, sum(r[key] for r in fleet.runs)) for name, key in CLASSES]
    sums = [(name, us) for name, us in sums if us or name != 'suppressed'] if fleet.runs else []
    cases.same([row[0].strip() for row in rows], [name for name, _ in sums], label + ': where the GPU time went')
    for row, (name, us) in zip(rows, sums):
        cases.check(is_told(row[1], us, fleet.unit), '%s: %s of %s' % (label, row[1], name))


def check_groups(cases, label, fleet, text):
    """Each group's runs, what they lost, and what that was by where one cause is half of it."""
    part = re.search(r'^GROUPS, .*\n.*\n((?:  .*\n)*)', text, re.M)
    sums = sums_by(fleet.runs, group_of)
    cases.same(bool(part), len(sums) > 1, label + ': groups are told')
    labels = {cause['rule']: cause['rule_label'] for run in reversed(fleet.runs) for cause in run['causes']}
    for row in [row for row in part.group(1).split('\n') if len(row) > 70] if part else []: # without the count of more
        name, cause, (runs, lost, share) = row[2:23].strip(), row[24:47].strip(), re.findall(r'\S+(?: %)?', row[47:])[:3]
        one = sums.get(name)
        if not one: # its name is too long to be whole
            continue
        cases.same(int(runs), one['runs'], '%s: runs of %s' % (label, name))
        is_unknown = not one['lost_us'] and one['unknown']
        cases.check((lost, share) == ('?', '?') if is_unknown else is_told(lost, one['lost_us'], fleet.unit), '%s: %s lost by %s' % (label, lost, name))
        rule, most = min(one['causes'].items(), key=lambda item: (-item[1], item[0]), default=('', 0))
        expected = labels[rule] if most and most >= one['lost_us'] // 2 else ''
        begin, _, end = cause.partition('..')
        cases.check(cause == expected or (len(expected) > 23 and expected.startswith(begin) and expected.endswith(end)),
                    '%s: cause of %s: %s, not %s' % (label, name, cause, expected))


def check_text(cases, label, fleet):
    text = fleet.read('fleet.txt')
    cases.check(text.isascii() and '\t' not in text and '\r' not in text, label + ': text is ASCII')
    wide = [line for line in text.split('\n') if len(line) > 80 and len(line.split()) > 1]
    cases.same(wide, [], label + ': lines of 80 columns')
    check_title(cases, label, fleet, text)
    cases.check('pauses (checkpoints, no job) are no loss' in ' '.join(text.split()), label + ': what is no loss')
    check_where(cases, label, fleet, text)
    check_groups(cases, label, fleet, text)
    for head in (r'HOSTS, by where the cause was, with what others lost by waiting for it -+\n +mostly +runs',
                 r'CARDS, by where the cause was -+\n  with what others lost by waiting for it +runs'):
        cases.same(len(re.findall('^' + head, text, re.M)), bool(fleet.runs), '%s: whose losses are told by %s' % (label, head))
    cases.same([line for line in text.split('\n') for lost in re.findall(r'(\S+) +0 %', line) if lost != '0'], [], label + ': what is not 0 is told as 0')
    rows = re.findall(r'^ {0,3}(\d+) (.{22}) +(\d+) +(\S+) +(\?|<?[\d.]+) +(\?|<?[\d.]+ %)  (\S.*)$', text, re.M)
    cases.same([int(row[0]) for row in rows], list(range(1, min(len(fleet.runs), TEXT_ROWS) + 1)), label + ': rows of the text')
    for row, run in zip(rows, fleet.runs):
        cases.same(int(row[2]), len(run['gpus']), '%s: GPUs of %s' % (label, run['id']))
        fits = row[4:6] == ('?', '?') if is_loss_unknown(run) else row[4] != '?' and is_told(row[4], run['lost_us'], fleet.unit)
        cases.check(fits, '%s: %s lost in %s' % (label, row[4], run['id']))
        told = run['causes'][0]['label'] if run['causes'] else 'suppressed' if run['suppressed_us'] else 'healthy'
        cases.same(row[6].strip(), told, '%s: cause of %s' % (label, run['id']))
    more = re.search(r'^     (\d+) more runs? ', text, re.M)
    cases.same(int(more.group(1)) if more else 0, max(0, len(fleet.runs) - TEXT_ROWS), label + ': runs left out are counted')


def check_suspects(cases, label, fleet):
    """The made runs have two GPUs that heat slows down; of others hardly one in a thousand runs."""
    part = fleet.read('fleet.txt').partition('HARDWARE THAT KEEPS APPEARING')[2]
    told = re.findall(r'^  (node\d+/gpu\d), .*\n      (.*) in (\d+) of (\d+) runs?; on other GPUs (\d+) of\s+(\d+) times', part, re.M)
    cases.same({entity for entity, *_ in told}, {'node07/gpu3', 'node20/gpu5'}, label + ': suspects')
    for entity, rule_label, n, of, n_others, of_others in told:
        rule = next(c['rule'] for r in fleet.runs for c in r['causes'] if c['rule_label'] == rule_label)
        uuid = next(g['uuid'] for r in fleet.runs for g in r['gpus'] if g['entity'] == entity)
        own = [g for r in fleet.runs for g in r['gpus'] if g['uuid'] == uuid]
        all_gpus = [g for r in fleet.runs for g in r['gpus'] if g['uuid'] or '/' in g['entity']]
        fired = sum(rule in g['rules'] for g in own)
        cases.same((int(n), int(of)), (fired, len(own)), '%s: %s, %s' % (label, entity, rule))
        cases.same((int(n_others), int(of_others)), (sum(rule in g['rules'] for g in all_gpus) - fired, len(all_gpus) - len(own)),
                   '%s: others than %s, %s' % (label, entity, rule))


def check_table(cases, label, fleet):
    text = fleet.read('index.csv')
    rows = list(csv.reader(io.StringIO(text, newline=''), strict=True))
    cases.same(text.count('\r\n'), text.count('\n'), label + ': lines of CSV end in CR LF')
    cases.same({len(row) for row in rows}, {24}, label + ': cells of a row')
    cases.same(len(rows) - 1, len(fleet.records), label + ': rows of CSV')
    table = [dict(zip(rows[0], row)) for row in rows[1:]]
    cases.same([row['rank'] for row in table[:len(fleet.runs)]], [str(i + 1) for i in range(len(fleet.runs))], label + ': ranks of CSV')
    cases.same([row['key'] for row in table[:len(fleet.runs)]], [run['key'] for run in fleet.runs], label + ': order of CSV')
    cases.same(sorted(row['key'] for row in table), sorted(r['key'] for r in fleet.records), label + ': runs of CSV')
    cases.check(not any(cell.startswith(('=', '+', '-', '@')) for row in rows for cell in row), label + ': no formulas')
    below = {}
    groups = defaultdict(list)
    for run in fleet.runs:
        if not is_loss_unknown(run):
            groups[group_of(run)].append(run['lost_us'] * 1000000 // run['gpu_us'])
    for row, run in zip(table, fleet.runs):
        losses = [row[head] for head in ('lost [GPU-h]', 'lost share [%]', 'main cause lost [GPU-h]')]
        cases.same(losses == [''] * 3, is_loss_unknown(run), '%s: what is lost in %s' % (label, run['id']))
        parts = [float(row[head + ' [GPU-h]'] or 0) for head in ('GPU time', 'normal', 'lost', 'suppressed', 'overhead', 'no log')]
        cases.check(abs(parts[0] - sum(parts[1:])) < 3e-6 and abs(parts[2] - run['lost_us'] / US_PER_HOUR) < 1e-6, '%s: sums of %s' % (label, run['id']))
        for head in ('begin', 'end'):
            cases.same(row[head].endswith('Z'), 'time_basis' not in run, '%s: %s of %s is UTC' % (label, head, run['id']))
        share = run['lost_us'] * 1000000 // run['gpu_us']
        others = groups[group_of(run)]
        key = group_of(run), share
        if key not in below:
            below[key] = sum(s < share for s in others)
        expected = str(100 * below[key] // (len(others) - 1)) if len(others) > 1 and not is_loss_unknown(run) else ''
        if row['worse than of its group [%]'] != expected:
            cases.same(row['worse than of its group [%]'], expected, '%s: %s in its group' % (label, run['id']))
    for row in table[len(fleet.runs):]:
        cases.check(row['rank'] == row['verdict'] == row['lost [GPU-h]'] == '' and row['status'] != 'ok', label + ': a run without a report')


def check_sums(cases, label, fleet):
    """In figures for Prometheus, which are exact; and the weeks of the text."""
    lines = fleet.read('postrun.prom').split('\n')
    values, types = {}, {}
    for line in lines[:-1]:
        comment = re.fullmatch(r'# (HELP|TYPE) ([a-z_]+) (.+)', line)
        value = re.fullmatch(r'([a-z_]+)(?:\{([a-z]+)="((?:[^"\\\n]|\\["\\n])*)"\})? (\d+(?:\.\d+)?)', line)
        cases.check(comment or value, '%s: %s' % (label, line))
        if comment:
            types[comment.group(2)] = types.get(comment.group(2), '') + comment.group(1)
        elif value:
            cases.check(types.get(value.group(1)) == 'HELPTYPE', label + ': HELP and TYPE before ' + value.group(1))
            values[value.group(1), value.group(3)] = value.group(4)
    cases.same(lines[-1], '', label + ': the last line ends')
    statuses = Counter(r['status'] for r in fleet.records)
    cases.same({k[1]: int(v) for k, v in values.items() if k[0] == 'postrun_runs' and v != '0'}, dict(statuses), label + ': postrun_runs')
    spent = {name: sum(r[name.replace('-', '_') + '_us'] for r in fleet.runs) for name in ('normal', 'lost', 'suppressed', 'overhead', 'no-log')}
    rules = Counter()
    for r in fleet.runs:
        for cause in r['causes']:
            rules[cause['rule']] += cause['lost_us']
    for metric, expected in (('postrun_gpu_seconds', spent), ('postrun_lost_gpu_seconds', rules)):
        told = {k[1]: int(v.replace('.', '')) for k, v in values.items() if k[0] == metric}
        cases.same(told, dict(expected), '%s: %s' % (label, metric))
    weeks = defaultdict(lambda: [0, 0, 0])
    for r in fleet.runs:
        for i, value in enumerate((1, r['lost_us'], r['gpu_us'] - r['no_log_us'])):
            weeks[week_of(r['begin_ms'])][i] += value
    told = dict(re.findall(r'^  (\d{4}-W\d\d) +#* +(\d+) ', fleet.read('fleet.txt'), re.M))
    cases.same({k: int(v) for k, v in told.items()}, {k: v[0] for k, v in weeks.items()}, label + ': weeks')
    if weeks:
        last = weeks[max(name for name in weeks_that_tell({name: week[0] for name, week in weeks.items()}) if weeks[name][2])]
        cases.same(values['postrun_last_week_lost_ratio', None], '%.6f' % (last[1] * 1000000 // last[2] / 1e6), label + ': last week')


# ---------------------------------------------------------------- pages

ROW = re.compile(r'<tr[^>]*><td class="middle">(\d+)</td><th scope="row">(?:<a href="([^"]*)">)?(.*?)(?:</a>|<span|</th>)', re.S)


def plain(text):
    return html.unescape(text).replace('\u00a0', ' ')


def check_columns(cases, label, text):
    """Tables of sums beside each other have the same columns in the same places."""
    heads = [re.findall(r'<th[^>]*>([^<]*)</th>', head) for head in re.findall(r'<table class="sums">\n<thead>(.*?)</thead>', text)]
    unit = heads[0][2] if heads else ''
    cases.same([head for head in heads[1:] if head[:3] + head[4:] != ['', 'runs', unit + ' lost', ''] or head[3] not in ('of loss', 'share')], [],
               label + ': columns of the tables')
    cases.same(heads[0][3:] if heads else ['share', ''], ['share', ''], label + ': columns of the first table')


def check_pages(cases, label, fleet):
    ranks = {i + 1: run for i, run in enumerate(fleet.runs)}
    orders = {
        'index.html': lambda run: 0,
        'index-by-begin.html': lambda run: (-run['begin_ms'], run['id'].encode()),
        'index-by-name.html': lambda run: run['id'].encode(),
        'index-by-host.html': lambda run: (run['hosts'] or [''])[0].encode(),
    }
    for name in PAGES:
        text = fleet.read(name)
        rows = ROW.findall(text)
        expected = sorted(fleet.runs, key=orders[name])  # equal ones stay in the order of ranks
        cases.same([ranks[int(row[0])]['key'] for row in rows], [run['key'] for run in expected], '%s: order of %s' % (label, name))
        wrong = []
        for rank, link, _ in rows:
            report = ranks[int(rank)]['report']
            leads_out = report and (report.startswith('/') or '..' in report.split('/'))
            if (link and urllib.parse.unquote(plain(link))) != ('' if leads_out or not report else report) or re.search(r'[^\w/.~%-]', link, re.A):
                wrong.append(link)
        cases.same(wrong, [], '%s: links of %s' % (label, name))
        cases.same(len(re.findall(r'<dt>', text.partition('<h2>Runs without')[2])), len(fleet.without), '%s: runs without a report in %s' % (label, name))
        cases.check(len(text.encode()) < MAX_PAGE_BYTES and '<script' not in text, '%s: %s is %d bytes' % (label, name, len(text)))
        if name == PAGES[0]:
            cases.same(len(re.findall('<table class="sums">', text)), 5 + (len({group_of(run) for run in fleet.runs}) > 1) if fleet.runs else 0,
                       label + ': tables')
            check_columns(cases, label, text)
            cases.same(len(re.findall('<h2>By (?:host|card) of the cause</h2>', text)), 2 if fleet.runs else 0, label + ': whose losses the tables have')
        if rows:
            cases.same(set(re.findall(r'<a href="(index[^"]*)"', text)) | {name}, set(PAGES), '%s: links of %s to other orders' % (label, name))


NARROW = 'document.documentElement.scrollWidth - document.documentElement.clientWidth'


def check_in_browser(cases, folders):
    with browser.Browser() as chromium:
        for label, folder in folders:
            many = label == '5000 common'
            for name in PAGES[:1] if not many else PAGES:
                for width, dark in ((1400, False), (360, False)) if many else ((1400, False), (1400, True), (700, False), (360, True)):
                    page = chromium.open(os.path.join(folder, name), width, dark)
                    place = '%s, %s at %d px%s' % (label, name, width, ', dark' if dark else '')
                    cases.same(page.ask(NARROW), 0, place + ': wider than the window')
                    cases.same((page.requests, page.messages), ([], []), place + ': requests and messages')
                    if not many:
                        seen = page.ask(LOOK)
                        cases.same((seen['title'], seen['colour'], seen['live'] + seen['handlers']), (seen['heading'], PAGE_COLOURS[dark], 0), place)
                        cases.same((seen['small'], seen['dim']), ([], []), place + ': letters too small, or pale')
                    page.close()


# ---------------------------------------------------------------- the picture

def check_picture(cases, label, fleet, is_hostile):
    marks = {('fleet', theme): json.loads(fleet.read('fleet.%s.json' % theme)) for theme in ('light', 'dark')}
    names = [run['id'] for run in fleet.runs] + [c['label'] for run in fleet.runs for c in run['causes']]
    case = scenes.Case(marks, {'run': {'gpus': []}}, '', names)
    left_out = {'text_in_the_font', 'text_not_clipped'} if is_hostile else set()  # their characters are shown as '?'
    for check in scenes.PLACE_CHECKS + scenes.COLOUR_CHECKS:
        if check.__name__ in left_out:
            continue
        for (_, theme), scene in marks.items():
            if theme == 'light' or check in scenes.COLOUR_CHECKS:
                cases.same(list(check(scene, case))[:3], [], '%s: %s' % (label, check.__name__))
    cases.same(list(scenes.same_in_both_themes(case)), [], label + ': both themes')
    rows = [m['text'] for m in marks['fleet', 'light']['marks'] if m['mark'] == 'text' and m['part'] == 'row' and m['size'] == 8.5]
    cases.same(rows, [str(i + 1) for i in range(min(TEXT_ROWS, len(fleet.runs)))], label + ': rows of the picture')
    legend = [m['text'] for m in marks['fleet', 'light']['marks'] if m['mark'] == 'text' and m['part'] == 'legend']
    cases.same(legend, ['normal speed', 'lost: critical, warning, note'] + ['suppressed'] * (fleet.suppressed_us > 0) +
               [name for name, _ in CLASSES[3:]], label + ': legend')
    for name in ('fleet.png', 'fleet.svg'):
        size = os.path.getsize(os.path.join(fleet.folder, name))
        cases.check(0 < size < MAX_PICTURE_BYTES, '%s: %s of %d bytes' % (label, name, size))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument('make_fleet')
    parser.add_argument('--keep')
    given = parser.parse_args()
    cases, room, folders = Cases(), tempfile.mkdtemp(), []
    try:
        for n, made in [(n, 'common') for n in COMMON] + [(HOSTILE, 'hostile')]:
            label, folder = '%d %s' % (n, made), os.path.join(given.keep or room, '%s-%d' % (made, n))
            done = subprocess.run([given.make_fleet, folder, str(n), made], capture_output=True, text=True)
            cases.check(done.returncode == 0 and not done.stderr, '%s: %d, %s' % (label, done.returncode, done.stderr))
            fleet = Fleet(folder)
            cases.same(sorted(set(FILES) - set(os.listdir(folder))), [], label + ': files')
            cases.same(len(fleet.records), n, label + ': records')
            if made == 'common':
                check_text(cases, label, fleet)
            check_table(cases, label, fleet)
            check_sums(cases, label, fleet)
            check_pages(cases, label, fleet)
            check_picture(cases, label, fleet, made == 'hostile')
            if n == 5000:
                check_suspects(cases, label, fleet)
            if n != 1:
                folders.append((label, folder))
        why_not = browser.why_not() if browser.find() else 'it is not installed'
        if why_not:
            print('skipped: pages were not opened in chromium:', why_not)
        else:
            check_in_browser(cases, folders)
    finally:
        shutil.rmtree(room)
    print('%d passed, %d failed' % (cases.passed, cases.failed))
    return cases.failed > 0


if __name__ == '__main__':
    sys.exit(main())

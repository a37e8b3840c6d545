#!/usr/bin/env python3
"""reports.py - the outputs of a report as those read them who get them: browser, Markdown, CI, spreadsheet.

    tests/reports.py PROGRAM [--keep DIR]

The samples, and logs whose names would do something if an output let them. Pages are opened in Debian's chromium when it is
installed, at 360 and 1200 pixels, light and dark, and printed; Markdown is read by cmark-gfm when that is installed; --keep leaves what
was seen in DIR, to be looked at. The last line counts: "N passed, N failed".
"""

import argparse
import csv
import html
import io
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import xml.etree.ElementTree as ET
from html.parser import HTMLParser

import browser
from cases import Cases

sys.path.insert(0, os.path.join(os.path.dirname(os.path.realpath(__file__)), 'scene'))
import logs

SAMPLES = ['loader_bound', 'healthy', 'straggler_4gpu', 'phases']
WIDTHS = [360, 1200]
PAGE_COLOURS = {False: 'rgb(255, 255, 255)', True: 'rgb(20, 23, 28)'}
MAX_PAGE_BYTES = 2 << 20

# What a GPU, a host or a file may be called. Each would break out of one kind of output.
HOSTILE = [
    '<script>alert(1)</script>', 'x" onmouseover="alert(1)', "x' onerror='alert(1)", '<img src=x onerror=alert(1)>', '--><svg onload=alert(1)>',
    '</style><script>alert(1)</script>', '</title><h1>', '&lt;b&gt; &#60;i&#62;', ']]><x>', '<?php ?>',
    '[click](javascript:alert(1))', '![x](http://evil.example/p.png)', 'http://evil.example/x www.evil.example', '| a | b |', '# head', '```',
    '**bold** _it_ ~~no~~ `code`', '@octocat closes #1 !2 ~bug {code} $x$', '=1+1', '@SUM(A1)', '-2+3', '+1', '{{name}} {{#findings}}', '%s%n%d',
    '\u202eevil\u202c', 'zero\u200bwidth', 'a\u2028b', '\U000e0041tag', 'n' * 300, '\u0663 \u4e16\u754c \U0001f600',
]


class Run:
    """The program, always in one environment, and what it wrote."""

    def __init__(self, program, room):
        self.program = os.path.realpath(program)
        self.room = room

    def __call__(self, *words, cwd=None, env=None):
        plain = {'PATH': '/usr/bin:/bin', 'LC_ALL': 'C', 'TZ': 'UTC', 'HOME': '/nonexistent'}
        done = subprocess.run([self.program, 'report', *words], cwd=cwd, env=dict(plain, **(env or {})), stdin=subprocess.DEVNULL,
                              capture_output=True, timeout=120)
        return done.returncode, done.stdout, done.stderr

    def folder(self, name, *words):
        out = os.path.join(self.room, name)
        status, _, said = self(*words, '-o', out, '-q')
        if status != 0:
            raise SystemExit('reports: %s: exit status %d\n%s' % (name, status, said.decode()))
        return out


def read(*parts):
    with open(os.path.join(*parts), encoding='utf-8') as file:
        return file.read()


# ---------------------------------------------------------------- one account, many outputs

def plain(markdown):
    """Markdown as it is read."""
    return html.unescape(re.sub(r'\\([\\`*_{}\[\]#|~!$])', r'\1', markdown)).replace('\u200b', '')


def unbound(page):
    """A page with the blanks that keep a number on the line of its unit as all others."""
    return html.unescape(page).replace('\u00a0', ' ')


def check_same_account(cases, run, sample, folder):
    report = json.loads(read(folder, 'report.json'))
    sentence = report['verdict']['sentence']
    text = ' '.join(read(folder, 'report.txt').split())
    page, markdown = unbound(read(folder, 'report.html')), plain(read(folder, 'report.md'))
    junit = run('samples/' + sample, '--format', 'junit')[1].decode()
    for name, output in (('html', page), ('md', markdown), ('xml', html.unescape(junit))):
        cases.check(sentence in output, '%s: report.%s has not the sentence of the verdict' % (sample, name))
    for finding in report['findings']:
        for name, output in (('txt', text), ('html', page), ('md', markdown)):
            cases.check(finding['title'] in output, '%s: report.%s has not "%s"' % (sample, name, finding['title']))
    rows = re.findall(r'^  (\S.*?)  +([\d.]+) +(<?[\d.]+ %)(?:  |$)', re.sub(' +at most ', ', at most ', read(folder, 'report.txt').split('WENT', 1)[-1].split('TIMELINE')[0]), re.M)
    for label, hours, percent in rows:
        label = re.escape(label)
        cases.check(re.search(r'<th scope="row" class="label">%s</th><td>%s</td><td>%s</td>' % (label, hours, percent), page), '%s: html has not the row %s' % (sample, label))
        cases.check(re.search(r'\| %s \| %s \| %s \|' % (label, hours, percent), markdown), '%s: md has not the row %s' % (sample, label))


def check_twin(cases, run, sample):
    text, twin = run('samples/' + sample, '--all')[1].decode(), run('samples/' + sample, '--all', '--utf8')[1].decode()
    cases.check(text.isascii() and max(map(len, text.split('\n'))) <= 80, sample + ': the text is 80 columns of ASCII')
    body, drawn = text.split('\nPROVENANCE')[0], twin.split('\nPROVENANCE')[0]  # behind it is the command line, which differs
    cases.same([len(line) for line in drawn.split('\n')], [len(line) for line in body.split('\n')], sample + ': columns of the twin')
    cases.check('─' * 8 in twin and '----' not in twin, sample + ': the twin has drawn rules')


# ---------------------------------------------------------------- pictures in words

KINDS = {
    'card.png': 'Ticket card. ', 'timeline.png': 'Time lines of all metrics. ', 'thermal.png': 'Temperature, clocks and power over time. ',
    'memory.png': 'Memory over time. ', 'heatmap.png': 'Map of all GPUs over time. ', 'density.png': 'Map of how many GPUs are how busy. ',
    'duty.png': 'Bars of GPU time by how busy the GPUs were. ',
}
HAVE_BAR = ('card.png', 'timeline.png')
LEAST_WORDS, MOST_WORDS = 60, 120
BAR_EDGES = {str(percent) for percent in range(0, 101, 5)}
NUMBER = re.compile(r'\d+(?:[.:]\d+)*')


def numbers_of(text):
    found = set(NUMBER.findall(text))
    return found | {number[:5] for number in found if re.fullmatch(r'\d\d:\d\d:\d\d', number)}


def numbers_told(folder):
    """All numbers of a report but those of its alt texts: in the text, in report.json as they are rounded, and drawn on pictures."""
    report = json.loads(read(folder, 'report.json'))
    told = numbers_of(read(folder, 'report.txt'))
    for statistic in report['statistics']:
        scale = 100 if statistic['metric'].endswith('_share') else 1
        told |= {'%.0f' % (statistic[fold] * scale) for fold in ('mean', 'p5', 'p50', 'p95') if statistic[fold] is not None}
    drawn = subprocess.run(['pdftotext', os.path.join(folder, 'report.pdf'), '-'], capture_output=True, timeout=60, check=True)
    return told | numbers_of(drawn.stdout.decode())


def check_alt_text(cases, label, report, chart):
    alt, words = chart['alt'], len(chart['alt'].split())
    cases.check(LEAST_WORDS <= words <= MOST_WORDS, '%s: %d words' % (label, words))
    cases.check(alt.startswith(KINDS[chart['file']]), '%s: the kind of picture comes first: %s' % (label, alt[:40]))
    title = chart['title'] if chart['file'] not in HAVE_BAR else re.split('[:,.]', report['verdict']['sentence'])[0]
    cases.check(title.replace('\u2013', ' to ') in alt[:len(title) + 80], '%s: then what it says: %s' % (label, title))
    parts = [alt.find(text) for text in ('Where the ', 'Time runs ', 'GPU busy is ', 'no log and are hatched')]
    there = [at for at in parts if at >= 0]
    cases.check(chart['file'] not in HAVE_BAR or (parts[0] > 0 and there == sorted(there)), '%s: the order of its parts: %s' % (label, parts))
    cases.check(alt.endswith('.') and '  ' not in alt and '..' not in alt and '\n' not in alt and ' .' not in alt, '%s: sentences: %s' % (label, alt))
    cases.check('(null)' not in alt and 'nan' not in alt.lower().split(), '%s: nothing is told that is not known: %s' % (label, alt))


def check_alt_texts(cases, run, name, *words):
    short, long = run.folder(name + '-alt', *words), run.folder(name + '-alt-all', *words, '--all', '--format', 'pdf')
    told = numbers_told(long) if shutil.which('pdftotext') else None
    size = os.path.getsize(os.path.join(long, 'report.html'))
    cases.check(size < MAX_PAGE_BYTES, '%s: a page with all pictures has %d bytes' % (name, size))
    for folder in (short, long):
        report = json.loads(read(folder, 'report.json'))
        for chart in report['charts']:
            label = '%s, %s in words' % (name, chart['file'])
            check_alt_text(cases, label, report, chart)
            edges = BAR_EDGES if chart['file'] == 'duty.png' else set()
            missing = sorted(set(NUMBER.findall(chart['alt'])) - told - edges) if told else []
            cases.check(not missing, '%s: numbers that are nowhere else: %s' % (label, missing))
    return short


def logs_of_case(run, case):
    """Copied apart from what a golden case is beside its logs; None: it has none."""
    names = [name for name in sorted(os.listdir(case)) if re.search(r'\.(csv|txt|log|json|jsonl|xml|gz)$', name) and not name.startswith('expected')]
    room = os.path.join(run.room, 'logs-' + os.path.basename(case))
    os.makedirs(room)
    for name in names:
        shutil.copy(os.path.join(case, name), room)
    return room if names else None


def check_whole_reports(cases, run):
    """Logs of all kinds, died, cut and empty ones too: a folder of outputs ends as the text alone does, and has all of its pictures."""
    n_reports = 0
    for case in sorted(os.listdir('tests/golden')):
        room, out = logs_of_case(run, 'tests/golden/' + case), os.path.join(run.room, case + '-whole')
        if not room:
            continue
        alone = run(room)[0]
        status, text, said = run(room, '-o', out)
        cases.check(status == alone, '%s: with -o it ends with %d, without with %d: %s' % (case, status, alone, said.decode()))
        if status != 0:
            continue
        n_reports += 1
        cases.check(text.decode() == read(out, 'report.txt'), case + ': report.txt is not what was printed')
        for chart in json.loads(read(run.folder(case + '-every', room, '--all'), 'report.json'))['charts']:
            with open(os.path.join(run.room, case + '-every', chart['file']), 'rb') as file:
                cases.check(file.read(8) == b'\x89PNG\r\n\x1a\n' and chart['alt'], '%s: %s: no picture, or one without words' % (case, chart['file']))
    cases.check(n_reports >= 20, 'only %d cases of tests/golden have logs that make a report' % n_reports)


def made_run(run, name, n_gpus, length, missing=None):
    """A run that is made of few rows: of any number of GPUs, any length, without a column."""
    folder = os.path.join(run.room, 'made-' + name)
    os.makedirs(folder)
    return logs.write_run(folder, n_gpus, logs.LENGTHS[length], logs.SHORT, missing)


def check_words_of_made_runs(cases, run):
    for name, n_gpus, length, missing in (('one', 1, '45s', None), ('without-cpu', 2, '10min', logs.CPU), ('nameless', 8, '2h', 'name'),
                                          ('busy-alone', 1, '26h', 'power.draw [W]'), ('unknown-busy', 2, '2h', 'utilization.gpu [%]')):
        check_alt_texts(cases, run, name, made_run(run, name, n_gpus, length, missing))
    folder = check_alt_texts(cases, run, 'many', made_run(run, 'many', 64, '3d'))
    n_findings = len(json.loads(read(folder, 'report.json'))['findings'])
    cases.check(n_findings >= 6, 'a run of 64 GPUs: %d findings' % n_findings)
    return folder


# ---------------------------------------------------------------- a page as it is read aloud

class Outline(HTMLParser):
    """Headings, pictures with the finding in whose section they stand, and what is reached by key."""

    def __init__(self, text):
        super().__init__()
        self.headings, self.pictures, self.stops, self.ids, self.tags = [], [], [], [], []
        self.open, self.language = [], None
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        attrs = dict(attrs)
        self.tags.append(tag)
        self.language = attrs.get('lang') if tag == 'html' else self.language
        self.ids += [attrs['id']] if 'id' in attrs else []
        if tag == 'section':
            self.open.append(attrs.get('id'))
            self.pictures.append(('section', attrs.get('id')))
        if re.fullmatch('h[1-6]', tag):
            self.headings.append(int(tag[1]))
        if tag == 'img' and attrs.get('class') == 'light':
            self.pictures.append((attrs['alt'], next((place for place in reversed(self.open) if place), None)))
        if tag == 'a' or 'tabindex' in attrs:
            self.stops.append((tag, attrs))

    def handle_endtag(self, tag):
        if tag == 'section':
            self.open.pop()


def check_outline(cases, name, folder):
    report, text = json.loads(read(folder, 'report.json')), unbound(read(folder, 'report.html')).replace('\u2013', '-')
    outline = Outline(text)
    cases.same(outline.language, 'en', name + ': language')
    jumps = [pair for pair in zip(outline.headings, outline.headings[1:]) if pair[1] > pair[0] + 1]
    cases.check(outline.headings[:1] == [1] and outline.headings.count(1) == 1 and not jumps, '%s: headings %s' % (name, outline.headings))
    cases.same(outline.tags.count('main'), 1, name + ': one main part')
    cases.same(len(outline.ids), len(set(outline.ids)), name + ': ids are given once')
    for tag, attrs in outline.stops:
        cases.check(attrs.get('aria-label') and attrs.get('tabindex', '0') == '0', '%s: what is reached by key has a name: %s %s' % (name, tag, attrs))
    pictures = [entry for entry in outline.pictures if entry[0] != 'section']
    places = {alt: place for alt, place in pictures}
    charts = [chart for chart in report['charts'] if chart['file'] != 'card.png']
    cases.same(sorted(places), sorted(chart['alt'].replace('\u2013', '-') for chart in charts), name + ': each picture once')
    cases.same(len(pictures), len(charts), name + ': pictures')
    cases.check(outline.pictures and outline.pictures[0][0].startswith(KINDS['timeline.png']), name + ': the time line follows the verdict')
    last = max([i for i, entry in enumerate(outline.pictures) if entry[0] == 'section' and entry[1]], default=0)
    for i, (alt, place) in enumerate(outline.pictures):
        cases.check(alt == 'section' or place or i == 0 or i > last, '%s: what shows no finding follows them: %s' % (name, alt[:40]))
    told = {finding['title']: 'f%d' % finding['number'] for finding in report['findings'] if 'f%d' % finding['number'] in outline.ids}
    for chart in charts:
        if chart['file'] != 'timeline.png' and chart['title'] in told and report['verdict']['severity'] != 'healthy':
            cases.same(places[chart['alt'].replace('\u2013', '-')], told[chart['title']], '%s: %s stands beside its finding' % (name, chart['file']))
    return {chart['file']: places[chart['alt'].replace('\u2013', '-')] for chart in charts}


# ---------------------------------------------------------------- Markdown as it is rendered

class Rendered(HTMLParser):
    """What a renderer of GitHub's Markdown makes of a text: blocks, and all words that are shown."""

    def __init__(self, text):
        super().__init__()
        self.counts, self.rows, self.headings, self.alts, self.links, self.lists = {}, [], [], [], [], []
        self.open, self.words = [], ''
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        self.counts[tag] = self.counts.get(tag, 0) + 1
        self.alts += [value for name, value in attrs if tag == 'img' and name == 'alt']
        self.links += [value for name, value in attrs if name in ('href', 'src')]
        if tag == 'table':
            self.rows.append(0)
        if tag == 'tr':
            self.rows[-1] += 1
        if re.fullmatch('h[1-6]', tag):
            self.headings.append([tag, ''])
        if tag in ('ol', 'ul'):
            self.lists.append((tag, self.open.count('li')))
        if tag not in ('img', 'br', 'hr', 'input'):
            self.open.append(tag)

    def handle_endtag(self, tag):
        if tag in self.open:
            while self.open.pop() != tag:
                pass

    def handle_data(self, data):
        self.words += data
        if self.open and re.fullmatch('h[1-6]', self.open[-1]):
            self.headings[-1][1] += data


def rendered(folder):
    done = subprocess.run(['cmark-gfm', '--unsafe', '-e', 'table', '-e', 'strikethrough', '-e', 'autolink', '-e', 'tagfilter',
                           os.path.join(folder, 'report.md')], capture_output=True, timeout=60, check=True)
    return Rendered(done.stdout.decode())


OWN_TAGS = {'p', 'strong', 'ol', 'ul', 'li', 'img', 'a', 'h2', 'h3', 'table', 'thead', 'tbody', 'tr', 'th', 'td', 'details', 'summary', 'pre', 'code'}


def check_rendered(cases, name, folder):
    report, page = json.loads(read(folder, 'report.json')), rendered(folder)
    text = ' '.join(page.words.replace('\u200b', '').split())
    is_full = report['verdict']['severity'] != 'healthy'
    cases.check(text.startswith(report['verdict']['sentence']), name + ': the verdict comes first: ' + text[:60])
    cases.check(set(page.counts) <= OWN_TAGS, '%s: only our own markup: %s' % (name, sorted(set(page.counts) - OWN_TAGS)))
    for tag, n in (('details', 1), ('summary', 1), ('pre', 1), ('code', 1), ('img', 1)):
        cases.same(page.counts.get(tag), n, '%s: <%s>' % (name, tag))
    cases.same(page.open, [], name + ': all that is opened is closed')
    alts = [chart['alt'] for chart in report['charts'][:1]]
    cases.same([alt.replace('\u200b', '') for alt in page.alts], alts, name + ': the picture in words')
    cases.same(page.links, [chart['file'] for chart in report['charts']], name + ': links to the pictures and to nothing else')
    told = [title for tag, title in page.headings if tag == 'h3']
    cases.check(not is_full or len(told) == min(5, len(report['findings'])), '%s: a heading for each finding that is told: %s' % (name, told))
    for title in told:
        number, rest = title.replace('\u200b', '').split('. ', 1)
        finding = report['findings'][int(number) - 1]
        cases.check(rest.startswith(finding['title']), '%s: heading %r of %r' % (name, title, finding['title']))
    if is_full and report['findings']:
        cases.same(page.rows[-1], len(report['findings']) + 1, name + ': rows of the findings')
        cases.check(page.rows[:-1] == [len(report['ledger']) + 1] or not report['ledger'], '%s: rows of the ledger: %s' % (name, page.rows))
        n_tries = sum(1 for finding in report['findings'][:5] if finding['try'])
        cases.check(page.lists.count(('ol', 1)) <= n_tries and (not told or ('ol', 1) in page.lists), '%s: lists in lists: %s' % (name, page.lists))
        for finding in report['findings'][:len(told)]:
            cases.check(' '.join(finding['what'].split()) in text, '%s: what finding %d says' % (name, finding['number']))
    return page


# ---------------------------------------------------------------- JUnit

# What readers of test results know: element, its attributes, its children (the schema of the Jenkins xUnit plugin).
KNOWN = {
    'testsuites': ({'name', 'tests', 'failures', 'errors', 'time', 'disabled'}, {'testsuite'}),
    'testsuite': ({'name', 'tests', 'failures', 'errors', 'skipped', 'time', 'timestamp', 'hostname', 'id', 'package'},
                  {'properties', 'testcase', 'system-out', 'system-err'}),
    'properties': (set(), {'property'}),
    'property': ({'name', 'value'}, set()),
    'testcase': ({'name', 'classname', 'time', 'assertions', 'status'}, {'skipped', 'failure', 'error', 'system-out', 'system-err'}),
    'failure': ({'type', 'message'}, set()),
    'skipped': ({'message'}, set()),
    'system-out': (set(), set()),
}


def check_junit(cases, name, text, status):
    root = ET.fromstring(text)
    for element in root.iter():
        known = KNOWN.get(element.tag)
        cases.check(known and set(element.keys()) <= known[0] and {child.tag for child in element} <= known[1], '%s: <%s>' % (name, element.tag))
    suite = root.find('testsuite')
    tests = suite.findall('testcase')
    for what, n in (('tests', len(tests)), ('failures', len(suite.findall('testcase/failure'))), ('errors', 0),
                    ('skipped', len(suite.findall('testcase/skipped')))):
        cases.same(suite.get(what), str(n), '%s: %s of the suite' % (name, what))
        cases.check(what == 'skipped' or root.get(what) == str(n), '%s: %s of all suites' % (name, what))
    cases.check(all(len(test.findall('failure')) + len(test.findall('skipped')) <= 1 for test in tests), name + ': one result a test')
    cases.check(re.fullmatch(r'\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d', suite.get('timestamp')), name + ': time of the suite')
    cases.same(suite.get('failures') != '0', status == 1, name + ': failures and exit status')
    return {test.get('name'): [child.tag for child in test] for test in tests}


def check_rules_as_tests(cases, run, sample, report):
    for limit in (None, 'critical', 'warning', 'note'):
        options = ['--fail-on', limit] if limit else []
        status, out, _ = run('samples/' + sample, '--format', 'junit', *options)
        results = check_junit(cases, '%s, %s' % (sample, limit), out, status)
        severe = {None: set(), 'critical': {'critical'}, 'warning': {'critical', 'warning'}, 'note': {'critical', 'warning', 'note'}}[limit]
        failed = {finding['rule'] for finding in report['findings'] if finding['severity'] in severe}
        cases.same({rule for rule, tags in results.items() if 'failure' in tags}, failed, '%s, %s: failures' % (sample, limit))
        fired = {judgement['rule'] for judgement in report['judgements'] if judgement['outcome'] == 'fired'}
        open_ = {judgement['rule'] for judgement in report['judgements'] if judgement['outcome'] in ('unknown', 'skipped')}
        cases.same({rule for rule, tags in results.items() if 'skipped' in tags}, open_ - fired, '%s, %s: skipped' % (sample, limit))
        cases.same(set(results), {judgement['rule'] for judgement in report['judgements']}, sample + ': every rule is a test case')


# ---------------------------------------------------------------- CSV

def table(text):
    rows = list(csv.reader(io.StringIO(text.decode())))
    return rows[0], rows[1:]


def check_series(cases, run, sample, report):
    head, rows = table(run('samples/' + sample, '--format', 'csv', '--every', '1d')[1])
    cases.same(head[0], 'time [UTC]', sample + ': head of the times')
    cases.same((len(head) - 1) / 3, len(report['statistics']), sample + ': columns')
    cases.check(len(rows) == 1 or len(rows) == 2, '%s: %d days' % (sample, len(rows)))
    if len(rows) == 1:  # one step for the whole run has the statistics of the run
        cells = dict(zip(head, rows[0]))
        for s in report['statistics']:
            for fold in ('min', 'mean', 'max'):
                column = [name for name in head if name.startswith('%s %s %s' % (s['entity'], s['metric'], fold))]
                unit = 100 if s['metric'].endswith('_share') else 1
                value = cells[column[0]]
                good = value == '' if s[fold] is None else value and abs(float(value) - s[fold] * unit) <= 1e-6
                cases.check(len(column) == 1 and good, '%s: %s is %r, not %r' % (sample, column, value, s[fold]))
    head, rows = table(run('samples/' + sample, '--format', 'csv', '--every', '10s')[1])
    cases.check(all(len(row) == len(head) for row in rows), sample + ': rows as long as the head')
    cases.check(all(re.fullmatch(r'.*\d[05]Z|.*\d0Z', row[0]) for row in rows), sample + ': steps begin at whole 10 s')
    cases.check(all(a[0] < b[0] for a, b in zip(rows, rows[1:])), sample + ': times ascend')
    for i in range(1, len(head), 3):
        for row in rows:
            known = [cell != '' for cell in row[i:i + 3]]
            if not (known == [False] * 3 or (all(known) and float(row[i]) <= float(row[i + 1]) <= float(row[i + 2]))):
                cases.check(False, '%s: %s at %s: %s' % (sample, head[i], row[0], row[i:i + 3]))


def write_log(path, name='NVIDIA H200', seconds=range(120)):
    with open(path, 'wb') as file:
        file.write(b'timestamp, index, name, utilization.gpu [%], memory.used [MiB], memory.total [MiB], temperature.gpu, power.draw [W], '
                   b'enforced.power.limit [W]\n')
        for i in seconds:
            cell = name if ',' not in name and '"' not in name else '"%s"' % name.replace('"', '""')
            row = '2026/11/21 01:%02d:%02d.000, 0, %s, %d %%, 2000 MiB, 143771 MiB, 50, 300.5 W, 700.00 W\n' % (i // 60, i % 60, cell, 40 + i % 7)
            file.write(row.encode())


def check_hole(cases, run):
    """What no log tells is an empty cell, and no 0."""
    path = os.path.join(run.room, 'hole.csv')
    write_log(path, seconds=[*range(0, 40), *range(80, 120)])
    head, rows = table(run(path, '--tz', 'UTC', '--format', 'csv', '--every', '10s')[1])
    at = head.index('gpu0 gpu.util mean [%]')
    cells = {row[0][11:19]: row[at - 1:at + 2] for row in rows}
    cases.same(cells['01:00:50'], ['', '', ''], 'in a hole')
    cases.same(cells['01:01:00'], ['', '', ''], 'in a hole')
    cases.same([cells['01:00:30'][0], cells['01:00:30'][2]], ['40', '46'], 'before a hole')


# ---------------------------------------------------------------- names that would do something

class Tags(HTMLParser):
    def __init__(self):
        super().__init__()
        self.tags, self.attributes, self.sources = set(), set(), set()

    def handle_starttag(self, tag, attrs):
        self.tags.add(tag)
        for name, value in attrs:
            self.attributes.add(name)
            if name in ('src', 'srcset', 'href') and not value.startswith(('data:', '#')):
                self.sources.add(value)


def tags_of(text):
    tags = Tags()
    tags.feed(text)
    return tags


INVISIBLE = re.compile('[\x00-\x08\x0b-\x1f\x7f-\x9f\u200b-\u200f\u061c\u2028-\u202e\u2060-\u2069\ufeff\U000e0000-\U000e0fff]')


def check_markdown(cases, name, text):
    """Outside of code nothing of a name is live."""
    prose = re.sub(r'^```.*?^```$', '', text, flags=re.M | re.S)
    prose = prose.replace('<details><summary>', '').replace('</summary>', '').replace('</details>', '')
    live = re.sub(r'\\.', '', prose)
    cases.check(text.count('\n```') == 2, name + ': one block of code')
    cases.check('<' not in live and '](http' not in live and '](java' not in live, name + ': no tag and no link in Markdown')
    shown = html.unescape(re.sub(r'\\(.)', r'\1', prose))
    cases.check(not re.search(r'@\w|#\d|!\d|~\w|://|www\.', shown), name + ': nobody is called and nothing is linked in Markdown')
    widths = [re.sub(r'\\\|', '', line).count('|') for line in prose.split('\n') if line.startswith('| ')]
    cases.check(len(set(widths)) <= 2, name + ': cells of tables in Markdown: %s' % sorted(set(widths)))


def check_hostile(cases, run, opened):
    path = os.path.join(run.room, 'honest.csv')
    write_log(path)
    usual = tags_of(read(run.folder('honest', path, '--tz', 'UTC', '--host', 'node01', '--all'), 'report.html'))
    for i, name in enumerate(HOSTILE):
        path = os.path.join(run.room, re.sub(r'[/\0]', ' ', name)[:60] + '.csv')
        write_log(path, name)
        host = re.sub(r'\s', '', name)[:60]
        words = [path, '--tz', 'UTC', '--host', host, '--all']
        out = run.folder('hostile%d' % i, *words)
        page, markdown = read(out, 'report.html'), read(out, 'report.md')
        found = tags_of(page)
        label = 'name %r' % name[:40]
        more = (found.tags - usual.tags) | (found.attributes - usual.attributes) | found.sources
        cases.check(not more, '%s: tags, attributes and addresses of a name: %s' % (label, sorted(more)))
        check_markdown(cases, label, markdown)
        if shutil.which('cmark-gfm'):
            check_rendered(cases, label, out)
        status, junit, _ = run(*words, '--format', 'junit', '--fail-on', 'note')
        check_junit(cases, label, junit, status)
        status, series, _ = run(*words, '--format', 'csv')
        head, rows = table(series)
        cases.check(all(len(row) == len(head) for row in rows), label + ': rows of the CSV')
        cases.check(not any(cell[:1] in tuple('=+-@\t\r') for cell in head), label + ': no formula in the CSV')
        for kind, text in (('html', page), ('md', markdown), ('xml', junit.decode()), ('csv', series.decode())):
            cases.check(not INVISIBLE.search(text), '%s: only what can be seen in %s' % (label, kind))
        opened.append((label, os.path.join(out, 'report.html')))


# ---------------------------------------------------------------- the manual

def check_manual(cases, run):
    """README's own example of a template, and what it says of a mistake in one."""
    lines = read('README.md').split('<!-- example: template -->')[1]
    example = re.search(r'```sh\n(.*?)```', lines, re.S).group(1)
    folder = os.path.join(run.room, 'manual')
    os.makedirs(os.path.join(folder, 'bin'))
    os.symlink(run.program, os.path.join(folder, 'bin/postrun'))
    os.symlink(os.path.realpath('samples'), os.path.join(folder, 'samples'))
    done = subprocess.run(['sh', '-e', '-c', example], cwd=folder, env={'PATH': folder + '/bin:/usr/bin:/bin'}, capture_output=True, timeout=60)
    sentence = json.loads(run('samples/loader_bound', '--format', 'json')[1])['verdict']['sentence']
    cases.check(done.returncode == 0 and done.stdout.decode().startswith(sentence + '\n1. '), 'README: the example of a template')
    with open(os.path.join(folder, 'chat.tmpl'), 'w', encoding='utf-8') as file:
        file.write('{{verdict.sentense}}\n')
    status, _, said = run('RUN/', '--template', 'chat.tmpl', cwd=folder)
    cases.check(status == 4 and said.decode().split('\n')[0] in lines, 'README: a mistake in a template: %s' % said.decode())


def check_manual_of_templates(cases, run):
    """The example of templates/README.md with two mistakes: both are told as it says. What it prints is looked at by docs.sh."""
    manual, template = read('templates/README.md'), read('templates/example/mail.tmpl')
    folder = os.path.join(run.room, 'templates')
    os.makedirs(folder)
    with open(os.path.join(folder, 'mail.tmpl'), 'w', encoding='utf-8') as file:
        file.write(template.replace('verdict.sentence', 'verdict.sentense', 1).replace('wrap:', 'wrapp:', 1))
    status, _, said = run('RUN/', '--template', 'mail.tmpl', cwd=folder)
    cases.same((status, re.findall(r'^    (mail\.tmpl:.*)$', manual, re.M)), (4, said.decode().split('\n')[:-1]), 'templates/README: mistakes')
    for kind in ('text', 'utf8', 'markdown', 'html'):
        status, out, said = run('samples/phases', '--template', 'templates/example/mail.tmpl', '--format', kind)
        cases.check(status == 0 and out.decode().startswith('Subject: phases: '), 'templates/README: the example as %s: %s' % (kind, said))


# ---------------------------------------------------------------- in a browser

LOOK = '''(() => {
    const light = c => c.map(v => v / 255).map(v => v <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4)
        .reduce((sum, v, i) => sum + v * [0.2126, 0.7152, 0.0722][i], 0);
    const rgb = text => text.match(/[\\d.]+/g).map(Number);
    const ground = e => {  // the nearest colour behind the letters; that of a diamond is drawn by its ::before
        for (; e; e = e.parentElement)
            for (const c of [rgb(getComputedStyle(e).backgroundColor), rgb(getComputedStyle(e, '::before').backgroundColor)])
                if (c.length < 4 || c[3] > 0)
                    return c;
    };
    const contrast = e => {
        if (![...e.childNodes].some(n => n.nodeType == 3 && n.data.trim()) || !e.offsetWidth)
            return 21;
        const [a, b] = [light(rgb(getComputedStyle(e).color).slice(0, 3)), light(ground(e).slice(0, 3))].sort((a, b) => b - a);
        return (a + 0.05) / (b + 0.05);
    };
    const pictures = [...document.images].filter(p => p.offsetWidth), all = [...document.querySelectorAll('*')];
    const small = all.filter(e => e.childNodes.length && [...e.childNodes].some(n => n.nodeType == 3 && n.data.trim())
        && parseFloat(getComputedStyle(e).fontSize) < 12 && getComputedStyle(e).display != 'none');
    return {
        title: document.title, heading: document.querySelector('h1').textContent,
        overflow: document.documentElement.scrollWidth - document.documentElement.clientWidth,
        colour: getComputedStyle(document.body).backgroundColor,
        pictures: pictures.length, whole: pictures.every(p => p.complete && p.naturalWidth == 1400 && p.alt.length > 40),
        source: pictures.length ? pictures[0].currentSrc.length : 0,
        live: document.querySelectorAll('script,iframe,object,embed,form,base,video,audio').length,
        dim: [...document.querySelectorAll('body *')].filter(e => contrast(e) < 4.5).map(e => e.tagName + ' ' + e.textContent.slice(0, 20)),
        handlers: all.filter(e => [...e.attributes].some(a => a.name.startsWith('on'))).length,
        small: small.map(e => e.tagName + ' ' + e.textContent.slice(0, 20)),
        anchors: [...document.querySelectorAll('a')].every(a => document.querySelector(a.getAttribute('href'))),
        rows: [...document.querySelectorAll('tr')].every(r => r.scrollHeight < 200),
    };
})()'''


def check_page(cases, label, page, dark, n_pictures):
    seen = page.ask(LOOK)
    cases.same(page.requests, [], label + ': requests')
    cases.same(page.messages, [], label + ': messages')
    cases.same(seen['title'], seen['heading'], label + ': title and heading')
    cases.same(seen['overflow'], 0, label + ': wider than the window')
    cases.same(seen['colour'], PAGE_COLOURS[dark], label + ': colour of the page')
    cases.same(seen['live'] + seen['handlers'], 0, label + ': scripts and the like')
    cases.check(seen['whole'] and (n_pictures is None or seen['pictures'] == n_pictures), '%s: %d pictures' % (label, seen['pictures']))
    cases.same(seen['small'], [], label + ': small letters')
    cases.same(seen['dim'], [], label + ': letters that stand out too little')
    cases.check(seen['anchors'] and seen['rows'], label + ': links inside, rows')
    return seen['source']


ENLARGED = '''(() => {
    const figure = document.querySelector('figure'), image = [...figure.querySelectorAll('img')].find(i => i.offsetWidth);
    const before = image.offsetWidth;
    figure.focus();
    const out = [before, image.offsetWidth, document.documentElement.scrollWidth - document.documentElement.clientWidth];
    figure.blur();
    return out;
})()'''
LINKED = '''(() => {
    location.hash = '#f1';
    const there = document.querySelector(':target');
    return there && [there.id, Math.abs(there.getBoundingClientRect().top) < 2 || there.getBoundingClientRect().bottom <= innerHeight];
})()'''


def check_use(cases, label, page, width, has_finding):
    """A picture is whole until it is tapped, then it is readable and scrolls; a finding can be linked."""
    before, after, overflow = page.ask(ENLARGED)
    if width < 600:
        cases.check(before <= width and after == 700 and overflow == 0, '%s: a picture of %d, enlarged %d' % (label, before, after))
    else:
        cases.check(before == after, '%s: nothing to enlarge' % label)
    if has_finding:
        cases.same(page.ask(LINKED), ['f1', True], label + ': a link to finding 1')


def check_print(cases, label, pdf):
    # an A4 page is 595 x 842 points, to a point
    boxes = re.findall(rb'/MediaBox ?\[ ?0 0 ([\d.]+) ([\d.]+)', pdf)
    cases.check(pdf.startswith(b'%PDF-') and boxes, label + ': a PDF')
    cases.check(all(abs(float(w) - 595) < 1.5 and abs(float(h) - 842) < 1.5 for w, h in boxes), '%s: A4, not %s' % (label, boxes[:1]))
    cases.check(1 <= len(boxes) <= 10, '%s: %d pages' % (label, len(boxes)))


def check_in_browser(cases, run, folders, opened, keep):
    with browser.Browser() as chromium:
        for name, folder in folders:
            path = os.path.join(folder, 'report.html')
            pictures = [chart for chart in json.loads(read(folder, 'report.json'))['charts'] if chart['file'] != 'card.png'] # the page is the card
            sources = {}
            for width in WIDTHS:
                for dark in (False, True):
                    label = '%s, %d px, %s' % (name, width, 'dark' if dark else 'light')
                    page = chromium.open(path, width, dark)
                    sources[dark] = check_page(cases, label, page, dark, len(pictures))
                    check_use(cases, label, page, width, json.loads(read(folder, 'report.json'))['findings'])
                    if keep:
                        with open(os.path.join(keep, re.sub(r'[ ,]+', '-', label) + '.png'), 'wb') as file:
                            file.write(page.picture())
                    if width == 1200:
                        pdf = page.pdf()
                        check_print(cases, label, pdf)
                        if keep:
                            with open(os.path.join(keep, re.sub(r'[ ,]+', '-', label) + '.pdf'), 'wb') as file:
                                file.write(pdf)
                    page.close()
            cases.check(sources[False] != sources[True], name + ': another picture in the dark')
        for label, path in opened:
            page = chromium.open(path, 360)
            check_page(cases, label, page, False, None)
            page.close()


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument('program')
    parser.add_argument('--keep')
    given = parser.parse_args()
    given.program = os.path.realpath(given.program)
    keep = given.keep and os.path.realpath(given.keep)
    os.chdir(os.path.join(os.path.dirname(os.path.realpath(__file__)), '..'))
    cases, room = Cases(), tempfile.mkdtemp()
    try:
        run, folders, opened = Run(given.program, room), [], []
        for sample in SAMPLES:
            folder = run.folder(sample, 'samples/' + sample)
            report = json.loads(read(folder, 'report.json'))
            folders.append((sample, folder))
            check_same_account(cases, run, sample, folder)
            check_twin(cases, run, sample)
            check_rules_as_tests(cases, run, sample, report)
            check_series(cases, run, sample, report)
            check_outline(cases, sample, folder)
            cases.check(os.path.getsize(os.path.join(folder, 'report.html')) < MAX_PAGE_BYTES, sample + ': size of the page')
        for sample in sorted(os.listdir('samples')):
            if os.path.isdir('samples/' + sample) and sample not in ('made', 'pictures'):
                folder = check_alt_texts(cases, run, sample, 'samples/' + sample)
                if shutil.which('cmark-gfm'):
                    check_rendered(cases, sample, folder)
        cases.same(check_outline(cases, 'loader_bound', folders[0][1])['duty.png'], 'f1', 'loader_bound: duty stands beside low use')
        check_whole_reports(cases, run)
        many = check_words_of_made_runs(cases, run)
        places = check_outline(cases, 'many', many)
        cases.check(re.fullmatch(r'f\d', places['thermal.png'] or '') and not places['heatmap.png'], 'many: pictures beside findings: %s' % places)
        if shutil.which('cmark-gfm'):
            check_rendered(cases, 'many', many)
        folders.append(('many', many))
        for tool, what in (('cmark-gfm', 'Markdown was not rendered'), ('pdftotext', 'numbers of pictures in words were not looked for elsewhere')):
            if not shutil.which(tool):
                print('skipped: %s: %s is not installed' % (what, tool))
        check_hole(cases, run)
        check_hostile(cases, run, opened)
        check_manual(cases, run)
        check_manual_of_templates(cases, run)
        if keep:
            os.makedirs(keep, exist_ok=True)
        why_not = browser.why_not() if browser.find() else None
        if not browser.find():
            print('skipped: pages were not opened in a browser: chromium is not installed')
        elif why_not:
            print('skipped: chromium does not start here:', why_not)
        else:
            check_in_browser(cases, run, folders, opened, keep)
    finally:
        shutil.rmtree(room, ignore_errors=True)
    return cases.end()


if __name__ == '__main__':
    sys.exit(main())

#!/usr/bin/env python3
"""same.py - equal inputs give equal bytes, whatever else is different.

    tests/same.py PROGRAM [--selftest]          in all surroundings: what `make test` does
    tests/same.py PROGRAM --other PROGRAM       by two builds, of all samples: what .ci/run does

All outputs: every format, pictures in both themes and all three kinds. A path that is given is told as it was given, in the command
line and as the path of a log; no other name of a folder is in any output. --selftest makes a program that lets each of the
surroundings leak: each must be seen. The last line is "N passed, N failed".
"""

import argparse
import json
import os
import shutil
import stat
import subprocess
import sys
import tempfile

ROOT = os.path.join(os.path.dirname(os.path.realpath(__file__)), '..')
SAMPLE = os.path.join(ROOT, 'samples', 'straggler_4gpu')
PLAIN = {'PATH': '/usr/bin:/bin', 'LC_ALL': 'C', 'TZ': 'UTC', 'HOME': '/nonexistent'}
# Into the folder: text, Markdown, HTML with pictures in both themes, JSON, PNG, and vectors; then what is only printed.
ASKED = {
    'light': ['-o', 'out', '-q', '--all', '--format', 'svg'],
    'dark': ['-o', 'out', '-q', '--all', '--format', 'pdf', '--theme', 'dark'],
    'utf8': ['--format', 'utf8'],
    'junit': ['--format', 'junit'],
    'csv': ['--format', 'csv', '--every', '2s'],
}


class Wrong(Exception):
    pass


def require(holds, complaint):
    if not holds:
        raise Wrong(complaint)


def files_of(folder):
    out = {}
    for name in sorted(os.listdir(folder)):
        with open(os.path.join(folder, name), 'rb') as file:
            out[name] = file.read()
    return out


def outputs(program, place, paths=('run',), env=None, before=None, asked=None):
    """Everything that is written and printed, by what was asked for and the name of the file."""
    out = {}
    for what in asked or ASKED:
        done = subprocess.run([program, 'report', *paths, *ASKED[what]], cwd=place, env=dict(PLAIN, **(env or {})), preexec_fn=before,
                              stdin=subprocess.DEVNULL, capture_output=True, timeout=120)
        require(done.returncode == 0, '%s: exit status %d: %s' % (what, done.returncode, done.stderr.decode()))
        out[what] = done.stdout
        if '-o' in ASKED[what]:
            for name, content in files_of(os.path.join(place, 'out')).items():
                out['%s/%s' % (what, name)] = content
            shutil.rmtree(os.path.join(place, 'out'))
    return out


def differences(a, b):
    if a.keys() != b.keys():
        return 'other files: %s' % sorted(a.keys() ^ b.keys())
    other = [name for name in a if a[name] != b[name]]
    return '' if not other else 'not the same: ' + ', '.join(other)


class Room:
    """Working folders in which the sample is called "run"."""

    def __init__(self, folder):
        self.folder = os.path.realpath(folder)
        self.n = 0

    def place(self, deep='', copied=False):
        self.n += 1
        place = os.path.join(self.folder, str(self.n), deep)
        os.makedirs(place)
        if copied:
            self.copy(os.path.join(place, 'run'))
        else:
            os.symlink(SAMPLE, os.path.join(place, 'run'))
        return place

    @staticmethod
    def copy(folder):
        """Made in another order, long ago, and for nobody else."""
        os.mkdir(folder)
        for name in sorted(os.listdir(SAMPLE), reverse=True):
            path = os.path.join(folder, name)
            shutil.copyfile(os.path.join(SAMPLE, name), path)
            os.utime(path, (315532800, 315532800))
            os.chmod(path, stat.S_IRUSR)


# ---------------------------------------------------------------- surroundings

def again(program, room, plain):
    require(not (said := differences(plain, outputs(program, room.place()))), said)


def in_german(program, room, plain):
    env = {'LC_ALL': 'de_DE.UTF-8', 'LANG': 'de_DE.UTF-8', 'LC_NUMERIC': 'de_DE.UTF-8'}
    require(not (said := differences(plain, outputs(program, room.place(), env=env))), said)


def in_turkish(program, room, plain):
    env = {'LC_ALL': 'tr_TR.UTF-8', 'LANG': 'tr_TR.UTF-8', 'LANGUAGE': 'tr'}
    require(not (said := differences(plain, outputs(program, room.place(), env=env))), said)


def in_another_zone(program, room, plain):
    require(not (said := differences(plain, outputs(program, room.place(), env={'TZ': 'Pacific/Chatham'}))), said)


def on_another_terminal(program, room, plain):
    env = {'COLUMNS': '37', 'LINES': '5', 'TERM': 'dumb', 'NO_COLOR': '1', 'TMPDIR': '/nonexistent', 'POSIXLY_CORRECT': '1', 'USER': 'x'}
    require(not (said := differences(plain, outputs(program, room.place(), env=env))), said)


def in_a_deep_folder(program, room, plain):
    require(not (said := differences(plain, outputs(program, room.place(deep='a b/' + 'c' * 200)))), said)


def on_one_core(program, room, plain):
    core = min(os.sched_getaffinity(0))
    require(not (said := differences(plain, outputs(program, room.place(), before=lambda: os.sched_setaffinity(0, {core})))), said)


def of_a_copy(program, room, plain):
    require(not (said := differences(plain, outputs(program, room.place(copied=True)))), said)


def for_everybody(program, room, plain):
    require(not (said := differences(plain, outputs(program, room.place(), before=lambda: os.umask(0)))), said)


def without_names_that_nobody_gave(program, room, plain):
    for name, content in plain.items():
        for folder in (os.path.realpath(SAMPLE), room.folder, os.path.dirname(os.path.realpath(program)) + '/'):
            require(folder.encode() not in content, '%s has %s' % (name, folder))


def by_its_full_path(program, room, plain):
    """As with its short path, but where that is told."""
    place = room.place()
    full = os.path.join(place, 'run')
    told = outputs(program, place, paths=(full,))
    for name in told:
        told[name] = told[name].replace(full.encode(), b'run')
    wrapped = [name for name in plain if name.endswith(('.txt', '.md'))]  # lines end elsewhere in a longer command
    of_words = {name: b' '.join(content.split()) for name, content in told.items() if name in wrapped}
    require(not (said := differences({**plain, **{name: b' '.join(plain[name].split()) for name in wrapped}}, {**told, **of_words})), said)


def in_any_order(program, room, _):
    """Logs are listed in the order in which they are given; nothing else knows of it."""
    place = room.place()
    names = ['run/gpu.csv', 'run/mpstat.txt', 'run/vmstat.txt']
    a, b = (outputs(program, place, paths=paths, asked=('light', 'junit', 'csv')) for paths in (names, [names[0], names[2], names[1]]))
    require(a['csv'] == b['csv'] and a['junit'] == b['junit'], 'series.csv or report.xml is not the same')
    reports = [json.loads(out['light/report.json']) for out in (a, b)]
    for report in reports:
        report['sources'].sort(key=lambda source: source['path'])
    require(reports[0] == reports[1], 'report.json is not the same')


LAWS = [again, in_german, in_turkish, in_another_zone, on_another_terminal, in_a_deep_folder, on_one_core, of_a_copy, for_everybody,
        without_names_that_nobody_gave, by_its_full_path, in_any_order]

# What a program would tell if it let the surroundings leak, in the words of a shell.
LEAKS = {
    again: 'date +%s%N',
    in_german: 'echo "$LC_ALL"',
    in_turkish: 'echo "$LANGUAGE"',
    in_another_zone: 'date -d @0',
    on_another_terminal: 'echo "$COLUMNS"',
    in_a_deep_folder: 'pwd | wc -c',
    on_one_core: 'nproc',
    of_a_copy: 'stat -L -c %Y run/gpu.csv',
    for_everybody: 'umask',
    without_names_that_nobody_gave: 'realpath run',
    by_its_full_path: 'echo ${#2}',
    in_any_order: 'echo "$3"',
}


def leaky(room, program, words):
    path = os.path.join(room.folder, 'leaky')
    with open(path, 'w', encoding='utf-8') as file:
        file.write('#!/bin/sh\n%s "$@" || exit $?\n[ ! -d out ] || for name in out/report.*; do { %s; } >>$name; done\n[ -d out ] || { %s; }\n'
                   % (program, words, words))
    os.chmod(path, 0o755)
    return path


def is_seen(law, program, room):
    """Would it be told if that leaked?"""
    try:
        bad = leaky(room, program, LEAKS[law])
        law(bad, room, outputs(bad, room.place()))
    except Wrong:
        return True
    return False


# ---------------------------------------------------------------- the cases

def check_laws(program, room):
    plain = outputs(program, room.place())
    for law in LAWS:
        try:
            law(program, room, plain)
            yield True, ''
        except Wrong as wrong:
            yield False, '%s: %s' % (law.__name__.replace('_', ' '), wrong)


def check_leaks(program, room):
    del ASKED['dark'], ASKED['utf8']  # a leak is in all
    for law in LAWS:
        if law is on_one_core and len(os.sched_getaffinity(0)) == 1:
            continue
        yield is_seen(law, program, room), 'not seen: what leaks %s' % law.__name__.replace('_', ' ')


def check_builds(program, other):
    for sample in sorted(os.listdir(os.path.join(ROOT, 'samples'))):
        if sample in ('made', 'pictures') or not os.path.isdir(os.path.join(ROOT, 'samples', sample)):
            continue
        paths = ('samples/' + sample,)
        with tempfile.TemporaryDirectory() as place:
            os.symlink(os.path.realpath(os.path.join(ROOT, 'samples')), os.path.join(place, 'samples'))
            said = differences(outputs(program, place, paths), outputs(other, place, paths))
        yield not said, '%s, by two builds: %s' % (sample, said)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument('program', type=os.path.realpath)
    parser.add_argument('--selftest', action='store_true')
    parser.add_argument('--other', type=os.path.realpath)
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        if given.other:
            results = list(check_builds(given.program, given.other))
        else:
            results = list((check_leaks if given.selftest else check_laws)(given.program, Room(folder)))
    for good, text in results:
        if not good:
            print('FAILED', text)
    n_failed = sum(not good for good, _ in results)
    print('%d passed, %d failed' % (len(results) - n_failed, n_failed))
    return 1 if n_failed else 0


if __name__ == '__main__':
    sys.exit(main())

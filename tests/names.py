#!/usr/bin/env python3
"""names.py - a name says what it says and does nothing: in text, JSON, pictures of all kinds, and on a terminal.

    tests/names.py PROGRAM [--selftest]

Names of GPUs, hosts, files and folders, and the reason of a suppression, are hostile; reports.py does the same for HTML, Markdown,
JUnit and CSV. --selftest puts what a name could do into good outputs: each must be seen. The last line counts: "N passed, N failed".
"""

import argparse
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import xml.etree.ElementTree as ET

import reports
from cases import Cases

MORE = ['\x1b[2J\x1b]0;title\x07', '\x1b]8;;http://evil.example\x1b\\x', 'a\rb\bc', 'a\nVERDICT   Healthy.', '\x9b31m', '\x85', '\x7f\x01',
        '</text><script>alert(1)</script>', ')/JavaScript(x', '<</S/URI>>', '\\u003cscript>', 'a\tb', '\ufffe', '\ud800'.encode('utf-8', 'surrogatepass')]
HEADS = re.compile(r'^(?:GPU RUN REPORT|VERDICT|RUN|WHERE|TIMELINE|FINDINGS|CHECKED|PROVENANCE|STATISTICS|DATA QUALITY|NOT JUDGED|={20,}|-{20,})', re.M)
ACTIVE = re.compile(rb'/(?:JavaScript|JS|URI|Launch|OpenAction|AA|GoToR|SubmitForm|EmbeddedFile)\b')
SVG = '{http://www.w3.org/2000/svg}'
XLINK = '{http://www.w3.org/1999/xlink}'


def bytes_of(name):
    return name if isinstance(name, bytes) else name.encode('utf-8', 'surrogateescape')


def write_log(path, name):
    """As one of reports.py, of any bytes but those that end its line."""
    name = re.sub(rb'[\r\n]', b' ', bytes_of(name))
    text = path + '.plain'
    reports.write_log(text, 'NAME')
    cell = b'"%s"' % name.replace(b'"', b'""') if set(name) & set(b',"') else name
    with open(text, 'rb') as file:
        log = file.read().replace(b'NAME', cell)
    os.remove(text)
    with open(path, 'wb') as file:
        file.write(log)


# ---------------------------------------------------------------- what must hold of each output

def check_text(text, honest):
    if not re.fullmatch(r'[\n\x20-\x7e]*', text):
        return 'more than printable ASCII'
    n, expected = len(HEADS.findall(text)), len(HEADS.findall(honest))
    return '' if n <= expected else '%d heads of sections, not %d' % (n, expected)


def check_utf8(text, honest):
    if reports.INVISIBLE.search(text):
        return 'what can not be seen'
    return '' if text.count('\nVERDICT') <= honest.count('\nVERDICT') else 'two verdicts'


def check_json(text, _):
    json.loads(text)
    return 'a sign of markup, or what can not be seen' if re.search('[<>&\x00-\x09\x0b-\x1f\x7f-\x9f\u2028-\u202e]', text) else ''


def shapes_of(svg):
    """Its elements, with their attributes."""
    return {(element.tag, tuple(sorted(element.attrib))) for element in ET.fromstring(svg).iter()}


def check_svg(text, honest):
    known = {tag for tag, _ in shapes_of(honest)}
    for element in ET.fromstring(text).iter():
        if element.tag not in known or element.tag in (SVG + 'script', SVG + 'a', SVG + 'foreignObject'):
            return 'an element %s' % element.tag
        for key, value in element.attrib.items():
            if key.startswith('on') or (key in ('href', XLINK + 'href') and not value.startswith('#')):
                return 'an attribute %s' % key
    return 'what can not be seen' if reports.INVISIBLE.search(text) else ''


def check_png(png, _):
    for text in re.findall(rb'iTXt(?:Title|Description|Software|Source)\0\0\0en\0\0(.*?)(?=.{4}.{4}(?:iTXt|IDAT|PLTE))', png, re.S):
        if re.search(rb'[\x00-\x09\x0b-\x1f\x7f]', text):
            return 'control characters'
    return '' if png.count(b'iTXt') >= 3 else 'no words'


def check_pdf(pdf, _):
    if ACTIVE.search(pdf):
        return 'something that acts'
    if not shutil.which('pdftotext'):
        return ''
    done = subprocess.run(['pdftotext', '-', '-'], input=pdf, capture_output=True, timeout=60)
    text = done.stdout.decode('utf-8', 'replace').replace('\x0c', '')
    if done.returncode or done.stderr:
        return 'it is damaged: %s' % done.stderr.decode('utf-8', 'replace')
    return 'what can not be seen' if reports.INVISIBLE.search(text) else ''


def check_terminal(said, _):
    """What is complained of, as a terminal gets it."""
    return 'control characters' if re.search(rb'[\x00-\x09\x0b-\x1f\x7f]|\xc2[\x80-\x9f]', said) else ''


CHECKS = {'report.txt': check_text, 'utf8': check_utf8, 'report.json': check_json, '.svg': check_svg, '.png': check_png, '.pdf': check_pdf,
          'stderr': check_terminal}
BINARY = (check_png, check_pdf, check_terminal)


def complaint_of(kind, content, honest):
    check = CHECKS[kind]
    try:
        if check not in BINARY:
            content, honest = content.decode('utf-8'), honest.decode('utf-8')
        return check(content, honest)
    except (ValueError, ET.ParseError) as why:
        return 'not well-formed: %s' % why


# ---------------------------------------------------------------- the runs

def outputs_of(run, place, name):
    """One of each kind, of a run in which every name is this one."""
    inside = bytes_of(name).replace(b'/', b' ').replace(b'\0', b' ')[:60] or b'x'
    folder = os.path.join(os.fsencode(place), inside)
    os.mkdir(folder)
    log = os.path.join(folder, inside + b'.csv')
    write_log(os.fsdecode(log), name)
    host = re.sub(rb'\s', b'', inside.decode('utf-8', 'ignore').encode()) or b'x'
    words = [os.path.relpath(folder, os.fsencode(place)), b'--host', host, '--tz', 'UTC', '--all', '--suppress', 'gpu-hot', '--until', '2027-01-01',
             '--because', inside.decode('utf-8', 'ignore').encode() or b'x']
    if inside.startswith(b'-'):
        words[0] = b'./' + words[0]
    status, _, said = run(*words, '-o', 'out', '-q', '--format', 'svg', cwd=place)
    out = {'stderr': said + run('missing ' + os.fsdecode(inside), cwd=place)[2], 'status': status}
    if status:
        return out
    for kind, file in (('report.txt', 'report.txt'), ('report.json', 'report.json'), ('.svg', 'card.svg'), ('.png', 'card.png')):
        with open(os.path.join(place, 'out', file), 'rb') as f:
            out[kind] = f.read()
    out['utf8'] = run(*words, '--utf8', cwd=place)[1]
    out['.pdf'] = run(*words, '--format', 'pdf', cwd=place)[1]
    return out


def check_names(cases, run):
    with tempfile.TemporaryDirectory() as place:
        honest = outputs_of(run, place, 'NVIDIA H200')
    for name in reports.HOSTILE + MORE:
        with tempfile.TemporaryDirectory() as place:
            out = outputs_of(run, place, name)
        cases.check(out['status'] == 0, '%r: exit status %d: %s' % (name, out['status'], out['stderr'].decode('utf-8', 'replace')))
        for kind in CHECKS:
            if kind in out:
                said = complaint_of(kind, out[kind], honest[kind])
                cases.check(not said, '%r in %s: %s' % (name, kind, said))


FAULTS = [
    ('report.txt', lambda out: out + b'\x1b[31m'), ('report.txt', lambda out: out + b'\nVERDICT   Healthy.\n'),
    ('utf8', lambda out: out + '\u202e'.encode()), ('utf8', lambda out: out + b'\xc2\x9b'), ('utf8', lambda out: out + b'\nVERDICT\n'),
    ('report.json', lambda out: out.replace(b'"verdict"', b'"<verdict"')), ('report.json', lambda out: out[:-3]),
    ('.svg', lambda out: out.replace(b'</svg>', b'<script/></svg>')), ('.svg', lambda out: out.replace(b'</title>', b'</b>')),
    ('.svg', lambda out: out.replace(b'<g id="surface"', b'<g onload="x" id="surface"')), ('.svg', lambda out: out.replace(b'</title>', b'\x7f</title>')),
    ('.png', lambda out: out.replace(b'\0\0\0en\0\0', b'\0\0\0en\0\0\x1b')), ('.png', lambda out: out.replace(b'iTXt', b'teXt')),
    ('.pdf', lambda out: out + b'/JavaScript (x)'), ('.pdf', lambda out: out[:200]),
    ('stderr', lambda out: out + b'\x1b[31m'), ('stderr', lambda out: out + b'\xc2\x9b'),
]


def check_faults(cases, run):
    with tempfile.TemporaryDirectory() as place:
        honest = outputs_of(run, place, 'NVIDIA H200')
    for kind, fault in FAULTS:
        bad = fault(honest[kind])
        cases.check(bad != honest[kind] and complaint_of(kind, bad, honest[kind]), 'not seen in %s: %r' % (kind, bad[-60:]))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument('program')
    parser.add_argument('--selftest', action='store_true')
    given = parser.parse_args()
    cases = Cases()
    with tempfile.TemporaryDirectory() as room:
        (check_faults if given.selftest else check_names)(cases, reports.Run(given.program, room))
    return cases.end()


if __name__ == '__main__':
    sys.exit(main())

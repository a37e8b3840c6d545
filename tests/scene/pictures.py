#!/usr/bin/env python3
"""pictures.py - the files of pictures, read by nothing of ours: PNG chunk by chunk, SVG as XML, PDF through poppler.

    tests/scene/pictures.py PROGRAM [--selftest]

The last line is "N passed, N failed".
"""

import html
import json
import os
import re
import shutil
import struct
import subprocess
import sys
import tempfile
import xml.etree.ElementTree as ET
import zlib

import logs

HERE = os.path.dirname(os.path.abspath(__file__))
SAMPLES = os.path.join(HERE, "..", "..", "samples")
SAMPLE = os.path.join(SAMPLES, "straggler_4gpu")
MOST_OF_A_CARD = 500_000
PLAIN = {"PATH": os.environ["PATH"], "HOME": "/nonexistent", "LC_ALL": "C", "TZ": "UTC"}
STRANGE = {"PATH": os.environ["PATH"], "HOME": "/nonexistent", "LC_ALL": "tr_TR.UTF-8", "TZ": "Asia/Kathmandu", "COLUMNS": "40"}
SVG = "{http://www.w3.org/2000/svg}"


class Wrong(Exception):
    pass


def require(holds, complaint):
    if not holds:
        raise Wrong(complaint)


# ---- reading ----

def chunks_of(png):
    require(png[:8] == b"\x89PNG\r\n\x1a\n", "no PNG")
    at, out = 8, []
    while at < len(png):
        length, kind = struct.unpack_from(">I4s", png, at)
        body = png[at + 8:at + 8 + length]
        require(zlib.crc32(kind + body) == struct.unpack_from(">I", png, at + 8 + length)[0], f"{kind}: wrong checksum")
        out.append((kind.decode("ascii"), body))
        at += 12 + length
    require(out[0][0] == "IHDR" and out[-1] == ("IEND", b""), "IHDR is not first, or IEND not last")
    return out


def texts_of(chunks):
    """iTXt by keyword: keyword 0 compressed method language 0 translated 0 text."""
    out = {}
    for kind, body in chunks:
        if kind == "iTXt":
            key, rest = body.split(b"\0", 1)
            require(rest[0] == 0, "a compressed iTXt")
            language, _, text = rest[2:].split(b"\0", 2)
            require(language == b"en", f"language {language}")
            require(key.decode() not in out, f"two {key}")
            out[key.decode()] = text.decode("utf-8")
    return out


def pixels_of(chunks):
    """Colours of all pixels, by unpacking what is packed; rows have the filter "none"."""
    head = dict(chunks)["IHDR"]
    width, height, depth, colour_type = struct.unpack(">IIBB", head[:10])
    require(depth == 8 and colour_type in (2, 3) and head[10:] == b"\0\0\0", f"depth {depth}, colour type {colour_type}")
    data = zlib.decompress(b"".join(body for kind, body in chunks if kind == "IDAT"))
    size = 3 if colour_type == 2 else 1
    require(len(data) == height * (1 + width * size), "not as many pixels as the head says")
    rows = [data[y * (1 + width * size) + 1:(y + 1) * (1 + width * size)] for y in range(height)]
    if colour_type == 3:
        palette = dict(chunks)["PLTE"]
        require(max(max(row) for row in rows) < len(palette) // 3, "a colour that the palette lacks")
        return width, height, colour_type, {palette[3 * i:3 * i + 3] for row in rows for i in set(row)}
    return width, height, colour_type, {colour for row in set(rows) for (colour,) in struct.iter_unpack("3s", row)}


def report(program, paths, more, environment=None, cwd=None):
    done = subprocess.run([program, "report"] + paths + more, capture_output=True, env=environment or PLAIN, cwd=cwd, timeout=120)
    require(done.returncode == 0, done.stderr.decode())
    return done.stdout


def files_of(folder):
    out = {}
    for name in sorted(os.listdir(folder)):
        with open(os.path.join(folder, name), "rb") as file:
            out[name] = file.read()
    return out


def folder_of(program, paths, more=(), environment=None, cwd=None):
    with tempfile.TemporaryDirectory() as room:
        report(program, paths, ["-o", room + "/out", "-q", *more], environment, cwd)
        return files_of(room + "/out")


# ---- what must hold ----

def check_png(name, png, facts):
    chunks = chunks_of(png)
    kinds = [kind for kind, _ in chunks]
    require(set(kinds) <= {"IHDR", "PLTE", "pHYs", "iTXt", "IDAT", "IEND"}, f"{name} has {sorted(set(kinds))}: a time, or what nobody asked for")
    chart = next(c for c in facts["charts"] if c["file"] == name)
    sources = "; ".join(f"{os.path.basename(s['path'])} {s['digest']}" for s in facts["sources"])
    expected = {"Title": chart["title"], "Description": chart["alt"], "Source": sources,
                "Software": f"{facts['program']['name']} {facts['program']['version']}"}
    require(texts_of(chunks) == expected, f"{name} says {texts_of(chunks)}, not {expected}")
    width, _, colour_type, colours = pixels_of(chunks)
    require(width == 1400, f"{name} is {width} pixels wide")
    require(dict(chunks)["pHYs"] == struct.pack(">IIB", 5670, 5670, 1), f"{name} is not 144 pixels an inch")
    require((colour_type == 3) == (len(colours) <= 256), f"{name} has {len(colours)} colours and colour type {colour_type}")
    require(name != "card.png" or len(png) < MOST_OF_A_CARD, f"the card has {len(png)} bytes")


def pngs_are_as_told(program):
    for sample, theme in (("straggler_4gpu", "light"), ("slow_files", "dark")):
        files = folder_of(program, [os.path.join(SAMPLES, sample)], ["--theme", theme])
        for name in (n for n in files if n.endswith(".png")):
            check_png(name, files[name], json.loads(files["report.json"]))


def card_of_many_gpus_is_small(program):
    with tempfile.TemporaryDirectory() as room:
        files = folder_of(program, [logs.write_run(room, 64, logs.LENGTHS["3d"], logs.SHORT, None)])
        check_png("card.png", files["card.png"], json.loads(files["report.json"]))


def check_svg(name, svg, chart):
    root = ET.fromstring(svg)
    require(root.tag == SVG + "svg" and root.get("width") == "700px", f"{name} is not 700 px wide")
    require([child.tag for child in root][:2] == [SVG + "title", SVG + "desc"], f"{name} begins without title and desc")
    require(root[0].text == chart["title"] and root[1].text == chart["alt"], f"{name} says '{root[0].text}', '{root[1].text}'")
    for element in root.iter():
        require(element.tag != SVG + "script" and element.tag != SVG + "image", f"{name} has a {element.tag}")
        for key, value in element.attrib.items():
            require(not key.endswith("href") or value.startswith("#"), f"{name} refers to {value}")
            require(not key.startswith("on"), f"{name} has a {key}")
    require(b"xsl" not in svg and b"DOCTYPE" not in svg, f"{name} is more than a picture")


def svgs_are_alone(program):
    files = folder_of(program, [SAMPLE], ["--format", "svg"])
    facts = json.loads(files["report.json"])
    for chart in facts["charts"]:
        name = chart["file"].replace(".png", ".svg")
        require(chart["file"] in files, f"{chart['file']} is missing beside {name}")
        check_svg(name, files[name], chart)
    require(report(program, [SAMPLE], ["--format", "svg"]) == files["card.svg"], "standard output has another card")


def strange_names_are_escaped(program):
    with tempfile.TemporaryDirectory() as room:
        run = os.path.join(room, "<b>&amp;\x01")
        shutil.copytree(SAMPLE, run)
        os.rename(os.path.join(run, "gpu.csv").encode(), os.path.join(run, "gpu").encode() + b"]]>\xff.csv")
        files = folder_of(program, [run], ["--format", "svg"])
        for name in (n for n in files if n.endswith(".svg")):
            ET.fromstring(files[name])
        texts = texts_of(chunks_of(files["card.png"]))
        require("gpu]]>?.csv" in texts["Source"], f"the source is {texts['Source']}")


def pdf_text(pdf):
    with tempfile.NamedTemporaryFile(suffix=".pdf") as file:
        file.write(pdf)
        file.flush()
        run = lambda *command: subprocess.run(command, capture_output=True, check=True).stdout.decode()
        return run("pdfinfo", file.name), run("pdftotext", "-layout", file.name, "-"), run("pdffonts", file.name)


def pdf_can_be_searched(program):
    files = folder_of(program, [SAMPLE], ["--format", "pdf"])
    pdf, facts = files["report.pdf"], json.loads(files["report.json"])
    require(not re.search(rb"/(CreationDate|ModDate|ID)\b", pdf), "the PDF has a date or an ID")
    require(report(program, [SAMPLE], ["--format", "pdf"]) == pdf, "standard output has another document")
    if not shutil.which("pdftotext"):
        return
    about, text, fonts = pdf_text(pdf)
    require(re.search(rf"^Pages: +{len(facts['charts'])}$", about, re.M), f"not a page a picture: {about}")
    require(f"Title:           {facts['verdict']['sentence']}\n" in about, f"no title: {about}")
    words = " ".join(text.split())
    for finding in facts["findings"]:
        require(finding["title"] in words, f"'{finding['title']}' can't be found in the PDF")
    require("Temperature, °C" in words and "4 × NVIDIA H200" in words, "characters beyond ASCII can't be found in the PDF")
    rows = fonts.splitlines()[2:]
    require(rows and all("NotoSans" in row and re.search(r" yes +yes +yes ", row) for row in rows), f"fonts are not all inside: {fonts}")


def same_everywhere(program):
    """Twice; from elsewhere, in another zone and locale; by another path to the same names."""
    for form in ("svg", "pdf"):
        first = folder_of(program, [SAMPLE], ["--format", form])
        with tempfile.TemporaryDirectory() as room:
            shutil.copytree(SAMPLE, os.path.join(room, "straggler_4gpu"))
            again = folder_of(program, ["straggler_4gpu"], ["--format", form], STRANGE, room)
        for name in first:
            if not name.startswith("report.") or name == "report.pdf":
                require(first[name] == again.get(name), f"{name} differs from place to place")


def no_picture_is_said(program):
    """A log of free has nothing that is drawn."""
    log = os.path.join(HERE, "..", "golden", "nothing_to_draw", "free.txt")
    for form in ("svg", "pdf"):
        command = [program, "report", log, "--tz", "UTC", "--start", "2026-11-21T03:10:50", "--format", form]
        done = subprocess.run(command, capture_output=True, env=PLAIN)
        require(done.returncode == 3 and not done.stdout and b"no picture" in done.stderr, f"{form}: {done.returncode} {done.stderr}")


def numbered_in_markdown(text):
    """Number and title of each finding: "### 2. GPU 3 overheated (1.1 GPU-h)"."""
    return [(int(number), re.sub(r"\\(.)", r"\1", title)) for number, title in re.findall(r"^### (\d+)\. (.*)$", text, re.M)]


def numbered_in_page(text):
    """The badge's number, which is the anchor's, and what follows it."""
    sections = re.findall(r'id="f(\d+)"[^>]*>(.*?)</section>', text, re.S)
    return [(int(number), " ".join(html.unescape(re.sub(r"<[^>]*>", " ", body)).split())) for number, body in sections]


def check_numbers(facts, markdown, page):
    told = [(finding["number"], finding["title"]) for finding in facts["findings"]]
    in_markdown, in_page = numbered_in_markdown(markdown), numbered_in_page(page)
    require(in_markdown and len(in_markdown) == len(in_page), f"{len(in_markdown)} findings in Markdown, {len(in_page)} in the page")
    for (number, title), (n_markdown, of_markdown), (n_page, of_page) in zip(told, in_markdown, in_page):
        require(n_markdown == number and of_markdown.startswith(title), f"finding {number} is {n_markdown}, '{of_markdown}', in Markdown")
        require(n_page == number and of_page.startswith(f"{number} {title}"), f"finding {number} is {n_page}, '{of_page[:60]}', in the page")


def badges_are_the_same(program):
    """report.json, report.md and report.html number alike; of the card and report.txt scenes.py asks it."""
    for sample in ("straggler_4gpu", "loader_bound", "slow_files"):
        files = folder_of(program, [os.path.join(SAMPLES, sample)])
        check_numbers(json.loads(files["report.json"]), files["report.md"].decode(), files["report.html"].decode())


CHECKS = [badges_are_the_same, pngs_are_as_told, card_of_many_gpus_is_small, svgs_are_alone, strange_names_are_escaped, pdf_can_be_searched, same_everywhere,
          no_picture_is_said]


# ---- would they see a fault? ----

def chunk(kind, body):
    return struct.pack(">I", len(body)) + kind + body + struct.pack(">I", zlib.crc32(kind + body))


def selftest(program):
    files = folder_of(program, [SAMPLE], ["--format", "svg"])
    facts = json.loads(files["report.json"])
    png, svg, chart = files["card.png"], files["card.svg"], facts["charts"][0]
    faults = {
        "no fault": (png, facts, svg, False),
        "a time": (png[:-12] + chunk(b"tIME", b"\x07\xea\x0b\x16\0\0\0") + png[-12:], facts, svg, True),
        "a wrong checksum": (png[:-20] + b"\0" + png[-19:], facts, svg, True),
        "another alt text": (png, dict(facts, charts=[dict(chart, alt="x")]), svg, True),
        "another log": (png, dict(facts, sources=facts["sources"][1:]), svg, True),
        "a large card": (png[:-12] + chunk(b"iTXt", b"x" * MOST_OF_A_CARD) + png[-12:], facts, svg, True),
        "an SVG that loads something": (png, facts, svg.replace(b"</svg>", b'<image href="http://x"/></svg>'), True),
        "an SVG without title": (png, facts, svg.replace(b"<title>", b"<g>").replace(b"</title>", b"</g>"), True),
    }
    for name, (some_png, some_facts, some_svg, wrong) in faults.items():
        try:
            check_png("card.png", some_png, some_facts)
            check_svg("card.svg", some_svg, chart)
            seen = False
        except (Wrong, ValueError, zlib.error):
            seen = True
        yield name, None if seen == wrong else "the fault is not seen" if wrong else "a fault is seen where none is"


def selftest_of_numbers(program):
    files = folder_of(program, [SAMPLE])
    facts, markdown, page = json.loads(files["report.json"]), files["report.md"].decode(), files["report.html"].decode()
    faults = {
        "another number in Markdown": (facts, markdown.replace("\n### 1. ", "\n### 2. "), page),
        "another number in the page": (facts, markdown, page.replace('id="f1"', 'id="f2"')),
        "a finding less in the page": (facts, markdown, page.replace('id="f1"', "")),
        "another title": (dict(facts, findings=[dict(facts["findings"][0], title="x")]), markdown, page),
    }
    for name, fault in faults.items():
        try:
            check_numbers(*fault)
            yield name, "the fault is not seen"
        except Wrong:
            yield name, None


def verdicts_of(checks, *given):
    """Of each check its name, and what is wrong or None."""
    for check in checks:
        try:
            check(*given)
            yield check.__name__, None
        except Wrong as complaint:
            yield check.__name__, str(complaint)


def tell(verdicts):
    n = [0, 0]
    for name, complaint in verdicts:
        n[complaint is not None] += 1
        if complaint:
            print(f"FAILED   {name}\n           {complaint[:600]}")
    print(f"{n[0]} passed, {n[1]} failed")
    return 1 if n[1] else 0


def main():
    if len(sys.argv) not in (2, 3) or sys.argv[2:] not in ([], ["--selftest"]):
        print(__doc__)
        return 2
    program = os.path.abspath(sys.argv[1])
    if len(sys.argv) == 3:
        return tell([*selftest(program), *selftest_of_numbers(program)])
    return tell(verdicts_of(CHECKS, program))


if __name__ == "__main__":
    sys.exit(main())

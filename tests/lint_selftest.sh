#!/usr/bin/env bash
# lint_selftest.sh - a law that never says no is no law: each must catch its breach.
#
# Each case writes one bad snippet into an otherwise clean tree of its own and names the words
# that lint.sh must then say. The clean tree must pass, or the rest proves nothing.

set -u
lint=$(cd "$(dirname "$0")" && pwd)/lint.sh
tree=$(mktemp -d) || exit 2
trap 'rm -rf "$tree"' EXIT
laws='layers words essays names top globals format width paths'
failed=0
cp "${lint%/*}/../.clang-tidy" "$tree" || exit 2

clean_tree() {
	rm -rf "${tree:?}"/*
	mkdir -p "$tree"/src/{base,metric,series,format,run,rule,report,chart,render,cmd} "$tree"/{tests,build/base}
	printf '/* arena.h - memory. Comments may say malloc(1), time(0), %%f. */\n' >"$tree/src/base/arena.h"
	printf '/* rule.h - the face. */\n#include "run/run.h"\n' >"$tree/src/rule/rule.h"
	printf '/* run.h - the face. */\n#include "format/format.h"\n' >"$tree/src/run/run.h"
	printf '/* format.h - the face. */\n#include "base/arena.h"\n' >"$tree/src/format/format.h"
	printf '/* mpstat.c - words of a log are no conversions. */\nconst char head[] = "%%guest %%idle 50 %% free";\n' \
		>"$tree/src/format/mpstat.c"
	printf 'int main(void)\n{\n\treturn 0;\n}\n' | gcc -x c -c -o "$tree/build/main.o" -
}

run_lint() { LINT_ROOT=$tree LINT_LAWS=$laws "$lint" "$tree/build" 2>&1; }

expect() { # file, content (printf format), words of the message
	clean_tree
	mkdir -p "$(dirname "$tree/$1")"
	# shellcheck disable=SC2059 # the snippets are formats, for \n and \t
	printf "$2" >"$tree/$1"
	case $1 in *global*) gcc -c -o "$tree/build/base/${1##*/}.o" "$tree/$1" ;; esac
	said=$(run_lint)
	case $said in
	*"$3"*) ;;
	*) printf 'lint_selftest: %s: expected "%s", lint said:\n%s\n' "$1" "$3" "$said"; failed=$((failed + 1)) ;;
	esac
}

clean_tree
said=$(run_lint) || { printf 'lint_selftest: the clean tree fails:\n%s\n' "$said"; failed=1; }

laws=layers
expect src/series/a.c '/* a */\n#include "rule/rule.h"\n' 'series may not include rule'
expect src/series/a.c '/* a */\n#include "format/format.h"\n' 'series may not include format'
expect src/format/a.c '/* a */\n#include "series/track.h"\n' 'format may not include series'
expect src/rule/a.c '/* a */\n#include "run/clock.h"\n' "run/clock.h is run's own business"
expect src/cmd/a.c '/* a */\n#include "chart/canvas.h"\n' "chart/canvas.h is chart's own business"
expect src/run/a.c '/* a */\n#include "ingest.h"\n' 'by folder and name'
expect src/run/a.c '/* a */\n#include "run/ingest.c"\n' 'never included'
expect src/run/a.c '/* a */\n#include "util/list.h"\n' 'no layer is called util'
expect src/main.c '/* a */\n#include "run/run.h"\n' 'main may include cmd'
expect src/report/a.c '/* a */\n#include <cairo/cairo.h>\n' '<cairo/cairo.h> belongs to'
expect src/chart/draw.c '/* a */\n#include <ft2build.h>\n' '<ft2build.h> belongs to'
expect src/rule/a.c '/* a */\n#include <yaml.h>\n' '<yaml.h> belongs to src/base/yaml.c'
expect src/render/a.c '/* a */\n#include <expat.h>\n' '<expat.h> belongs to src/format/nvidia_smi_xml.c'
expect src/run/a.c '/* a */\n#include <csv.h>\n' '<csv.h> belongs to src/format/'

laws=words
expect src/run/a.c '/* a */\nlong f(void)\n{\n\treturn time(0);\n}\n' "a.c:4: 'time'"
expect src/run/a.c '/* a */\nvoid f(void)\n{\n\tg(getenv("X"));\n}\n' "'getenv'"
expect src/run/a.c '/* a */\nvoid f(void)\n{\n\tg(localtime (0));\n}\n' "'localtime'"
expect src/cmd/a.c '/* a */\nvoid f(void)\n{\n\tg(atof("1"));\n}\n' "'atof'"
expect src/base/a.c '/* a */\nvoid f(void)\n{\n\tg(strtod("1", 0));\n}\n' "'strtod'"
expect src/base/a.c '/* a */\nvoid f(char *p)\n{\n\tsprintf(p, "x");\n}\n' "'sprintf'"
expect src/base/a.c '/* a */\nvoid f(char *p)\n{\n\tstrcpy(p, "x");\n}\n' "'strcpy'"
expect src/run/a.c '/* a */\nvoid *f(void)\n{\n\treturn malloc(3);\n}\n' "'malloc'"
expect src/run/a.c '/* a */\nvoid f(void *p)\n{\n\tfree(p);\n}\n' "'free'"
expect src/run/a.c '/* a */\nvoid f(void)\n{\n\tprintf("%%.3f W", 3.0);\n}\n' 'floating point is printed'
expect src/run/a.c '/* a */\nvoid f(void)\n{\n\tprintf("%%g", 3.0);\n}\n' 'floating point is printed'
expect src/run/a.c '/* a */\ntypedef struct a a;\n' 'structs keep their word'
expect src/run/a.c '/* TOD''O later */\n' 'belongs to an issue'

laws='essays names top globals width paths'
expect src/run/a.c 'int f(void);\n' 'a.c: opens without a comment'
expect tests/a.sh '#!/bin/sh\nls\n' 'a.sh: opens without a comment'
expect src/rule/arena.c '/* a */\n' 'arena is in src/base and in src/rule'
expect scratch/gpu.csv 'timestamp\n' 'scratch does not belong at the top'
expect src/base/global.c '/* a */\nint counter = 3;\n' 'counter: mutable'
expect src/base/global.c '/* a */\nint *f(void);\nint *f(void)\n{\n\tstatic int n;\n\treturn &n;\n}\n' 'mutable, in .bss'
expect src/base/wide.c "/* a */\n/* $(printf '%0160d' 0) */\n" 'columns of 140'
expect src/base/path.c "/* see /wor""k/here */\n" 'path.c:1'
# What only a tool sees: where it is not installed its law is skipped, and nothing is asked of it here.
expect_of_tool() { # law, file, content, words of the message
	laws=$1
	clean_tree
	case $(run_lint) in *"skipped  $1:"*) return ;; esac
	expect "${@:2}"
}
expect_of_tool format src/base/a.c '/* a */\nint f(void) {\n  return 0;\n}\n' 'FAILED   format'
expect_of_tool tidy src/base/a.c '/* a */\nint f(int n);\nint f(int n)\n{\n\tint i = 0;\n\twhile (i < 9)\n\t\tn++;\n\treturn n;\n}\n' \
	'bugprone-infinite-loop'
expect_of_tool scan src/base/a.c '/* a */\nint f(int n);\nint f(int n)\n{\n\tint *p = 0;\n\treturn n ? *p : 0;\n}\n' 'NullDereference'
expect_of_tool analyzer src/base/a.c '/* a */\nint f(int n);\nint f(int n)\n{\n\tint *p = 0;\n\treturn n ? *p : 0;\n}\n' \
	'-Wanalyzer-null-dereference'
expect_of_tool cppcheck src/base/a.c '/* a */\nint f(void);\nint f(void)\n{\n\tint a[2] = { 0 };\n\treturn a[2];\n}\n' 'arrayIndexOutOfBounds'
expect_of_tool shell tests/a.sh '#!/bin/sh\n# a\nif [ $x = "a" ]; then\n\techo "$y\nfi\n' 'FAILED   shell'

[ "$failed" -eq 0 ] || exit 1
echo "  ok       selftest: each law catches its breach"

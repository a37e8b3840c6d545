#!/usr/bin/env bash
# lint.sh - the laws of the house that a compiler can't see.
#
#     make lint
#     tests/lint.sh BUILD_FOLDER [compiler flags…]     what make calls
#     LINT_ROOT=DIR LINT_LAWS="layers words" …         another tree, some laws: for lint_selftest.sh
#
# Each law is a function that prints its breaches; a law that prints nothing holds. A tool that is
# not installed is said to be skipped, never silently left out.

set -u
here=$(cd "$(dirname "$0")" && pwd)
build=${1:-build/release}
shift
flags=("$@")
cd "${LINT_ROOT:-$here/..}" || exit 2
passed=0
failed=0
skipped=0

say_ok() { printf '  ok       %s\n' "$1"; passed=$((passed + 1)); }
say_skip() { printf '  skipped  %s: %s\n' "$1" "$2"; skipped=$((skipped + 1)); }
say_bad() { printf '  FAILED   %s\n' "$1"; printf '%s\n' "$2" | head -n 60 | sed 's/^/           /'; failed=$((failed + 1)); }

judge() { # law: does it hold?
	local breaches
	breaches=$("law_$1" 2>&1)
	case $? in
	77) say_skip "$1" "$breaches" ;;
	*) if [ -z "$breaches" ]; then say_ok "$1"; else say_bad "$1" "$breaches"; fi ;;
	esac
}

needs() { command -v "$1" >/dev/null || { echo "$1 is not installed"; return 77; }; }
sources() { find src -name '*.[ch]' -print | sort; }
tracked() { git ls-files --cached --others --exclude-standard 2>/dev/null || find . -type f -not -path './build/*'; }

# Includes go downwards; faces; third-party headers at home.
law_layers() { grep -H '^[[:space:]]*#[[:space:]]*include' $(sources) /dev/null | awk -f "$here/layers.awk"; }

# Words that must not be said.
law_words() { awk -f "$here/words.awk" $(sources) /dev/null; }

# A file opens with a comment that says what it is for.
law_essays() {
	local file
	find src tests -name '*.[ch]' -o -name '*.def' -o -name '*.sh' -o -name '*.awk' -o -name '*.py' |
		sort | while read -r file; do
		awk 'NR == 1 && /^#!/ { next } { good = /^(\/\*|#|""")/; exit } END { exit !good }' "$file" ||
			echo "$file: opens without a comment"
	done
}

# A file name tells the folder: x.h and x.c stand together, and no other folder has an x.
law_names() {
	find src \( -name '*.[ch]' -o -name '*.def' \) -printf '%f %h\n' | sed 's/\.[a-z]* / /' | sort -u |
		awk '$1 == name { print $1 " is in " folder " and in " $2 } { name = $1; folder = $2 }'
}

# What stands at the top is known to whoever comes; scratch has no place there.
law_top() {
	tracked | sed 's|^\./||; s|/.*||' | sort -u |
		grep -vxE '\..*|Makefile|src|rules|templates|tests|samples|README\.md|LICENSE|NOTICE|SECURITY\.md' | sed 's/$/ does not belong at the top/'
}

# No mutable variable outlives a function: constants lie in .rodata and .data.rel.ro. But for the heap, which a process has one of, as it
# has one of the C library's.
law_globals() {
	needs nm || return
	[ -f "$build/main.o" ] || { echo "nothing is built in $build"; return 77; }
	nm -A -f sysv --defined-only "$build"/*.o "$build"/*/*.o 2>/dev/null | awk -F'|' '
		{ gsub(/ /, "", $3); gsub(/[ \t]/, "", $7) }
		$1 ~ /\/base\/memory\.o:large *$/ { next }
		$3 ~ /^[bBcCdDgGsS]$/ && $7 !~ /^\.data\.rel\.ro/ { sub(/ *$/, "", $1); print $1 ": mutable, in " $7 }'
}

# The look of the code is clang-format's, but for what is the author's choice: columns inside a
# table and before a comment, where a statement or a list is broken and how its rest is indented,
# the members of a table's row type on one line, and macros. Both sides are squeezed, a statement
# to one line, until only the rest is compared. Words that only C++ reserves are made harmless first.
# Of all files at once: to start eleven programs for each of 800 files took minutes.
squeeze() { # the files below a folder, in place
	find "$1" -type f -exec sed -E -i 's/[ \t]+$//; s/([^ \t])[ \t]+/\1 /g' {} + -exec awk '
		function put(text) { printf "%s%s", glue, text > out; glue = "\n" }
		function end() { if (out) { print "" > out; close(out) } }
		FNR == 1 { end(); out = FILENAME ".squeezed"; glue = ""; macro = row = rest = comment = 0 }
		/^[ \t]*#[ \t]*define/ || macro { macro = /\\$/; next }
		/static const struct( [a-z_]+)? \{$/ { put($0); glue = " "; row = 1; next }
		row { sub(/^[ \t]+/, ""); put($0); row = !/^\}/; rest = / = \{$/; if (row) glue = " "; next }
		rest { sub(/^[ \t]+/, ""); glue = " " }
		{ comment = comment || /^[ \t]*\/\*/; put($0) }
		comment || /^[ \t]*#/ || /([;}:]|\*\/|^|\\)$/ { rest = 0; if (/\*\/$/) comment = 0; next }
		{ rest = /(\)\{|= \{)$/ || !/\{$/ }
		END { end() }' {} +
	find "$1" -name '*.squeezed' -exec sed -E -i 's/([({]) /\1/g; s/ ([)}])/\1/g' {} +
}
law_format() {
	needs clang-format || return
	local room
	room=$(mktemp -d)
	mkdir "$room/ours"
	find src tests -name '*.[ch]' -exec cp --parents -t "$room/ours" {} +
	find "$room/ours" -type f -exec sed -E -i 's/\b(operator|template|class|new|delete|private|this|try|namespace|using)\b/\1_/g' {} +
	cp -r "$room/ours" "$room/theirs"
	find "$room/theirs" -type f -print0 | xargs -0 -P "$(nproc)" -n 50 clang-format -i --style="file:$here/../.clang-format" ||
		echo "clang-format did not look at all files"
	squeeze "$room/ours"
	squeeze "$room/theirs"
	(cd "$room" && diff -r -x '*.[ch]' ours theirs) |
		sed -nE 's/^diff .* ours\/(.*)\.squeezed .*/\1/; /^(src|tests)\//h; /^[<>]/{G; s/(.*)\n(.*)/\2: \1/p}; /^Only/p'
	rm -rf "$room"
}

# No line is wider than a reader's window, tabs counted as 8.
law_width() {
	expand $(sources) </dev/null >/dev/null || return
	for file in $(sources); do
		expand "$file" | sed 's/[\x80-\xBF]//g' |
			LC_ALL=C awk -v file="$file" 'length > 140 { print file ":" NR ": " length " columns of 140" }'
	done
}

# Nothing tells where it was written.
law_paths() {
	tracked | grep -v '^samples/' | tr '\n' '\0' |
		xargs -0 grep -nIE '(^|[^A-Za-z0-9_.*])/(wor[k]|hom[e]/[a-z]|roo[t]|User[s])/' /dev/null
}

law_tidy() {
	needs clang-tidy || return
	find src -name '*.c' | sort | xargs -P "$(nproc)" -n 4 sh -c '
		flags=$1; shift; clang-tidy --quiet "$@" -- $flags 2>/dev/null' sh "${flags[*]}" |
		grep -E '(warning|error):'
}

# clang's analyser looks at this many states of a function: an eleventh of what it would by itself, in a tenth of the time. What lies
# deeper is found by fuzzers and sanitizers; LINT_DEPTH=225000 looks there, too. It was seen to warn once and not when asked again: that
# is no warning. Asked beside what it looks for by itself: all of `security` but DeprecatedOrUnsafeBufferHandling, which wants memcpy_s of
# C11 Annex K, which no libc here has.
law_scan() {
	needs clang || return
	local asked=(--analyzer-output text)
	local option
	for option in -analyzer-checker=security -analyzer-disable-checker=security.insecureAPI.DeprecatedOrUnsafeBufferHandling \
		-analyzer-config "max-nodes=${LINT_DEPTH:-20000}"; do
		asked+=(-Xclang "$option")
	done
	find src -name '*.c' | sort | xargs -P "$(nproc)" -n 1 sh -c '
		scan="clang --analyze $1 $2"; $scan 2>&1 | grep -qE "(warning|error):" && exec $scan 2>&1' sh "${flags[*]} ${asked[*]}" |
		grep -E '(warning|error):'
}

# Not asked: of the arena whether it leaks, because gcc 12 loses sight of blocks that hang on one another; of pack_write how far it
# shifts, because it takes the 2 numbers of a vector for its 2 bits.
law_analyzer() {
	gcc -fanalyzer -x c -S -o /dev/null /dev/null 2>/dev/null || { echo "gcc with -fanalyzer is not installed"; return 77; }
	find src -name '*.c' | sort | xargs -P "$(nproc)" -n 4 sh -c '
		flags=$1; shift; for file; do gcc $flags -fanalyzer -S -o /dev/null "$file" 2>&1; done' sh "${flags[*]}" |
		grep -E '(warning|error):' |
		grep -vE '^src/base/(arena\.c:.*analyzer-malloc-leak|pack_write\.c:.*analyzer-shift-count-overflow)\]$'
}

# Not asked: comparePointers, because begin and end of embedded data are the linker's symbols;
# legacyUninitvar, which takes the ".text =" of an initialiser for the variable;
# CastIntegerToAddressAtReturn, which both compilers know better.
law_cppcheck() {
	needs cppcheck || return
	cppcheck --enable=warning,portability --error-exitcode=1 --inline-suppr --quiet --std=c11 -j "$(nproc)" \
		-D_POSIX_C_SOURCE=200809L -Isrc --suppress=missingIncludeSystem \
		--suppress=comparePointers --suppress=legacyUninitvar \
		--suppress=CastIntegerToAddressAtReturn src
}

law_shell() {
	needs shellcheck || return
	find src tests templates .ci -name '*.sh' -o -name '*.sbatch' -o -path .ci/run | sort | xargs -r shellcheck -x --severity=warning --exclude=SC2046
}

for law in ${LINT_LAWS:-layers words essays names top globals format width paths tidy scan analyzer cppcheck shell}; do
	judge "$law"
done
[ -n "${LINT_LAWS:-}" ] || { "$here/lint_selftest.sh" && passed=$((passed + 1)) || failed=$((failed + 1)); }
echo "$passed passed, $failed failed$([ $skipped -eq 0 ] || echo ", $skipped skipped")"
[ "$failed" -eq 0 ]

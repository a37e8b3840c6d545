#!/usr/bin/env bash
# docs.sh - what documents show is what the program prints.
#
#     tests/docs.sh [--write] PROGRAM
#
# In any of our .md files, the lines between
#
#     <!-- printed: postrun report samples/loader_bound -->
#     <!-- end -->
#
# are the output of that command in a code fence. Without --write they are compared, which is a
# test; with it they are replaced. Commands run in the root of the tree, so that a reader who
# types them sees the same. Files that are what a command prints, from first to last, are rows of `printed`.
# Of a long output a part is enough: `<!-- printed from FINDINGS to Checked: postrun … -->` are the lines from the
# first that begins with FINDINGS up to the one before Checked; what is left out is shown as "…". And
#
#     <!-- shown: samples/slow_files/rules/slow-files.yaml -->
#     <!-- end -->
#
# is that file. Between `<!-- filters -->` and the end stands the table of the filters of templates. Pictures are gallery.py's.

set -u
cd "$(dirname "$0")/.." || exit 2
write=false
[ "${1:-}" = --write ] && { write=true; shift; }
room=$(mktemp -d) || exit 2
trap 'rm -rf "$room"' EXIT
ln -s "$(realpath "$1")" "$room/postrun"
export HOME=/nonexistent XDG_CONFIG_HOME=/nonexistent # nobody's own rules have a say in documents
passed=0
failed=0

#         file                    what prints it
printed=('rules/rule.schema.json  rules schema')

# The lines from the first that begins with $1 to before the next that begins with $2.
part() {
	awk -v from="$1" -v to="$2" '
		state == 0 && (from == "" || index($0, from) == 1) { state = 1; if (NR > 1) print "…"; print; next }
		state == 1 && to != "" && index($0, to) == 1 { state = 2; print "…" }
		state == 1'
}

# The rows of base/filter.def, the arguments in the letters that their texts use.
filters() {
	printf '| filter | |\n|---|---|\n'
	awk -F '[(,]  *|[(]' '/^FILTER/ {
			split($0, text, "\"")
			argument = $3 == "NOTHING" ? "" : $3 == "N_FILL" ? ":N:C" : $3 == "N_WIDTH" ? ":N:W" : $3 == "N_NAME" ? ":N:NAME" : \
				$3 == "DECIMALS" ? ":N" : ":" $3
			printf "| `%s%s` | %s |\n", $2, argument, text[2]
		}' src/base/filter.def
}

# The document again, with what its commands print now.
reprint() {
	local line command inside=false
	while IFS= read -r line; do
		if [[ $line == '<!-- end -->' ]]; then inside=false; fi
		$inside || printf '%s\n' "$line"
		if [[ $line =~ ^'<!-- printed'(' from '([A-Za-z/]+))?(' to '([A-Za-z/]+))?': postrun '([A-Za-z0-9_./ =-]+)' -->'$ ]]; then
			read -ra command <<<"${BASH_REMATCH[5]}"
			printf '```text\n'
			PATH="$room:$PATH" LC_ALL=C TZ=UTC postrun "${command[@]}" | part "${BASH_REMATCH[2]}" "${BASH_REMATCH[4]}"
			printf '```\n'
			inside=true
		elif [[ $line =~ ^'<!-- shown: '([A-Za-z0-9_./-]+)' -->'$ ]]; then
			case ${BASH_REMATCH[1]} in *.yaml) printf '```yaml\n' ;; *) printf '```text\n' ;; esac
			cat "${BASH_REMATCH[1]}"
			printf '```\n'
			inside=true
		elif [[ $line == '<!-- filters -->' ]]; then
			filters
			inside=true
		fi
	done <"$1"
}

# The document as it is, and as it should be in $room/document.
settle() {
	if cmp -s "$room/document" "$1"; then
		passed=$((passed + 1))
	elif $write; then
		cat "$room/document" >"$1"
		passed=$((passed + 1))
		echo "wrote $1"
	else
		failed=$((failed + 1))
		echo "$1 shows what the program no longer prints: make docs"
		diff -u "$1" "$room/document" | head -n 40
	fi
}

for document in *.md */*.md; do
	grep -qE '^<!-- (printed|shown|filters)[ :]' "$document" 2>/dev/null || continue
	reprint "$document" >"$room/document"
	settle "$document"
done
for row in "${printed[@]}"; do
	read -r document command <<<"$row"
	# shellcheck disable=SC2086 # the command is words
	LC_ALL=C TZ=UTC "$room/postrun" $command >"$room/document"
	settle "$document"
done

# What a document calls a whole rule is one, and so is what comes with a sample: it has no mistake and passes
# its own tests.
mkdir "$room/rules"
awk -v out="$room/rules/" '/^<!-- shown: / { getline; next }
	/^```yaml/ { take = 1; name = ""; text = ""; next }
	/^```/ { if (take && name) printf "%s", text >(out name ".yaml"); take = 0 }
	take { text = text $0 "\n"; if ($1 == "short:") name = $2 }' rules/README.md
for rule in "$room"/rules/*.yaml samples/*/rules/*.yaml; do
	if HOME="$room" "$room/postrun" rules test "$rule" >"$room/said" 2>&1; then
		passed=$((passed + 1))
	else
		failed=$((failed + 1))
		echo "the rule '$(basename "$rule" .yaml)' of rules/README.md or a sample:"
		cat "$room/said"
	fi
done
echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]

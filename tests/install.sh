#!/usr/bin/env bash
# install.sh - what `make install` leaves is whole, and works from where it lies.
#
#     tests/install.sh BUILD_FOLDER
#
# The last line is "N passed, N failed".
set -u
cd "$(dirname "$0")/.." || exit 2
variant=$(basename "$1")
room=$(mktemp -d) || exit 2
trap 'rm -rf "$room"' EXIT
share=$room/root/usr/share
postrun=$room/root/usr/bin/postrun
export HOME=/nonexistent XDG_CONFIG_HOME=/nonexistent LC_ALL=C TZ=UTC
passed=0
failed=0

check() { # what, command…
	local what=$1
	shift
	if "$@" >"$room/said" 2>&1; then
		passed=$((passed + 1))
	else
		failed=$((failed + 1))
		echo "FAILED $what"
		head -n 20 "$room/said"
	fi
}

run_make() { make -s "$1" VARIANT="$variant" PREFIX=/usr DESTDIR="$room/root"; }

# The report of a run by an installed template is that of the program without one.
same_by_template() { # format, file
	"$postrun" report "$share/postrun/samples/throttled" --format "$1" >"$room/built-in" &&
		"$postrun" report "$share/postrun/samples/throttled" --format "$1" --template "$share/postrun/templates/$2" >"$room/by-file" &&
		grep -q 'input data' "$room/by-file" &&
		diff <(grep -v -e '--format' "$room/built-in") <(grep -v -e '--format' -e '/templates/' "$room/by-file") # but for the command line
}

# Every link of an installed document leads to a file that was installed.
links_hold() { # document
	local target missing=0
	while read -r target; do
		[ -e "$(dirname "$1")/$target" ] || { echo "no $target"; missing=1; }
	done < <(grep -oE '(\]\(|src="|srcset=")[A-Za-z0-9_./-]+[)"#]' "$1" | sed -E 's/^(\]\(|src="|srcset=")//; s/[)"#]$//')
	[ $missing -eq 0 ]
}

page_is_sound() {
	local page=$share/man/man1/postrun.1 command
	"$postrun" --help | sed -n '/^commands:/,/^$/s/^  \([a-z ]*[a-z]\)   *.*/\1/p' >"$room/commands"
	[ "$(wc -l <"$room/commands")" -gt 5 ] || return 1
	while read -r command; do grep -qF "\"postrun $command\"" "$page" || { echo "no $command"; return 1; }; done <"$room/commands"
	grep -qF 'a wrong rule file or template' "$page" && grep -qF '\-\-fail\-on SEVERITY' "$page" || return 1
	! command -v groff >/dev/null || [ -z "$(groff -man -Tutf8 -ww -z "$page" 2>&1)" ]
}

tree_of() { (cd "$1" && find . ! -type d | sort); }

check 'make install' run_make install
for output in text:report.txt utf8:report.txt markdown:report.md html:report.html; do
	check "the installed template of ${output%:*}" same_by_template "${output%:*}" "${output#*:}.tmpl"
done
check 'the manual page' page_is_sound
for document in doc/postrun/README.md postrun/samples/README.md postrun/rules/README.md postrun/templates/README.md; do
	check "links of $document" links_hold "$share/$document"
done
for file in doc/postrun/LICENSE doc/postrun/NOTICE doc/postrun/OFL.txt postrun/rules/mapping/README.md postrun/rules/rule.schema.json \
	postrun/samples/pictures/throttled.png doc/postrun/samples/README.md; do
	check "$file" test -s "$share/$file"
done
check 'a generator can be started' test -x "$share/postrun/samples/made/cluster.py"
check 'nothing that was made on the way' test -z "$(find "$room/root" -name '__pycache__' -o -name '*.pyc')"
check 'make uninstall' run_make uninstall
check 'nothing is left' test -z "$(tree_of "$room/root")"
echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]

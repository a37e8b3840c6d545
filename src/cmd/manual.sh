#!/bin/sh
# manual.sh - writes postrun(1), the manual page, from what the program says of itself.
#
#     src/cmd/manual.sh PROGRAM > postrun.1
#
# Commands, examples and options are those of --help, so the page is never behind the program. What
# exit statuses mean is README's table.
set -eu
program=$1
readme=$(dirname "$0")/../../README.md

# Text as roff wants it: nothing is a request, an escape or a typographic dash by chance.
escaped() {
	sed -e 's/\\/\\e/g' -e 's/-/\\-/g' -e "s/^[.']/\\\\\&&/" -e 's/…/\\[u2026]/g'
}

# "postrun report --help" as a subsection: title, examples as they stand, options with their text.
command_section() { # words of the command
	printf '.SS "postrun %s"\n' "$*"
	# shellcheck disable=SC2068 # the command is words
	"$program" $@ --help | escaped | awk '
		/^examples:/ { state = "examples"; next }
		/^usage:/ { state = "title"; usage = $0; sub(/^usage: /, "", usage); next }
		/^options:/ { state = "options"; next }
		/^$/ { next }
		state == "examples" { examples = examples $0 "\n" }
		state == "title" { title = title $0 "\n" }
		state == "options" && match($0, /^ +(\\-[a-zA-Z], )?\\-\\-[a-z0-9\\-]+( [A-Z.=]+)?  +/) {
			word = substr($0, 1, RLENGTH)
			gsub(/^ +| +$/, "", word)
			options = options ".TP\n\\fB" word "\\fR\n" substr($0, RLENGTH + 1) "\n"
			next
		}
		state == "options" { options = options $0 "\n" }
		END { printf "%s.PP\n\\fB%s\\fR\n.PP\n.EX\n%s.EE\n%s", title, usage, examples, options }'
}

all_commands() {
	"$program" --help | sed -n '/^commands:/,/^$/s/^  \([a-z ]*[a-z]\)   *.*/\1/p'
}

statuses() {
	awk '/^\| status \|/ { inside = 1; next } inside && !/^\|/ { exit } inside && !/^\|--/' "$readme" |
		sed 's/`//g' | escaped | awk -F ' *[|] *' '{ printf ".TP\n\\fB%s\\fR\n%s\n", $2, $3 }'
}

# The first line of the overview is "postrun: what it is".
about=$("$program" --help | sed -n '1s/^postrun: //p' | escaped)
cat <<END
.TH POSTRUN 1
.SH NAME
postrun \- $about
.SH SYNOPSIS
.EX
$("$program" --help | sed -n '2,/^commands:/p' | sed '/^$/d; /^commands:/d' | escaped)
.EE
.SH DESCRIPTION
.B postrun
reads what nvidia\-smi, vmstat, mpstat and other tools logged while a job ran, and says how its GPUs were used: one
sentence, the cost in GPU time, the cause with its evidence, what to try, and how sure it is. As text, page, Markdown, JSON
and pictures. It opens no file but those that it is given and the rules of the site and the user, and needs no network.
.SH COMMANDS
$(all_commands | while read -r command; do
	# shellcheck disable=SC2086 # the command is words
	command_section $command
done)
.SH EXIT STATUS
$(statuses)
.SH FILES
.TP
.I /etc/postrun/rules/
rules of the site
.TP
.I ~/.config/postrun/rules/
rules of the user
.PP
A rule with the id of a built\-in one replaces it, and reports say so.
.SH SEE ALSO
.BR nvidia\-smi (1),
.BR vmstat (8),
.BR mpstat (1),
.BR sar (1)
.PP
The manual of rules and mappings, templates to start from and samples with a gallery lie in share/postrun beside this page's folder;
README.md in share/doc/postrun tells of everything.
END

# words.awk - words that must not be said, and where.
#
#     awk -f tests/words.awk src/*/*.[ch] src/main.c
#
# Comments don't count; strings count only where a conversion of printf is looked for. Each row
# of the list below: the pattern, the files in which it is allowed, and the reason. Prints each
# breach with file and line; the status is 1 if there is one.

BEGIN {
	cmd = "^src/(cmd/|main\\.c)"
	ban("time|gmtime|gmtime_r|localtime|localtime_r|mktime|strftime|gettimeofday|clock_gettime", cmd, \
		"below cmd/ there is no clock: the same inputs give the same bytes")
	ban("getenv|secure_getenv|setenv|setlocale|nl_langinfo|isatty", cmd, \
		"below cmd/ there is no environment")
	ban("newlocale|uselocale", "^src/(base/archive\\.c|cmd/|main\\.c)", "below cmd/ there is no environment")
	ban("atof|strtod|strtof|strtold|atoi|atol|atoll", "", "numbers are read by base/number.h")
	ban("sprintf|vsprintf|strcpy|strcat|gets|strtok", "", "not bounded")
	ban("malloc|calloc|realloc|reallocarray|free|strdup|strndup|asprintf|getline", "^src/base/", \
		"memory comes from arenas (base/arena.h)")
	ban("exit|abort|_exit", "^src/(base/arena\\.c|cmd/|main\\.c)", "only commands end the program")
	ban("mmap", "^src/base/memory\\.c$", "files are read, never mapped; memory is of base/memory.h")
	ban("system|popen|execvp", "", "no other program is started")
	ban("fork", "^src/cmd/(apart|pool)\\.c$", "one process reads, one writes (cmd/apart.h), of many runs each (cmd/pool.h), and there are no others")
	float = "%[-+#0-9.*']*[0-9*.][lL]?[aefgAEFG]|%[-+#]*[lL]?[aefgAEFG]([^A-Za-z]|$)"
	float_home = "^src/base/(number|quantity)\\.c$"
}

function ban(words, allowed, why)
{
	n_bans++
	pattern[n_bans] = "(^|[^A-Za-z0-9_.>])(" words ")[ \t]*\\("
	home[n_bans] = allowed
	reason[n_bans] = why
}

function breach(what, why)
{
	gsub(/^[^A-Za-z0-9_%]+|[ \t]*\($/, "", what)
	print FILENAME ":" FNR ": '" what "': " why
	broken = 1
}

# Splits the line into `code` (strings and comments emptied) and `strings`; `open` is true inside /* … */.
function take_apart(text,    i, c, quote)
{
	code = strings = quote = ""
	for (i = 1; i <= length(text); i++) {
		c = substr(text, i, 1)
		if (open) {
			if (c == "*" && substr(text, i + 1, 1) == "/") {
				open = 0
				i++
			}
		} else if (quote != "") {
			if (c == "\\")
				strings = strings c substr(text, ++i, 1)
			else if (c == quote)
				quote = ""
			else
				strings = strings c
		} else if (c == "/" && substr(text, i + 1, 1) == "*") {
			open = 1
			i++
		} else if (c == "/" && substr(text, i + 1, 1) == "/") {
			break
		} else if (c == "\"" || c == "'") {
			quote = c
			strings = strings "\n"
			code = code c c
		} else {
			code = code c
		}
	}
}

FNR == 1 { open = 0 }
{
	take_apart($0)
	for (b = 1; b <= n_bans; b++)
		if (match(code, pattern[b]) && (home[b] == "" || FILENAME !~ home[b]))
			breach(substr(code, RSTART, RLENGTH), reason[b])
	if (code ~ /^typedef[ \t]+(struct|union|enum)/)
		breach("typedef", "structs keep their word")
	if (FILENAME !~ float_home && match(strings, float))
		breach(substr(strings, RSTART, RLENGTH), "floating point is printed by base/number.h")
	if ($0 ~ /(TODO|FIXME|XXX)/)
		breach("TODO", "what is left to do belongs to an issue")
}

END { exit broken }

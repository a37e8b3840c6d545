# layers.awk - the layer law: a file includes downwards only.
#
#     grep -H '^#include' src/*/*.[ch] | awk -f tests/layers.awk
#
# Folders have a rank; an include of a folder of the same or a higher rank climbs. series and
# format stand side by side and know nothing of each other. From format upwards others see only
# the face of a folder, NAME/NAME.h; a list of rows (*.def) may be expanded by anyone above it.
# Each third-party header has its one home. Prints each breach; the status is 1 if there is one.

BEGIN {
	n = split("base metric series,format run rule report fleet chart render cmd", line, " ")
	for (i = 1; i <= n; i++) {
		m = split(line[i], side, ",")
		for (k = 1; k <= m; k++)
			rank[side[k]] = i
	}
	home["yaml.h"] = "src/base/yaml.c"
	home["csv.h"] = "src/format/"
	home["cairo"] = home["ft2build.h"] = "src/chart/canvas_cairo.c src/chart/font.c"
	home["xxhash.h"] = "src/base/stream_parts.h src/base/digest.c"
	home["zlib.h"] = "src/base/stream_gzip.c src/chart/png.c"
	home["igzip_lib.h"] = "src/base/stream_gzip.c"
	home["zstd.h"] = "src/base/stream_zstd.c"
	home["lzma.h"] = "src/base/stream_xz.c"
	home["expat.h"] = "src/format/nvidia_smi_xml.c"
	home["archive.h"] = home["archive_entry.h"] = "src/base/archive.c"
	home["jansson.h"] = home["cmocka.h"] = "tests/"
}

function breach(text)
{
	print path ": " text
	broken = 1
}

function check_own(target,    folder, other, name)
{
	if (!index(target, "/")) {
		breach("include \"" target "\" by folder and name: \"folder/" target "\"")
		return
	}
	folder = path
	sub(/^src\//, "", folder)
	if (!sub(/\/.*/, "", folder)) # src/main.c opens the door to cmd and to nothing else
		folder = "main"
	other = target
	sub(/\/.*/, "", other)
	name = target
	sub(/^[^\/]*\//, "", name)
	if (name ~ /\.c$/) {
		breach("a .c file is never included: " target)
	} else if (other == folder) {
		return
	} else if (!(other in rank)) {
		breach("no layer is called " other)
	} else if (folder == "main") {
		if (other != "cmd" && other != "base")
			breach("main may include cmd and base, not " target)
	} else if (!(folder in rank)) {
		breach("no layer is called " folder)
	} else if (rank[other] >= rank[folder]) {
		breach(folder " may not include " other " (" target ")")
	} else if (rank[other] >= rank["format"] && other != "series" && name != other ".h" && name !~ /\.def$/) {
		breach(target " is " other "'s own business: include " other "/" other ".h")
	}
}

function check_foreign(target,    key, at)
{
	key = target
	if (key ~ /^cairo/)
		key = "cairo"
	sub(/^.*\//, "", key)
	if (!(key in home))
		return
	if (key == "csv.h" && index(path, home[key]) == 1) {
		if (csv_user != "" && csv_user != path)
			breach("libcsv has one user, " csv_user)
		csv_user = path
		return
	}
	n = split(home[key], at, " ")
	for (i = 1; i <= n; i++)
		if (path == at[i])
			return
	breach("<" target "> belongs to " home[key])
}

{
	path = $0
	sub(/:.*/, "", path)
	target = $0
	if ($0 ~ /#[ \t]*include[ \t]*"/) {
		gsub(/^[^"]*"|".*$/, "", target)
		check_own(target)
	} else if ($0 ~ /#[ \t]*include[ \t]*</) {
		gsub(/^[^<]*<|>.*$/, "", target)
		check_foreign(target)
	}
}

END { exit broken }

#!/bin/sh
# miller.sh - mean, 95th percentile and maximum of four columns of each GPU, by Miller: units are cut off by splitting at the space.
#
#     miller.sh LOG
# shellcheck disable=SC1010 # 'then' is Miller's word between its steps
exec mlr --icsvlite --ifs ', ' --ojson --no-auto-flatten --no-auto-unflatten \
	cut -f 'index,utilization.gpu [%],memory.used [MiB],power.draw [W],temperature.gpu' then put '
	for (column in ["utilization.gpu [%]", "memory.used [MiB]", "power.draw [W]"]) {
		$[column] = splitnv($[column], " ")[1];
		if (is_string($[column])) {
			unset $[column];
		}
	}' then stats1 -a mean,p95,max -f 'utilization.gpu [%],memory.used [MiB],power.draw [W],temperature.gpu' -g index then put -q '
	for (column in ["utilization.gpu [%]", "memory.used [MiB]", "power.draw [W]", "temperature.gpu"]) {
		print $index . " " . splitax(column, " ")[1] . " " . $[column . "_mean"] . " " . $[column . "_p95"] . " " . $[column . "_max"];
	}' "$1"

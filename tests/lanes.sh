# shellcheck shell=bash
# lanes.sh - for scripts of tests: jobs side by side, one a core and one more, since some wait for a browser or a clock; told in the order
# in which they began. To be sourced.
#
#     begin COMMAND…    a job: what it prints is shown later, what it adds to passed and failed is added here
#     tell_all          waits for the jobs and tells those that were not told yet
#
# A job runs in a shell of its own: nothing else that it sets is known to others.
passed=0
failed=0
lanes=$(($(nproc) + 1))
lanes_room=$(mktemp -d) || exit 2
lanes_begun=0
lanes_told=0

tell_done() {
	local good bad
	while [ -e "$lanes_room/$lanes_told.counts" ]; do
		cat "$lanes_room/$lanes_told.said"
		read -r good bad <"$lanes_room/$lanes_told.counts"
		passed=$((passed + good))
		failed=$((failed + bad))
		lanes_told=$((lanes_told + 1))
	done
}

begin() { # command…
	while [ "$(jobs -rp | wc -l)" -ge "$lanes" ]; do wait -n; done
	tell_done
	local place=$lanes_room/$lanes_begun
	(
		passed=0
		failed=0
		"$@" >"$place.said" 2>&1
		echo "$passed $failed" >"$place.sum"
		mv "$place.sum" "$place.counts"
	) &
	lanes_begun=$((lanes_begun + 1))
}

tell_all() {
	wait
	tell_done
	while [ $lanes_told -lt $lanes_begun ]; do # a job that was killed counts as one that failed
		cat "$lanes_room/$lanes_told.said"
		echo "FAILED   job $lanes_told did not end by itself"
		failed=$((failed + 1))
		lanes_told=$((lanes_told + 1))
		tell_done
	done
	rm -rf "$lanes_room"
}

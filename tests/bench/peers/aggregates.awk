# aggregates.awk - mean, 95th percentile and maximum of four columns of each GPU, for mawk and gawk.
#
#     mawk -f aggregates.awk LOG
#
# Values are counted, so that the percentile needs no sorting of rows.
BEGIN { FS = ", " }

NR == 1 {
	for (i = 1; i <= NF; i++) {
		head = $i
		sub(/ .*/, "", head)
		place[head] = i
	}
	n_wanted = split("utilization.gpu memory.used power.draw temperature.gpu", wanted, " ")
	of_gpu = place["index"]
	for (w = 1; w <= n_wanted; w++) parts[w] = wanted[w] == "power.draw" ? 100 : 1
	next
}

{
	gpus[$of_gpu]
	for (w = 1; w <= n_wanted; w++) {
		text = $place[wanted[w]]
		if (text ~ /^[0-9]/) {
			value = text + 0
			key = $of_gpu SUBSEP w
			sum[key] += value
			n[key]++
			if (value > most[key]) most[key] = value
			count[key, int(value * parts[w] + 0.5)]++
		}
	}
}

END {
	for (gpu in gpus)
		for (w = 1; w <= n_wanted; w++) {
			key = gpu SUBSEP w
			below = 0
			for (v = 0; v <= most[key] * parts[w]; v++)
				if ((key, v) in count && (below += count[key, v]) >= n[key] * 0.95) break
			printf "%d %s %.4f %.2f %.2f\n", gpu, wanted[w], sum[key] / n[key], v / parts[w], most[key]
		}
}

// polars.js - mean, 95th percentile and maximum of four columns of each GPU, as somebody writes it who knows Polars, by its package for node.
//
//     node polars.js LOG
//
// A lazy query, so that only the columns that are asked for are kept; nothing is guessed: cells are text, as " 88 %", until their unit is
// cut off. POLARS_MAX_THREADS says how many threads there are.
const pl = require('nodejs-polars');

const UNITS = { 'utilization.gpu [%]': ' %', 'memory.used [MiB]': ' MiB', 'power.draw [W]': ' W', 'temperature.gpu': '' };

function number(name) {
	return pl.col(' ' + name).str.slice(1).str.replace(UNITS[name], '', true).cast(pl.Float64, false).alias(name);
}

function main(path) {
	const names = Object.keys(UNITS);
	const folds = names.flatMap((name) => [
		pl.col(name).mean().alias(name + ' mean'),
		pl.col(name).quantile(0.95, 'higher').alias(name + ' p95'),
		pl.col(name).max().alias(name + ' max'),
	]);
	const rows = pl.scanCSV(path, { inferSchemaLength: 0 })
		.select(pl.col(' index').str.slice(1).cast(pl.Int32).alias('gpu'), ...names.map(number))
		.groupBy('gpu').agg(...folds).sort('gpu').collectSync().toRecords();
	for (const row of rows)
		for (const name of names)
			console.log(row.gpu, name.split(' ')[0], ['mean', 'p95', 'max'].map((fold) => row[name + ' ' + fold].toFixed(4)).join(' '));
}

main(process.argv[2]);

// duckdb.js - duckdb.sql by DuckDB's package for node (@duckdb/node-api), for machines without its command line.
//
//     node duckdb.js LOG THREADS
const fs = require('fs');
const path = require('path');
const { DuckDBInstance } = require('@duckdb/node-api');

async function main(log, threads) {
	const sql = fs.readFileSync(path.join(__dirname, 'duckdb.sql'), 'utf8').replace('THREADS;', threads + ';').replace("'LOG'", `'${log}'`);
	const connection = await (await DuckDBInstance.create(':memory:')).connect();
	const rows = (await connection.runAndReadAll(sql)).getRows();
	console.log(rows.map((row) => row.join(' ')).join('\n'));
}

main(process.argv[2], process.argv[3]);

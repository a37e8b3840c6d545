-- duckdb.sql - mean, 95th percentile and maximum of four columns of each GPU, as somebody writes it who knows DuckDB: types and
-- separator are said, nothing is guessed, and columns that are not asked for stay text. LOG and THREADS are put in by who runs it.
SET threads = THREADS;
CREATE TEMP TABLE log AS
SELECT gpu,
	TRY_CAST(rtrim(util, ' %') AS DOUBLE) AS util,
	TRY_CAST(rtrim(memory, ' MiB') AS DOUBLE) AS memory,
	TRY_CAST(rtrim(power, ' W') AS DOUBLE) AS power,
	TRY_CAST(temperature AS DOUBLE) AS temperature
FROM read_csv('LOG', delim = ', ', header = true, quote = '', escape = '', auto_detect = false, columns = {
	'time': 'VARCHAR', 'gpu': 'INTEGER', 'uuid': 'VARCHAR', 'name': 'VARCHAR', 'bus': 'VARCHAR', 'util': 'VARCHAR',
	'util_memory': 'VARCHAR', 'memory': 'VARCHAR', 'memory_total': 'VARCHAR', 'power': 'VARCHAR', 'power_limit': 'VARCHAR',
	'temperature': 'VARCHAR', 'clock': 'VARCHAR', 'clock_max': 'VARCHAR', 'pstate': 'VARCHAR', 'reasons': 'VARCHAR'});
SELECT gpu, 'utilization.gpu', round(avg(util), 4), quantile_disc(util, 0.95), max(util) FROM log GROUP BY gpu
UNION ALL
SELECT gpu, 'memory.used', round(avg(memory), 4), quantile_disc(memory, 0.95), max(memory) FROM log GROUP BY gpu
UNION ALL
SELECT gpu, 'power.draw', round(avg(power), 4), quantile_disc(power, 0.95), max(power) FROM log GROUP BY gpu
UNION ALL
SELECT gpu, 'temperature.gpu', round(avg(temperature), 4), quantile_disc(temperature, 0.95), max(temperature) FROM log GROUP BY gpu;

#!/bin/sh
# duckdb.sh - duckdb.sql by DuckDB's command line.
#
#     duckdb.sh LOG THREADS
exec duckdb -noheader -list -separator ' ' -c "$(sed -e "s|LOG|$1|; s|THREADS|$2|" "$(dirname "$0")/duckdb.sql")"

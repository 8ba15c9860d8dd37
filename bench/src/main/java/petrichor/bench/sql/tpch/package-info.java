/**
 * TPC-H: data, queries, and their comparison with DuckDB over tables of its own. Start at {@link
 * petrichor.bench.sql.tpch.TpchBenchmark}.
 */
@NullMarked
package petrichor.bench.sql.tpch;

import org.jspecify.annotations.NullMarked;

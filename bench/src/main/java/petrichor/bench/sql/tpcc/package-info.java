/**
 * TPC-C, revision 5.11, without think times and terminals: data, transactions, consistency
 * conditions. Start at {@link petrichor.bench.sql.tpcc.TpccBenchmark}.
 */
@NullMarked
package petrichor.bench.sql.tpcc;

import org.jspecify.annotations.NullMarked;

@NullMarked
package petrichor.bench.sql.tpcc;

import org.jspecify.annotations.NullMarked;

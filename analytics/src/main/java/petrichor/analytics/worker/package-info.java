/** The process that runs DuckDB; start reading at {@code WorkerMain}. */
@NullMarked
package petrichor.analytics.worker;

import org.jspecify.annotations.NullMarked;

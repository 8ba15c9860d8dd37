@NullMarked
package petrichor.jobs.parquet;

import org.jspecify.annotations.NullMarked;

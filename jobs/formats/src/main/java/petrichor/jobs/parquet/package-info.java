/**
 * Parquet files as sources and sinks of jobs: {@link petrichor.jobs.parquet.ParquetSource}, {@link
 * petrichor.jobs.parquet.ParquetSink}. The format itself is read and written by Apache's library,
 * without Hadoop: that library links against its classes but does not run them, since compression
 * ({@link petrichor.jobs.parquet.Codecs}), files and configuration are provided here.
 */
@NullMarked
package petrichor.jobs.parquet;

import org.jspecify.annotations.NullMarked;

/**
 * Files as sources and sinks of jobs: lines of text, CSV (and every other separated text), records
 * of fixed length.
 *
 * <p>A file is cut into splits anywhere; each format finds the first record that begins in its
 * split. Readers take large pieces of a file at a time on the task's own thread, look at eight
 * bytes at once and create no object per record. Sinks write beside their target and put it in
 * place when the whole job has succeeded: {@link petrichor.jobs.formats.Target}.
 *
 * <p>Begin with {@link petrichor.jobs.formats.CsvSource} and {@link
 * petrichor.jobs.formats.CsvSink}.
 */
@NullMarked
package petrichor.jobs.formats;

import org.jspecify.annotations.NullMarked;

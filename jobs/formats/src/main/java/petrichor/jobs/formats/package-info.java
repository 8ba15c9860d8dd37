/**
 * Files as sources and sinks of jobs: lines of text, CSV (and other separated text), records of
 * fixed length.
 *
 * <p>A file is cut into splits anywhere; each format finds the first record that starts in its
 * split. Readers read large chunks of a file on the task's own thread, process eight bytes at once
 * and create no object per record. Sinks write next to their target and replace it when the whole
 * job has succeeded: {@link petrichor.jobs.formats.Target}.
 *
 * <p>Start with {@link petrichor.jobs.formats.CsvSource} and {@link
 * petrichor.jobs.formats.CsvSink}.
 */
@NullMarked
package petrichor.jobs.formats;

import org.jspecify.annotations.NullMarked;

/**
 * Plans that were written in Python. The front end ({@code clients/python}) writes a document;
 * {@link petrichor.jobs.python.PlanDocument} makes a plan of it whose user code is Python's.
 *
 * <p>Each subtask of such a contract has a process of its own, a {@link
 * petrichor.jobs.python.Worker}, and talks with it over its standard input and output: frames, of
 * which those with records hold messages of Arrow's IPC format ({@link
 * petrichor.jobs.python.BatchWriter}, {@link petrichor.jobs.python.BatchReader}). Records are
 * collected into batches of {@value petrichor.jobs.python.BatchWriter#BATCH_ROWS_MAX} or about a
 * megabyte; at most {@value petrichor.jobs.python.Worker#BATCHES_AHEAD} of them wait to be taken,
 * so both processes work at the same time and neither needs more than a few batches of memory.
 *
 * <p>A worker ends with its subtask, whatever ends that. When this process dies, it sees the end of
 * its input, or that its parent has changed, and ends too.
 */
@NullMarked
package petrichor.jobs.python;

import org.jspecify.annotations.NullMarked;

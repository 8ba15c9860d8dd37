/**
 * Runs plans written in Python. The front end ({@code clients/python}) writes a document, from
 * which {@link petrichor.jobs.python.PlanDocument} builds a plan whose user code is Python.
 *
 * <p>Each subtask of such a contract has a process of its own, a {@link
 * petrichor.jobs.python.Worker}, and communicates with it over its standard input and output:
 * frames, of which those with records hold messages of Arrow's IPC format ({@link
 * petrichor.jobs.python.BatchWriter}, {@link petrichor.jobs.python.BatchReader}). Records are
 * collected into batches of {@value petrichor.jobs.python.BatchWriter#BATCH_ROWS_MAX} or about a
 * megabyte; at most {@value petrichor.jobs.python.Worker#BATCHES_AHEAD} of them are unacknowledged,
 * so both processes work concurrently and neither needs more than a few batches of memory.
 *
 * <p>A worker ends with its subtask in every case. When this process dies, the worker detects the
 * end of its input, or a new parent process, and ends too.
 */
@NullMarked
package petrichor.jobs.python;

import org.jspecify.annotations.NullMarked;

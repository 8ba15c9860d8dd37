/**
 * Runs a job graph: every subtask is a thread that takes records from its inputs, does one
 * operation on them and a chain of steps behind it, and ships what comes out to the subtasks behind
 * it.
 *
 * <p>The way of a record: a source or an input gives a <em>view</em> of it; a driver (one class per
 * kind of operation, named {@code …Driver}) calls the user's code; what that emits goes through
 * <em>stages</em> ({@link petrichor.jobs.engine.Stage}: steps, shippings, sinks), which are
 * function calls; at the end its bytes are copied into a block for a receiver. Blocks, not records,
 * are handed from thread to thread, through gates ({@link petrichor.jobs.engine.Gate}). Sorting and
 * hash joins keep the blocks that arrive, instead of copying records once more.
 *
 * <p>Memory: sorts, tables and buffers get a share each of the job's budget ({@link
 * petrichor.jobs.engine.MemoryShare}); what does not fit goes to files without a name ({@link
 * petrichor.jobs.engine.SpillArea}), so that nothing is left behind even by a killed process.
 *
 * <p>Ends: "enough" travels upstream from gate to sender; the first failure, or a cancellation,
 * stops all tasks ({@link petrichor.jobs.engine.JobControl}); a job ends when all of its threads
 * have ended.
 *
 * <p>A job runs in this process ({@link petrichor.jobs.engine.Engine}) or in several of its own
 * ({@link petrichor.jobs.engine.WorkerEngine}): then a gate in another process is reached through a
 * channel of {@code jobs/channels}, and everything else is the same. A worker that fails or dies
 * ends the job and all of its processes.
 *
 * <p>Begin with {@link petrichor.jobs.engine.Engine}.
 */
@NullMarked
package petrichor.jobs.engine;

import org.jspecify.annotations.NullMarked;

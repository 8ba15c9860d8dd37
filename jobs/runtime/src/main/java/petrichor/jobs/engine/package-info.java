/**
 * Runs job graphs. Every subtask is a thread that takes records from its inputs, runs one operation
 * and a chain of steps on them, and sends its output to the next subtasks; threads hand over blocks
 * of records, not single records.
 *
 * <p>The layers, each of which knows only those below it:
 *
 * <pre>
 *   workers, hosted    jobs in worker processes, or in another runtime
 *   (here)             a running job: stages, progress, sinks, its end
 *   assembly           from a job graph to subtasks that are ready to run
 *   operators          the work of one subtask: a driver, and a chain of stages
 *   exchange           the outputs of a subtask, and its metrics
 *   memory             sorts, hash tables, spill files
 * </pre>
 *
 * <p>{@link petrichor.jobs.engine.Engine} runs a job in this process. In every execution mode a
 * {@link petrichor.jobs.engine.JobLifecycle} handles what precedes the first task and follows the
 * last one. {@link petrichor.jobs.engine.JobProgress} keeps and reports the progress.
 *
 * <p>Ends: "enough" (early termination) travels upstream from gate to sender; the first failure, or
 * a cancellation, stops all tasks; a job ends when all of its threads have ended. A job that cannot
 * continue now stays at its {@link petrichor.jobs.engine.ResumePoint}, if it has one.
 *
 * <p>Start with {@link petrichor.jobs.engine.Engine}.
 */
@NullMarked
package petrichor.jobs.engine;

import org.jspecify.annotations.NullMarked;

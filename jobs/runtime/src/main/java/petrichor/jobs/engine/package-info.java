/**
 * Runs a job graph. Every subtask is a thread that takes records from its inputs, does one
 * operation on them and a chain of steps behind it, and ships what comes out to the subtasks behind
 * it; blocks of records, not records, are handed from thread to thread.
 *
 * <p>The rooms, each of which knows only those below it:
 *
 * <pre>
 *   workers, hosted    jobs in processes of their own, or in another runtime
 *   (here)             a job on its way: stages, progress, sinks, its end
 *   assembly           from a job graph to subtasks that are ready to run
 *   operators          what one subtask does: a driver, and the stages behind it
 *   exchange           how blocks get from subtask to subtask
 *   memory             blocks, sorts, hash tables, spill files
 * </pre>
 *
 * <p>{@link petrichor.jobs.engine.Engine} runs a job in this process. One whose tasks run elsewhere
 * has a {@link petrichor.jobs.engine.JobLifecycle} here for what comes before its first task and
 * after its last one. How far a job is, {@link petrichor.jobs.engine.JobProgress} keeps and tells.
 *
 * <p>Ends: "enough" travels upstream from gate to sender; the first failure, or a cancellation,
 * stops all tasks; a job ends when all of its threads have ended. A job that cannot go on here and
 * now stays at its {@link petrichor.jobs.engine.ResumePoint}, if it has one.
 *
 * <p>Begin with {@link petrichor.jobs.engine.Engine}.
 */
@NullMarked
package petrichor.jobs.engine;

import org.jspecify.annotations.NullMarked;

/**
 * Runs jobs in worker processes. {@link petrichor.jobs.engine.workers.WorkerEngine} starts a {@link
 * petrichor.jobs.engine.workers.WorkersExecutor}, which gets processes from a {@link
 * petrichor.jobs.engine.workers.WorkerSource} (children of this one: {@link
 * petrichor.jobs.engine.workers.Workers}), assigns them work, stage by stage, and restarts a stage
 * when one of them has died. Each process runs {@link petrichor.jobs.engine.workers.WorkerMain}; a
 * gate in another process is reached through a channel of the package {@code
 * petrichor.jobs.channels}.
 */
@NullMarked
package petrichor.jobs.engine.workers;

import org.jspecify.annotations.NullMarked;

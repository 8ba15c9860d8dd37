/**
 * Jobs in worker processes. {@link petrichor.jobs.engine.workers.WorkerEngine} starts a {@link
 * petrichor.jobs.engine.workers.WorkersExecutor}, which gets processes from a {@link
 * petrichor.jobs.engine.workers.WorkerSource} (children of this one: {@link
 * petrichor.jobs.engine.workers.Workers}), tells them what to do, stage by stage, and begins a
 * stage again when one of them has died. In each process runs {@link
 * petrichor.jobs.engine.workers.WorkerMain}; a gate in another process is reached through a channel
 * of {@link petrichor.jobs.channels}.
 */
@NullMarked
package petrichor.jobs.engine.workers;

import org.jspecify.annotations.NullMarked;

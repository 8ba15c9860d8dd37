/**
 * Runs jobs in another runtime, which schedules tasks, starts them and connects them. A module for
 * such a runtime implements {@link petrichor.jobs.engine.hosted.StageRuntime} and is found as a
 * {@link petrichor.jobs.engine.hosted.StageRuntimePlugin}; {@link
 * petrichor.jobs.engine.hosted.HostedEngine} submits one {@linkplain
 * petrichor.jobs.engine.hosted.StageWork stage} after the other, and each of its tasks runs a
 * {@link petrichor.jobs.engine.hosted.HostedSubtask}.
 */
@NullMarked
package petrichor.jobs.engine.hosted;

import org.jspecify.annotations.NullMarked;

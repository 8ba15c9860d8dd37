/**
 * Jobs in another runtime, which finds places for tasks, starts them there and connects them. A
 * module that knows one implements {@link petrichor.jobs.engine.hosted.StageRuntime} and is found
 * as a {@link petrichor.jobs.engine.hosted.StageRuntimePlugin}; {@link
 * petrichor.jobs.engine.hosted.HostedEngine} gives it one {@linkplain
 * petrichor.jobs.engine.hosted.StageWork stage} after the other, and each of its tasks runs a
 * {@link petrichor.jobs.engine.hosted.HostedSubtask}.
 */
@NullMarked
package petrichor.jobs.engine.hosted;

import org.jspecify.annotations.NullMarked;

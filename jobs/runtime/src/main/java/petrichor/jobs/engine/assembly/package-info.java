/**
 * Turns a job graph into subtasks that are ready to run ({@link
 * petrichor.jobs.engine.assembly.JobAssembly}): the input gates of each, the chain after its
 * operation, and its memory ({@link petrichor.jobs.engine.assembly.MemoryPlan}).
 *
 * <p>The analyses of the graph that this needs are a class each: which tasks need no thread ({@link
 * petrichor.jobs.engine.assembly.Fusion}), which inputs may spill ({@code Elasticity}), which tasks
 * may change their parallelism while they run ({@link petrichor.jobs.engine.assembly.Scalability}).
 * A {@link petrichor.jobs.engine.assembly.SubtaskPlacement} maps subtasks to processes.
 */
@NullMarked
package petrichor.jobs.engine.assembly;

import org.jspecify.annotations.NullMarked;

/**
 * From a job graph to subtasks that are ready to run ({@link
 * petrichor.jobs.engine.assembly.JobAssembly}): the gates in front of each, the chain behind it,
 * and who gets how much memory ({@link petrichor.jobs.engine.assembly.MemoryPlan}).
 *
 * <p>What the graph says about that is found out here, a class per question: which tasks need no
 * thread ({@link petrichor.jobs.engine.assembly.Fusion}), which inputs may run ahead to disk
 * ({@code Elasticity}), which tasks may have more or fewer subtasks while they run ({@link
 * petrichor.jobs.engine.assembly.Scalability}). Where subtasks are, a {@link
 * petrichor.jobs.engine.assembly.Placement} says.
 */
@NullMarked
package petrichor.jobs.engine.assembly;

import org.jspecify.annotations.NullMarked;

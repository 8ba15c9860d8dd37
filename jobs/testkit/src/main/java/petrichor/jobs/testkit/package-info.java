/**
 * What says whether a compiler and an engine of jobs are right. {@link
 * petrichor.jobs.testkit.PlanInterpreter} computes what a plan means, {@link
 * petrichor.jobs.testkit.GraphInterpreter} what a job graph means: both over lists, with no thought
 * of speed. {@link petrichor.jobs.testkit.PlanCatalog} has plans whose best execution is known,
 * {@link petrichor.jobs.testkit.RandomPlan} writes plans by chance, and {@link
 * petrichor.jobs.testkit.RandomScaling} lets subtasks come and go while they run.
 */
@NullMarked
package petrichor.jobs.testkit;

import org.jspecify.annotations.NullMarked;

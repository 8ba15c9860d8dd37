/**
 * Test oracles for the compiler and the engine of jobs. {@link
 * petrichor.jobs.testkit.PlanInterpreter} interprets plans, {@link
 * petrichor.jobs.testkit.GraphInterpreter} interprets job graphs: both over lists, without
 * optimization. {@link petrichor.jobs.testkit.PlanCatalog} has plans with a known best execution,
 * {@link petrichor.jobs.testkit.RandomPlan} generates random plans, and {@link
 * petrichor.jobs.testkit.RandomScaling} scales them at random while they run.
 */
@NullMarked
package petrichor.jobs.testkit;

import org.jspecify.annotations.NullMarked;

/**
 * Which task of a job holds the others up, and how many subtasks each should have.
 *
 * <p>A {@link petrichor.jobs.tuning.JobProfile} says what tasks did in a span of time. {@link
 * petrichor.jobs.tuning.BottleneckSearch} walks it from the sinks to the sources and names the
 * bottlenecks: D. Warneke, "Massively Parallel Data Processing on Infrastructure as a Service
 * Platforms" (2011), chapter 4. {@link petrichor.jobs.tuning.Advice} says how many subtasks every
 * task should have, all at once, from what a subtask can do while it works: the true rates of V.
 * Kalavri et al., "Three steps is all you need" (OSDI 2018). {@link petrichor.jobs.tuning.Tuning}
 * is what is known after some runs, and which one is worth trying next.
 *
 * <p>All of it is computed from immutable figures; nothing here runs a job.
 */
@NullMarked
package petrichor.jobs.tuning;

import org.jspecify.annotations.NullMarked;

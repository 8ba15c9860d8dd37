/**
 * Finds the bottleneck of a job, and recommends the parallelism of each task.
 *
 * <p>A {@link petrichor.jobs.tuning.JobProfile} is what tasks did in an interval. {@link
 * petrichor.jobs.tuning.BottleneckSearch} walks it from the sinks to the sources and finds the
 * bottlenecks: D. Warneke, "Massively Parallel Data Processing on Infrastructure as a Service
 * Platforms" (2011), chapter 4. {@link petrichor.jobs.tuning.Advice} recommends the parallelism of
 * every task, all at once, from the capacity of a working subtask: the true rates of V. Kalavri et
 * al., "Three steps is all you need" (OSDI 2018). {@link petrichor.jobs.tuning.Tuning} holds the
 * results of some runs, and chooses the next one worth trying.
 *
 * <p>All of it is computed from immutable metrics; nothing here runs a job.
 */
@NullMarked
package petrichor.jobs.tuning;

import org.jspecify.annotations.NullMarked;

/**
 * The data model of parallel jobs and their execution.
 *
 * <p>A {@link petrichor.jobs.jobgraph.JobGraph} is a directed acyclic graph: its {@link
 * petrichor.jobs.jobgraph.JobVertex vertices} are tasks (an {@link
 * petrichor.jobs.jobgraph.Operation} on the inputs, then a chain of {@link
 * petrichor.jobs.jobgraph.Step steps} on the same thread), its {@link
 * petrichor.jobs.jobgraph.JobEdge edges} define how records are distributed between the subtasks of
 * two tasks ({@link petrichor.jobs.jobgraph.Shipping}) and by which transport ({@link
 * petrichor.jobs.jobgraph.ChannelType}). {@link petrichor.jobs.jobgraph.Annotations} define the
 * number of subtasks and constrain where they run. {@link petrichor.jobs.jobgraph.JobGraphCheck}
 * refuses an invalid graph before anything starts.
 *
 * <p>An {@link petrichor.jobs.jobgraph.ExecutionGraph} is a job graph expanded to subtasks: one
 * {@link petrichor.jobs.jobgraph.ExecutionVertex} per subtask, one channel per pair that
 * communicates, divided into stages at file channels. It is an immutable image; the job master
 * applies {@link petrichor.jobs.jobgraph.ExecutionDelta deltas} to it, and an invalid transition is
 * refused.
 *
 * <p>The terms are those of D. Warneke, "Massively Parallel Data Processing on Infrastructure as a
 * Service Platforms" (2011), chapter 3.
 */
@NullMarked
package petrichor.jobs.jobgraph;

import org.jspecify.annotations.NullMarked;

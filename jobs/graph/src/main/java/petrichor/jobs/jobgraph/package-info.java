/**
 * What a parallel job is, as data, and how far it has come.
 *
 * <p>A {@link petrichor.jobs.jobgraph.JobGraph} is a directed graph without cycles: its {@link
 * petrichor.jobs.jobgraph.JobVertex vertices} are tasks (an {@link
 * petrichor.jobs.jobgraph.Operation} on the inputs, then a chain of {@link
 * petrichor.jobs.jobgraph.Step steps} on the same thread), its {@link
 * petrichor.jobs.jobgraph.JobEdge edges} say which way records go between the subtasks of two tasks
 * ({@link petrichor.jobs.jobgraph.Shipping}) and by what ({@link
 * petrichor.jobs.jobgraph.ChannelType}). {@link petrichor.jobs.jobgraph.Annotations} tell a
 * scheduler how many subtasks there are and where they may run. {@link
 * petrichor.jobs.jobgraph.JobGraphCheck} refuses a graph that cannot run, before anything starts.
 *
 * <p>An {@link petrichor.jobs.jobgraph.ExecutionGraph} is a job graph spread out: one execution
 * vertex per subtask, one channel per pair that talks, split into stages where a file lies between.
 * It is an immutable image; whoever runs the job applies {@link
 * petrichor.jobs.jobgraph.ExecutionDelta deltas} to it, and a transition that cannot happen is
 * refused.
 *
 * <p>The words are those of D. Warneke, "Massively Parallel Data Processing on Infrastructure as a
 * Service Platforms" (2011), chapter 3.
 */
@NullMarked
package petrichor.jobs.jobgraph;

import org.jspecify.annotations.NullMarked;

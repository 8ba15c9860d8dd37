/**
 * Runs Hadoop's MapReduce programs as jobs, unchanged: {@link petrichor.jobs.mapreduce.MapReduce}
 * translates a Hadoop {@code Job} to a plan, which runs in any execution mode.
 *
 * <p>Life of a pair: {@link petrichor.jobs.mapreduce.SplitSource} emits the input format's splits;
 * {@link petrichor.jobs.mapreduce.MapTask} runs a mapper over each; {@link
 * petrichor.jobs.mapreduce.PartitioningWriter} calls the partitioner, {@link
 * petrichor.jobs.mapreduce.PairWriter} builds records with order-preserving keys; {@link
 * petrichor.jobs.mapreduce.CombineTask} reduces their number; {@link
 * petrichor.jobs.mapreduce.ReduceTask} runs a reducer over the whole input of one reduce, and
 * {@link petrichor.jobs.mapreduce.CommitSink} lets the job's output committer make the result
 * visible.
 *
 * <p>Contexts, readers, writers, committers and comparators are Hadoop's own classes; its runtime
 * (daemons, shuffle, distributed file system) is not used.
 */
@NullMarked
package petrichor.jobs.mapreduce;

import org.jspecify.annotations.NullMarked;

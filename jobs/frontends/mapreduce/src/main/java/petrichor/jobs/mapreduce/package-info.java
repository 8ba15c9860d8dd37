/**
 * Hadoop's MapReduce programs as jobs, unchanged: {@link petrichor.jobs.mapreduce.MapReduce} makes
 * a plan of a Hadoop {@code Job}, which runs wherever plans do.
 *
 * <p>The way of a pair: {@link petrichor.jobs.mapreduce.SplitSource} gives the input format's
 * splits; {@link petrichor.jobs.mapreduce.MapTask} runs a mapper over each; {@link
 * petrichor.jobs.mapreduce.PartitioningWriter} asks the partitioner, {@link
 * petrichor.jobs.mapreduce.PairWriter} makes records whose bytes sort as the keys do; {@link
 * petrichor.jobs.mapreduce.CombineTask} makes fewer of them; {@link
 * petrichor.jobs.mapreduce.ReduceTask} runs a reducer over all that one reduce gets, and {@link
 * petrichor.jobs.mapreduce.CommitSink} lets the job's output committer show the result.
 *
 * <p>Contexts, readers, writers, committers and comparators are Hadoop's own classes; its runtime
 * (no daemon, no shuffle, no distributed file system) is not here.
 */
@NullMarked
package petrichor.jobs.mapreduce;

import org.jspecify.annotations.NullMarked;

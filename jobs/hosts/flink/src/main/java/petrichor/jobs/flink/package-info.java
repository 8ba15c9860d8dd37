/**
 * Runs jobs on Flink. Each execution stage of a job becomes one Flink job with a vertex for each
 * task of the stage; Flink allocates slots for their subtasks, starts them, connects them and
 * restarts them when a machine dies. The work of a subtask is Petrichor's: its drivers and chains
 * run in {@link petrichor.jobs.flink.StageTask}, between Flink's input gates and result partitions,
 * which transport blocks as bytes. So the same programs give the same results, with the same
 * metrics and the same history.
 *
 * <p>Life of a stage: {@link petrichor.jobs.flink.FlinkRuntime} translates it to a Flink job graph
 * ({@link petrichor.jobs.flink.StageGraph}), submits it and follows it ({@link
 * petrichor.jobs.flink.StageOnFlink}); its tasks report to the stage's coordinator in the job
 * manager ({@link petrichor.jobs.flink.StageCoordinator}), which combines samples and is polled for
 * news by the client.
 *
 * <p>Most of the APIs used here are internal to Flink. That is why they are used nowhere else,
 * Flink's version is pinned, and {@code InternalsTest} checks each assumption.
 */
@NullMarked
package petrichor.jobs.flink;

import org.jspecify.annotations.NullMarked;

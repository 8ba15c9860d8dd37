/**
 * Jobs on Flink. Each execution stage of a job becomes one Flink job of as many vertices as the
 * stage has tasks; Flink finds slots for their subtasks, starts them, connects them and starts them
 * again when a machine dies. What a subtask does is ours: its drivers and chains run in {@link
 * petrichor.jobs.flink.StageTask}, between Flink's input gates and result partitions, which carry
 * our blocks as bytes. So the same programs give the same results, with the same figures and the
 * same history.
 *
 * <p>The way of a stage: {@link petrichor.jobs.flink.FlinkRuntime} makes a graph of it ({@link
 * petrichor.jobs.flink.StageGraph}), submits it and follows it ({@link
 * petrichor.jobs.flink.StageOnFlink}); its tasks report to the stage's coordinator in the job
 * manager ({@link petrichor.jobs.flink.StageCoordinator}), which puts samples together and is asked
 * for news by whoever follows.
 *
 * <p>Flink calls most of what is used here internal. That is why it is used nowhere else, its
 * version is pinned, and {@code InternalsTest} says for each piece what we rely on.
 */
@NullMarked
package petrichor.jobs.flink;

import org.jspecify.annotations.NullMarked;

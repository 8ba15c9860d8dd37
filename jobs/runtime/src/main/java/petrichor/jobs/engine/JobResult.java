package petrichor.jobs.engine;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import petrichor.jobs.engine.exchange.TaskFigures;

/**
 * What a job that succeeded has done.
 *
 * @param tasks figures of every subtask, by the name of the task
 * @param spilledBytes what was written to spill files
 */
public record JobResult(
        Duration elapsed, Map<String, List<TaskFigures>> tasks, long spilledBytes) {}

package petrichor.jobs.engine;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import petrichor.jobs.engine.exchange.TaskMetrics;

/**
 * Metrics of a job that succeeded.
 *
 * @param tasks metrics of every subtask, by task name
 * @param spilledBytes total size of the data written to spill files
 */
public record JobResult(
        Duration elapsed, Map<String, List<TaskMetrics>> tasks, long spilledBytes) {}

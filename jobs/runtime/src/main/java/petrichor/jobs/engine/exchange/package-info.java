/**
 * The sending side of a subtask and its metrics. A {@link
 * petrichor.jobs.engine.exchange.RecordWriter} collects records and writes blocks to a channel of
 * the package {@code petrichor.jobs.channels}, which leads to the {@link
 * petrichor.jobs.channels.InputGate} of a subtask in this process or elsewhere. Early termination
 * travels the other way, from gate to sender.
 *
 * <p>Also here: the members of a task under live scaling ({@link
 * petrichor.jobs.engine.exchange.TaskMembership}), the splitters of sampled range partitionings
 * ({@link petrichor.jobs.engine.exchange.RangeSample}), and live metrics ({@link
 * petrichor.jobs.engine.exchange.TaskMetrics}).
 */
@NullMarked
package petrichor.jobs.engine.exchange;

import org.jspecify.annotations.NullMarked;

/**
 * What a subtask sends, and what is measured of it. A {@link
 * petrichor.jobs.engine.exchange.RecordWriter} collects records and writes blocks to a channel of
 * {@link petrichor.jobs.channels}, which leads to the {@link petrichor.jobs.channels.InputGate} of
 * a subtask in this process or elsewhere. "Enough" travels the other way, from gate to sender.
 *
 * <p>Here are also those who take part while subtasks come and go ({@link
 * petrichor.jobs.engine.exchange.TaskMembership}), where sampled ranges are cut ({@link
 * petrichor.jobs.engine.exchange.RangeSample}), and what is counted on the way ({@link
 * petrichor.jobs.engine.exchange.TaskFigures}).
 */
@NullMarked
package petrichor.jobs.engine.exchange;

import org.jspecify.annotations.NullMarked;

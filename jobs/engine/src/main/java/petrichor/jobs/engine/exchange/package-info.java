/**
 * How blocks get from subtask to subtask. A sender collects records in a {@link
 * petrichor.jobs.engine.exchange.RecordWriter} and hands blocks to a {@link
 * petrichor.jobs.engine.exchange.Receiver}: the {@link petrichor.jobs.channels.InputGate} of a
 * subtask in this process, or the way to one elsewhere ({@link
 * petrichor.jobs.engine.exchange.ChannelReceiver}, and {@link
 * petrichor.jobs.engine.exchange.ChannelInlet} where it arrives). "Enough" travels the other way,
 * from gate to sender.
 *
 * <p>Here are also those who take part while subtasks come and go ({@link
 * petrichor.jobs.engine.exchange.TaskMembership}), where sampled ranges are cut ({@link
 * petrichor.jobs.engine.exchange.RangeSample}), and what is counted on the way ({@link
 * petrichor.jobs.engine.exchange.TaskFigures}).
 */
@NullMarked
package petrichor.jobs.engine.exchange;

import org.jspecify.annotations.NullMarked;

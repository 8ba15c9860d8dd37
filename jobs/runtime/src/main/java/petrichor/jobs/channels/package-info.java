/**
 * The data plane of jobs: it moves blocks from one task to another. This module knows bytes, not
 * records.
 *
 * <p>A task writes {@linkplain petrichor.jobs.channels.Block blocks} of the job's {@link
 * petrichor.jobs.channels.BlockPool} to a {@link petrichor.jobs.channels.BlockWriter}; another
 * takes them from its {@link petrichor.jobs.channels.InputGate}. A channel between the two is one
 * of these:
 *
 * <ul>
 *   <li><b>memory</b> ({@link petrichor.jobs.channels.InputGate#sender}): blocks are handed over,
 *       not copied;
 *   <li><b>network</b> ({@link petrichor.jobs.channels.Exchange}): one TCP connection per pair of
 *       processes carries all their channels. Flow control is credit-based: the gate grants one
 *       credit per free block of its queue, so a slow receiver slows down its own senders and no
 *       others;
 *   <li><b>file</b> ({@link petrichor.jobs.channels.SpillFolder}): written completely, then read by
 *       the gate (a blocking exchange);
 *   <li><b>another runtime</b> ({@link petrichor.jobs.channels.FrameDecoder}), such as Flink, which
 *       transports the bytes.
 * </ul>
 *
 * <p>A stream has a definite outcome. The writer ends it, or fails it with a reason that the
 * receiver gets. The receiver may terminate early, with <i>enough</i>: then the writer stops. A
 * writer that is closed without ending its stream has failed it: a truncated stream never looks
 * complete.
 *
 * <p>Networks, files and other runtimes carry the same {@linkplain petrichor.jobs.channels.Frame
 * frames}: compressed as {@link petrichor.jobs.channels.compression.LevelModel} chooses, with a
 * checksum ({@link petrichor.jobs.channels.BlockHeader}). They are encoded in the sender's thread
 * and decoded in the receiver's; no channel has a thread of its own. Every wait is bounded by a
 * timeout or by the detected death of a process; everything that grows has a limit in {@link
 * petrichor.jobs.channels.ChannelLimits}.
 */
@NullMarked
package petrichor.jobs.channels;

import org.jspecify.annotations.NullMarked;

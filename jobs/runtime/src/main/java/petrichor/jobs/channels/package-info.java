/**
 * The data plane of jobs: how blocks get from one task to another. This module knows bytes, not
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
 *       processes carries all their channels. The gate gives credits, one per block that it has
 *       room for, so a slow receiver holds up its own senders and no others;
 *   <li><b>file</b> ({@link petrichor.jobs.channels.SpillFolder}): written to the end, then read by
 *       the gate;
 *   <li><b>another runtime</b> ({@link petrichor.jobs.channels.FrameDecoder}), such as Flink, which
 *       carries the bytes.
 * </ul>
 *
 * <p>A stream has a definite outcome. The writer ends it, or fails it with a reason that the
 * receiver gets. The receiver may have <i>enough</i>: then the writer learns it and stops. A writer
 * that is closed without ending its stream has failed it: a half stream never looks whole.
 *
 * <p>Networks, files and other runtimes carry the same {@linkplain petrichor.jobs.channels.Frame
 * frames}: compressed as {@link petrichor.jobs.channels.compression.LevelModel} chooses, with a
 * checksum ({@link petrichor.jobs.channels.BlockHeader}). They are encoded in the sender's thread
 * and opened in the receiver's; no channel has a thread. Everything that waits, waits for a bounded
 * time or for a process whose death it learns of; everything that grows has a limit in {@link
 * petrichor.jobs.channels.ChannelLimits}.
 */
@NullMarked
package petrichor.jobs.channels;

import org.jspecify.annotations.NullMarked;

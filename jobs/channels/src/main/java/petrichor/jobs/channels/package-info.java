/**
 * Channels: how blocks of bytes get from one task of a job to another. This module knows bytes, not
 * records.
 *
 * <p>A task writes {@linkplain petrichor.jobs.channels.Block blocks} of up to 128 KB to a {@link
 * petrichor.jobs.channels.BlockWriter}; another takes them from a {@link
 * petrichor.jobs.channels.BlockReader}. What lies between is one of three:
 *
 * <ul>
 *   <li><b>memory</b> ({@link petrichor.jobs.channels.MemoryChannel}): a bounded queue between two
 *       threads; blocks are handed over, not copied;
 *   <li><b>network</b> ({@link petrichor.jobs.channels.Exchange}): one TCP connection per pair of
 *       processes carries all their channels. The reader gives credits, one per block that it has
 *       room for, so a slow reader holds up its own writer and nobody else. Between tasks of one
 *       process it becomes a memory channel by itself;
 *   <li><b>file</b> ({@link petrichor.jobs.channels.SpillFolder}): written to the end, then read.
 * </ul>
 *
 * <p>In all three a stream has a definite outcome. The writer ends it, or fails it with a reason
 * that the reader gets. The reader may have <i>enough</i>: then the writer is told so and stops. A
 * writer that is closed without ending its stream has failed it: a half stream never looks whole.
 *
 * <p>On network and files, blocks are compressed as {@link
 * petrichor.jobs.channels.compression.LevelModel} says, and carry a checksum ({@link
 * petrichor.jobs.channels.BlockHeader}). Everything that waits, waits for a bounded time or for
 * somebody whose death it learns of; everything that grows has a limit in {@link
 * petrichor.jobs.channels.ChannelLimits}.
 */
@NullMarked
package petrichor.jobs.channels;

import org.jspecify.annotations.NullMarked;

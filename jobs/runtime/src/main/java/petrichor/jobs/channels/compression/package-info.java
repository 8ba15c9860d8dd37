/**
 * Adaptive compression of channels.
 *
 * <p>Five {@linkplain petrichor.jobs.channels.compression.Level levels}, from none to zstd-9. The
 * level of the next block is chosen by a {@link petrichor.jobs.channels.compression.LevelModel},
 * one per channel. There are three: {@link petrichor.jobs.channels.compression.FixedLevel} always
 * chooses the same level; {@link petrichor.jobs.channels.compression.DataRateModel} is Algorithm 4
 * of Warneke's thesis, which tries levels and keeps those that raise the data rate; {@link
 * petrichor.jobs.channels.compression.PipelineModel}, the one that channels use, measures the costs
 * and the ratio of each level on the current data and how fast the channel drains, and computes the
 * level with the highest throughput.
 *
 * <p>Models do no I/O and read no clock: the caller passes the time of each event. So a test
 * replays hours of a changing link in milliseconds, and a seed replays a test.
 */
@NullMarked
package petrichor.jobs.channels.compression;

import org.jspecify.annotations.NullMarked;

/**
 * Which compression a channel's blocks get, and the compression itself.
 *
 * <p>Five {@linkplain petrichor.jobs.channels.compression.Level levels}, from none to zstd-9. What
 * level the next block gets is said by a {@link petrichor.jobs.channels.compression.LevelModel},
 * one per channel. There are three: {@link petrichor.jobs.channels.compression.FixedLevel} always
 * says the same; {@link petrichor.jobs.channels.compression.DataRateModel} is Algorithm 4 of
 * Warneke's thesis, which tries levels and looks whether more data came through; {@link
 * petrichor.jobs.channels.compression.PipelineModel}, the one that channels use, measures what each
 * level costs and gains on the data at hand and how fast the channel drains, and computes which
 * level lets most data through.
 *
 * <p>Models do no I/O and know no clock: they are told when something happened. So a test replays
 * hours of a changing link in milliseconds, and a seed replays a test.
 */
@NullMarked
package petrichor.jobs.channels.compression;

import org.jspecify.annotations.NullMarked;

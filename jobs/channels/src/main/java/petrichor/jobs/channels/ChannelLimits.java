package petrichor.jobs.channels;

import java.time.Duration;

/**
 * What bounds channels.
 *
 * @param blocksPerChannel blocks that lie in a memory channel, or are on their way in a network
 *     channel: 16, which is 2 MB
 * @param spareBlocks arrays kept for later use: 64, which is 8 MB
 * @param channelsPerConnection channels that one connection carries at a time: 65,536
 * @param connections connections that an exchange holds: 1,024
 * @param handshakes connections that have not yet proved who they are: 16
 * @param handshake how long proving may take: 5 seconds
 * @param opening how long a writer waits for a reader to be there, and the other way round: 30
 *     seconds
 * @param silence a process that has said nothing for so long is taken for dead: 10 seconds
 */
public record ChannelLimits(
        int blocksPerChannel,
        int spareBlocks,
        int channelsPerConnection,
        int connections,
        int handshakes,
        Duration handshake,
        Duration opening,
        Duration silence) {
    public static final ChannelLimits DEFAULT =
            new ChannelLimits(
                    16,
                    64,
                    1 << 16,
                    1 << 10,
                    16,
                    Duration.ofSeconds(5),
                    Duration.ofSeconds(30),
                    Duration.ofSeconds(10));

    public ChannelLimits {
        if (blocksPerChannel < 2
                || spareBlocks < 1
                || channelsPerConnection < 1
                || connections < 1
                || handshakes < 1) {
            throw new IllegalArgumentException("a limit is too small");
        }
        if (!handshake.isPositive() || !opening.isPositive() || !silence.isPositive()) {
            throw new IllegalArgumentException("a time limit must be positive");
        }
    }

    public ChannelLimits withBlocksPerChannel(int blocks) {
        return new ChannelLimits(
                blocks,
                spareBlocks,
                channelsPerConnection,
                connections,
                handshakes,
                handshake,
                opening,
                silence);
    }

    public ChannelLimits withTimes(Duration handshake, Duration opening, Duration silence) {
        return new ChannelLimits(
                blocksPerChannel,
                spareBlocks,
                channelsPerConnection,
                connections,
                handshakes,
                handshake,
                opening,
                silence);
    }
}

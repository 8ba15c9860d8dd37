package petrichor.jobs.channels;

import java.time.Duration;

/**
 * What bounds channels.
 *
 * @param blocksPerChannel blocks of a network channel that are on their way or at its gate: 16,
 *     which is 2 MB
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
        int channelsPerConnection,
        int connections,
        int handshakes,
        Duration handshake,
        Duration opening,
        Duration silence) {
    public static final ChannelLimits DEFAULT =
            new ChannelLimits(
                    16,
                    1 << 16,
                    1 << 10,
                    16,
                    Duration.ofSeconds(5),
                    Duration.ofSeconds(30),
                    Duration.ofSeconds(10));

    public ChannelLimits {
        if (blocksPerChannel < 2
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
                channelsPerConnection,
                connections,
                handshakes,
                handshake,
                opening,
                silence);
    }
}

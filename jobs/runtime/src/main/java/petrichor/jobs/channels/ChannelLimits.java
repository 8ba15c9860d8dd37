package petrichor.jobs.channels;

import java.time.Duration;

/**
 * Limits of channels.
 *
 * @param blocksPerChannel blocks of a network channel that are in flight or queued at its gate: 16,
 *     which is 2 MB
 * @param channelsPerConnection concurrent channels of one connection: 65,536
 * @param connections connections of an exchange: 1,024
 * @param handshakes connections that are not yet authenticated: 16
 * @param handshake time limit of the handshake: 5 seconds
 * @param opening how long a writer waits for its reader to attach, and a reader for its writer: 30
 *     seconds
 * @param silence a process that has sent nothing for this long is considered dead: 10 seconds
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

package petrichor.jobs.channels;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.Duration;
import petrichor.base.TimeSource;

/** Two exchanges of one job, like those of two processes. */
final class ChannelPair implements AutoCloseable {
    /** Timeouts that do not expire in a test, even on a busy machine. */
    static final ChannelLimits PATIENT =
            ChannelLimits.DEFAULT.withTimes(
                    Duration.ofSeconds(60), Duration.ofSeconds(60), Duration.ofSeconds(60));

    final ChannelToken token = ChannelToken.random();
    final Exchange left;
    final Exchange right;

    ChannelPair(ChannelLimits limits) {
        left = exchange(token, limits);
        right = exchange(token, limits);
    }

    static Exchange exchange(ChannelToken token, ChannelLimits limits) {
        return Exchange.open(
                new InetSocketAddress(InetAddress.getLoopbackAddress(), 0),
                token,
                limits,
                new BlockPool(),
                TimeSource.SYSTEM);
    }

    @Override
    public void close() {
        left.close();
        right.close();
    }
}

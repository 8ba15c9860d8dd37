package petrichor.bench.compression;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
final class ShapingProxyTest {
    private static final int BYTES = 2_000_000;

    @Test
    void aBucketAdmitsItsRateAndOneBurst() {
        AtomicLong now = new AtomicLong();
        TokenBucket bucket = new TokenBucket(1_000_000, 10_000, now::get);
        assertThat(bucket.reserve(1_000_000)).isEqualTo(1_000_000_000L);
        now.addAndGet(5_000_000_000L);
        assertThat(bucket.reserve(10_000)).isLessThanOrEqualTo(0);
        assertThat(bucket.reserve(1_000)).isEqualTo(1_000_000L);
        bucket.rate(2_000_000);
        assertThat(bucket.reserve(1_000)).isEqualTo(1_500_000L);
    }

    @Test
    void dataPassesUnchangedAtTheRate() throws Exception {
        try (ServerSocket target = new ServerSocket(0, 1, InetAddress.getLoopbackAddress());
                ShapingProxy proxy =
                        ShapingProxy.open(
                                (InetSocketAddress) target.getLocalSocketAddress(), 4_000_000);
                Socket sender = new Socket(InetAddress.getLoopbackAddress(), proxy.port());
                Socket receiver = target.accept()) {
            byte[] bytes = new byte[BYTES];
            new java.util.Random(3).nextBytes(bytes);
            long begin = System.nanoTime();
            Thread.ofVirtual()
                    .start(
                            () -> {
                                try {
                                    sender.getOutputStream().write(bytes);
                                    sender.shutdownOutput();
                                } catch (java.io.IOException e) {
                                    throw new java.io.UncheckedIOException(e);
                                }
                            });
            assertThat(receiver.getInputStream().readAllBytes()).isEqualTo(bytes);
            double seconds = (System.nanoTime() - begin) / 1e9;
            // Half a second at its rate; a busy machine may only make it longer.
            assertThat(seconds).isBetween(0.48, 50.0);
        }
    }
}

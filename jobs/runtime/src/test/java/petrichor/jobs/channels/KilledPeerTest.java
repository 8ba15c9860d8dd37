package petrichor.jobs.channels;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import petrichor.base.ErrorCode;
import petrichor.base.PetrichorException;
import petrichor.base.TimeSource;

/** A real process as the peer, killed or suspended while it communicates. */
@Timeout(180)
final class KilledPeerTest {
    /** Longer than the usual pauses of a busy machine, and much shorter than the test's limit. */
    private static final Duration SILENCE = Duration.ofSeconds(8);

    private static final ChannelLimits LIMITS =
            ChannelLimits.DEFAULT.withTimes(
                    Duration.ofSeconds(60), Duration.ofSeconds(60), SILENCE);

    @Test
    void aReaderDetectsItsWritersDeath() throws Exception {
        ChannelToken token = ChannelToken.random();
        try (Exchange exchange = ChannelPair.exchange(token, LIMITS)) {
            ChannelReader reader = new ChannelReader(exchange, 1);
            Process writer = start("write", exchange.address(), token);
            try {
                for (int number = 0; number < 20; number++) {
                    assertThat(reader.next()).isNotNull();
                }
                writer.destroyForcibly();
                assertThatThrownBy(
                                () -> {
                                    while (reader.next() != null) {}
                                })
                        .isInstanceOfSatisfying(
                                PetrichorException.class,
                                e -> assertThat(e.code()).isEqualTo(ErrorCode.UNAVAILABLE))
                        .hasMessageContaining("lost");
                assertThat(exchange.peers().awaitCount(0, Duration.ofSeconds(60))).isTrue();
            } finally {
                writer.destroyForcibly().waitFor();
            }
        }
    }

    @Test
    void aWriterDetectsItsReadersDeath() throws Exception {
        assertWriterLearns(true, "lost");
    }

    /** Suspended, not dead: the connection stays open, and nothing arrives. */
    @Test
    void aWriterDetectsAHangingReader() throws Exception {
        assertWriterLearns(false, "silent");
    }

    private static void assertWriterLearns(boolean kill, String text) throws Exception {
        ChannelToken token = ChannelToken.random();
        try (Exchange exchange = ChannelPair.exchange(token, LIMITS)) {
            Process reading = start("read", exchange.address(), token);
            try {
                BufferedReader out =
                        new BufferedReader(
                                new InputStreamReader(
                                        reading.getInputStream(), StandardCharsets.UTF_8));
                String port = out.readLine();
                assertThat(port).isNotNull();
                BlockWriter writer =
                        exchange.writer(
                                1,
                                new InetSocketAddress(
                                        InetAddress.getLoopbackAddress(), Integer.parseInt(port)));
                for (int number = 0; number < 20; number++) {
                    writer.write(TestBlocks.fill(exchange.pool().take(), 1, number));
                }
                if (kill) {
                    reading.destroyForcibly();
                } else {
                    signal("-STOP", reading);
                }
                assertThatThrownBy(
                                () -> {
                                    while (true) {
                                        writer.write(TestBlocks.fill(exchange.pool().take(), 1, 0));
                                    }
                                })
                        .isInstanceOfSatisfying(
                                PetrichorException.class,
                                e -> assertThat(e.code()).isEqualTo(ErrorCode.UNAVAILABLE))
                        .hasMessageContaining(text);
            } finally {
                reading.destroyForcibly().waitFor();
            }
        }
    }

    private static void signal(String signal, Process process) throws Exception {
        assertThat(
                        new ProcessBuilder("kill", signal, Long.toString(process.pid()))
                                .inheritIO()
                                .start()
                                .waitFor())
                .isZero();
    }

    private static Process start(String role, InetSocketAddress peer, ChannelToken token)
            throws Exception {
        ProcessBuilder builder =
                new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "--enable-native-access=ALL-UNNAMED",
                        "-cp",
                        System.getProperty("java.class.path"),
                        Peer.class.getName(),
                        role,
                        Integer.toString(peer.getPort()));
        builder.environment().put("TOKEN", token.hex());
        return builder.redirectError(ProcessBuilder.Redirect.INHERIT).start();
    }

    /** The other process: writes, or reads, forever. */
    static final class Peer {
        private Peer() {}

        public static void main(String[] arguments) {
            ChannelToken token = ChannelToken.parse(System.getenv("TOKEN"));
            Exchange exchange =
                    Exchange.open(
                            new InetSocketAddress(InetAddress.getLoopbackAddress(), 0),
                            token,
                            LIMITS,
                            new BlockPool(),
                            TimeSource.SYSTEM);
            if (arguments[0].equals("read")) {
                ChannelReader reader = new ChannelReader(exchange, 1);
                System.out.println(exchange.address().getPort());
                for (Block block = reader.next(); block != null; block = reader.next()) {
                    exchange.pool().give(block);
                }
                return;
            }
            BlockWriter writer =
                    exchange.writer(
                            1,
                            new InetSocketAddress(
                                    InetAddress.getLoopbackAddress(),
                                    Integer.parseInt(arguments[1])));
            for (int number = 0; ; number++) {
                writer.write(TestBlocks.fill(exchange.pool().take(), 1, number));
            }
        }
    }
}

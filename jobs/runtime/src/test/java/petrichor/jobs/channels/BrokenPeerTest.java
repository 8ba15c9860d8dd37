package petrichor.jobs.channels;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assertions.assertTimeoutPreemptively;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import petrichor.base.ErrorCode;
import petrichor.base.PetrichorException;
import petrichor.base.TimeSource;
import petrichor.jobs.channels.compression.BlockCompressor;
import petrichor.jobs.channels.compression.DrainReport;
import petrichor.jobs.channels.compression.FixedLevel;
import petrichor.jobs.channels.compression.Level;

/**
 * The peer holds the token but violates the protocol: truncated frames, flipped bits, data that is
 * too long or too much, or nothing at all.
 */
@Timeout(value = 120, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
final class BrokenPeerTest {
    private static final long SEED = Long.getLong("seed", System.nanoTime());
    private static final int BLOCKS = 6;
    private static final long CHANNEL = 1;

    /** For streams that end in a failure: a channel that is never opened fails after 3 s. */
    private static final ChannelLimits LIMITS =
            ChannelLimits.DEFAULT.withTimes(
                    Duration.ofSeconds(60), Duration.ofSeconds(3), Duration.ofMillis(800));

    /** For peers that fall silent: no other timeout expires first. */
    private static final ChannelLimits SILENCE =
            ChannelLimits.DEFAULT.withTimes(
                    Duration.ofSeconds(60), Duration.ofSeconds(60), Duration.ofMillis(800));

    private static final ChannelLimits ONE_CHANNEL =
            new ChannelLimits(
                    16,
                    1,
                    16,
                    16,
                    Duration.ofSeconds(60),
                    Duration.ofSeconds(60),
                    Duration.ofSeconds(60));

    @Test
    void validDataArrives() throws Exception {
        assertThat(receive(stream(), true, ChannelPair.PATIENT)).isEqualTo(BLOCKS);
    }

    @Test
    void aTruncatedStreamFails() throws Exception {
        SplittableRandom random = new SplittableRandom(SEED);
        byte[] whole = stream();
        for (int round = 0; round < 60; round++) {
            int length = random.nextInt(whole.length);
            assertThatThrownBy(() -> receive(Arrays.copyOf(whole, length)))
                    .describedAs("seed %d, cut to %d bytes", SEED, length)
                    .isInstanceOf(PetrichorException.class);
        }
    }

    /** For any flipped bit: correct data up to that point, then a failure or a valid end. */
    @Test
    void aFlippedBitIsNeverTakenForData() throws Exception {
        SplittableRandom random = new SplittableRandom(SEED);
        byte[] whole = stream();
        int failed = 0;
        for (int round = 0; round < 150; round++) {
            byte[] broken = whole.clone();
            // Half of them in the first bytes, which contain headers.
            int at = random.nextInt(round % 2 == 0 ? 120 : broken.length);
            broken[at] ^= (byte) (1 << random.nextInt(8));
            try {
                assertThat(receive(broken))
                        .describedAs("seed %d, byte %d changed", SEED, at)
                        .isEqualTo(BLOCKS);
            } catch (PetrichorException e) {
                failed++;
            }
        }
        assertThat(failed).describedAs("seed %d", SEED).isGreaterThan(100);
    }

    @Test
    void anInvalidLengthIsRefusedBeforeAnythingIsAllocated() throws Exception {
        for (int length : new int[] {Integer.MAX_VALUE, Integer.MIN_VALUE, -1, 200_000, 3}) {
            byte[] block = new byte[Frame.HEADER_BYTES];
            ByteBuffer.wrap(block)
                    .order(ByteOrder.LITTLE_ENDIAN)
                    .putInt(Frame.Type.BLOCK.code())
                    .putInt(length)
                    .putLong(CHANNEL);
            assertRefused(concatenated(open(), block), "BLOCK has the invalid length of " + length);
        }
        for (int raw : new int[] {Integer.MAX_VALUE, -5, 0}) {
            byte[] frame = new byte[Frame.HEADER_BYTES + BlockHeader.BYTES + 10];
            new Frame(Frame.Type.BLOCK, BlockHeader.BYTES + 10, CHANNEL).write(frame, 0);
            byte[] stored = new byte[10];
            BlockHeader.of(Level.LZ4, raw, 10, 1, raw).write(frame, Frame.HEADER_BYTES, stored, 0);
            assertRefused(concatenated(open(), frame), "a block has " + raw + " bytes");
        }
        for (int whole : new int[] {Integer.MAX_VALUE, Block.BYTES_MAX + 1, 9, -1}) {
            byte[] frame = new byte[Frame.HEADER_BYTES + BlockHeader.BYTES + 10];
            new Frame(Frame.Type.BLOCK, BlockHeader.BYTES + 10, CHANNEL).write(frame, 0);
            byte[] stored = new byte[10];
            BlockHeader.of(Level.NONE, 10, 10, 1, whole)
                    .write(frame, Frame.HEADER_BYTES, stored, 0);
            assertRefused(concatenated(open(), frame), "10 bytes exceeds its block of " + whole);
        }
    }

    @Test
    void mismatchedPartsOfABlockAreRefused() throws Exception {
        byte[] first = part(10, 30, 1);
        for (byte[] second : List.of(part(10, 20, 1), part(21, 30, 1), part(10, 30, 2))) {
            assertRefused(
                    concatenated(open(), concatenated(first, second)), "parts of a block do not");
        }
        assertRefused(
                concatenated(open(), concatenated(first, Frame.end(CHANNEL, 1))),
                "ended within a block");
    }

    @Test
    void aBlockWhoseTwoLengthsDifferIsRefused() throws Exception {
        byte[] shorter = part(10, 10, 1);
        new Frame(Frame.Type.BLOCK, BlockHeader.BYTES + 9, CHANNEL).write(shorter, 0);
        assertRefused(concatenated(open(), shorter), "two lengths");
    }

    @Test
    void aStreamThatLacksABlockIsRefused() throws Exception {
        assertRefused(concatenated(open(), Frame.end(CHANNEL, 1)), "1 blocks, of which 0 arrived");
    }

    private static byte[] part(int length, int whole, int records) {
        byte[] frame = new byte[Block.HEADROOM + length];
        new Frame(Frame.Type.BLOCK, BlockHeader.BYTES + length, CHANNEL).write(frame, 0);
        BlockHeader.of(Level.NONE, length, length, records, whole)
                .write(frame, Frame.HEADER_BYTES, frame, Block.HEADROOM);
        return frame;
    }

    @Test
    void aBlockThatDecompressesBeyondItsSizeIsRefused() throws Exception {
        byte[] raw = new byte[50_000];
        byte[] stored = new byte[60_000];
        int size;
        try (BlockCompressor compressor = new BlockCompressor()) {
            for (Level level : Level.ALL.subList(1, Level.ALL.size())) {
                size = compressor.compress(level, raw, 0, raw.length, stored, 0);
                byte[] frame = new byte[Frame.HEADER_BYTES + BlockHeader.BYTES + size];
                new Frame(Frame.Type.BLOCK, BlockHeader.BYTES + size, CHANNEL).write(frame, 0);
                System.arraycopy(stored, 0, frame, Block.HEADROOM, size);
                // It declares 20,000 bytes, with a valid checksum, but decompresses to 50,000.
                BlockHeader.of(level, 20_000, size, 1, 20_000)
                        .write(frame, Frame.HEADER_BYTES, stored, 0);
                assertRefused(concatenated(open(), frame), "the expected 20000 bytes");
            }
        }
    }

    @Test
    void moreBlocksThanCreditsEndTheConnection() throws Exception {
        ChannelToken token = ChannelToken.random();
        try (Exchange exchange =
                        ChannelPair.exchange(token, ChannelPair.PATIENT.withBlocksPerChannel(2));
                Socket socket = connected(exchange, token)) {
            ChannelReader reader = new ChannelReader(exchange, CHANNEL);
            try {
                socket.getOutputStream().write(stream());
            } catch (SocketException ended) {
                // The exchange has closed the connection already.
            }
            assertThat(exchange.peers().awaitCount(0, Duration.ofSeconds(60))).isTrue();
            assertThatThrownBy(
                            () -> {
                                while (reader.next() != null) {}
                            })
                    .hasMessageContaining("credits");
        }
    }

    @Test
    void aBlockOfAChannelThatWasNotOpenedIsRefused() throws Exception {
        byte[] block = part(10, 10, 1);
        new Frame(Frame.Type.BLOCK, BlockHeader.BYTES + 10, CHANNEL + 1).write(block, 0);
        assertRefused(concatenated(open(), block), "a block of channel 2, which is not open");
    }

    @Test
    void aChannelThatIsOpenedTwiceEndsTheConnection() throws Exception {
        ChannelToken token = ChannelToken.random();
        try (Exchange exchange = ChannelPair.exchange(token, ChannelPair.PATIENT);
                Socket socket = connected(exchange, token);
                ChannelReader _ = new ChannelReader(exchange, CHANNEL)) {
            socket.getOutputStream().write(concatenated(open(), open()));
            awaitEnd(socket);
        }
    }

    @Test
    void moreChannelsThanTheLimitAreRefused() throws Exception {
        byte[] second = Frame.of(Frame.Type.OPEN, CHANNEL + 1, new byte[0]);
        assertThatThrownBy(() -> receive(concatenated(open(), second), false, ONE_CHANNEL))
                .isInstanceOf(PetrichorException.class)
                .hasMessageContaining("more than the limit of 1 channels");
    }

    /** Messages that the exchange sends by itself while no channel has traffic. */
    @Test
    void aConnectionWithoutTrafficIsKeptAliveByPings() throws Exception {
        ChannelToken token = ChannelToken.random();
        try (Exchange exchange = ChannelPair.exchange(token, SILENCE);
                Socket socket = connected(exchange, token)) {
            byte[] header = new byte[Frame.HEADER_BYTES];
            assertThat(socket.getInputStream().readNBytes(header, 0, header.length))
                    .isEqualTo(header.length);
            assertThat(Frame.parse(header, "the exchange").type()).isEqualTo(Frame.Type.PING);
        }
    }

    /** It had no credits. */
    @Test
    void aBlockForAChannelWithoutAGateEndsTheConnection() throws Exception {
        ChannelToken token = ChannelToken.random();
        try (Exchange exchange = ChannelPair.exchange(token, ChannelPair.PATIENT);
                Socket socket = connected(exchange, token)) {
            socket.getOutputStream().write(concatenated(open(), part(10, 10, 1)));
            awaitEnd(socket);
        }
    }

    /** The exchange closes the connection, and not because the peer is silent. */
    private static void awaitEnd(Socket socket) throws IOException {
        InputStream answers = socket.getInputStream();
        assertTimeoutPreemptively(
                Duration.ofSeconds(30),
                () -> {
                    while (answers.read() >= 0) {}
                });
    }

    @Test
    void aSilentPeerIsConsideredDead() throws Exception {
        ChannelToken token = ChannelToken.random();
        try (Exchange exchange = ChannelPair.exchange(token, SILENCE);
                Socket socket = connected(exchange, token)) {
            ChannelReader reader = new ChannelReader(exchange, CHANNEL);
            socket.getOutputStream().write(open());
            long begin = System.nanoTime();
            assertThatThrownBy(reader::next)
                    .isInstanceOfSatisfying(
                            PetrichorException.class,
                            e -> assertThat(e.code()).isEqualTo(ErrorCode.UNAVAILABLE))
                    .hasMessageContaining("silent");
            assertThat(System.nanoTime() - begin).isLessThan(30_000_000_000L);
        }
    }

    @Test
    void aPeerThatStopsReadingBlocksAWriterOnlyUntilTheSilenceTimeout() throws Exception {
        ChannelToken token = ChannelToken.random();
        CountDownLatch ended = new CountDownLatch(1);
        try (Exchange exchange = ChannelPair.exchange(token, SILENCE);
                ServerSocket stalled = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            Thread.ofVirtual()
                    .start(
                            () -> {
                                try (Socket socket = stalled.accept()) {
                                    new Handshake(token)
                                            .answer(socket, _ -> Handshake.Verdict.WELCOME);
                                    // Many credits, and then it never reads again.
                                    socket.getOutputStream()
                                            .write(
                                                    Frame.of(
                                                            Frame.Type.CREDIT,
                                                            CHANNEL,
                                                            new Frame.Credit(
                                                                            1_000_000,
                                                                            DrainReport.NOTHING)
                                                                    .bytes()));
                                    ended.await();
                                } catch (IOException | InterruptedException failed) {
                                    throw new IllegalStateException(failed);
                                }
                            });
            BlockWriter writer =
                    exchange.writer(
                            CHANNEL,
                            (InetSocketAddress) stalled.getLocalSocketAddress(),
                            new FixedLevel(Level.NONE));
            assertThatThrownBy(
                            () -> {
                                while (true) {
                                    writer.write(
                                            TestBlocks.fill(exchange.pool().take(), CHANNEL, 0));
                                }
                            })
                    .isInstanceOf(PetrichorException.class)
                    .hasMessageContaining("silent");
        } finally {
            ended.countDown();
        }
    }

    private static void assertRefused(byte[] bytes, String why) {
        assertThatThrownBy(() -> receive(bytes, false, ChannelPair.PATIENT))
                .isInstanceOf(PetrichorException.class)
                .hasMessageContaining(why);
    }

    /**
     * Sends these bytes to a new exchange and reads the channel; returns the number of correct
     * blocks.
     */
    private static int receive(byte[] bytes) throws Exception {
        return receive(bytes, true, LIMITS);
    }

    private static int receive(byte[] bytes, boolean thenLeave, ChannelLimits limits)
            throws Exception {
        ChannelToken token = ChannelToken.random();
        try (Exchange exchange = ChannelPair.exchange(token, limits);
                Socket socket = connected(exchange, token)) {
            ChannelReader reader = new ChannelReader(exchange, CHANNEL);
            Thread.ofVirtual()
                    .start(
                            () -> {
                                try {
                                    socket.getOutputStream().write(bytes);
                                    if (thenLeave) {
                                        socket.shutdownOutput();
                                    }
                                } catch (IOException e) {
                                    // The exchange has closed the connection already.
                                }
                            });
            return ExchangeTest.readAll(reader, CHANNEL, exchange.pool());
        }
    }

    private static Socket connected(Exchange exchange, ChannelToken token) throws IOException {
        Socket socket = new Socket();
        socket.connect(exchange.address());
        assertThat(new Handshake(token).call(socket, "127.0.0.1:1"))
                .isEqualTo(Handshake.Verdict.WELCOME);
        return socket;
    }

    private static byte[] open() {
        return Frame.of(Frame.Type.OPEN, CHANNEL, new byte[0]);
    }

    /** A complete stream, as sent by a writer. */
    private static byte[] stream() throws IOException {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        out.write(open());
        BlockPool pool = new BlockPool();
        for (int number = 0; number < BLOCKS; number++) {
            Level level = Level.ALL.get(number % Level.ALL.size());
            try (BlockEncoder encoder =
                    new BlockEncoder(new FixedLevel(level), CHANNEL, TimeSource.SYSTEM)) {
                Block block = TestBlocks.fill(pool.take(), CHANNEL, number);
                encoder.encode(block, block.begin);
                out.write(encoder.array(), encoder.from(), encoder.length());
            }
        }
        out.write(Frame.end(CHANNEL, BLOCKS));
        return out.toByteArray();
    }

    private static byte[] concatenated(byte[] first, byte[] second) {
        byte[] both = Arrays.copyOf(first, first.length + second.length);
        System.arraycopy(second, 0, both, first.length, second.length);
        return both;
    }
}

package petrichor.jobs.channels;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.DataInputStream;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import petrichor.base.ErrorCode;
import petrichor.base.PetrichorException;
import petrichor.base.TimeSource;
import petrichor.jobs.channels.compression.FixedLevel;
import petrichor.jobs.channels.compression.Level;
import petrichor.jobs.channels.compression.PipelineModel;

/** Network channels between two exchanges: the contract without failures, and limits. */
@Timeout(value = 180, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
final class ExchangeTest {
    private static final Duration THREAD_END_MAX = Duration.ofSeconds(20);

    private static final long SEED = Long.getLong("seed", System.nanoTime());

    @ParameterizedTest
    @EnumSource(Level.class)
    void blocksArriveInOrderAtEveryLevel(Level level) throws Exception {
        try (ChannelPair pair = new ChannelPair(ChannelPair.PATIENT);
                ExecutorService threads = Executors.newCachedThreadPool()) {
            ChannelReader reader = new ChannelReader(pair.right, 7);
            Future<Integer> read = threads.submit(() -> readAll(reader, 7, pair.right.pool()));
            BlockWriter writer = pair.left.writer(7, pair.right.address(), new FixedLevel(level));
            writeAll(writer, 7, 200, pair.left.pool());
            assertThat(read.get()).isEqualTo(200);
            ChannelCounters.Totals sent = writer.counters().metrics();
            assertThat(sent.blocks()).isEqualTo(200);
            assertThat(sent.rawBytes()).isEqualTo(rawBytes(7, 200, pair.left.pool()));
            if (level == Level.NONE) {
                assertThat(sent.wireBytes()).isEqualTo(sent.rawBytes());
            } else {
                assertThat(sent.wireBytes()).isLessThan(sent.rawBytes());
            }
        }
    }

    /**
     * Slow and fast ends, both directions, one connection: everything arrives, without a deadlock.
     */
    @Test
    void manyChannelsShareOneConnectionWithoutBlockingEachOther() throws Exception {
        ChannelLimits tight = ChannelPair.PATIENT.withBlocksPerChannel(2);
        int channels = 60;
        try (ChannelPair pair = new ChannelPair(tight);
                ExecutorService threads = Executors.newCachedThreadPool()) {
            List<Future<Integer>> reads = new ArrayList<>();
            List<Future<?>> writes = new ArrayList<>();
            SplittableRandom random = new SplittableRandom(SEED);
            int expected = 0;
            for (int channel = 0; channel < channels; channel++) {
                Exchange from = channel % 2 == 0 ? pair.left : pair.right;
                Exchange to = channel % 2 == 0 ? pair.right : pair.left;
                int id = channel;
                int blocks = random.nextInt(60);
                expected += blocks;
                Callable<Integer> reading = () -> readAll(new ChannelReader(to, id), id, to.pool());
                Runnable writing =
                        () ->
                                writeAll(
                                        from.writer(id, to.address(), PipelineModel.forNetwork()),
                                        id,
                                        blocks,
                                        from.pool());
                if (random.nextBoolean()) {
                    reads.add(threads.submit(reading));
                    writes.add(threads.submit(writing));
                } else {
                    writes.add(threads.submit(writing));
                    reads.add(threads.submit(reading));
                }
            }
            int got = 0;
            for (Future<Integer> read : reads) {
                got += read.get();
            }
            for (Future<?> write : writes) {
                write.get();
            }
            assertThat(got).describedAs("seed %d", SEED).isEqualTo(expected);
            assertThat(pair.left.peers().count()).isEqualTo(1);
            assertThat(pair.right.peers().count()).isEqualTo(1);
            assertThat(pair.left.pending().count()).isZero();
            assertThat(pair.right.pending().count()).isZero();
        }
    }

    @Test
    void aSlowReaderBlocksOnlyItsOwnWriter() throws Exception {
        try (ChannelPair pair = new ChannelPair(ChannelPair.PATIENT);
                ExecutorService threads = Executors.newCachedThreadPool()) {
            ChannelReader asleep = new ChannelReader(pair.right, 1);
            BlockWriter held = pair.left.writer(1, pair.right.address());
            AtomicInteger accepted = new AtomicInteger();
            Future<?> stuck =
                    threads.submit(
                            () -> {
                                for (int number = 0; number < 100; number++) {
                                    held.write(TestBlocks.fill(pair.left.pool().take(), 1, number));
                                    accepted.incrementAndGet();
                                }
                                held.end();
                            });
            ChannelReader awake = new ChannelReader(pair.right, 2);
            Future<Integer> read = threads.submit(() -> readAll(awake, 2, pair.right.pool()));
            writeAll(pair.left.writer(2, pair.right.address()), 2, 500, pair.left.pool());
            assertThat(read.get()).isEqualTo(500);
            assertThat(stuck.isDone()).isFalse();
            assertThat(accepted.get()).isLessThanOrEqualTo(ChannelPair.PATIENT.blocksPerChannel());
            assertThat(readAll(asleep, 1, pair.right.pool())).isEqualTo(100);
            stuck.get();
        }
    }

    @Test
    void enoughReachesTheWriter() throws Exception {
        try (ChannelPair pair = new ChannelPair(ChannelPair.PATIENT);
                ExecutorService threads = Executors.newCachedThreadPool()) {
            ChannelReader reader = new ChannelReader(pair.right, 1);
            Future<Integer> wrote =
                    threads.submit(
                            () -> {
                                BlockWriter writer = pair.left.writer(1, pair.right.address());
                                int count = 0;
                                while (!writer.isCancelled()) {
                                    writer.write(
                                            TestBlocks.fill(pair.left.pool().take(), 1, count));
                                    count++;
                                }
                                writer.end();
                                return count;
                            });
            assertThat(reader.next()).isNotNull();
            reader.cancelUpstream();
            assertThat(wrote.get()).isPositive();
            assertThat(reader.next()).isNull();
        }
    }

    @Test
    void aFailingWriterPassesTheReasonToItsReader() {
        try (ChannelPair pair = new ChannelPair(ChannelPair.PATIENT)) {
            ChannelReader reader = new ChannelReader(pair.right, 1);
            pair.left.writer(1, pair.right.address()).fail("record 17 has no key");
            assertThatThrownBy(reader::next)
                    .isInstanceOfSatisfying(
                            PetrichorException.class,
                            e -> assertThat(e.code()).isEqualTo(ErrorCode.ABORTED))
                    .hasMessageContaining("record 17 has no key");
        }
    }

    @Test
    void anUnfinishedStreamNeverLooksComplete() {
        try (ChannelPair pair = new ChannelPair(ChannelPair.PATIENT)) {
            ChannelReader reader = new ChannelReader(pair.right, 1);
            try (BlockWriter writer = pair.left.writer(1, pair.right.address())) {
                writer.write(TestBlocks.fill(pair.left.pool().take(), 1, 0));
            }
            assertThatThrownBy(
                            () -> {
                                while (reader.next() != null) {}
                            })
                    .hasMessageContaining("closed before the end");
        }
    }

    @Test
    void aChannelWithinTheProcessNeedsNoExchange() {
        try (ChannelPair pair = new ChannelPair(ChannelPair.PATIENT)) {
            assertThatThrownBy(() -> pair.left.writer(1, pair.left.address()))
                    .hasMessageContaining("both ends in this process");
            assertThat(pair.left.peers().count()).isZero();
        }
    }

    @Test
    void processesThatCallEachOtherAtOnceShareOneConnection() throws Exception {
        for (int round = 0; round < 10; round++) {
            try (ChannelPair pair = new ChannelPair(ChannelPair.PATIENT);
                    ExecutorService threads = Executors.newCachedThreadPool()) {
                Future<Integer> there =
                        threads.submit(
                                () ->
                                        readAll(
                                                new ChannelReader(pair.right, 1),
                                                1,
                                                pair.right.pool()));
                Future<Integer> back =
                        threads.submit(
                                () ->
                                        readAll(
                                                new ChannelReader(pair.left, 2),
                                                2,
                                                pair.left.pool()));
                Future<?> first =
                        threads.submit(
                                () ->
                                        writeAll(
                                                pair.left.writer(1, pair.right.address()),
                                                1,
                                                5,
                                                pair.left.pool()));
                writeAll(pair.right.writer(2, pair.left.address()), 2, 5, pair.right.pool());
                first.get();
                assertThat(there.get()).isEqualTo(5);
                assertThat(back.get()).isEqualTo(5);
                assertThat(pair.left.peers().count()).isEqualTo(1);
                assertThat(pair.right.peers().count()).isEqualTo(1);
            }
        }
    }

    @Test
    void anExchangeRefusesAWildcardAddress() {
        assertThatThrownBy(
                        () ->
                                Exchange.open(
                                        new InetSocketAddress("0.0.0.0", 0),
                                        ChannelToken.random(),
                                        ChannelPair.PATIENT,
                                        new BlockPool(),
                                        TimeSource.SYSTEM))
                .hasMessageContaining("name one");
    }

    @Test
    void aProcessOfAnotherJobIsRefusedByBothSides() {
        try (Exchange one = ChannelPair.exchange(ChannelToken.random(), ChannelPair.PATIENT);
                Exchange other = ChannelPair.exchange(ChannelToken.random(), ChannelPair.PATIENT)) {
            assertThatThrownBy(() -> one.writer(1, other.address()))
                    .isInstanceOfSatisfying(
                            PetrichorException.class,
                            e -> assertThat(e.code()).isEqualTo(ErrorCode.UNAUTHENTICATED))
                    .hasMessageContaining("token");
            assertThat(other.peers().count()).isZero();
        }
    }

    @Test
    void aSilentCallerIsDisconnected() throws Exception {
        ChannelLimits limits =
                ChannelPair.PATIENT.withTimes(
                        Duration.ofMillis(300), Duration.ofSeconds(2), Duration.ofSeconds(2));
        try (Exchange exchange = ChannelPair.exchange(ChannelToken.random(), limits);
                Socket socket = new Socket()) {
            socket.connect(exchange.address());
            socket.setSoTimeout(60_000);
            assertThat(new DataInputStream(socket.getInputStream()).read()).isEqualTo(-1);
        }
    }

    @Test
    void anUnreachableProcessIsReportedWithinTheOpeningTimeout() {
        ChannelLimits limits =
                ChannelPair.PATIENT.withTimes(
                        Duration.ofMillis(300), Duration.ofMillis(400), Duration.ofSeconds(2));
        ChannelToken token = ChannelToken.random();
        InetSocketAddress gone;
        try (Exchange exchange = ChannelPair.exchange(token, limits)) {
            gone = exchange.address();
        }
        try (ChannelPair pair = new ChannelPair(limits)) {
            assertThatThrownBy(() -> pair.left.writer(1, gone))
                    .isInstanceOfSatisfying(
                            PetrichorException.class,
                            e -> assertThat(e.code()).isEqualTo(ErrorCode.UNAVAILABLE))
                    .hasMessageContaining("cannot reach");
            assertThatThrownBy(() -> new ChannelReader(pair.left, 2).next())
                    .hasMessageContaining("no writer");
            BlockWriter lonely = pair.left.writer(3, pair.right.address());
            assertThatThrownBy(() -> lonely.write(TestBlocks.fill(pair.left.pool().take(), 3, 0)))
                    .hasMessageContaining("no reader");
        }
    }

    @Test
    void closingAnExchangeLeavesNoThreadAndWakesWaiters() throws Exception {
        try (ExecutorService threads = Executors.newCachedThreadPool()) {
            // A thread that close() does not wake would wait for a fraction of the silence timeout.
            ChannelLimits calm =
                    ChannelPair.PATIENT.withTimes(
                            Duration.ofSeconds(60), Duration.ofSeconds(60), Duration.ofHours(1));
            ChannelPair pair = new ChannelPair(calm);
            ChannelReader reader = new ChannelReader(pair.right, 1);
            BlockWriter writer = pair.left.writer(1, pair.right.address());
            writer.write(TestBlocks.fill(pair.left.pool().take(), 1, 0));
            assertThat(reader.next()).isNotNull();
            Future<Block> waiting = threads.submit(reader::next);
            pair.close();
            assertThatThrownBy(() -> waiting.get(60, TimeUnit.SECONDS))
                    .hasRootCauseInstanceOf(PetrichorException.class);
            assertThatThrownBy(() -> writer.write(TestBlocks.fill(new BlockPool().take(), 1, 1)))
                    .isInstanceOf(PetrichorException.class);
            // The peer's sending thread ends when it detects that the connection was closed.
            for (Thread thread : Thread.getAllStackTraces().keySet()) {
                if (thread.getName().startsWith("channels-")
                        && thread.getName().contains(port(pair.left))) {
                    assertThat(thread.join(THREAD_END_MAX)).as(thread.getName()).isTrue();
                }
            }
            assertThat(refuses(pair.left.address())).isTrue();
        }
    }

    private static String port(Exchange exchange) {
        return ":" + exchange.address().getPort();
    }

    private static boolean refuses(InetSocketAddress address) {
        try (Socket socket = new Socket()) {
            socket.connect(address, 1_000);
            return false;
        } catch (IOException e) {
            return true;
        }
    }

    static void writeAll(BlockWriter writer, long channel, int blocks, BlockPool pool) {
        try (writer) {
            for (int number = 0; number < blocks; number++) {
                writer.write(TestBlocks.fill(pool.take(), channel, number));
            }
            writer.end();
        }
    }

    private static long rawBytes(long channel, int blocks, BlockPool pool) {
        long bytes = 0;
        for (int number = 0; number < blocks; number++) {
            Block block = TestBlocks.fill(pool.take(), channel, number);
            bytes += block.length();
            pool.give(block);
        }
        return bytes;
    }

    static int readAll(ChannelReader reader, long channel, BlockPool pool) {
        try (reader) {
            return readAll(reader::next, channel, pool);
        }
    }

    static int readAll(SpillReader reader, long channel, BlockPool pool) {
        try (reader) {
            return readAll(reader::next, channel, pool);
        }
    }

    /** Reads to the end and verifies every byte. */
    private static int readAll(Supplier<@Nullable Block> next, long channel, BlockPool pool) {
        int count = 0;
        for (Block block = next.get(); block != null; block = next.get()) {
            assertThat(TestBlocks.is(block, channel, count, pool))
                    .describedAs("block %d of channel %d", count, channel)
                    .isTrue();
            count++;
            pool.give(block);
        }
        return count;
    }
}

package petrichor.jobs.channels;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.Objects;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import petrichor.base.PetrichorException;
import petrichor.base.TimeSource;
import petrichor.jobs.channels.compression.FixedLevel;
import petrichor.jobs.channels.compression.Level;

/** One gate, fed by every kind of channel: content, number of copies, order, and back-pressure. */
@Timeout(value = 180, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
final class InputGateTest {
    private static final long SEED = Long.getLong("seed", System.nanoTime());
    private static final int BLOCKS = 50;

    private final BlockPool pool = new BlockPool();
    private final JobControl control = new JobControl();

    @TempDir Path temporary;

    @Test
    void aLocalBlockIsHandedOverWithoutCopying() {
        InputGate gate = gate(1);
        Block block = TestBlocks.fill(pool.take(), 1, 0);
        BlockWriter sender = gate.sender(0);
        sender.write(block);
        sender.end();
        assertThat(gate.next()).isSameAs(block);
        assertThat(gate.next()).isNull();
        assertThat(pool.taken()).isEqualTo(1);
    }

    /** One gate receives from a local sender, a connection, a file and another runtime. */
    @Test
    void everyKindOfChannelFeedsOneGate() throws Exception {
        try (ChannelPair pair = new ChannelPair(ChannelPair.PATIENT);
                SpillFolder folder =
                        SpillFolder.open(temporary, Long.MAX_VALUE, pool, TimeSource.SYSTEM);
                ExecutorService threads = Executors.newCachedThreadPool()) {
            InputGate gate = new InputGate(4, null, control, pair.right.pool(), true);
            pair.right.receive(1, gate, 1);
            SpillFile file = folder.create("2");
            ExchangeTest.writeAll(file.writer(new FixedLevel(Level.LZ4)), 2, BLOCKS, pool);
            gate.read(2, file.reader());
            var _ = threads.submit(() -> ExchangeTest.writeAll(gate.sender(0), 0, BLOCKS, pool));
            var _ =
                    threads.submit(
                            () ->
                                    ExchangeTest.writeAll(
                                            pair.left.writer(
                                                    1,
                                                    pair.right.address(),
                                                    new FixedLevel(Level.ZSTD_1)),
                                            1,
                                            BLOCKS,
                                            pair.left.pool()));
            var _ =
                    threads.submit(
                            () -> carry(new FrameDecoder(gate, _ -> 3, pool, "a stream"), 3));
            int[] arrived = new int[4];
            for (Block block = gate.next(); block != null; block = gate.next()) {
                int from = sender(block, arrived);
                arrived[from]++;
                pair.right.pool().give(block);
            }
            assertThat(arrived).containsOnly(BLOCKS);
        }
    }

    /** Verifies that each sender's blocks arrive in order. */
    private int sender(Block block, int[] arrived) {
        for (int from = 0; from < arrived.length; from++) {
            if (TestBlocks.is(block, from, arrived[from], pool)) {
                return from;
            }
        }
        throw new AssertionError("a block that was not sent, or out of order");
    }

    private void carry(FrameDecoder to, long channel) {
        SplittableRandom random = new SplittableRandom(SEED);
        try (BlockEncoder encoder =
                new BlockEncoder(new FixedLevel(Level.NONE), channel, TimeSource.SYSTEM)) {
            for (int number = 0; number < BLOCKS; number++) {
                Block block = TestBlocks.fill(pool.take(), channel, number);
                encoder.encode(block, block.begin);
                int at = 0;
                while (at < encoder.length()) {
                    int some = 1 + random.nextInt(encoder.length() - at);
                    to.take(ByteBuffer.wrap(encoder.array(), encoder.from() + at, some));
                    at += some;
                }
                pool.give(block);
            }
        }
        to.take(FrameDecoder.end(channel, BLOCKS));
    }

    /**
     * A sent block takes one buffer at its sender and one at its receiver, and one more if it is
     * compressed. Formerly it took two at the sender and two, or three, at the receiver.
     */
    @ParameterizedTest
    @EnumSource(names = {"NONE", "LZ4"})
    void aNetworkBlockIsNotCopiedBetweenBuffers(Level level) throws Exception {
        try (ChannelPair pair = new ChannelPair(ChannelPair.PATIENT);
                ExecutorService threads = Executors.newCachedThreadPool()) {
            InputGate gate = new InputGate(1, null, control, pair.right.pool(), false);
            pair.right.receive(1, gate, 0);
            var _ =
                    threads.submit(
                            () -> {
                                try (BlockWriter writer =
                                        pair.left.writer(
                                                1, pair.right.address(), new FixedLevel(level))) {
                                    for (int i = 0; i < BLOCKS; i++) {
                                        byte[] bytes = new byte[BlockPool.blockBytes()];
                                        Arrays.fill(bytes, (byte) i);
                                        writer.write(
                                                TestBlocks.of(pair.left.pool().take(), bytes, i));
                                    }
                                    writer.end();
                                }
                            });
            for (int i = 0; i < BLOCKS; i++) {
                Block block = Objects.requireNonNull(gate.next());
                assertThat(block.array[block.begin]).isEqualTo((byte) i);
                pair.right.pool().give(block);
            }
            assertThat(gate.next()).isNull();
            assertThat(pair.left.pool().taken()).isEqualTo(BLOCKS);
            assertThat(pair.right.pool().taken())
                    .isEqualTo(level == Level.NONE ? BLOCKS : 2 * BLOCKS);
            assertThat(pair.right.pool().lent()).isZero();
        }
    }

    @ParameterizedTest
    @EnumSource(Level.class)
    void aBlockLongerThanAFrameIsReassembled(Level level) throws Exception {
        byte[] bytes = new byte[3 * Block.FRAME_BYTES_MAX + 17];
        new SplittableRandom(SEED).nextBytes(bytes);
        Arrays.fill(bytes, 0, 2 * Block.FRAME_BYTES_MAX, (byte) 5);
        try (ChannelPair pair = new ChannelPair(ChannelPair.PATIENT);
                ExecutorService threads = Executors.newCachedThreadPool()) {
            InputGate gate = new InputGate(1, null, control, pair.right.pool(), false);
            pair.right.receive(1, gate, 0);
            var _ =
                    threads.submit(
                            () -> {
                                BlockWriter writer =
                                        pair.left.writer(
                                                1, pair.right.address(), new FixedLevel(level));
                                writer.write(
                                        TestBlocks.of(
                                                pair.left.pool().take(bytes.length), bytes, 9));
                                writer.end();
                            });
            Block whole = Objects.requireNonNull(gate.next());
            assertThat(whole.records).isEqualTo(9);
            assertThat(TestBlocks.bytes(whole)).isEqualTo(bytes);
            assertThat(gate.next()).isNull();
        }
    }

    /** A gate at which waiting could deadlock never blocks its senders. */
    @Test
    void anElasticGateGrantsCreditsForSpilledBlocks() throws Exception {
        try (ChannelPair pair = new ChannelPair(ChannelPair.PATIENT.withBlocksPerChannel(2));
                ExecutorService threads = Executors.newCachedThreadPool()) {
            InputGate gate = new InputGate(1, QueueOnHeap::new, control, pair.right.pool(), false);
            pair.right.receive(1, gate, 0);
            var _ =
                    threads.submit(
                                    () ->
                                            ExchangeTest.writeAll(
                                                    pair.left.writer(
                                                            1,
                                                            pair.right.address(),
                                                            new FixedLevel(Level.LZ4)),
                                                    1,
                                                    BLOCKS,
                                                    pair.left.pool()))
                            .get(60, TimeUnit.SECONDS);
            for (int number = 0; number < BLOCKS; number++) {
                Block block = Objects.requireNonNull(gate.next());
                assertThat(TestBlocks.is(block, 1, number, pool)).isTrue();
            }
            assertThat(gate.next()).isNull();
        }
    }

    @Test
    void aFastSenderIsBlocked() throws Exception {
        InputGate gate = gate(1);
        CompletableFuture<Integer> written = new CompletableFuture<>();
        int[] count = new int[1];
        Thread sender =
                Thread.ofPlatform()
                        .daemon()
                        .start(
                                () -> {
                                    for (int i = 0; i < BLOCKS; i++) {
                                        gate.put(0, TestBlocks.fill(pool.take(), 1, i));
                                        count[0]++;
                                    }
                                    written.complete(count[0]);
                                });
        TestBlocks.awaitWaiting(sender);
        assertThat(count[0]).isEqualTo(InputGate.BLOCKS_OF_SENDER - 1);
        for (int i = 0; i < BLOCKS; i++) {
            assertThat(gate.next()).isNotNull();
        }
        assertThat(written.get(60, TimeUnit.SECONDS)).isEqualTo(BLOCKS);
    }

    @Test
    void aBlockedSenderContinuesWhenTheReceiverHasEnough() throws Exception {
        InputGate gate = gate(1);
        CompletableFuture<Integer> written = new CompletableFuture<>();
        Thread sender =
                Thread.ofPlatform()
                        .daemon()
                        .start(
                                () ->
                                        written.complete(
                                                TestBlocks.writeUntilEnough(gate.sender(0), pool)));
        TestBlocks.awaitWaiting(sender);
        gate.cancelUpstream();
        assertThat(written.get(60, TimeUnit.SECONDS)).isEqualTo(InputGate.BLOCKS_OF_SENDER);
        assertThat(pool.lent()).isZero();
    }

    /** Spilled blocks precede those that arrived later, even if there is free space in memory. */
    @Test
    void anElasticGateKeepsTheOrder() {
        InputGate gate = new InputGate(1, QueueOnHeap::new, control, pool, false);
        int put = 0;
        for (; put < InputGate.BLOCKS_OF_SENDER + 1; put++) {
            gate.put(0, TestBlocks.fill(pool.take(), 1, put));
        }
        for (int taken = 0; taken < BLOCKS; taken++) {
            assertThat(TestBlocks.is(Objects.requireNonNull(gate.next()), 1, taken, pool)).isTrue();
            gate.put(0, TestBlocks.fill(pool.take(), 1, put++));
        }
    }

    /** The number of queued blocks is bounded by the initial credits. */
    @Test
    void aCreditComesBackWhenItsBlockIsTaken() {
        int credits = ChannelPair.PATIENT.blocksPerChannel();
        RemoteChannel channel = new RemoteChannel("1", ChannelPair.PATIENT, TimeSource.SYSTEM);
        InputGate gate = gate(1);
        assertThat(channel.granted()).isZero();
        channel.attach(gate, 0);
        for (int number = 0; number < credits; number++) {
            assertThat(channel.arrived(packed(number))).isTrue();
            assertThat(channel.granted()).isEqualTo(credits);
        }
        for (int taken = 1; taken <= credits; taken++) {
            assertThat(gate.next()).isNotNull();
            assertThat(channel.granted()).isEqualTo(credits + taken);
        }
    }

    private Block packed(int number) {
        try (BlockEncoder encoder =
                new BlockEncoder(new FixedLevel(Level.NONE), 1, TimeSource.SYSTEM)) {
            Block block = TestBlocks.fill(pool.take(), 1, number);
            encoder.encode(block, block.begin);
            int length = encoder.length() - Frame.HEADER_BYTES;
            Block packed = pool.takePacked(length);
            System.arraycopy(
                    encoder.array(),
                    encoder.from() + Frame.HEADER_BYTES,
                    packed.array,
                    packed.begin,
                    length);
            pool.give(block);
            return packed;
        }
    }

    @Test
    void onlyLocalSendersFeedASharedGate() {
        try (Exchange exchange = ChannelPair.exchange(ChannelToken.random(), ChannelPair.PATIENT)) {
            assertThatThrownBy(() -> exchange.receive(1, gate(1).shared(), 0))
                    .hasMessageContaining("local senders only");
        }
        try (SpillFolder folder =
                SpillFolder.open(temporary, Long.MAX_VALUE, pool, TimeSource.SYSTEM)) {
            SpillFile file = folder.create("1");
            ExchangeTest.writeAll(file.writer(new FixedLevel(Level.NONE)), 1, 1, pool);
            try (SpillReader reader = file.reader()) {
                assertThatThrownBy(() -> gate(1).shared().read(0, reader))
                        .hasMessageContaining("local senders only");
            }
        }
    }

    @Test
    void aChannelHasOneWriter() {
        ChannelToken token = ChannelToken.random();
        try (Exchange here = ChannelPair.exchange(token, ChannelPair.PATIENT);
                Exchange one = ChannelPair.exchange(token, ChannelPair.PATIENT);
                Exchange other = ChannelPair.exchange(token, ChannelPair.PATIENT)) {
            BlockWriter first = one.writer(1, here.address());
            while (here.pending().count() == 0) {
                Thread.onSpinWait();
            }
            BlockWriter second = other.writer(1, here.address());
            assertThatThrownBy(() -> second.write(TestBlocks.fill(other.pool().take(), 1, 0)))
                    .isInstanceOf(PetrichorException.class);
            here.receive(1, gate(1), 0);
            first.write(TestBlocks.fill(one.pool().take(), 1, 0));
            first.end();
        }
    }

    @Test
    void returningABlockTwiceIsRefused() {
        Block block = pool.take();
        pool.give(block);
        assertThatThrownBy(() -> pool.give(block)).hasMessageContaining("returned twice");
        assertThat(pool.take()).isNotSameAs(pool.take());
        assertThat(pool.lent()).isEqualTo(2);
    }

    @Test
    void aChannelHasOneReader() {
        try (Exchange exchange = ChannelPair.exchange(ChannelToken.random(), ChannelPair.PATIENT)) {
            exchange.receive(1, gate(1), 0);
            assertThatThrownBy(() -> exchange.receive(1, gate(1), 0))
                    .hasMessageContaining("has a reader already");
        }
    }

    private InputGate gate(int senders) {
        return new InputGate(senders, null, control, pool, false);
    }

    /** An in-memory replacement for a disk. */
    private static final class QueueOnHeap implements Overflow {
        private final ArrayDeque<byte[]> content = new ArrayDeque<>();
        private final ArrayDeque<Integer> records = new ArrayDeque<>();
        private final BlockPool own = new BlockPool();

        @Override
        public void add(Block block) {
            content.add(TestBlocks.bytes(block));
            records.add(block.records);
        }

        @Override
        public @Nullable Block poll() {
            byte[] bytes = content.poll();
            if (bytes == null) {
                return null;
            }
            Block block = own.take(bytes.length, records.remove());
            System.arraycopy(bytes, 0, block.array, block.begin, bytes.length);
            return block;
        }

        @Override
        public boolean isEmpty() {
            return content.isEmpty();
        }

        @Override
        public void close() {
            content.clear();
            records.clear();
        }
    }
}

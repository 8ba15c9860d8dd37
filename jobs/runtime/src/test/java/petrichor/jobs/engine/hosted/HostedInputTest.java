package petrichor.jobs.engine.hosted;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import petrichor.base.ErrorCode;
import petrichor.base.PetrichorException;
import petrichor.jobs.channels.Block;
import petrichor.jobs.channels.BlockPool;
import petrichor.jobs.channels.FrameDecoder;
import petrichor.jobs.channels.InputGate;
import petrichor.jobs.channels.JobControl;
import petrichor.jobs.channels.compression.FixedLevel;
import petrichor.jobs.channels.compression.Level;
import petrichor.jobs.channels.compression.LevelModel;
import petrichor.jobs.engine.memory.SpillArea;
import petrichor.jobs.engine.memory.SpilledBlocks;
import petrichor.jobs.engine.memory.Workspace;

/** Blocks as bytes, through the channels of another runtime. */
final class HostedInputTest {
    private static final int SENDER = 7;
    private static final int CHANNEL = 3;
    private static final int BLOCKS = 20;

    /** Offset in the header of a frame. */
    private static final int LENGTH_AT = 4;

    private static final int CUT_MAX = 40_000;

    @TempDir Path folder;

    private final BlockPool pool = new BlockPool();
    private JobControl control = new JobControl();
    private final Wire wire = new Wire();
    private final HostedOutput output = new HostedOutput(wire, SENDER, pool);

    @Test
    void blocksAreReassembledFromPiecesOfAnySize() {
        long seed = Long.getLong("seed", new Random().nextInt(1_000_000));
        Random random = new Random(seed);
        InputGate gate = gate();
        HostedInput input = input(gate);
        List<byte[]> sent = new ArrayList<>();
        for (int i = 0; i < BLOCKS; i++) {
            sent.add(
                    send(
                            random,
                            i == 0
                                    ? 3 * Block.FRAME_BYTES_MAX
                                    : 1 + random.nextInt(Block.FRAME_BYTES_MAX),
                            i));
        }
        output.end();
        ByteBuffer all = ByteBuffer.wrap(wire.bytes.toByteArray());
        while (all.hasRemaining()) {
            int some = Math.min(all.remaining(), 1 + random.nextInt(CUT_MAX));
            input.take(CHANNEL, all.slice(all.position(), some));
            all.position(all.position() + some);
        }
        input.end(CHANNEL);
        List<byte[]> arrived = new ArrayList<>();
        for (Block block = gate.next(); block != null; block = gate.next()) {
            assertThat(block.records).as("-Dseed=%d", seed).isEqualTo(arrived.size());
            arrived.add(Arrays.copyOfRange(block.array, block.begin, block.end));
        }
        assertThat(arrived).as("-Dseed=%d", seed).containsExactlyElementsOf(sent);
    }

    @Test
    void aChannelWithoutAnEndFrameIsAFailure() {
        HostedInput input = input(gate());
        send(new Random(1), 100, 1);
        input.take(CHANNEL, ByteBuffer.wrap(wire.bytes.toByteArray()));
        assertThatThrownBy(() -> input.end(CHANNEL))
                .isInstanceOfSatisfying(
                        PetrichorException.class,
                        e -> assertThat(e.code()).isEqualTo(ErrorCode.UNAVAILABLE));
    }

    @Test
    void framesOfAnUnknownSenderAreAFailure() {
        HostedInput input = new HostedInput(gate(), pool);
        input.expect(SENDER + 1, 0);
        output.end();
        assertThatThrownBy(() -> input.take(CHANNEL, ByteBuffer.wrap(wire.bytes.toByteArray())))
                .hasMessageContaining("not a sender");
    }

    @Test
    void onlyTheEndIsSentToAReceiverThatHasEnough() {
        wire.cancelled = true;
        send(new Random(1), 100, 1);
        assertThat(wire.bytes.size()).isZero();
        output.end();
        assertThat(wire.bytes.size()).isEqualTo(FrameDecoder.end(SENDER, 0).remaining());
    }

    @Test
    void aBlockForAnotherMachineIsCompressedAndRestored() {
        wire.away = true;
        InputGate gate = gate();
        HostedInput input = input(gate);
        byte[] text = "the same again and again, ".repeat(20_000).getBytes(UTF_8);
        Block block = pool.take(text.length);
        System.arraycopy(text, 0, block.array, block.begin, text.length);
        block.end = block.begin + text.length;
        block.records = 20_000;
        output.write(block);
        // The next receiver is local: the decision is made per block.
        wire.away = false;
        byte[] plain = send(new Random(3), 1_000, 1);
        output.end();

        var shipped = output.counters().metrics();
        assertThat(shipped.rawBytes()).isEqualTo(text.length);
        assertThat(shipped.wireBytes()).isLessThan(text.length / 10);
        assertThat(shipped.level()).isEqualTo(Level.ZSTD_1);
        assertThat(wire.bytes.size()).isLessThan(text.length / 10 + plain.length + 300);
        input.take(CHANNEL, ByteBuffer.wrap(wire.bytes.toByteArray()));
        input.end(CHANNEL);
        Block first = Objects.requireNonNull(gate.next());
        assertThat(first.records).isEqualTo(20_000);
        assertThat(Arrays.copyOfRange(first.array, first.begin, first.end)).isEqualTo(text);
        Block second = Objects.requireNonNull(gate.next());
        assertThat(Arrays.copyOfRange(second.array, second.begin, second.end)).isEqualTo(plain);
    }

    @Test
    void aCorruptedBlockIsAFailure() {
        for (boolean away : new boolean[] {true, false}) {
            wire.away = away;
            wire.bytes.reset();
            InputGate gate = gate();
            send(new Random(5), 5_000, 1);
            byte[] bytes = wire.bytes.toByteArray();
            bytes[bytes.length - 1]++;
            input(gate).take(CHANNEL, ByteBuffer.wrap(bytes));
            assertThatThrownBy(gate::next).isInstanceOf(JobControl.Stopped.class);
            assertThat(control.reason()).hasMessageContaining("checksum");
        }
    }

    @Test
    void aBlockWhoseTwoLengthsDifferIsAFailure() {
        send(new Random(5), 5_000, 1);
        byte[] bytes = wire.bytes.toByteArray();
        bytes[LENGTH_AT]--;
        InputGate gate = gate();
        input(gate).take(CHANNEL, ByteBuffer.wrap(bytes));
        assertThatThrownBy(gate::next).isInstanceOf(JobControl.Stopped.class);
        assertThat(control.reason()).hasMessageContaining("two lengths");
    }

    @Test
    void aStreamThatLostABlockIsAFailure() {
        send(new Random(5), 5_000, 1);
        int first = wire.bytes.size();
        send(new Random(6), 5_000, 1);
        output.end();
        byte[] bytes = wire.bytes.toByteArray();
        HostedInput input = input(gate());
        assertThatThrownBy(
                        () ->
                                input.take(
                                        CHANNEL,
                                        ByteBuffer.wrap(bytes, first, bytes.length - first)))
                .hasMessageContaining("2 blocks, of which 1 arrived");
    }

    @Test
    void theSpilledDataOfAnElasticGateIsBounded() {
        InputGate gate = gate(3 * Block.FRAME_BYTES_MAX);
        for (int i = 0; i < BLOCKS; i++) {
            send(new Random(i), 50_000, 1);
        }
        HostedInput input = input(gate);
        assertThatThrownBy(() -> input.take(CHANNEL, ByteBuffer.wrap(wire.bytes.toByteArray())))
                .isInstanceOfSatisfying(
                        PetrichorException.class,
                        e -> assertThat(e.code()).isEqualTo(ErrorCode.RESOURCE_EXHAUSTED))
                .hasMessageContaining("bytes of spill files");
    }

    private byte[] send(Random random, int length, int records) {
        byte[] bytes = new byte[length];
        random.nextBytes(bytes);
        Block block = pool.take(length);
        System.arraycopy(bytes, 0, block.array, block.begin, length);
        block.end = block.begin + length;
        block.records = records;
        output.write(block);
        return bytes;
    }

    private HostedInput input(InputGate gate) {
        HostedInput input = new HostedInput(gate, pool);
        input.expect(SENDER, 0);
        return input;
    }

    /** A gate that never blocks its sender, since nothing is taken before the end. */
    private InputGate gate() {
        return gate(Long.MAX_VALUE);
    }

    private InputGate gate(long spillBytesMax) {
        control = new JobControl();
        Workspace space = new Workspace(control, pool, new SpillArea(folder, spillBytesMax));
        return new InputGate(1, () -> new SpilledBlocks(space), control, pool, false);
    }

    private static final class Wire implements SubtaskHost.Output {
        private final ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        private boolean cancelled;
        private boolean away;

        @Override
        public boolean away() {
            return away;
        }

        @Override
        public LevelModel levels() {
            return new FixedLevel(Level.ZSTD_1);
        }

        @Override
        public long write(ByteBuffer some) {
            byte[] copy = new byte[some.remaining()];
            some.get(copy);
            bytes.writeBytes(copy);
            return 0;
        }

        @Override
        public void flush() {}

        @Override
        public boolean isCancelled() {
            return cancelled;
        }
    }
}

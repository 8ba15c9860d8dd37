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
import petrichor.jobs.channels.compression.FixedLevel;
import petrichor.jobs.channels.compression.Level;
import petrichor.jobs.channels.compression.LevelModel;
import petrichor.jobs.engine.exchange.InputGate;
import petrichor.jobs.engine.memory.Block;
import petrichor.jobs.engine.memory.BlockPool;
import petrichor.jobs.engine.memory.JobControl;
import petrichor.jobs.engine.memory.SpillArea;
import petrichor.jobs.records.Words;

/** Blocks as bytes, through whatever another runtime has for channels. */
final class HostedInletTest {
    private static final int SENDER = 7;
    private static final int CHANNEL = 3;
    private static final int BLOCKS = 20;

    /** In a block's head. */
    private static final int LENGTH_AT = 8;

    private static final int CUT_MAX = 40_000;

    @TempDir Path folder;

    private final BlockPool pool = new BlockPool();
    private final Wire wire = new Wire();
    private final HostedReceiver receiver =
            new HostedReceiver(wire, SENDER, pool, new petrichor.jobs.channels.BlockPool(1));

    @Test
    void blocksArriveWholeHoweverTheirBytesAreCut() {
        long seed = Long.getLong("seed", new Random().nextInt(1_000_000));
        Random random = new Random(seed);
        InputGate gate = gate();
        HostedInlet inlet = inlet(gate);
        List<byte[]> sent = new ArrayList<>();
        for (int i = 0; i < BLOCKS; i++) {
            sent.add(send(random, i == 0 ? 3 * Block.BYTES : 1 + random.nextInt(Block.BYTES), i));
        }
        receiver.end(0);
        ByteBuffer all = ByteBuffer.wrap(wire.bytes.toByteArray());
        while (all.hasRemaining()) {
            int some = Math.min(all.remaining(), 1 + random.nextInt(CUT_MAX));
            inlet.take(CHANNEL, all.slice(all.position(), some));
            all.position(all.position() + some);
        }
        inlet.end(CHANNEL);
        List<byte[]> arrived = new ArrayList<>();
        for (Block block = gate.next(); block != null; block = gate.next()) {
            assertThat(block.records).as("-Dseed=%d", seed).isEqualTo(arrived.size());
            arrived.add(Arrays.copyOfRange(block.array, block.begin, block.end));
        }
        assertThat(arrived).as("-Dseed=%d", seed).containsExactlyElementsOf(sent);
    }

    @Test
    void aChannelThatEndsBeforeItsSenderHasSaidSoIsAFailure() {
        HostedInlet inlet = inlet(gate());
        send(new Random(1), 100, 1);
        inlet.take(CHANNEL, ByteBuffer.wrap(wire.bytes.toByteArray()));
        assertThatThrownBy(() -> inlet.end(CHANNEL))
                .isInstanceOfSatisfying(
                        PetrichorException.class,
                        e -> assertThat(e.code()).isEqualTo(ErrorCode.UNAVAILABLE));
    }

    @Test
    void whatAStrangerSendsIsAFailure() {
        HostedInlet inlet = new HostedInlet(gate(), pool);
        inlet.expect(SENDER + 1, 0);
        receiver.end(0);
        assertThatThrownBy(() -> inlet.take(CHANNEL, ByteBuffer.wrap(wire.bytes.toByteArray())))
                .hasMessageContaining("not a sender");
    }

    @Test
    void toAReceiverThatHasEnoughOnlyTheEndIsSent() {
        wire.enough = true;
        send(new Random(1), 100, 1);
        assertThat(wire.bytes.size()).isZero();
        receiver.end(0);
        assertThat(wire.bytes.size()).isEqualTo(HostedReceiver.HEAD_BYTES);
    }

    @Test
    void aBlockForAnotherMachineGoesCompressedAndArrivesAsItWas() {
        wire.away = true;
        InputGate gate = gate();
        HostedInlet inlet = inlet(gate);
        byte[] text = "the same again and again, ".repeat(20_000).getBytes(UTF_8);
        Block block = pool.take(text.length);
        System.arraycopy(text, 0, block.array, block.begin, text.length);
        block.end = block.begin + text.length;
        block.records = 20_000;
        receiver.put(0, block);
        // The next one stays here: what is said of each block holds for it alone.
        wire.away = false;
        byte[] plain = send(new Random(3), 1_000, 1);
        receiver.end(0);

        var shipped = Objects.requireNonNull(receiver.shipped());
        assertThat(shipped.rawBytes()).isEqualTo(text.length);
        assertThat(shipped.wireBytes()).isLessThan(text.length / 10);
        assertThat(shipped.level()).isEqualTo(Level.ZSTD_1);
        assertThat(wire.bytes.size()).isLessThan(text.length / 10 + plain.length + 100);
        inlet.take(CHANNEL, ByteBuffer.wrap(wire.bytes.toByteArray()));
        inlet.end(CHANNEL);
        Block first = Objects.requireNonNull(gate.next());
        assertThat(first.records).isEqualTo(20_000);
        assertThat(Arrays.copyOfRange(first.array, first.begin, first.end)).isEqualTo(text);
        Block second = Objects.requireNonNull(gate.next());
        assertThat(Arrays.copyOfRange(second.array, second.begin, second.end)).isEqualTo(plain);
        inlet.close();
    }

    @Test
    void aPackedBlockWhoseBytesChangedOnTheWayIsAFailure() {
        wire.away = true;
        HostedInlet inlet = inlet(gate());
        send(new Random(5), 5_000, 1);
        byte[] bytes = wire.bytes.toByteArray();
        bytes[bytes.length - 1]++;
        assertThatThrownBy(() -> inlet.take(CHANNEL, ByteBuffer.wrap(bytes)))
                .hasMessageContaining("checksum");
    }

    @Test
    void aPackedBlockWithMoreBytesThanItsHeadSaysIsAFailure() {
        wire.away = true;
        HostedInlet inlet = inlet(gate());
        send(new Random(5), 5_000, 1);
        byte[] bytes = wire.bytes.toByteArray();
        Words.int32(bytes, LENGTH_AT, 4_999);
        assertThatThrownBy(() -> inlet.take(CHANNEL, ByteBuffer.wrap(bytes)))
                .hasMessageContaining("longer than its header says");
        inlet.close();
    }

    private byte[] send(Random random, int length, int records) {
        byte[] bytes = new byte[length];
        random.nextBytes(bytes);
        Block block = pool.take(length);
        System.arraycopy(bytes, 0, block.array, block.begin, length);
        block.end = block.begin + length;
        block.records = records;
        receiver.put(0, block);
        return bytes;
    }

    private HostedInlet inlet(InputGate gate) {
        HostedInlet inlet = new HostedInlet(gate, pool);
        inlet.expect(SENDER, 0);
        return inlet;
    }

    /** One that never lets its sender wait: nobody takes anything before the end. */
    private InputGate gate() {
        return new InputGate(
                1, true, new JobControl(), pool, new SpillArea(folder, Long.MAX_VALUE), false);
    }

    private static final class Wire implements SubtaskHost.Outlet {
        private final ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        private boolean enough;
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
        public boolean hasEnough() {
            return enough;
        }
    }
}

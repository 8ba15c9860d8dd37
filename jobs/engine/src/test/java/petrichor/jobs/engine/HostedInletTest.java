package petrichor.jobs.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import petrichor.base.ErrorCode;
import petrichor.base.PetrichorException;

/** Blocks as bytes, through whatever another runtime has for channels. */
final class HostedInletTest {
    private static final int SENDER = 7;
    private static final int CHANNEL = 3;
    private static final int BLOCKS = 20;
    private static final int CUT_MAX = 40_000;

    @TempDir Path folder;

    private final BlockPool pool = new BlockPool();
    private final Wire wire = new Wire();
    private final HostedReceiver receiver = new HostedReceiver(wire, SENDER, pool);

    @Test
    void blocksArriveWholeHoweverTheirBytesAreCut() {
        long seed = Long.getLong("seed", new Random().nextInt(1_000_000));
        Random random = new Random(seed);
        Gate gate = gate();
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
                .hasMessageContaining("no sender");
    }

    @Test
    void toAReceiverThatHasEnoughOnlyTheEndIsSent() {
        wire.enough = true;
        send(new Random(1), 100, 1);
        assertThat(wire.bytes.size()).isZero();
        receiver.end(0);
        assertThat(wire.bytes.size()).isEqualTo(HostedReceiver.HEAD_BYTES);
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

    private HostedInlet inlet(Gate gate) {
        HostedInlet inlet = new HostedInlet(gate, pool);
        inlet.expect(SENDER, 0);
        return inlet;
    }

    /** One that never lets its sender wait: nobody takes anything before the end. */
    private Gate gate() {
        return new Gate(
                1, true, new JobControl(), pool, new SpillArea(folder, Long.MAX_VALUE), false);
    }

    private static final class Wire implements SubtaskHost.Outlet {
        private final ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        private boolean enough;

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

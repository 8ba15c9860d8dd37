package petrichor.jobs.channels;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.FileChannel;
import java.nio.file.StandardOpenOption;
import java.util.zip.CRC32C;
import org.jspecify.annotations.Nullable;
import petrichor.base.ErrorCode;
import petrichor.base.FileProblem;
import petrichor.base.PetrichorException;
import petrichor.base.TimeSource;
import petrichor.jobs.channels.compression.LevelModel;

/**
 * Writes a {@link SpillFile}. The file is made with the first block. A file that was not ended is
 * removed.
 */
final class SpillWriter implements BlockWriter {
    static final int END_BYTES = 16;
    private static final int END_MARK = 0x45_50_42_01; // 'E' 'P' 'B' 1

    private final SpillFile file;
    private final TimeSource time;
    private final BlockEncoder encoder;
    private final ChannelCounters counters;
    private @Nullable FileChannel channel;
    private long blocks;
    private long lastReturnNanos;
    private volatile boolean over;

    SpillWriter(SpillFile file, LevelModel model, TimeSource time) {
        this.file = file;
        this.time = time;
        this.encoder = new BlockEncoder(model, 0, time);
        this.counters = new ChannelCounters(time.monotonicNanos());
        this.lastReturnNanos = time.monotonicNanos();
    }

    @Override
    public Outcome write(Block block) {
        refuseIfOver();
        long begin = time.monotonicNanos();
        encoder.encode(block);
        block.release();
        int length = BlockHeader.BYTES + encoder.storedBytes();
        long writing = time.monotonicNanos();
        append(ByteBuffer.wrap(encoder.buffer(), 0, length));
        long transfer = time.monotonicNanos() - writing;
        blocks++;
        counters.block(encoder.rawBytes(), encoder.storedBytes(), encoder.level());
        counters.waited(transfer);
        encoder.sent(begin - lastReturnNanos, 0, transfer);
        lastReturnNanos = time.monotonicNanos();
        return Outcome.ACCEPTED;
    }

    private void refuseIfOver() {
        if (over) {
            throw new PetrichorException(
                    ErrorCode.ABORTED,
                    "channel " + file.name() + " was closed; nothing can be written to it");
        }
    }

    private void append(ByteBuffer bytes) {
        file.grow(bytes.remaining());
        try {
            FileChannel to = opened();
            while (bytes.hasRemaining()) {
                to.write(bytes);
            }
        } catch (IOException e) {
            throw problem(e);
        }
    }

    private FileChannel opened() throws IOException {
        if (channel == null) {
            channel =
                    FileChannel.open(
                            file.path(),
                            StandardOpenOption.CREATE,
                            StandardOpenOption.TRUNCATE_EXISTING,
                            StandardOpenOption.WRITE);
        }
        return channel;
    }

    private PetrichorException problem(IOException e) {
        return FileProblem.of("cannot write " + file.path(), e);
    }

    @Override
    public void end() {
        refuseIfOver();
        append(ByteBuffer.wrap(endMark(blocks)));
        over = true;
        encoder.close();
        try {
            opened().close();
        } catch (IOException e) {
            throw problem(e);
        }
        file.completed();
    }

    /** What stands behind the last block. */
    static byte[] endMark(long blocks) {
        ByteBuffer mark = ByteBuffer.allocate(END_BYTES).order(ByteOrder.LITTLE_ENDIAN);
        mark.order(ByteOrder.BIG_ENDIAN).putInt(END_MARK); // so that its first byte is E
        mark.order(ByteOrder.LITTLE_ENDIAN).putLong(blocks);
        CRC32C crc = new CRC32C();
        crc.update(mark.array(), 0, END_BYTES - Integer.BYTES);
        return mark.putInt((int) crc.getValue()).array();
    }

    /** Nobody can be reading yet: the file just goes. */
    @Override
    public void fail(String reason) {
        close();
    }

    @Override
    public void close() {
        if (over) {
            return;
        }
        over = true;
        encoder.close();
        try {
            if (channel != null) {
                channel.close();
            }
        } catch (IOException e) {
            throw problem(e);
        } finally {
            file.delete();
        }
    }

    @Override
    public ChannelCounters counters() {
        return counters;
    }
}

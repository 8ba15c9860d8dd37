package petrichor.jobs.channels;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.StandardOpenOption;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;
import petrichor.base.ErrorCode;
import petrichor.base.FileProblem;
import petrichor.base.PetrichorException;
import petrichor.base.TimeSource;
import petrichor.jobs.channels.compression.BlockDecompressor;

/** Reads a {@link SpillFile} from its beginning, block by block. */
final class SpillReader implements BlockReader {
    private final SpillFile file;
    private final String what;
    private final BlockPool pool;
    private final TimeSource time;
    private final ChannelCounters counters;
    private final BlockDecompressor decompressor = new BlockDecompressor();
    private final byte[] header = new byte[BlockHeader.BYTES];
    private @Nullable FileChannel channel;
    private long blocks;
    private boolean over;

    SpillReader(SpillFile file, BlockPool pool, TimeSource time) {
        this.file = file;
        this.what = "the file " + file.path() + " of channel " + file.name();
        this.pool = pool;
        this.time = time;
        this.counters = new ChannelCounters(time.monotonicNanos());
        try {
            channel = FileChannel.open(file.path(), StandardOpenOption.READ);
        } catch (IOException e) {
            decompressor.close();
            throw FileProblem.of("cannot read " + file.path(), e);
        }
    }

    @Override
    public @Nullable Block next() {
        FileChannel from = channel;
        if (over || from == null) {
            return null;
        }
        long begin = time.monotonicNanos();
        read(from, ByteBuffer.wrap(header));
        if (header[0] == 'E') {
            finish();
            return null;
        }
        BlockHeader parsed = BlockHeader.parse(header, 0, what);
        Block stored = pool.take();
        read(from, ByteBuffer.wrap(stored.bytes(), 0, parsed.storedLength()));
        counters.waited(time.monotonicNanos() - begin);
        blocks++;
        Block block = new StoredBlock(parsed, header, stored).open(decompressor, pool, what);
        counters.block(block.length(), parsed.storedLength(), parsed.level());
        return block;
    }

    private void finish() {
        if (!Arrays.equals(header, SpillWriter.endMark(blocks))) {
            throw BlockHeader.broken(what, "its trailer does not match its " + blocks + " blocks");
        }
        close();
    }

    private void read(FileChannel from, ByteBuffer into) {
        try {
            while (into.hasRemaining()) {
                if (from.read(into) < 0) {
                    throw BlockHeader.broken(what, "it ends too early");
                }
            }
        } catch (IOException e) {
            throw new PetrichorException(
                    ErrorCode.UNAVAILABLE,
                    "cannot read " + file.path() + ": " + FileProblem.reason(e),
                    java.util.Map.of("file", file.path().toString()),
                    e);
        }
    }

    @Override
    public void enough() {
        close();
    }

    @Override
    public void close() {
        if (over) {
            return;
        }
        over = true;
        decompressor.close();
        try {
            if (channel != null) {
                channel.close();
            }
        } catch (IOException e) {
            throw FileProblem.of("cannot close " + file.path(), e);
        }
    }

    @Override
    public ChannelCounters counters() {
        return counters;
    }
}

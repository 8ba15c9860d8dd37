package petrichor.jobs.channels;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.StandardOpenOption;
import org.jspecify.annotations.Nullable;
import petrichor.base.ErrorCode;
import petrichor.base.FileProblem;
import petrichor.base.PetrichorException;
import petrichor.base.TimeSource;
import petrichor.jobs.channels.compression.LevelModel;

/**
 * Writes a {@link SpillFile}. Creates the file with the first block; deletes it if the stream is
 * not ended.
 */
final class SpillWriter implements BlockWriter {
    /** A file holds a single channel. */
    static final long CHANNEL = 0;

    private final SpillFile file;
    private final BlockPool pool;
    private final TimeSource time;
    private final BlockEncoder encoder;
    private @Nullable FileChannel channel;
    private long blocks;
    private volatile boolean over;

    SpillWriter(SpillFile file, LevelModel model, BlockPool pool, TimeSource time) {
        this.file = file;
        this.pool = pool;
        this.time = time;
        this.encoder = new BlockEncoder(model, CHANNEL, time);
    }

    @Override
    public void write(Block block) {
        refuseIfOver();
        for (int at = block.begin; at < block.end; ) {
            at += encoder.encode(block, at);
            long writing = time.monotonicNanos();
            append(ByteBuffer.wrap(encoder.array(), encoder.from(), encoder.length()));
            blocks++;
            encoder.sent(0, time.monotonicNanos() - writing);
        }
        pool.give(block);
    }

    @Override
    public boolean isCancelled() {
        return false;
    }

    private void refuseIfOver() {
        if (over) {
            throw PetrichorException.of(
                    ErrorCode.ABORTED,
                    "channel {file} was closed; nothing can be written to it",
                    "file",
                    file.name());
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
        append(ByteBuffer.wrap(Frame.end(CHANNEL, blocks)));
        over = true;
        encoder.close();
        try {
            opened().close();
        } catch (IOException e) {
            throw problem(e);
        }
        file.completed();
    }

    /** No reader can be attached yet: the file is deleted. */
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
        return encoder.counters();
    }
}

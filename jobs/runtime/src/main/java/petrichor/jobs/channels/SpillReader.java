package petrichor.jobs.channels;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.StandardOpenOption;
import org.jspecify.annotations.Nullable;
import petrichor.base.ErrorCode;
import petrichor.base.FileProblem;
import petrichor.base.PetrichorException;

/** Reads a {@link SpillFile} from its beginning, block by block. For one thread. */
public final class SpillReader implements AutoCloseable {
    private final SpillFile file;
    private final String what;
    private final BlockPool pool;
    private final BlockOpener opener;
    private final byte[] head = new byte[Frame.HEADER_BYTES];
    private final FileChannel channel;
    private @Nullable FormerFormat former;
    private long blocks;
    private boolean over;

    SpillReader(SpillFile file, BlockPool pool) {
        this.file = file;
        this.what = "the file " + file.path() + " of channel " + file.name();
        this.pool = pool;
        try {
            channel = FileChannel.open(file.path(), StandardOpenOption.READ);
        } catch (IOException e) {
            throw FileProblem.of("cannot read " + file.path(), e);
        }
        this.opener = new BlockOpener(pool, what);
    }

    /** The next block, which the caller owns; null at the end, or once the reader is closed. */
    public @Nullable Block next() {
        Block block = null;
        while (block == null && !over) {
            read(head, 0, head.length);
            if (FormerFormat.isOf(head)) {
                block = former().next(head);
                if (block == null) {
                    close();
                }
            } else {
                block = frame(Frame.parse(head, what));
            }
        }
        return block;
    }

    private FormerFormat former() {
        FormerFormat used = former;
        if (used == null) {
            used = new FormerFormat(this::read, pool, what);
            former = used;
        }
        return used;
    }

    private @Nullable Block frame(Frame frame) {
        if (frame.channel() != SpillWriter.CHANNEL) {
            throw BlockHeader.broken(what, "a frame belongs to channel " + frame.channel());
        }
        return switch (frame.type()) {
            case BLOCK -> block(frame);
            case END -> {
                byte[] count = new byte[frame.length()];
                read(count, 0, count.length);
                if (Frame.blocks(count) != blocks) {
                    throw BlockHeader.broken(
                            what, blocks + " blocks instead of " + Frame.blocks(count));
                }
                opener.checkWhole();
                close();
                yield null;
            }
            case OPEN, FAIL, CREDIT, ENOUGH, PING ->
                    throw BlockHeader.broken(what, "it contains a message " + frame.type());
        };
    }

    private @Nullable Block block(Frame frame) {
        Block packed = pool.takePacked(frame.length());
        read(packed.array, packed.begin, frame.length());
        blocks++;
        return opener.open(packed);
    }

    private void read(byte[] into, int at, int length) {
        ByteBuffer buffer = ByteBuffer.wrap(into, at, length);
        try {
            while (buffer.hasRemaining()) {
                if (channel.read(buffer) < 0) {
                    throw BlockHeader.broken(what, "it ends too early");
                }
            }
        } catch (IOException e) {
            throw PetrichorException.of(
                    ErrorCode.UNAVAILABLE,
                    e,
                    "cannot read {path}: {reason}",
                    "file",
                    file.path().toString(),
                    "path",
                    file.path(),
                    "reason",
                    FileProblem.reason(e));
        }
    }

    @Override
    public void close() {
        if (over) {
            return;
        }
        over = true;
        opener.close();
        if (former != null) {
            former.close();
        }
        try {
            channel.close();
        } catch (IOException e) {
            throw FileProblem.of("cannot close " + file.path(), e);
        }
    }
}

package petrichor.jobs.engine.memory;

import java.io.EOFException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.util.zip.CRC32C;
import org.jspecify.annotations.Nullable;
import petrichor.jobs.channels.Block;
import petrichor.jobs.channels.BlockPool;
import petrichor.jobs.records.RecordView;
import petrichor.jobs.records.Words;

/**
 * A sequence of blocks on disk: appended sequentially, read from any known offset. Each block has a
 * checksum: corruption on disk fails the job instead of corrupting its result. Belongs to one
 * thread at a time. Closing it frees its space.
 */
public final class SpillFile implements AutoCloseable {
    /** int32 bytes, int32 records, int32 CRC-32C of both and of the bytes. */
    private static final int HEAD_BYTES = 12;

    private static final int CHECKED_HEAD_BYTES = 8;

    private final SpillArea area;
    private final BlockPool pool;
    private final ByteBuffer head = ByteBuffer.wrap(new byte[HEAD_BYTES]);
    private @Nullable FileChannel channel;
    private @Nullable Block open;
    private long size;
    private long records;

    public SpillFile(SpillArea area, BlockPool pool) {
        this.area = area;
        this.pool = pool;
    }

    /** Appends a record; it is on disk after {@link #flush()}. */
    void append(RecordView record) {
        int bytes = record.bytes();
        Block block = open;
        if (block == null || block.free() < bytes) {
            flush();
            block = pool.take(bytes);
            open = block;
        }
        record.copyTo(block.array, block.end);
        block.end += bytes;
        block.records++;
    }

    void flush() {
        Block block = open;
        if (block != null) {
            open = null;
            write(block);
            pool.give(block);
        }
    }

    /** Appends a block; the caller still owns it. */
    public void write(Block block) {
        if (block.records == 0) {
            return;
        }
        area.grown(HEAD_BYTES + block.length());
        Words.int32(head.array(), 0, block.length());
        Words.int32(head.array(), 4, block.records);
        Words.int32(head.array(), CHECKED_HEAD_BYTES, checksum(head.array(), block));
        try {
            long at = writeFully(head.clear(), size);
            ByteBuffer content = ByteBuffer.wrap(block.array, block.begin, block.length());
            size = writeFully(content, at);
        } catch (IOException e) {
            throw area.failed(e);
        }
        records += block.records;
    }

    private long writeFully(ByteBuffer bytes, long from) throws IOException {
        FileChannel file = channel;
        if (file == null) {
            file = area.open();
            channel = file;
        }
        long at = from;
        while (bytes.hasRemaining()) {
            at += file.write(bytes, at);
        }
        return at;
    }

    /** Offset of the next block. */
    public long size() {
        return size;
    }

    long records() {
        return records;
    }

    /** Reads the block at this offset; the caller owns it. */
    public Block read(long at) {
        FileChannel file = channel;
        if (file == null) {
            throw new IllegalStateException("nothing was written");
        }
        try {
            ByteBuffer buffer = ByteBuffer.wrap(new byte[HEAD_BYTES]);
            readFully(file, buffer, at);
            int length = Words.int32(buffer.array(), 0);
            if (length <= 0 || length > size - at - HEAD_BYTES) {
                throw area.broken(
                        "the block at byte "
                                + at
                                + " has the invalid length of "
                                + length
                                + " bytes");
            }
            int count = Words.int32(buffer.array(), 4);
            Block block = pool.take(length, count);
            readFully(file, ByteBuffer.wrap(block.array, block.begin, length), at + HEAD_BYTES);
            if (checksum(buffer.array(), block)
                    != Words.int32(buffer.array(), CHECKED_HEAD_BYTES)) {
                pool.give(block);
                throw area.broken("the checksum of a block at byte " + at + " does not match");
            }
            return block;
        } catch (IOException e) {
            throw area.failed(e);
        }
    }

    /** Offset of the block after this one. */
    public static long after(long at, Block block) {
        return at + HEAD_BYTES + block.length();
    }

    private static int checksum(byte[] head, Block block) {
        CRC32C crc = new CRC32C();
        crc.update(head, 0, CHECKED_HEAD_BYTES);
        crc.update(block.array, block.begin, block.length());
        return (int) crc.getValue();
    }

    private static void readFully(FileChannel file, ByteBuffer into, long from) throws IOException {
        long at = from;
        while (into.hasRemaining()) {
            int read = file.read(into, at);
            if (read < 0) {
                throw new EOFException("a spill file is shorter than what was written to it");
            }
            at += read;
        }
    }

    @Override
    public void close() {
        Block block = open;
        if (block != null) {
            open = null;
            pool.give(block);
        }
        FileChannel file = channel;
        if (file != null) {
            channel = null;
            area.shrunk(size);
            try {
                file.close();
            } catch (IOException e) {
                throw area.failed(e);
            }
        }
    }
}

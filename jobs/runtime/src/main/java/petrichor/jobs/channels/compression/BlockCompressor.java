package petrichor.jobs.channels.compression;

import com.github.luben.zstd.Zstd;
import com.github.luben.zstd.ZstdCompressCtx;
import com.github.luben.zstd.ZstdException;
import java.util.EnumMap;
import java.util.Map;
import net.jpountz.lz4.LZ4Compressor;
import net.jpountz.lz4.LZ4Factory;

/**
 * Compresses each block independently. Keeps native memory for each zstd level used; {@link #close}
 * frees it. For one thread.
 */
public final class BlockCompressor implements AutoCloseable {
    /** A compressed block is used only if it is smaller than this fraction of the original. */
    private static final double WORTHWHILE_MAX = 0.98;

    private final LZ4Compressor lz4 = LZ4Factory.fastestInstance().fastCompressor();
    private final Map<Level, ZstdCompressCtx> contexts = new EnumMap<>(Level.class);

    /** Output space that suffices for a block of this size at any level. */
    public static int capacityFor(int bytes) {
        return Math.max(
                LZ4Factory.fastestInstance().fastCompressor().maxCompressedLength(bytes),
                (int) Zstd.compressBound(bytes));
    }

    /**
     * Compresses {@code length} bytes of {@code from}, starting at {@code offset}, into {@code to},
     * which has {@link #capacityFor} them after {@code at}.
     *
     * @return the number of bytes written, or {@code length} if compression does not pay: then the
     *     block is to be sent uncompressed, and the content of {@code to} is undefined
     */
    public int compress(Level level, byte[] from, int offset, int length, byte[] to, int at) {
        int size =
                switch (level) {
                    case NONE -> length;
                    case LZ4 -> lz4.compress(from, offset, length, to, at, to.length - at);
                    case ZSTD_1 -> zstd(level, 1, from, offset, length, to, at);
                    case ZSTD_3 -> zstd(level, 3, from, offset, length, to, at);
                    case ZSTD_9 -> zstd(level, 9, from, offset, length, to, at);
                };
        return size < length * WORTHWHILE_MAX ? size : length;
    }

    private int zstd(
            Level level, int strength, byte[] from, int offset, int length, byte[] to, int at) {
        ZstdCompressCtx context = contexts.get(level);
        if (context == null) {
            context = new ZstdCompressCtx();
            // Blocks have their own checksum, and their size is in their header.
            context.setLevel(strength).setChecksum(false).setContentSize(false).setDictID(false);
            contexts.put(level, context);
        }
        try {
            return context.compressByteArray(to, at, to.length - at, from, offset, length);
        } catch (ZstdException e) {
            throw new IllegalStateException("zstd could not compress " + length + " bytes", e);
        }
    }

    @Override
    public void close() {
        contexts.values().forEach(ZstdCompressCtx::close);
        contexts.clear();
    }
}

package petrichor.jobs.channels.compression;

import com.github.luben.zstd.ZstdDecompressCtx;
import com.github.luben.zstd.ZstdException;
import net.jpountz.lz4.LZ4Exception;
import net.jpountz.lz4.LZ4Factory;
import net.jpountz.lz4.LZ4SafeDecompressor;
import org.jspecify.annotations.Nullable;
import petrichor.base.ErrorCode;
import petrichor.base.PetrichorException;

/**
 * Decompresses the output of {@link BlockCompressor}. Trusts no input: it never writes beyond the
 * caller's buffer, and refuses data that does not decompress to exactly the expected size. Keeps
 * native memory; {@link #close} frees it. For one thread.
 */
public final class BlockDecompressor implements AutoCloseable {
    private final LZ4SafeDecompressor lz4 = LZ4Factory.fastestInstance().safeDecompressor();
    private final ZstdDecompressCtx zstd = new ZstdDecompressCtx();

    /**
     * Decompresses {@code length} bytes at {@code offset} of {@code from} into {@code to}, starting
     * at {@code at}.
     *
     * @param size the expected decompressed size
     */
    public void decompress(
            Level level, byte[] from, int offset, int length, byte[] to, int at, int size) {
        int found;
        try {
            found =
                    switch (level) {
                        case NONE -> copied(from, offset, length, to, at, size);
                        case LZ4 -> lz4.decompress(from, offset, length, to, at, size);
                        case ZSTD_1, ZSTD_3, ZSTD_9 ->
                                zstd.decompressByteArray(to, at, size, from, offset, length);
                    };
        } catch (LZ4Exception | ZstdException e) {
            throw broken(level, length, size, e.getMessage());
        }
        if (found != size) {
            throw broken(level, length, size, "its length is " + found + " bytes");
        }
    }

    private static int copied(byte[] from, int offset, int length, byte[] to, int at, int size) {
        if (length == size) {
            System.arraycopy(from, offset, to, at, length);
        }
        return length;
    }

    private static PetrichorException broken(
            Level level, int length, int size, @Nullable String why) {
        return PetrichorException.of(
                ErrorCode.INTERNAL,
                "a block of {length} bytes, compressed with {level}, does not decompress to the"
                        + " expected {size} bytes: {reason}",
                "level",
                level.displayName(),
                "length",
                length,
                "size",
                size,
                "reason",
                why);
    }

    @Override
    public void close() {
        zstd.close();
    }
}

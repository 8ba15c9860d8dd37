package petrichor.jobs.parquet;

import com.github.luben.zstd.Zstd;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.zip.GZIPInputStream;
import net.jpountz.lz4.LZ4Factory;
import org.apache.parquet.bytes.BytesInput;
import org.apache.parquet.compression.CompressionCodecFactory;
import org.apache.parquet.hadoop.metadata.CompressionCodecName;
import org.xerial.snappy.Snappy;
import petrichor.base.PetrichorException;

/**
 * Compression of pages: reads the common codecs, writes zstd. Replaces the library's loading of
 * Hadoop codecs. Stateless.
 */
final class Codecs implements CompressionCodecFactory {
    static final CompressionCodecName WRITTEN = CompressionCodecName.ZSTD;

    private static final int ZSTD_LEVEL = 1;

    @Override
    public BytesInputCompressor getCompressor(CompressionCodecName codec) {
        if (codec != WRITTEN) {
            throw new IllegalStateException("writing " + codec + " is not supported");
        }
        return new BytesInputCompressor() {
            @Override
            public BytesInput compress(BytesInput page) throws IOException {
                return BytesInput.from(Zstd.compress(bytes(page), ZSTD_LEVEL));
            }

            @Override
            public CompressionCodecName getCodecName() {
                return codec;
            }

            @Override
            public void release() {}
        };
    }

    @Override
    public BytesInputDecompressor getDecompressor(CompressionCodecName codec) {
        return new BytesInputDecompressor() {
            @Override
            public BytesInput decompress(BytesInput page, int bytes) throws IOException {
                return BytesInput.from(decompressed(codec, bytes(page), bytes));
            }

            @Override
            public void decompress(ByteBuffer page, int pageBytes, ByteBuffer into, int bytes)
                    throws IOException {
                var compressed = new byte[pageBytes];
                page.get(compressed);
                into.put(decompressed(codec, compressed, bytes));
            }

            @Override
            public void release() {}
        };
    }

    private static byte[] bytes(BytesInput page) throws IOException {
        return page.toInputStream().readAllBytes();
    }

    private static byte[] decompressed(CompressionCodecName codec, byte[] page, int bytes)
            throws IOException {
        return switch (codec) {
            case UNCOMPRESSED -> page;
            case SNAPPY -> Snappy.uncompress(page);
            case ZSTD -> Zstd.decompress(page, bytes);
            case LZ4_RAW -> LZ4Factory.fastestInstance().safeDecompressor().decompress(page, bytes);
            case GZIP -> {
                try (var gzip = new GZIPInputStream(new ByteArrayInputStream(page))) {
                    yield gzip.readNBytes(bytes);
                }
            }
            case LZO, BROTLI, LZ4 ->
                    throw PetrichorException.invalid(
                            "reading pages compressed with {codec} is not supported; write the file"
                                    + " with zstd, snappy, gzip or lz4_raw",
                            "codec",
                            codec);
        };
    }

    @Override
    public void release() {}
}

package petrichor.jobs.formats;

import com.github.luben.zstd.ZstdInputStreamNoFinalizer;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.apache.commons.compress.compressors.bzip2.BZip2CompressorInputStream;
import org.apache.commons.compress.compressors.gzip.GzipCompressorInputStream;
import petrichor.base.PetrichorException;

/**
 * Compression of a text file. Both the first bytes and the suffix of its name decide, so that
 * compressed data is never parsed as text: a magic number, with which no text starts, overrides a
 * missing suffix, and a suffix that contradicts it is an error.
 */
enum Compression {
    NONE,
    GZIP(0x1f, 0x8b, 0x08),
    ZSTD(0x28, 0xb5, 0x2f, 0xfd),
    // Followed by the level and the magic number of a block or of the end of the stream.
    BZIP2('B', 'Z', 'h');

    private static final int HEAD_BYTES = 10;
    private static final byte[] BZIP2_BLOCK = {0x31, 0x41, 0x59, 0x26, 0x53, 0x59};
    private static final byte[] BZIP2_END = {0x17, 0x72, 0x45, 0x38, 0x50, (byte) 0x90};
    private static final int BZIP2_LEVEL_BYTES = 1;

    /** Data that starts with these bytes is not text, and is refused. */
    private static final Map<String, byte[]> UNSUPPORTED =
            Map.of(
                    "xz", bytes(0xfd, '7', 'z', 'X', 'Z', 0),
                    "lz4", bytes(0x04, 0x22, 0x4d, 0x18),
                    "zip", bytes('P', 'K', 3, 4),
                    "compress", bytes(0x1f, 0x9d),
                    "snappy", bytes(0xff, 0x06, 0x00, 0x00, 's', 'N'));

    private static final List<byte[]> UTF16 = List.of(bytes(0xff, 0xfe), bytes(0xfe, 0xff));

    /** One character per byte. */
    private final String magic;

    Compression(int... magic) {
        this.magic = new String(magic, 0, magic.length);
    }

    private byte[] magic() {
        return magic.getBytes(StandardCharsets.ISO_8859_1);
    }

    /** Detects the compression from the name and the first bytes of a file. */
    static Compression of(Path file) throws IOException {
        byte[] head;
        try (InputStream in = Files.newInputStream(file)) {
            head = in.readNBytes(HEAD_BYTES);
        }
        Compression named = ofName(file);
        Compression found = ofHead(head);
        if (named == NONE && found == NONE) {
            checkText(file, head);
        } else if (named != NONE && found != named && !named.isSkippable(head)) {
            throw PetrichorException.invalid(
                    "{file} is named like a {format} file but does not start like one{actual};"
                            + " rename it or write it again",
                    "file",
                    file,
                    "format",
                    named.title(),
                    "actual",
                    (found == NONE ? "" : ": its first bytes are " + found.title()));
        }
        return named == NONE ? found : named;
    }

    private static Compression ofName(Path file) {
        String name = file.getFileName().toString().toLowerCase(Locale.ROOT);
        if (name.matches(".*\\.(tar|tar\\.[a-z0-9]+|tgz|tbz2?|tzst|zip|7z|rar)")) {
            throw PetrichorException.invalid(
                    "{file} is an archive: extract its files and read those", "file", file);
        }
        String suffix = name.substring(name.lastIndexOf('.') + 1);
        return switch (suffix) {
            case "gz", "gzip" -> GZIP;
            case "zst", "zstd" -> ZSTD;
            case "bz2", "bzip2" -> BZIP2;
            case "xz", "lz4", "lzo", "lzma", "br", "snappy", "sz" ->
                    throw unsupported(file, suffix);
            case String _ -> NONE;
        };
    }

    private static Compression ofHead(byte[] head) {
        if (begins(head, GZIP.magic())) {
            return GZIP;
        }
        if (begins(head, ZSTD.magic())) {
            return ZSTD;
        }
        int block = BZIP2.magic().length + BZIP2_LEVEL_BYTES;
        boolean bzip2 =
                begins(head, BZIP2.magic())
                        && head.length == HEAD_BYTES
                        && (begins(Arrays.copyOfRange(head, block, HEAD_BYTES), BZIP2_BLOCK)
                                || begins(Arrays.copyOfRange(head, block, HEAD_BYTES), BZIP2_END));
        return bzip2 ? BZIP2 : NONE;
    }

    /** Zstandard data may start with a skippable frame, such as pzstd's sizes. */
    private boolean isSkippable(byte[] head) {
        return this == ZSTD
                && head.length >= 4
                && (head[0] & 0xf0) == 0x50
                && head[1] == 0x2a
                && head[2] == 0x4d
                && head[3] == 0x18;
    }

    private static void checkText(Path file, byte[] head) {
        UNSUPPORTED.forEach(
                (title, magic) -> {
                    if (begins(head, magic)) {
                        throw unsupported(file, title);
                    }
                });
        if (UTF16.stream().anyMatch(mark -> begins(head, mark))) {
            throw PetrichorException.invalid(
                    "{file} is UTF-16 text: convert it to UTF-8 first, for example with iconv",
                    "file",
                    file);
        }
    }

    private static PetrichorException unsupported(Path file, String by) {
        return PetrichorException.invalid(
                "{file} is compressed with {codec}, which is not supported: use gzip, zstd, bzip2"
                        + " or no compression",
                "file",
                file,
                "codec",
                by);
    }

    /** Decompresses all members or frames, one after the other. */
    InputStream decompress(InputStream compressed) throws IOException {
        return switch (this) {
            case NONE -> compressed;
            case GZIP -> new GzipCompressorInputStream(compressed, true);
            case ZSTD -> new ZstdInputStreamNoFinalizer(compressed);
            case BZIP2 -> new BZip2CompressorInputStream(compressed, true);
        };
    }

    String title() {
        return name().toLowerCase(Locale.ROOT);
    }

    private static boolean begins(byte[] head, byte[] magic) {
        return head.length >= magic.length
                && Arrays.equals(head, 0, magic.length, magic, 0, magic.length);
    }

    private static byte[] bytes(int... values) {
        byte[] bytes = new byte[values.length];
        for (int i = 0; i < values.length; i++) {
            bytes[i] = (byte) values[i];
        }
        return bytes;
    }
}

package petrichor.frontends.storage;

import java.io.IOException;
import java.io.InputStream;
import java.util.zip.GZIPInputStream;
import org.jspecify.annotations.Nullable;
import petrichor.base.PetrichorException;
import petrichor.frontends.http.RequestBody;

/**
 * A body that was compressed with gzip for the transfer, piece by piece. INVALID_ARGUMENT if it is
 * not gzip, or a decompression bomb. Confined to the thread of the request.
 */
final class DecompressedBody implements RequestBody {
    /** Text rarely exceeds 20, and gzip's maximum is 1,032. */
    private static final int RATIO_MAX = 100;

    /** May exceed the ratio: small bodies of equal bytes do. */
    private static final long FREE_BYTES = 16 << 20;

    private static final int PIECE_BYTES = 64 << 10;

    private final Compressed compressed;
    private @Nullable InputStream plain;
    private long bytes;

    DecompressedBody(RequestBody compressed) {
        this.compressed = new Compressed(compressed);
    }

    @Override
    public byte @Nullable [] next() {
        byte[] piece = read();
        bytes += piece.length;
        if (bytes > FREE_BYTES && bytes > RATIO_MAX * compressed.bytes) {
            throw PetrichorException.invalid(
                    "the body expands to more than {ratioMax} times its length; send it without"
                            + " Content-Encoding",
                    "ratioMax",
                    RATIO_MAX);
        }
        return piece.length == 0 ? null : piece;
    }

    private byte[] read() {
        try {
            InputStream from = plain == null ? new GZIPInputStream(compressed, PIECE_BYTES) : plain;
            plain = from;
            return from.readNBytes(PIECE_BYTES);
        } catch (IOException malformed) {
            throw PetrichorException.invalid(
                    "the body cannot be decompressed according to its Content-Encoding");
        }
    }

    /** A body as a stream. */
    private static final class Compressed extends InputStream {
        private final RequestBody body;
        private byte[] piece = new byte[0];
        private int at;
        private long bytes;

        Compressed(RequestBody body) {
            this.body = body;
        }

        @Override
        public int read() {
            return fill() ? piece[at++] & 0xff : -1;
        }

        @Override
        public int read(byte[] into, int offset, int length) {
            if (!fill()) {
                return -1;
            }
            int copied = Math.min(length, piece.length - at);
            System.arraycopy(piece, at, into, offset, copied);
            at += copied;
            return copied;
        }

        private boolean fill() {
            if (at == piece.length) {
                byte[] next = body.next();
                if (next == null) {
                    return false;
                }
                piece = next;
                bytes += next.length;
                at = 0;
            }
            return true;
        }
    }
}

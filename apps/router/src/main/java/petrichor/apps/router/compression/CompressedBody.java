package petrichor.apps.router.compression;

import com.github.luben.zstd.ZstdOutputStreamNoFinalizer;
import com.github.luben.zstd.util.Native;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufOutputStream;
import io.netty.buffer.PooledByteBufAllocator;
import io.netty.buffer.Unpooled;
import java.io.IOException;
import java.io.OutputStream;
import java.util.zip.GZIPOutputStream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import petrichor.apps.router.http.ContentCoding;

/**
 * The body of one response while it is compressed. What the encoder holds back can be had at any
 * time with {@link #flush}, so a response that arrives slowly leaves as slowly. Only {@link
 * #finish} writes the end: a body that is closed before it is visibly incomplete. Confined to its
 * event loop.
 */
public final class CompressedBody implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(CompressedBody.class);
    private static final int BUFFER_BYTES = 8 << 10;

    /** Fast ones: the processor is shared with the instances. */
    private static final int GZIP_LEVEL = 4;

    private static final int ZSTD_LEVEL = 1;

    private final Compressors among;
    private final ByteBuf compressed = PooledByteBufAllocator.DEFAULT.buffer(BUFFER_BYTES);
    private final OutputStream encoder;
    private boolean unflushed;
    private boolean closed;

    CompressedBody(Compressors among, ContentCoding coding) {
        this.among = among;
        try {
            this.encoder = encoder(coding, new ByteBufOutputStream(compressed));
        } catch (IOException e) {
            throw inMemory(e);
        }
    }

    /** Whether this machine can apply it: Zstandard is a native library. */
    public static boolean isUsable(ContentCoding coding) {
        return switch (coding) {
            case GZIP -> true;
            case ZSTD -> NativeLibrary.LOADED;
        };
    }

    /** Loaded at its first use. */
    private static final class NativeLibrary {
        static final boolean LOADED = load();

        private static boolean load() {
            try {
                Native.load();
                return true;
            } catch (LinkageError missing) {
                LOG.warn("responses are compressed with gzip only: {}", missing.getMessage());
                return false;
            }
        }
    }

    private static OutputStream encoder(ContentCoding coding, OutputStream to) throws IOException {
        return switch (coding) {
            case GZIP -> new Gzip(to);
            case ZSTD -> new ZstdOutputStreamNoFinalizer(to, ZSTD_LEVEL);
        };
    }

    private static final class Gzip extends GZIPOutputStream {
        Gzip(OutputStream to) throws IOException {
            super(to, BUFFER_BYTES, true);
            def.setLevel(GZIP_LEVEL);
        }
    }

    /** Adds a part of the body, which this method releases; returns what can be sent. */
    public ByteBuf add(ByteBuf part) {
        long from = among.now();
        try {
            if (part.isReadable()) {
                part.readBytes(encoder, part.readableBytes());
                unflushed = true;
            }
            return taken();
        } catch (IOException e) {
            throw inMemory(e);
        } finally {
            part.release();
            among.spent(among.now() - from);
        }
    }

    /** What has been added so far, in full; empty if nothing was added since the last time. */
    public ByteBuf flush() {
        if (!unflushed) {
            return Unpooled.EMPTY_BUFFER;
        }
        long from = among.now();
        try {
            encoder.flush();
            unflushed = false;
            return taken();
        } catch (IOException e) {
            throw inMemory(e);
        } finally {
            among.spent(among.now() - from);
        }
    }

    /** Adds the last part, which this method releases, and ends the body. Closes this. */
    public ByteBuf finish(ByteBuf last) {
        ByteBuf rest = add(last);
        try {
            encoder.close();
            ByteBuf end = taken();
            return rest.isReadable() ? Unpooled.wrappedBuffer(rest, end) : end;
        } catch (IOException e) {
            rest.release();
            throw inMemory(e);
        } finally {
            close();
        }
    }

    /** The bytes since the last time. */
    private ByteBuf taken() {
        if (!compressed.isReadable()) {
            return Unpooled.EMPTY_BUFFER;
        }
        ByteBuf part = PooledByteBufAllocator.DEFAULT.buffer(compressed.readableBytes());
        part.writeBytes(compressed);
        compressed.clear();
        return part;
    }

    /** Frees what it holds. */
    @Override
    public void close() {
        if (!closed) {
            closed = true;
            try {
                encoder.close();
            } catch (IOException e) {
                throw inMemory(e);
            } finally {
                compressed.release();
                among.closed();
            }
        }
    }

    private static IllegalStateException inMemory(IOException impossible) {
        return new IllegalStateException("writing to memory failed", impossible);
    }
}

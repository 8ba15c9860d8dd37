package petrichor.apps.router.compression;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;
import petrichor.apps.router.http.ContentCoding;

/** How much is compressed at the same time. */
final class CompressorsTest {
    private final AtomicLong clock = new AtomicLong();
    private final Compressors compressors = new Compressors(clock::get);

    @Test
    void aLimitedNumberOfResponsesIsCompressed() {
        List<CompressedBody> open = new ArrayList<>();
        for (int i = 0; i < Compressors.OPEN_MAX; i++) {
            open.add(compressors.start(ContentCoding.GZIP));
        }
        assertThat(open).doesNotContainNull();
        assertThat(compressors.start(ContentCoding.GZIP)).isNull();
        open.removeLast().close();
        try (CompressedBody again = compressors.start(ContentCoding.ZSTD)) {
            assertThat(again).isNotNull();
        }
        open.forEach(CompressedBody::close);
        open.getFirst().close(); // counts once
        assertThat(compressors.open()).isZero();
    }

    @Test
    void afterHalfOfTheTimeNothingMoreIsCompressedInTheWindow() {
        clock.addAndGet(Compressors.WINDOW.toNanos());
        compressors.spent(TimeUnit.MILLISECONDS.toNanos(40));
        try (CompressedBody first = compressors.start(ContentCoding.GZIP)) {
            assertThat(first).as("starts a window").isNotNull();
            compressors.spent(TimeUnit.MILLISECONDS.toNanos(51));
            assertThat(compressors.start(ContentCoding.GZIP)).isNull();
        }
        clock.addAndGet(Compressors.WINDOW.toNanos());
        try (CompressedBody next = compressors.start(ContentCoding.GZIP)) {
            assertThat(next).isNotNull();
        }
    }

    @Test
    void aBodyThatIsClosedHasNoEnd() {
        CompressedBody body = start();
        ByteBuf sent = Unpooled.wrappedBuffer(body.add(text()), body.flush());
        assertThat(body.flush().isReadable()).as("flushed already").isFalse();
        byte[] cut = new byte[sent.readableBytes()];
        sent.readBytes(cut).release();
        body.close();
        CompressedBody complete = start();
        ByteBuf all = complete.finish(text());
        assertThat(all.readableBytes()).isGreaterThan(8);
        all.release();
        // The end of gzip is a check sum and the length, after a block that says that it is last.
        assertThat(cut).endsWith((byte) 0, (byte) 0, (byte) 0xff, (byte) 0xff);
        assertThat(compressors.open()).isZero();
    }

    private CompressedBody start() {
        return Objects.requireNonNull(compressors.start(ContentCoding.GZIP));
    }

    private static ByteBuf text() {
        return Unpooled.wrappedBuffer("hello, hello".repeat(100).getBytes(US_ASCII));
    }
}

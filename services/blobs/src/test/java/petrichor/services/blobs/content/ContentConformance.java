package petrichor.services.blobs.content;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.ByteArrayOutputStream;
import java.util.Arrays;
import java.util.Random;
import org.junit.jupiter.api.Test;
import petrichor.base.PetrichorException;

/** What every store of content must do. */
public interface ContentConformance {
    int GRANULE = BlobContent.GRANULE_BYTES;

    BlobContent content();

    private static byte[] random(int bytes, long seed) {
        byte[] content = new byte[bytes];
        new Random(seed).nextBytes(content);
        return content;
    }

    private static ContentId id(long low) {
        return new ContentId("p", 0xABCD_EF01_2345_6789L, low);
    }

    private static void write(BlobContent into, ContentId id, long from, byte[] bytes) {
        try (ContentWriter writer = into.append(id, from)) {
            Random sizes = new Random(bytes.length);
            int at = 0;
            while (at < bytes.length) {
                int part = Math.min(bytes.length - at, 1 + sizes.nextInt(100_000));
                writer.write(bytes, at, part);
                at += part;
            }
            writer.finish();
        }
    }

    private static byte[] read(BlobContent from, ContentId id, long start, long end) {
        ByteArrayOutputStream all = new ByteArrayOutputStream();
        try (ContentReader reader = from.read(id, start, end)) {
            for (byte[] piece = reader.next(); piece != null; piece = reader.next()) {
                assertThat(piece.length).isBetween(1, GRANULE);
                all.writeBytes(piece);
            }
        }
        return all.toByteArray();
    }

    @Test
    default void whatWasWrittenIsRead() {
        for (int bytes : new int[] {1, 100, GRANULE - 1, GRANULE, GRANULE + 1, 5 * GRANULE + 7}) {
            byte[] written = random(bytes, bytes);
            write(content(), id(bytes), 0, written);
            assertThat(read(content(), id(bytes), 0, bytes)).isEqualTo(written);
        }
    }

    @Test
    default void everyRangeIsRead() {
        byte[] written = random(3 * GRANULE + 99, 1);
        write(content(), id(1), 0, written);
        int[] borders = {0, 1, GRANULE - 1, GRANULE, GRANULE + 1, 2 * GRANULE, written.length};
        for (int from : borders) {
            for (int to : borders) {
                if (from <= to) {
                    assertThat(read(content(), id(1), from, to))
                            .isEqualTo(Arrays.copyOfRange(written, from, to));
                }
            }
        }
    }

    @Test
    default void aContentIsContinuedAtAnyGranule() {
        byte[] first = random(3 * GRANULE, 1);
        byte[] second = random(2 * GRANULE + 5, 2);
        write(content(), id(1), 0, first);
        write(content(), id(1), 2L * GRANULE, second);
        byte[] whole = Arrays.copyOf(first, 2 * GRANULE + second.length);
        System.arraycopy(second, 0, whole, 2 * GRANULE, second.length);
        assertThat(read(content(), id(1), 0, whole.length)).isEqualTo(whole);
    }

    @Test
    default void whatAnUnfinishedWriterWroteIsReplaced() {
        byte[] first = random(GRANULE, 1);
        write(content(), id(1), 0, first);
        try (ContentWriter abandoned = content().append(id(1), GRANULE)) {
            abandoned.write(random(3 * GRANULE, 2), 0, 3 * GRANULE);
        }
        byte[] second = random(10, 3);
        write(content(), id(1), GRANULE, second);
        assertThat(read(content(), id(1), GRANULE, GRANULE + 10)).isEqualTo(second);
    }

    @Test
    default void contentsOfProjectsAreSeparate() {
        ContentId here = new ContentId("p", 1, 1);
        ContentId there = new ContentId("..", 1, 1);
        write(content(), here, 0, new byte[] {1});
        write(content(), there, 0, new byte[] {2});
        assertThat(read(content(), here, 0, 1)).containsExactly(1);
        content().delete(here);
        assertThat(read(content(), there, 0, 1)).containsExactly(2);
    }

    @Test
    default void aDeletedContentIsGone() {
        write(content(), id(1), 0, random(3 * GRANULE, 1));
        write(content(), id(2), 0, random(10, 2));
        content().delete(id(1));
        assertThatThrownBy(() -> read(content(), id(1), 0, 10))
                .isInstanceOf(PetrichorException.class)
                .hasMessageContaining("missing");
        assertThatCode(() -> content().delete(id(1))).doesNotThrowAnyException();
        assertThat(read(content(), id(2), 0, 10)).hasSize(10);
    }

    @Test
    default void allContentsAreListed() {
        write(content(), id(1), 0, random(2 * GRANULE, 1));
        write(content(), id(2), 0, random(10, 2));
        write(content(), new ContentId("q", 1, 1), 0, random(10, 2));
        assertThat(content().list("p"))
                .extracting(BlobContent.Stored::id)
                .containsExactlyInAnyOrder(id(1), id(2));
        assertThat(content().list("p")).allMatch(stored -> stored.changedMicros() > 0);
        assertThat(content().list("unused")).isEmpty();
    }
}

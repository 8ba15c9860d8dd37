package petrichor.services.blobs.content;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.zip.CRC32C;
import org.junit.jupiter.api.Test;

class ChecksumsTest {
    @Test
    void knownValues() {
        Checksums sums = new Checksums();
        byte[] text = "123456789".getBytes(StandardCharsets.US_ASCII);
        sums.update(text, 0, text.length);
        assertThat(sums.crc32c()).isEqualTo(0xE3069283);
        assertThat(sums.md5()).isEqualTo("JfnnlDI7RTiF9RgfG2JNCw==");
        assertThat(Checksums.text(0xE3069283)).isEqualTo("4waSgw==");
    }

    @Test
    void checksumsOfPartsCombineToThatOfTheWhole() {
        Random random = new Random(1);
        for (int length : new int[] {0, 1, 2, 7, 8, 255, 65_536, 1_000_003}) {
            byte[] bytes = new byte[length];
            random.nextBytes(bytes);
            for (int cut : new int[] {0, length / 3, length}) {
                assertThat(
                                Checksums.combine(
                                        crc(bytes, 0, cut),
                                        crc(bytes, cut, length - cut),
                                        length - cut))
                        .isEqualTo(crc(bytes, 0, length));
            }
        }
    }

    @Test
    void theDigestContinuesFromItsState() {
        byte[] bytes = new byte[1_000];
        new Random(2).nextBytes(bytes);
        Checksums whole = new Checksums();
        whole.update(bytes, 0, 1_000);
        Checksums first = new Checksums();
        first.update(bytes, 0, 600);
        Checksums second = new Checksums(first.crc32c(), first.mark().md5State());
        second.update(bytes, 600, 400);
        assertThat(second.crc32c()).isEqualTo(whole.crc32c());
        assertThat(second.md5()).isEqualTo(whole.md5());
        assertThat(new Checksums(0, null).md5()).isEmpty();
    }

    /** Large arrays are digested in the background, small ones at once. */
    @Test
    void marksCoverTheBytesBeforeThem() {
        byte[] bytes = new byte[2_000_000];
        new Random(3).nextBytes(bytes);
        Random sizes = new Random(4);
        Checksums running = new Checksums();
        Map<Integer, Checksums.Mark> marks = new TreeMap<>();
        for (int at = 0; at < bytes.length; ) {
            int length = Math.min(bytes.length - at, 1 + sizes.nextInt(40_000));
            running.update(bytes, at, length);
            at += length;
            marks.put(at, running.mark());
        }
        marks.forEach(
                (end, mark) -> {
                    MessageDigest digest = Checksums.newMd5();
                    digest.update(bytes, 0, end);
                    assertThat(mark.crc32c()).isEqualTo(crc(bytes, 0, end));
                    assertThat(requireNonNull(mark.md5State()).digest()).isEqualTo(digest.digest());
                });
        assertThat(marks).hasSizeGreaterThan(50);
    }

    private static int crc(byte[] bytes, int offset, int length) {
        CRC32C crc = new CRC32C();
        crc.update(bytes, offset, length);
        return (int) crc.getValue();
    }
}

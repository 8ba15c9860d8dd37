package petrichor.frontends.http;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Random;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import petrichor.base.PetrichorException;

class MultipartReaderTest {
    private static final String TYPE = "multipart/related; boundary=\"b b\"";

    /** The text in pieces of that length. */
    private static RequestBody pieces(byte[] all, int length) {
        return new RequestBody() {
            private int at;

            @Override
            public byte @Nullable [] next() {
                if (at == all.length) {
                    return null;
                }
                int from = at;
                at = Math.min(all.length, at + length);
                return Arrays.copyOfRange(all, from, at);
            }
        };
    }

    private static String crlf(String lines) {
        return lines.replace("\n", "\r\n");
    }

    private static MultipartReader reader(String type, String text, int length) {
        return new MultipartReader(type, pieces(text.getBytes(StandardCharsets.UTF_8), length));
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 3, 7, 1_000})
    void partsAreReadInOrderHoweverTheyArrive(int length) {
        MultipartReader reader =
                reader(
                        TYPE,
                        crlf(
                                """
                                preamble
                                --b b\s
                                Content-Type: text/plain
                                X-A:  b

                                one
                                --b c

                                --b b


                                --b b

                                three
                                --b b--
                                rest\
                                """),
                        length);
        MultipartReader.Part first = requireNonNull(reader.nextPart());
        assertThat(first.contentType()).isEqualTo("text/plain");
        assertThat(first.headers()).containsEntry("x-a", "b");
        assertThat(reader.text(100)).isEqualTo("one\r\n--b c\r\n");
        assertThat(reader.next()).isNull();
        assertThat(reader.nextPart()).isNotNull();
        assertThat(reader.text(100)).isEmpty();
        assertThat(reader.nextPart()).isNotNull();
        // The content of a part may be skipped.
        assertThat(reader.nextPart()).isNull();
        assertThat(reader.nextPart()).isNull();
    }

    @Test
    void aLargePartPassesUnchanged() {
        byte[] content = new byte[3 << 20];
        new Random(1).nextBytes(content);
        Arrays.fill(content, 1_000, 2_000, (byte) '\r');
        ByteArrayOutputStream all = new ByteArrayOutputStream();
        all.writeBytes("--x\r\n\r\n".getBytes(StandardCharsets.US_ASCII));
        all.writeBytes(content);
        all.writeBytes("\r\n--x--".getBytes(StandardCharsets.US_ASCII));
        all.writeBytes("\r\n".getBytes(StandardCharsets.US_ASCII));
        MultipartReader reader =
                new MultipartReader(
                        "multipart/form-data;boundary=x", pieces(all.toByteArray(), 65_536));
        assertThat(reader.nextPart()).isNotNull();
        ByteArrayOutputStream read = new ByteArrayOutputStream();
        for (byte[] piece = reader.next(); piece != null; piece = reader.next()) {
            read.writeBytes(piece);
        }
        assertThat(read.toByteArray()).isEqualTo(content);
        assertThat(reader.nextPart()).isNull();
    }

    @Test
    void namesOfFormFieldsAreUnquoted() {
        MultipartReader reader =
                reader(
                        TYPE,
                        crlf(
                                """
                                --b b
                                Content-Disposition: form-data; name="a\\"b"; filename=c.txt


                                --b b--
                                """),
                        100);
        MultipartReader.Part part = requireNonNull(reader.nextPart());
        assertThat(part.disposition("name")).contains("a\"b");
        assertThat(part.disposition("filename")).contains("c.txt");
        assertThat(part.disposition("size")).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "--b b",
                "--b b\r\n\r\ncontent",
                "--b b\r\nno colon\r\n\r\nx\r\n--b b--\r\n",
                "--b b text\r\n\r\nx\r\n--b b--\r\n",
            })
    void aMalformedBodyIsRefused(String text) {
        MultipartReader reader = reader(TYPE, text, 100);
        assertThatThrownBy(
                        () -> {
                            while (reader.nextPart() != null) {
                                assertThat(reader.text(100)).isNotNull();
                            }
                        })
                .isInstanceOf(PetrichorException.class)
                .hasMessageContaining("multipart body is invalid");
    }

    @Test
    void headersAndTextsAreBounded() {
        String endless = "--b b\r\nX: " + "y".repeat(100_000);
        assertThatThrownBy(() -> reader(TYPE, endless, 1_000).nextPart())
                .hasMessageContaining("too long");
        MultipartReader reader = reader(TYPE, "--b b\r\n\r\n12345\r\n--b b--\r\n", 100);
        assertThat(reader.nextPart()).isNotNull();
        assertThatThrownBy(() -> reader.text(4)).hasMessageContaining("longer than 4 bytes");
        assertThatThrownBy(() -> reader("multipart/related", "", 1))
                .hasMessageContaining("no boundary");
    }
}

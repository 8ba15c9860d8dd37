package petrichor.frontends.storage;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.Map;
import org.junit.jupiter.api.Test;
import petrichor.frontends.http.MultipartReader;

class BatchPartTest {
    private static BatchPart parsed(String text) {
        return BatchPart.of(new MultipartReader.Part(Map.of("content-id", "<1>")), text);
    }

    @Test
    void aRequestHasHeadersAndABody() {
        BatchPart part =
                parsed("PATCH /storage/v1/b/a?x=1 HTTP/1.1\r\nIf-Match: \"e:1\"\r\n\r\n{}");
        assertThat(part)
                .isEqualTo(
                        new BatchPart(
                                "<1>",
                                "PATCH",
                                "/storage/v1/b/a?x=1",
                                "/storage/v1/b/a",
                                Map.of("x", "1"),
                                Map.of("if-match", "\"e:1\""),
                                "{}"));
    }

    @Test
    void aTargetMayBeACompleteUrl() {
        assertThat(parsed("GET http://host:1/b/c%2Fd?q=http://x HTTP/1.1\r\n").target())
                .isEqualTo("/b/c%2Fd?q=http://x");
        assertThat(parsed("GET /b?q=http://x HTTP/1.1\r\n").target()).isEqualTo("/b?q=http://x");
    }

    @Test
    void otherTextIsRefused() {
        for (String text : new String[] {"", "GET", "GET /b", "GET /b FTP/1\r\n\r\n"}) {
            assertThatThrownBy(() -> parsed(text)).hasMessageContaining("METHOD PATH HTTP/1.1");
        }
    }

    /** Before any part is executed. */
    @Test
    void undecodableTargetsAndLongHeadersAreRefused() {
        assertThatThrownBy(() -> parsed("GET /b/%zz HTTP/1.1\r\n"))
                .hasMessageContaining("cannot be decoded");
        assertThatThrownBy(() -> parsed("GET /b?a=%zz HTTP/1.1\r\n"))
                .hasMessageContaining("cannot be decoded");
        String path = "/b/" + "x".repeat(16 << 10);
        assertThatThrownBy(() -> parsed("GET " + path + " HTTP/1.1\r\n"))
                .hasMessageContaining("longer than");
    }
}

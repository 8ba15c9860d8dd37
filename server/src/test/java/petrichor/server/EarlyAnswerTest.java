package petrichor.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Random;
import java.util.zip.GZIPOutputStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import petrichor.frontends.datastore.FrontEndSettings;

/**
 * Tests a request that is refused before it was sent completely: the client, which continues to
 * send and reads only afterwards, receives the whole response and an orderly close.
 */
@Timeout(60)
class EarlyAnswerTest {
    private static final String POST = "POST /v1/projects/p:lookup HTTP/1.1\r\nHost: localhost\r\n";

    /** Much larger than the socket buffers of both ends. */
    private static final int LARGE_BYTES = 24 << 20;

    private static final int CHUNK_BYTES = 64 << 10;

    @Test
    void refusalOfABodyWithATooLargeLength() throws IOException {
        assertAnswer(
                limits(100_000, 50 << 20),
                out -> {
                    ascii(out, POST + "Content-Length: " + LARGE_BYTES + "\r\n\r\n");
                    blanks(out);
                },
                "HTTP/1.1 413",
                "limits.request-bytes-max");
    }

    @Test
    void refusalOfATooLargeBodyOfUnknownLength() throws IOException {
        assertAnswer(
                limits(100_000, 50 << 20),
                out -> {
                    ascii(out, POST + "Transfer-Encoding: chunked\r\n\r\n");
                    for (int sent = 0; sent < LARGE_BYTES; sent += CHUNK_BYTES) {
                        ascii(out, Integer.toHexString(CHUNK_BYTES) + "\r\n");
                        out.write(new byte[CHUNK_BYTES]);
                        ascii(out, "\r\n");
                    }
                    ascii(out, "0\r\n\r\n");
                },
                "HTTP/1.1 413",
                "limits.request-bytes-max");
    }

    @Test
    void refusalOfABodyThatDecompressesToTooMuch() throws IOException {
        byte[] noise = new byte[LARGE_BYTES];
        new Random(1).nextBytes(noise);
        ByteArrayOutputStream zipped = new ByteArrayOutputStream();
        try (GZIPOutputStream zip = new GZIPOutputStream(zipped)) {
            zip.write(noise);
        }
        assertAnswer(
                limits(100_000, 50 << 20),
                out -> {
                    ascii(out, POST + "Content-Encoding: gzip\r\n");
                    ascii(out, "Content-Length: " + zipped.size() + "\r\n\r\n");
                    out.write(zipped.toByteArray());
                },
                "HTTP/1.1 413",
                "limits.request-bytes-max");
    }

    @Test
    void refusalOfABodyThatCannotBeDecompressed() throws IOException {
        assertAnswer(
                limits(50 << 20, 100 << 20),
                out -> {
                    ascii(out, POST + "Content-Encoding: gzip\r\n");
                    ascii(out, "Content-Length: " + LARGE_BYTES + "\r\n\r\n");
                    blanks(out);
                },
                "HTTP/1.1 400",
                "cannot be decompressed");
    }

    @Test
    void refusalOfABodyThatExceedsTheFreeMemory() throws IOException {
        assertAnswer(
                limits(50 << 20, 100_000),
                out -> {
                    ascii(out, POST + "Content-Length: " + LARGE_BYTES + "\r\n\r\n");
                    blanks(out);
                },
                "HTTP/1.1 503",
                "limits.buffered-bytes-max");
    }

    @Test
    void refusalOfAHeadThatIsNotHttp() throws IOException {
        assertAnswer(
                limits(50 << 20, 100 << 20),
                out -> {
                    ascii(out, "this is not HTTP\r\n\r\n");
                    blanks(out);
                },
                "HTTP/1.1 400",
                "INVALID_ARGUMENT");
    }

    @Test
    void refusalOfATooLargeHead() throws IOException {
        assertAnswer(
                limits(50 << 20, 100 << 20),
                out -> {
                    ascii(out, POST + "X-Large: ");
                    blanks(out);
                },
                "HTTP/1.1 431",
                "limits.header-bytes-max");
    }

    @Test
    void expectContinueWithATooLargeBodyIsRefused() throws IOException {
        assertAnswer(
                limits(100_000, 50 << 20),
                out ->
                        ascii(
                                out,
                                POST
                                        + "Expect: 100-continue\r\nContent-Length: "
                                        + LARGE_BYTES
                                        + "\r\n\r\n"),
                "HTTP/1.1 413",
                "limits.request-bytes-max");
    }

    @Test
    void expectContinueWithAnAcceptableBodyIsAnswered() throws IOException {
        try (TestServer server = TestServer.start();
                Socket client = server.connect()) {
            ascii(
                    client.getOutputStream(),
                    POST
                            + "Content-Type: application/json\r\nExpect: 100-continue\r\n"
                            + "Connection: close\r\nContent-Length: 12\r\n\r\n");
            String go = "HTTP/1.1 100 Continue\r\n\r\n";
            assertThat(client.getInputStream().readNBytes(go.length()))
                    .asString(StandardCharsets.US_ASCII)
                    .isEqualTo(go);
            ascii(client.getOutputStream(), "{\"keys\": []}");
            assertThat(client.getInputStream().readAllBytes())
                    .asString(StandardCharsets.US_ASCII)
                    .startsWith("HTTP/1.1 ")
                    .doesNotStartWith("HTTP/1.1 413");
        }
    }

    @Test
    void aRefusalWaitsUntilTheRequestBeforeItIsAnswered() throws IOException {
        try (TestServer server =
                        TestServer.start(config -> config.withLimits(limits(100_000, 50 << 20)));
                Socket client = server.connect()) {
            OutputStream out = client.getOutputStream();
            ascii(
                    out,
                    "GET /version HTTP/1.1\r\nHost: localhost\r\n\r\n"
                            + POST
                            + "Content-Length: "
                            + LARGE_BYTES
                            + "\r\n\r\n");
            blanks(out);
            String answers = answers(client);
            assertThat(answers).startsWith("HTTP/1.1 200").contains("HTTP/1.1 413");
        }
    }

    @Test
    void aClientThatNeverStopsSendingIsDisconnected() throws IOException {
        try (TestServer server =
                        TestServer.start(config -> config.withLimits(limits(100_000, 50 << 20)));
                Socket client = server.connect()) {
            OutputStream out = client.getOutputStream();
            ascii(out, POST + "Content-Length: " + Integer.MAX_VALUE + "\r\n\r\n");
            assertThatThrownBy(
                            () -> {
                                for (int i = 0; i < 40; i++) {
                                    blanks(out);
                                }
                            })
                    .isInstanceOf(IOException.class);
        }
    }

    @Test
    void aClientThatNeverClosesIsDisconnected() throws IOException {
        FrontEndSettings.Limits hasty =
                new FrontEndSettings.Limits(
                        100_000,
                        50 << 20,
                        8,
                        4,
                        4 << 10,
                        Duration.ofSeconds(60),
                        Duration.ofMillis(300),
                        Duration.ofSeconds(60),
                        Duration.ofSeconds(60));
        try (TestServer server = TestServer.start(config -> config.withLimits(hasty));
                Socket client = server.connect()) {
            OutputStream out = client.getOutputStream();
            ascii(out, POST + "Content-Length: 1000000\r\n\r\n");
            assertThat(answers(client)).startsWith("HTTP/1.1 413");
            while (!server.get("/metrics").body().contains("petrichor_connections 1.0\n")) {
                Thread.onSpinWait(); // the time limit of the class ends this
            }
        }
    }

    private static void assertAnswer(
            FrontEndSettings.Limits limits, Sender sender, String status, String text)
            throws IOException {
        try (TestServer server = TestServer.start(config -> config.withLimits(limits));
                Socket client = server.connect()) {
            sender.send(client.getOutputStream());
            assertThat(answers(client))
                    .startsWith(status)
                    .contains("{\"error\":{\"code\":" + status.substring(9) + ",")
                    .contains(text)
                    .endsWith("}");
            server.awaitMetrics("petrichor_request_buffered_bytes 0.0");
        }
    }

    /** Fails if the connection is reset instead of closed. */
    private static String answers(Socket client) throws IOException {
        return new String(client.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    }

    private static void ascii(OutputStream out, String text) throws IOException {
        out.write(text.getBytes(StandardCharsets.US_ASCII));
    }

    private static void blanks(OutputStream out) throws IOException {
        byte[] blanks = " ".repeat(CHUNK_BYTES).getBytes(StandardCharsets.US_ASCII);
        for (int sent = 0; sent < LARGE_BYTES; sent += CHUNK_BYTES) {
            out.write(blanks);
        }
    }

    private interface Sender {
        void send(OutputStream out) throws IOException;
    }

    private static FrontEndSettings.Limits limits(int requestBytesMax, int bufferedBytesMax) {
        Duration ample = Duration.ofSeconds(60);
        return new FrontEndSettings.Limits(
                requestBytesMax, bufferedBytesMax, 8, 4, 4 << 10, ample, ample, ample, ample);
    }
}

package petrichor.apps.router;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.github.luben.zstd.ZstdInputStreamNoFinalizer;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.zip.GZIPInputStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Compressed responses of instances. */
final class CompressionTest {
    private static final String TEXT = "{\"name\": \"value\", \"count\": 12345}\n".repeat(5_000);
    private static final String GZIP = "Accept-Encoding: gzip, deflate";

    private final TestRouter router = TestRouter.open();

    @AfterEach
    void close() {
        router.close();
    }

    /** Answers with these fields and this body, and its length. */
    private void answer(String body, String... fields) {
        router.instance(
                "i1",
                (request, in, out) -> {
                    StringBuilder head = new StringBuilder("HTTP/1.1 200 OK\r\n");
                    for (String field : fields) {
                        head.append(field).append("\r\n");
                    }
                    head.append("Content-Length: ").append(body.getBytes(UTF_8).length);
                    TestInstance.raw(out, head + "\r\n\r\n");
                    if (!request.line().startsWith("HEAD")) {
                        out.write(body.getBytes(UTF_8));
                        out.flush();
                    }
                    return true;
                });
    }

    private static String gunzip(byte[] body) throws IOException {
        try (InputStream in = new GZIPInputStream(new ByteArrayInputStream(body))) {
            return new String(in.readAllBytes(), UTF_8);
        }
    }

    private static String unzstd(byte[] body) throws IOException {
        try (InputStream in = new ZstdInputStreamNoFinalizer(new ByteArrayInputStream(body))) {
            return new String(in.readAllBytes(), UTF_8);
        }
    }

    @Test
    void textIsCompressedForAClientThatAcceptsIt() throws IOException {
        answer(TEXT, "Content-Type: application/json", "ETag: \"v1\"", "Accept-Ranges: bytes");
        RawClient.Response response = router.get("/", GZIP);
        assertThat(response.header("content-encoding")).isEqualTo("gzip");
        assertThat(response.header("vary")).isEqualTo("accept-encoding");
        assertThat(response.header("etag")).isEqualTo("W/\"v1\"");
        assertThat(response.header("accept-ranges")).isEmpty();
        assertThat(response.header("content-length")).isEmpty();
        assertThat(response.body().length).isLessThan(TEXT.length() / 20);
        assertThat(gunzip(response.body())).isEqualTo(TEXT);
        RawClient.Response plain = router.get("/");
        assertThat(plain.text()).isEqualTo(TEXT);
        assertThat(plain.header("content-encoding")).isEmpty();
        assertThat(plain.header("etag")).isEqualTo("\"v1\"");
        assertThat(plain.header("vary")).isEqualTo("accept-encoding");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "gzip, deflate, br, zstd | zstd",
                "zstd;q=0.5, gzip        | gzip",
                "gzip;q=0, zstd          | zstd",
                "X-GZIP                  | gzip",
                "*                       | gzip",
                "*, gzip;q=0             | ''",
                "gzip;q=0.000            | ''",
                "gzip;q=2                | ''",
                "br, identity            | ''",
                "identity;q=1, *;q=0     | ''",
            })
    void theClientChoosesTheCoding(String accepted, String coding) throws IOException {
        answer(TEXT, "Content-Type: text/html");
        RawClient.Response response = router.get("/", "Accept-Encoding: " + accepted);
        assertThat(response.header("content-encoding")).isEqualTo(coding);
        assertThat(
                        switch (coding) {
                            case "gzip" -> gunzip(response.body());
                            case "zstd" -> unzstd(response.body());
                            default -> response.text();
                        })
                .isEqualTo(TEXT);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "Content-Type: image/png",
                "Content-Type: text/event-stream; charset=utf-8",
                "Content-Type: TEXT/Event-Stream",
                "X-No-Content-Type: yes",
                "Content-Type: text/html\r\nContent-Encoding: br",
                "Content-Type: text/html\r\nContent-Encoding: identity",
                "Content-Type: text/html\r\nCache-Control: private, No-Transform",
                "Content-Type: text/html\r\nContent-Range: bytes 0-9/10",
                "Content-Type: text/html\r\nRepr-Digest: sha-256=:AAAA:",
            })
    void otherResponsesStayAsTheyAre(String fields) throws IOException {
        answer(TEXT, fields, "ETag: \"v1\"");
        RawClient.Response response = router.get("/", GZIP);
        assertThat(response.text()).isEqualTo(TEXT);
        assertThat(response.header("content-length")).isEqualTo(String.valueOf(TEXT.length()));
        assertThat(response.header("etag")).isEqualTo("\"v1\"");
    }

    @Test
    void shortResponsesStayAsTheyAre() throws IOException {
        answer("x".repeat(1023), "Content-Type: text/html");
        assertThat(router.get("/", GZIP).header("content-encoding")).isEmpty();
    }

    @Test
    void aPartOfAResponseStaysAsItIs() throws IOException {
        router.instance(
                "i1",
                (request, in, out) -> {
                    TestInstance.raw(
                            out,
                            TestInstance.head(
                                            "HTTP/1.1 206 Partial Content",
                                            "Content-Type: text/plain",
                                            "Content-Range: bytes 0-1999/5000",
                                            "Content-Length: 2000")
                                    + "x".repeat(2000));
                    return true;
                });
        RawClient.Response response = router.get("/", GZIP, "Range: bytes=0-1999");
        assertThat(response.status()).isEqualTo(206);
        assertThat(response.header("content-encoding")).isEmpty();
        assertThat(response.header("content-range")).isEqualTo("bytes 0-1999/5000");
        assertThat(response.text()).isEqualTo("x".repeat(2000));
    }

    @Test
    void aRequestCanForbidTransformations() throws IOException {
        answer(TEXT, "Content-Type: text/html");
        RawClient.Response response = router.get("/", GZIP, "Cache-Control: no-transform");
        assertThat(response.text()).isEqualTo(TEXT);
    }

    @Test
    void headHasTheFieldsOfGet() throws IOException {
        answer(TEXT, "Content-Type: text/html", "ETag: \"v1\"", "Vary: Cookie");
        RawClient.Response head = router.call("HEAD", "/", GZIP);
        RawClient.Response get = router.get("/", GZIP);
        assertThat(head.header("content-encoding")).isEqualTo("gzip");
        for (String field : new String[] {"content-encoding", "etag", "vary", "content-length"}) {
            assertThat(head.header(field)).as(field).isEqualTo(get.header(field));
        }
        assertThat(get.header("vary")).isEqualTo("Cookie, accept-encoding");
    }

    @Test
    void anUnmodifiedResponseHasTheTagThatTheClientKnows() throws IOException {
        router.instance(
                "i1",
                (request, in, out) -> {
                    TestInstance.raw(
                            out, TestInstance.head("HTTP/1.1 304 Not Modified", "ETag: \"v1\""));
                    return true;
                });
        assertThat(router.get("/", GZIP, "If-None-Match: W/\"v1\"").header("etag"))
                .isEqualTo("W/\"v1\"");
        assertThat(router.get("/", GZIP, "If-None-Match: \"v1\"").header("etag"))
                .isEqualTo("\"v1\"");
    }

    /** The client gets the first part while the instance has not sent the second one. */
    @ParameterizedTest
    @ValueSource(strings = {"gzip", "zstd"})
    void aSlowResponseIsNotHeldBack(String coding) throws Exception {
        CountDownLatch seen = new CountDownLatch(1);
        router.instance(
                "i1",
                (request, in, out) -> {
                    TestInstance.raw(
                            out,
                            TestInstance.head(
                                            "HTTP/1.1 200 OK",
                                            "Content-Type: text/plain",
                                            "Transfer-Encoding: chunked")
                                    + "5\r\nfirst\r\n");
                    await(seen);
                    TestInstance.raw(out, "6\r\nsecond\r\n0\r\n\r\n");
                    return true;
                });
        HttpResponse<InputStream> response =
                HttpClient.newHttpClient()
                        .send(
                                HttpRequest.newBuilder(URI.create(router.url("/")))
                                        .header("Accept-Encoding", coding)
                                        .build(),
                                HttpResponse.BodyHandlers.ofInputStream());
        assertThat(response.headers().firstValue("content-encoding")).contains(coding);
        try (InputStream in =
                coding.equals("gzip")
                        ? new GZIPInputStream(response.body())
                        : new ZstdInputStreamNoFinalizer(response.body()).setContinuous(true)) {
            assertThat(new String(in.readNBytes(5), UTF_8)).isEqualTo("first");
            seen.countDown();
            assertThat(new String(in.readNBytes(6), UTF_8)).isEqualTo("second");
        }
    }

    private static void await(CountDownLatch latch) throws IOException {
        try {
            assertThat(latch.await(20, TimeUnit.SECONDS)).isTrue();
        } catch (InterruptedException e) {
            throw new IOException(e);
        }
    }

    enum Cut {
        LENGTH,
        CHUNKS
    }

    /** Neither the framing nor the coding looks complete. */
    @ParameterizedTest
    @EnumSource
    void aTruncatedResponseIsVisiblyIncomplete(Cut cut) throws IOException {
        router.instance("i1", (request, in, out) -> truncated(cut, out));
        try (RawClient client = router.client()) {
            client.send("GET / HTTP/1.1\r\nHost: demo.localhost\r\n" + GZIP + "\r\n\r\n");
            RawClient.Response head = client.head();
            assertThat(head.header("content-encoding")).isEqualTo("gzip");
            assertThat(head.header("transfer-encoding")).isEqualTo("chunked");
            String rest = client.rest();
            assertThat(rest).doesNotEndWith("0\r\n\r\n");
        }
        assertThatThrownBy(
                        () ->
                                HttpClient.newHttpClient()
                                        .send(
                                                HttpRequest.newBuilder(URI.create(router.url("/")))
                                                        .header("Accept-Encoding", "gzip")
                                                        .build(),
                                                HttpResponse.BodyHandlers.ofByteArray()))
                .isInstanceOf(IOException.class);
    }

    private static boolean truncated(Cut cut, OutputStream out) throws IOException {
        String framing =
                switch (cut) {
                    case LENGTH -> "Content-Length: 100000";
                    case CHUNKS -> "Transfer-Encoding: chunked";
                };
        String part = TEXT.substring(0, 50_000);
        TestInstance.raw(
                out, TestInstance.head("HTTP/1.1 200 OK", "Content-Type: text/plain", framing));
        TestInstance.raw(out, cut == Cut.LENGTH ? part : "c350\r\n" + part + "\r\n");
        return false;
    }

    private String curl(Path output, String protocol) throws Exception {
        Process curl =
                new ProcessBuilder(
                                "curl",
                                "-s",
                                protocol,
                                "--compressed",
                                "-o",
                                output.toString(),
                                "-w",
                                "%{http_version} %{exitcode}",
                                router.url("/"))
                        .start();
        return new String(curl.getInputStream().readAllBytes(), UTF_8);
    }

    @ParameterizedTest
    @CsvSource({"--http1.1,1.1", "--http2-prior-knowledge,2"})
    void curlUnderstandsIt(String protocol, String version, @TempDir Path folder) throws Exception {
        Path output = folder.resolve("output");
        answer(TEXT, "Content-Type: text/html");
        assertThat(curl(output, protocol)).isEqualTo(version + " 0");
        assertThat(output).hasContent(TEXT);
    }

    @ParameterizedTest
    @CsvSource({"--http1.1,1.1 18", "--http2-prior-knowledge,2 92"})
    void curlReportsATruncatedResponse(String protocol, String result, @TempDir Path folder)
            throws Exception {
        router.instance("i1", (request, in, out) -> truncated(Cut.LENGTH, out));
        assertThat(curl(folder.resolve("output"), protocol)).isEqualTo(result);
    }

    @Test
    void aClientOfHttp10GetsNoCompressedResponse() throws IOException {
        answer(TEXT, "Content-Type: text/html");
        try (RawClient client = router.client()) {
            RawClient.Response response =
                    client.exchange(
                            "GET / HTTP/1.0\r\nHost: demo.localhost\r\n" + GZIP + "\r\n\r\n");
            assertThat(response.header("content-encoding")).isEmpty();
            assertThat(response.text()).isEqualTo(TEXT);
        }
    }

    @Test
    void connectionsAreUsedAgainAfterwards() throws IOException {
        answer(TEXT, "Content-Type: text/html");
        try (RawClient client = router.client()) {
            for (int i = 0; i < 200; i++) {
                RawClient.Response response =
                        client.exchange(
                                "GET / HTTP/1.1\r\nHost: demo.localhost\r\n" + GZIP + "\r\n\r\n");
                assertThat(gunzip(response.body())).isEqualTo(TEXT);
            }
        }
    }
}

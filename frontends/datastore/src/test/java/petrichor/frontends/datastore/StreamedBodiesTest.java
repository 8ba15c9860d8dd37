package petrichor.frontends.datastore;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Function;
import java.util.zip.CRC32C;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import petrichor.base.MemoryBudget;
import petrichor.base.PetrichorException;
import petrichor.base.TimeSource;
import petrichor.entities.Datastore;
import petrichor.frontends.access.AccessTokens;
import petrichor.frontends.access.Caller;
import petrichor.frontends.access.TokenHash;
import petrichor.frontends.http.Page;
import petrichor.frontends.http.PathTemplate;
import petrichor.kv.memory.MemoryOptions;
import petrichor.kv.memory.MemoryStore;
import petrichor.rpc.Rpc;
import petrichor.transactions.databases.RowDatabases;

/** Tests pages that read bodies while they arrive, on real connections. */
@Timeout(60)
class StreamedBodiesTest {
    /** Much larger than the socket buffers of both ends. */
    private static final int LARGE_BYTES = 64 << 20;

    private static final int PIECE_BYTES = 64 << 10;
    private static final Duration AMPLE = Duration.ofSeconds(50);
    private static final String HOST = " HTTP/1.1\r\nHost: localhost\r\n";

    private final MemoryStore store = MemoryStore.open(MemoryOptions.DEFAULT);
    private final RowDatabases rows = new RowDatabases(store);
    private final MemoryBudget memory = MemoryBudget.of("test", 64 << 20);
    private @Nullable DatastoreFrontEnd frontEnd;

    private void start(Function<Page.Request, Page.Answer> page) {
        start(page, Duration.ofSeconds(50), false, Page.Access.TOKEN);
    }

    private void start(
            Function<Page.Request, Page.Answer> page,
            Duration requestWithin,
            boolean tokens,
            Page.Access access) {
        FrontEndSettings settings =
                new FrontEndSettings(
                        List.of(InetAddress.getLoopbackAddress()),
                        0,
                        null,
                        tokens
                                ? AccessTokens.of(
                                        List.of(
                                                new AccessTokens.Token(
                                                        Caller.ANYONE, TokenHash.of("secret"))))
                                : AccessTokens.NONE,
                        Set.of(),
                        new FrontEndSettings.Limits(
                                1 << 20,
                                8 << 20,
                                8,
                                4,
                                4 << 10,
                                AMPLE,
                                requestWithin,
                                AMPLE,
                                AMPLE),
                        FrontEndSettings.Execution.forThisMachine());
        DatastoreFrontEnd listening =
                new DatastoreFrontEnd(
                        new Datastore(rows, TimeSource.SYSTEM),
                        settings,
                        Rpc.STANDALONE,
                        memory,
                        Observability.none());
        frontEnd = listening;
        PathTemplate path = PathTemplate.of("/stream/*");
        listening.listen(
                List.of(
                        Page.streaming("POST", path, access, page),
                        Page.streaming("GET", path, access, page)));
    }

    @AfterEach
    void stop() {
        if (frontEnd != null) {
            frontEnd.close();
        }
        rows.close();
        store.close();
    }

    private Socket connect() throws IOException {
        int port = frontEnd == null ? 0 : frontEnd.port();
        Socket socket = new Socket(InetAddress.getLoopbackAddress(), port);
        socket.setSoTimeout((int) AMPLE.toMillis());
        return socket;
    }

    /** Netty refuses the values when the response is made. */
    @Test
    void aResponseWithAnInvalidHeaderIsAnError() throws Exception {
        AtomicInteger closed = new AtomicInteger();
        start(
                _ ->
                        Page.Answer.streamed("text/plain", new CountedRest(closed))
                                .with(Map.of("x-own", " value")));
        try (Socket socket = connect()) {
            String get = "GET /stream/a" + HOST + "Connection: close\r\n\r\n";
            socket.getOutputStream().write(get.getBytes(StandardCharsets.US_ASCII));
            String response =
                    new String(socket.getInputStream().readAllBytes(), StandardCharsets.US_ASCII);
            assertThat(response).startsWith("HTTP/1.1 500 ").contains("header field");
        }
        assertThat(closed).hasValue(1);
    }

    /** Counts how often it is closed. */
    private record CountedRest(AtomicInteger closed) implements Page.Rest {
        @Override
        public byte @Nullable [] get() {
            return null;
        }

        @Override
        public void close() {
            closed.incrementAndGet();
        }
    }

    /** Bytes and checksum of all pieces. */
    private static String sum(Page.Request request) {
        CRC32C crc = new CRC32C();
        long bytes = 0;
        for (byte[] piece = request.raw().body().next();
                piece != null;
                piece = request.raw().body().next()) {
            crc.update(piece);
            bytes += piece.length;
        }
        return bytes + " " + crc.getValue();
    }

    private static String expectedSum(int bytes) {
        CRC32C crc = new CRC32C();
        for (int at = 0; at < bytes; at += PIECE_BYTES) {
            crc.update(piece(at));
        }
        return bytes + " " + crc.getValue();
    }

    private static byte[] piece(int at) {
        byte[] piece = new byte[PIECE_BYTES];
        for (int i = 0; i < piece.length; i++) {
            piece[i] = (byte) (at / PIECE_BYTES + i);
        }
        return piece;
    }

    private static void ascii(OutputStream out, String text) throws IOException {
        out.write(text.getBytes(StandardCharsets.US_ASCII));
    }

    private static void sendLarge(OutputStream out) throws IOException {
        ascii(out, "POST /stream/a" + HOST + "Content-Length: " + LARGE_BYTES + "\r\n\r\n");
        for (int at = 0; at < LARGE_BYTES; at += PIECE_BYTES) {
            out.write(piece(at));
        }
    }

    /** Reads a head; returns it with lower-case letters. */
    private static String head(InputStream in) throws IOException {
        StringBuilder head = new StringBuilder();
        while (head.indexOf("\r\n\r\n") < 0) {
            int next = in.read();
            if (next < 0) {
                throw new IOException("the connection ended after: " + head);
            }
            head.append((char) next);
        }
        return head.toString().toLowerCase(java.util.Locale.ROOT);
    }

    private static String body(String head, InputStream in) throws IOException {
        int at = head.indexOf("content-length: ") + 16;
        int length = Integer.parseInt(head.substring(at, head.indexOf('\r', at)));
        return new String(in.readNBytes(length), StandardCharsets.UTF_8);
    }

    @Test
    void largeBodiesPassAndTheConnectionStaysOpen() throws IOException {
        start(request -> Page.Answer.text(200, sum(request)));
        try (Socket client = connect()) {
            for (int i = 0; i < 2; i++) {
                sendLarge(client.getOutputStream());
                String head = head(client.getInputStream());
                assertThat(head).startsWith("http/1.1 200").doesNotContain("connection: close");
                assertThat(body(head, client.getInputStream())).isEqualTo(expectedSum(LARGE_BYTES));
            }
            ascii(
                    client.getOutputStream(),
                    "POST /stream/a" + HOST + "Transfer-Encoding: chunked\r\n\r\n");
            ascii(client.getOutputStream(), "3\r\nabc\r\n2\r\nde\r\n0\r\n\r\n");
            assertThat(body(head(client.getInputStream()), client.getInputStream()))
                    .startsWith("5 ");
        }
        assertThat(memory.bytesUsed()).isZero();
    }

    @Test
    void aClientSendsNoMoreThanThePageTakes() throws Exception {
        CountDownLatch goOn = new CountDownLatch(1);
        CountDownLatch began = new CountDownLatch(1);
        AtomicLong most = new AtomicLong();
        start(
                request -> {
                    byte[] first = request.raw().body().next();
                    began.countDown();
                    awaitLatch(goOn);
                    most.set(memory.bytesUsed());
                    return Page.Answer.text(
                            200, (first == null ? 0 : first.length) + " " + sum(request));
                });
        AtomicInteger sent = new AtomicInteger();
        try (Socket client = connect()) {
            CompletableFuture<Void> sending =
                    CompletableFuture.runAsync(() -> sendCounting(client, sent));
            began.await();
            // Loopback takes much less than this for all of it.
            assertThatThrownBy(() -> sending.get(2, TimeUnit.SECONDS))
                    .isInstanceOf(TimeoutException.class);
            assertThat(sent.get()).isLessThan(LARGE_BYTES / 2);
            goOn.countDown();
            sending.join();
            assertThat(head(client.getInputStream())).startsWith("http/1.1 200");
        }
        assertThat(most.get()).isEqualTo(StreamedBody.WINDOW_BYTES);
    }

    private static void sendCounting(Socket client, AtomicInteger sent) {
        try {
            OutputStream out = client.getOutputStream();
            ascii(out, "POST /stream/a" + HOST + "Content-Length: " + LARGE_BYTES + "\r\n\r\n");
            for (int at = 0; at < LARGE_BYTES; at += PIECE_BYTES) {
                out.write(piece(at));
                sent.set(at);
            }
        } catch (IOException failed) {
            throw new AssertionError(failed);
        }
    }

    private static void awaitLatch(CountDownLatch latch) {
        try {
            latch.await();
        } catch (InterruptedException stopping) {
            throw new AssertionError(stopping);
        }
    }

    @Test
    void theTokenIsCheckedBeforeTheBodyArrives() throws IOException {
        AtomicInteger calls = new AtomicInteger();
        start(
                request -> {
                    calls.incrementAndGet();
                    return Page.Answer.text(200, sum(request));
                },
                AMPLE,
                true,
                Page.Access.TOKEN);
        try (Socket client = connect()) {
            ascii(
                    client.getOutputStream(),
                    "POST /stream/a" + HOST + "Content-Length: 1000000\r\n\r\n");
            assertThat(head(client.getInputStream()))
                    .startsWith("http/1.1 401")
                    .contains("connection: close");
        }
        assertThat(calls).hasValue(0);
    }

    @Test
    void aClientThatWaitsForPermissionIsAskedOnlyIfThePageReads() throws IOException {
        start(
                request ->
                        request.path().endsWith("read")
                                ? Page.Answer.text(200, sum(request))
                                : Page.Answer.text(412, "no\n"));
        try (Socket client = connect()) {
            String more = HOST + "Expect: 100-continue\r\nContent-Length: 3\r\n\r\n";
            ascii(client.getOutputStream(), "POST /stream/read" + more);
            assertThat(head(client.getInputStream())).startsWith("http/1.1 100");
            ascii(client.getOutputStream(), "abc");
            assertThat(body(head(client.getInputStream()), client.getInputStream()))
                    .startsWith("3 ");
            ascii(client.getOutputStream(), "POST /stream/refuse" + more);
            assertThat(head(client.getInputStream())).startsWith("http/1.1 412");
        }
    }

    @Test
    void aRefusalWithoutReadingReachesAClientThatStillSends() throws IOException {
        start(_ -> Page.Answer.text(412, "no\n"));
        try (Socket client = connect()) {
            ascii(
                    client.getOutputStream(),
                    "POST /stream/a" + HOST + "Content-Length: " + (24 << 20) + "\r\n\r\n");
            for (int at = 0; at < 24 << 20; at += PIECE_BYTES) {
                client.getOutputStream().write(piece(at));
            }
            String all = new String(client.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
            assertThat(all).startsWith("HTTP/1.1 412").endsWith("no\n");
        }
        assertThat(memory.bytesUsed()).isZero();
    }

    @Test
    void aClientThatStopsSendingIsNotAwaitedForLong() throws IOException {
        start(this::sumOrFailure, Duration.ofMillis(300), false, Page.Access.OPEN);
        try (Socket client = connect()) {
            ascii(
                    client.getOutputStream(),
                    "POST /stream/a" + HOST + "Content-Length: 9\r\n\r\nab");
            String head = head(client.getInputStream());
            assertThat(head).contains("connection: close");
            assertThat(body(head, client.getInputStream()))
                    .startsWith("DEADLINE_EXCEEDED")
                    .contains("limits.request-timeout");
        }
    }

    private Page.Answer sumOrFailure(Page.Request request) {
        try {
            return Page.Answer.text(200, sum(request));
        } catch (PetrichorException failed) {
            return Page.Answer.text(400, failed.code() + " " + failed.getMessage());
        }
    }

    @Test
    void aDisconnectedClientEndsThePagesWait() throws Exception {
        CompletableFuture<String> outcome = new CompletableFuture<>();
        start(
                request -> {
                    Page.Answer answer = sumOrFailure(request);
                    outcome.complete(new String(answer.body(), StandardCharsets.UTF_8));
                    return answer;
                });
        try (Socket client = connect()) {
            ascii(
                    client.getOutputStream(),
                    "POST /stream/a" + HOST + "Content-Length: 9\r\n\r\nab");
        }
        assertThat(outcome.get()).startsWith("UNAVAILABLE").contains("disconnected");
    }

    @Test
    void aBodyThatIsNotEncodedProperlyIsRefused() throws IOException {
        start(this::sumOrFailure);
        try (Socket client = connect()) {
            ascii(
                    client.getOutputStream(),
                    "POST /stream/a"
                            + HOST
                            + "Transfer-Encoding: chunked\r\n\r\n2\r\nab\r\nzz\r\n");
            String head = head(client.getInputStream());
            assertThat(head).contains("connection: close");
            assertThat(body(head, client.getInputStream())).startsWith("INVALID_ARGUMENT");
        }
    }

    @Test
    void withoutMemoryABodyIsRefused() throws IOException {
        start(request -> Page.Answer.text(200, sum(request)));
        try (MemoryBudget.Reservation all = memory.reservation();
                Socket client = connect()) {
            assertThat(all.add(memory.bytesMax() - StreamedBody.WINDOW_BYTES + 1)).isTrue();
            ascii(client.getOutputStream(), "POST /stream/a" + HOST + "Content-Length: 9\r\n\r\n");
            assertThat(head(client.getInputStream())).startsWith("http/1.1 503");
        }
        assertThat(memory.bytesUsed()).isZero();
    }

    @Test
    void responsesOfKnownLengthKeepTheConnection() throws IOException {
        start(_ -> answer(4, 4));
        try (Socket client = connect()) {
            for (int i = 0; i < 2; i++) {
                ascii(
                        client.getOutputStream(),
                        "GET /stream/a" + HOST + "Accept-Encoding: gzip\r\n\r\n");
                String head = head(client.getInputStream());
                assertThat(head)
                        .startsWith("http/1.1 206")
                        .contains("content-length: " + 4 * PIECE_BYTES)
                        .contains("content-range: bytes 1-2/3")
                        .doesNotContain("transfer-encoding")
                        .doesNotContain("content-encoding")
                        .doesNotContain("connection: close");
                for (int at = 0; at < 4; at++) {
                    assertThat(client.getInputStream().readNBytes(PIECE_BYTES))
                            .isEqualTo(piece(at * PIECE_BYTES));
                }
            }
            ascii(client.getOutputStream(), "HEAD /stream/a" + HOST + "\r\n");
            assertThat(head(client.getInputStream())).contains("content-length: 262144");
            ascii(client.getOutputStream(), "HEAD /stream/a" + HOST + "\r\n");
            assertThat(head(client.getInputStream())).startsWith("http/1.1 206");
        }
    }

    @Test
    void theConnectionEndsAfterAResponseIfTheClientAsksForThat() throws IOException {
        start(_ -> answer(4, 4));
        try (Socket client = connect()) {
            client.setSoTimeout(20_000); // sooner than the server closes an idle connection
            ascii(client.getOutputStream(), "GET /stream/a" + HOST + "Connection: close\r\n\r\n");
            assertThat(head(client.getInputStream())).contains("connection: close");
            assertThat(client.getInputStream().readAllBytes()).hasSize(4 * PIECE_BYTES);
        }
    }

    @Test
    void aResponseThatEndsEarlyIsNotMistakenForACompleteOne() throws IOException {
        start(_ -> answer(2, 4));
        try (Socket client = connect()) {
            client.setSoTimeout(20_000); // sooner than the server closes an idle connection
            ascii(client.getOutputStream(), "GET /stream/a" + HOST + "\r\n");
            assertThat(head(client.getInputStream())).contains("content-length: 262144");
            assertThat(client.getInputStream().readAllBytes()).hasSize(2 * PIECE_BYTES);
        }
    }

    /**
     * @param sent pieces
     * @param announced pieces
     */
    private static Page.Answer answer(int sent, int announced) {
        AtomicInteger next = new AtomicInteger();
        Page.Rest rest =
                new Page.Rest() {
                    @Override
                    public byte @Nullable [] get() {
                        int at = next.getAndIncrement();
                        return at < sent ? piece(at * PIECE_BYTES) : null;
                    }

                    @Override
                    public long bytes() {
                        return (long) announced * PIECE_BYTES;
                    }

                    @Override
                    public void close() {}
                };
        return new Page.Answer(
                206,
                "text/plain",
                new byte[0],
                java.util.Map.of("content-range", "bytes 1-2/3"),
                rest);
    }
}

package petrichor.apps.router;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import petrichor.apps.router.table.FileOptions;
import petrichor.apps.router.table.HandlerTarget;
import petrichor.apps.router.table.Protection;
import petrichor.apps.router.table.UrlHandler;
import petrichor.apps.router.table.VersionRoutes;

/** Random requests of all kinds, sent ahead in random pieces, are answered in order. */
final class PipeliningTest {
    private static final int REQUESTS = 300;

    @TempDir private Path folder;

    private record Sent(String request, boolean head, String expected) {}

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4, 5, 6})
    void everyRequestGetsItsOwnResponse(long seed) throws Exception {
        Random random = new Random(seed);
        Files.writeString(folder.resolve("file.txt"), "file");
        try (TestRouter router = TestRouter.open()) {
            router.router()
                    .setTable(
                            TestRouter.table(
                                    TestRouter.version(
                                            TestRouter.V1,
                                            VersionRoutes.Timeouts.DEFAULT,
                                            UrlHandler.of(
                                                    "/s",
                                                    Protection.OPEN,
                                                    new HandlerTarget.Folder(
                                                            folder, FileOptions.DEFAULT)),
                                            UrlHandler.instances())));
            router.instance(
                    "echo",
                    (request, in, out) -> {
                        String body = new String(request.body(in), UTF_8);
                        boolean head = request.line().startsWith("HEAD");
                        if (head) {
                            TestInstance.raw(
                                    out, TestInstance.head("HTTP/1.1 200 OK", "Content-Length: 7"));
                        } else {
                            TestInstance.text(out, request.path() + body);
                        }
                        return true;
                    });
            List<Sent> all = new ArrayList<>();
            StringBuilder bytes = new StringBuilder();
            for (int i = 0; i < REQUESTS; i++) {
                Sent sent = request(random, i);
                all.add(sent);
                bytes.append(sent.request());
            }
            try (RawClient client = router.client()) {
                Thread.ofVirtual()
                        .start(() -> send(client, bytes.toString().getBytes(ISO_8859_1), random));
                for (Sent sent : all) {
                    RawClient.Response response = client.read(sent.head());
                    assertThat(response.status()).as(sent.request()).isEqualTo(200);
                    assertThat(response.text()).isEqualTo(sent.expected());
                }
            }
        }
    }

    private static Sent request(Random random, int number) {
        String path = "/" + number;
        String body = "b".repeat(random.nextInt(3) == 0 ? random.nextInt(100_000) : 5);
        String host = "Host: demo.localhost";
        String length = "Content-Length: " + body.length();
        return switch (random.nextInt(6)) {
            case 0 -> new Sent(TestInstance.head("GET " + path + " HTTP/1.1", host), false, path);
            case 1 -> new Sent(TestInstance.head("HEAD " + path + " HTTP/1.1", host), true, "");
            case 2 ->
                    new Sent(
                            TestInstance.head("POST " + path + " HTTP/1.1", host, length) + body,
                            false,
                            path + body);
            case 3 ->
                    new Sent(
                            TestInstance.head(
                                            "PUT " + path + " HTTP/1.1",
                                            host,
                                            "Transfer-Encoding: chunked")
                                    + chunks(random, body),
                            false,
                            path + body);
            case 4 ->
                    new Sent(
                            TestInstance.head("GET /s/file.txt HTTP/1.1", host, length) + body,
                            false,
                            "file");
            default ->
                    new Sent(
                            TestInstance.head(
                                            "GET /s/file.txt HTTP/1.1",
                                            host,
                                            "Transfer-Encoding: chunked")
                                    + chunks(random, body),
                            false,
                            "file");
        };
    }

    private static String chunks(Random random, String body) {
        StringBuilder chunks = new StringBuilder();
        for (int at = 0; at < body.length(); ) {
            int size = Math.min(body.length() - at, 1 + random.nextInt(20_000));
            chunks.append(Integer.toHexString(size)).append("\r\n");
            chunks.append(body, at, at + size).append("\r\n");
            at += size;
        }
        return chunks.append("0\r\n\r\n").toString();
    }

    private static void send(RawClient client, byte[] bytes, Random random) {
        try {
            for (int at = 0; at < bytes.length; ) {
                int size = random.nextInt(4) == 0 ? 20_000 : random.nextInt(200);
                int end = Math.min(bytes.length, at + 1 + size);
                client.send(Arrays.copyOfRange(bytes, at, end));
                at = end;
            }
        } catch (IOException closed) {
            // the test has failed
        }
    }
}

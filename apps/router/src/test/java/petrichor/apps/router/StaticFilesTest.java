package petrichor.apps.router;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.time.Duration;
import java.time.Instant;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.zip.GZIPInputStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import petrichor.apps.router.files.FileLimits;
import petrichor.apps.router.table.FileOptions;
import petrichor.apps.router.table.HandlerTarget;
import petrichor.apps.router.table.Protection;
import petrichor.apps.router.table.UrlHandler;
import petrichor.apps.router.table.VersionRoutes;

/** Files through the router. */
final class StaticFilesTest {
    private static final String CSS = "body { color: red; }\n".repeat(200);
    private static final FileLimits SMALL = new FileLimits(100_000, 20_000, 1 << 20, 8);

    private final TestRouter router =
            TestRouter.limited(
                    limits ->
                            new RouterLimits(
                                    limits.requests(),
                                    limits.responses(),
                                    limits.connections(),
                                    limits.concurrency(),
                                    limits.instances(),
                                    SMALL));
    private final byte[] large = new byte[3 << 20];

    @TempDir private Path folder;

    @BeforeEach
    void write() throws IOException {
        Path root = Files.createDirectories(folder.resolve("static"));
        Files.writeString(root.resolve("site.css"), CSS);
        Files.writeString(root.resolve("ten.txt"), "0123456789");
        Files.writeString(root.resolve("empty.html"), "");
        Files.writeString(root.resolve("a b+ü.txt"), "named");
        Files.writeString(root.resolve(".env"), "secret");
        Files.createDirectories(root.resolve(".git"));
        Files.writeString(root.resolve(".git/config"), "secret");
        Files.createDirectories(root.resolve(".well-known"));
        Files.writeString(root.resolve(".well-known/token"), "public");
        Files.createDirectories(root.resolve("sub"));
        Files.writeString(root.resolve("sub/index.html"), "index");
        Files.writeString(folder.resolve("secret.txt"), "secret");
        Files.createSymbolicLink(root.resolve("out.txt"), folder.resolve("secret.txt"));
        Files.createSymbolicLink(root.resolve("outside"), folder);
        Files.createSymbolicLink(root.resolve("inside.txt"), root.resolve("ten.txt"));
        Files.createDirectories(folder.resolve("static-other"));
        Files.writeString(folder.resolve("static-other/x.txt"), "secret");
        new Random(3).nextBytes(large);
        Files.write(root.resolve("large.bin"), large);
        Files.writeString(root.resolve("large.txt"), CSS.repeat(100));
        Files.setLastModifiedTime(
                root.resolve("ten.txt"), FileTime.from(Instant.parse("2026-01-02T03:04:05Z")));
        serve(
                UrlHandler.of(
                        "/special/(.*\\.txt)",
                        Protection.OPEN,
                        new HandlerTarget.File(
                                root,
                                "\\1",
                                new FileOptions(
                                        Optional.of("text/x-special"),
                                        Duration.ofDays(1),
                                        Map.of("X-Mine", "yes", "Cache-Control", "private"),
                                        false))),
                UrlHandler.of(
                        "/maybe",
                        Protection.OPEN,
                        new HandlerTarget.Folder(
                                root,
                                new FileOptions(Optional.empty(), Duration.ZERO, Map.of(), true))),
                UrlHandler.of(
                        "/s", Protection.OPEN, new HandlerTarget.Folder(root, FileOptions.DEFAULT)),
                UrlHandler.instances());
        router.add(TestInstance.named("app"));
    }

    private void serve(UrlHandler... handlers) {
        router.router()
                .setTable(
                        TestRouter.table(
                                TestRouter.version(
                                        TestRouter.V1, VersionRoutes.Timeouts.DEFAULT, handlers)));
    }

    @AfterEach
    void close() {
        router.close();
    }

    @Test
    void filesHaveATypeATagAndAnExpiration() throws IOException {
        for (int i = 0; i < 2; i++) { // from disk and from the cache
            RawClient.Response response = router.get("/s/ten.txt");
            assertThat(response.status()).isEqualTo(200);
            assertThat(response.text()).isEqualTo("0123456789");
            assertThat(response.header("content-type")).isEqualTo("text/plain; charset=utf-8");
            assertThat(response.header("etag")).matches("\"[0-9a-f]{32}\"");
            assertThat(response.header("last-modified")).isEqualTo("Fri, 02 Jan 2026 03:04:05 GMT");
            assertThat(response.header("cache-control")).isEqualTo("public, max-age=600");
            assertThat(response.header("expires")).isNotEmpty();
            assertThat(response.header("accept-ranges")).isEqualTo("bytes");
        }
        assertThat(router.get("/s/empty.html").body()).isEmpty();
        assertThat(router.get("/s/a%20b%2B%C3%BC.txt").text()).isEqualTo("named");
        assertThat(router.get("/s/.well-known/token").text()).isEqualTo("public");
        assertThat(router.get("/s/inside.txt").text()).isEqualTo("0123456789");
        assertThat(router.get("/s/sub/index.html").text()).isEqualTo("index");
    }

    @Test
    void optionsReplaceTheDefaults() throws IOException {
        RawClient.Response response = router.get("/special/ten.txt");
        assertThat(response.header("content-type")).isEqualTo("text/x-special");
        assertThat(response.header("x-mine")).isEqualTo("yes");
        assertThat(response.header("cache-control")).isEqualTo("private");
        assertThat(router.get("/maybe/ten.txt").text()).isEqualTo("0123456789");
        assertThat(router.get("/maybe/none.txt").text()).isEqualTo("app");
        assertThat(router.get("/s/none.txt").status()).isEqualTo(404);
    }

    @Test
    void unchangedFilesAreNotSentAgain() throws IOException {
        RawClient.Response first = router.get("/s/ten.txt");
        String tag = first.header("etag");
        assertThat(status("If-None-Match: " + tag)).isEqualTo(304);
        assertThat(status("If-None-Match: \"x\", W/" + tag)).isEqualTo(304);
        assertThat(status("If-None-Match: *")).isEqualTo(304);
        assertThat(status("If-None-Match: \"x\"")).isEqualTo(200);
        assertThat(status("If-Modified-Since: " + first.header("last-modified"))).isEqualTo(304);
        assertThat(status("If-Modified-Since: Thu, 01 Jan 2026 00:00:00 GMT")).isEqualTo(200);
        assertThat(status("If-Modified-Since: yesterday")).isEqualTo(200);
        RawClient.Response unchanged = router.get("/s/ten.txt", "If-None-Match: " + tag);
        assertThat(unchanged.header("etag")).isEqualTo(tag);
        String zipped = router.get("/s/site.css", "Accept-Encoding: gzip").header("etag");
        assertThat(router.get("/s/site.css", "If-None-Match: " + zipped).status()).isEqualTo(304);
    }

    private int status(String field) throws IOException {
        return router.get("/s/ten.txt", field).status();
    }

    @Test
    void rangesOfSmallAndLargeFiles() throws IOException {
        assertThat(range("bytes=2-4")).isEqualTo("206 bytes 2-4/10 234");
        assertThat(range("bytes=7-")).isEqualTo("206 bytes 7-9/10 789");
        assertThat(range("bytes=-3")).isEqualTo("206 bytes 7-9/10 789");
        assertThat(range("bytes=0-99")).isEqualTo("206 bytes 0-9/10 0123456789");
        assertThat(range("bytes=-99")).isEqualTo("206 bytes 0-9/10 0123456789");
        assertThat(range("bytes=10-")).isEqualTo("416 bytes */10 ");
        assertThat(range("bytes=-0")).isEqualTo("416 bytes */10 ");
        assertThat(range("bytes=99999999999999999999-")).isEqualTo("416 bytes */10 ");
        for (String ignored :
                List.of(
                        "bytes=4-2",
                        "bytes=0-1,3-4",
                        "lines=1-2",
                        "bytes=",
                        "bytes=-",
                        "bytes=a-b")) {
            assertThat(range(ignored)).as(ignored).isEqualTo("200  0123456789");
        }
        RawClient.Response part = router.get("/s/large.bin", "Range: bytes=1000000-2999999");
        assertThat(part.status()).isEqualTo(206);
        assertThat(part.body()).isEqualTo(Arrays.copyOfRange(large, 1_000_000, 3_000_000));
        String tag = router.get("/s/ten.txt").header("etag");
        assertThat(router.get("/s/ten.txt", "Range: bytes=0-0", "If-Range: " + tag).status())
                .isEqualTo(206);
        assertThat(router.get("/s/ten.txt", "Range: bytes=0-0", "If-Range: \"x\"").status())
                .isEqualTo(200);
    }

    private String range(String value) throws IOException {
        RawClient.Response response = router.get("/s/ten.txt", "Range: " + value);
        return response.status() + " " + response.header("content-range") + " " + response.text();
    }

    @Test
    void textIsCompressedForClientsThatAcceptIt() throws IOException {
        for (String path : List.of("/s/site.css", "/s/large.txt")) {
            RawClient.Response zipped = router.get(path, "Accept-Encoding: br, gzip;q=0.5");
            assertThat(zipped.header("content-encoding")).isEqualTo("gzip");
            assertThat(zipped.header("vary")).isEqualToIgnoringCase("accept-encoding");
            assertThat(unzipped(zipped.body())).startsWith(CSS);
            RawClient.Response plain = router.get(path, "Accept-Encoding: gzip;q=0");
            assertThat(plain.header("content-encoding")).isEmpty();
            assertThat(plain.text()).startsWith(CSS);
            assertThat(plain.header("etag")).isNotEqualTo(zipped.header("etag"));
        }
        assertThat(router.get("/s/large.bin", "Accept-Encoding: gzip").body()).isEqualTo(large);
        assertThat(router.get("/s/ten.txt", "Accept-Encoding: gzip").text())
                .as("compression would make it larger")
                .isEqualTo("0123456789");
    }

    private static String unzipped(byte[] zipped) throws IOException {
        try (GZIPInputStream in = new GZIPInputStream(new ByteArrayInputStream(zipped))) {
            return new String(in.readAllBytes(), UTF_8);
        }
    }

    @Test
    void headAndOtherMethods() throws IOException {
        for (String path : List.of("/s/ten.txt", "/s/large.bin", "/s/large.txt")) {
            RawClient.Response head = router.call("HEAD", path);
            assertThat(head.status()).isEqualTo(200);
            assertThat(head.header("content-length")).isNotEmpty();
        }
        RawClient.Response post = router.call("POST", "/s/ten.txt", "Content-Length: 0");
        assertThat(post.status()).isEqualTo(405);
        assertThat(post.header("allow")).isEqualTo("GET, HEAD");
    }

    @Test
    void manyFilesOnOneConnection() throws IOException {
        try (RawClient client = router.client()) {
            StringBuilder all = new StringBuilder();
            for (int i = 0; i < 30; i++) {
                all.append(ProxyTest.get(i % 3 == 0 ? "/s/large.bin" : "/s/ten.txt"));
            }
            client.send(all.toString());
            for (int i = 0; i < 30; i++) {
                assertThat(client.read().body().length).isEqualTo(i % 3 == 0 ? large.length : 10);
            }
        }
    }

    @Test
    void noPathLeadsOutOfTheFolder() throws IOException {
        String[] paths = {
            "/s/../secret.txt",
            "/s/..%2fsecret.txt",
            "/s/%2e%2e/secret.txt",
            "/s/%2e%2e%2fsecret.txt",
            "/s/..%5csecret.txt",
            "/s/..\\secret.txt",
            "/s/..;/secret.txt",
            "/s/%252e%252e%252fsecret.txt",
            "/s/sub/../../secret.txt",
            "/s//secret.txt",
            "/s///etc/passwd",
            "/s/%2fetc/passwd",
            "/s//etc/passwd",
            "/s/out.txt",
            "/s/outside/secret.txt",
            "/s/outside/static/ten.txt/../../secret.txt",
            "/s/ten.txt%00.css",
            "/s/ten.txt/",
            "/s/ten.txt/.",
            "/s/.env",
            "/s/.git/config",
            "/s/sub/.well-known",
            "/s/.well-known",
            "/s/.",
            "/s/..",
            "/s/",
            "/s/sub",
            "/s/sub/",
            "/s/-other/x.txt",
            "/s/../static-other/x.txt",
            "/s/%c0%ae%c0%ae/secret.txt",
            "/s/%e0%80%ae%e0%80%ae/secret.txt",
            "/s/ten.txt%0a",
            "/s/" + "a".repeat(300),
            "/special/../secret.txt",
            "/special/..%2fsecret.txt",
            "/special//etc/x.txt",
            "/special/out.txt",
            "/maybe/../secret.txt",
            "/maybe/out.txt",
        };
        for (String path : paths) {
            RawClient.Response response = router.get(path);
            assertThat(response.text()).as(path).doesNotContain("secret").doesNotContain("root:");
            boolean fromApp = response.text().equals("app");
            assertThat(fromApp || response.status() >= 400).as(path).isTrue();
        }
    }

    @Test
    void theCacheIsBounded() throws IOException {
        Path root = folder.resolve("static");
        for (int i = 0; i < 30; i++) {
            Files.write(root.resolve("f" + i + ".bin"), new byte[15_000]);
        }
        for (int round = 0; round < 2; round++) {
            for (int i = 0; i < 30; i++) {
                assertThat(router.get("/s/f" + i + ".bin").body()).hasSize(15_000);
            }
        }
        assertThat(router.router().cachedBytes()).isBetween(60_000L, 100_000L);
    }
}

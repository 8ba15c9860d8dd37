package petrichor.apps.router;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Requests that a proxy and a server could read differently, byte by byte. */
final class SmugglingTest {
    private static final String HOST = "Host: demo.localhost\r\n";
    private static final Pattern ESCAPE = Pattern.compile("\\\\([rnt0]|x[0-9a-f]{2})");

    private final TestRouter router = TestRouter.open();
    private final List<String> bodies = new CopyOnWriteArrayList<>();
    private final TestInstance instance =
            router.instance(
                    "i1",
                    (request, in, out) -> {
                        bodies.add(new String(request.body(in), StandardCharsets.ISO_8859_1));
                        TestInstance.text(out, "seen " + request.path());
                        return true;
                    });

    record Case(String name, int status, String bytes, String body) {
        @Override
        public String toString() {
            return name;
        }
    }

    @AfterEach
    void close() {
        router.close();
    }

    static Stream<Case> corpus() throws IOException {
        try (InputStream in = SmugglingTest.class.getResourceAsStream("smuggling.txt")) {
            String text = new String(in.readAllBytes(), StandardCharsets.US_ASCII);
            List<Case> cases = new ArrayList<>();
            for (String block : text.split("\n\n", -1)) {
                if (!block.startsWith("#")) {
                    String[] lines = block.stripTrailing().split("\n", 3);
                    cases.add(parsed(lines[0], Integer.parseInt(lines[1]), lines[2]));
                }
            }
            return cases.stream();
        }
    }

    private static Case parsed(String name, int status, String raw) {
        int from = status == 200 ? raw.indexOf('<') : -1;
        int to = raw.lastIndexOf('>');
        String body = from < 0 ? "" : raw.substring(from + 1, to);
        String bytes = from < 0 ? raw : raw.substring(0, from) + body + raw.substring(to + 1);
        return new Case(name, status, unescaped(bytes), unescaped(body));
    }

    private static String unescaped(String text) {
        return ESCAPE.matcher(text.replace("{H}", HOST))
                .replaceAll(found -> Matcher.quoteReplacement(unescapedOne(found.group(1))));
    }

    private static String unescapedOne(String escape) {
        return switch (escape) {
            case "r" -> "\r";
            case "n" -> "\n";
            case "t" -> "\t";
            case "0" -> "\0";
            default -> String.valueOf((char) Integer.parseInt(escape.substring(1), 16));
        };
    }

    @ParameterizedTest
    @MethodSource("corpus")
    void theRouterReadsARequestAsEveryServerWould(Case each) throws IOException {
        try (RawClient client = router.client()) {
            RawClient.Response response = client.send(each.bytes()).read();
            assertThat(response.status()).isEqualTo(each.status());
            if (each.status() != 200) {
                assertThat(response.header("connection")).isEqualTo("close");
                client.socket().shutdownOutput();
                assertThat(client.rest()).isEmpty();
            }
        }
        assertAgreement(each);
    }

    /** The guard sees lines that arrive in pieces. */
    @ParameterizedTest
    @MethodSource("corpus")
    void requestsInSingleBytesAreReadInTheSameWay(Case each) throws IOException {
        try (RawClient client = router.client()) {
            byte[] bytes = each.bytes().getBytes(StandardCharsets.ISO_8859_1);
            for (byte b : bytes) {
                try {
                    client.send(new byte[] {b});
                } catch (IOException closed) {
                    break;
                }
            }
            assertThat(client.read().status()).isEqualTo(each.status());
        }
        assertAgreement(each);
    }

    private void assertAgreement(Case each) {
        assertThat(instance.requests()).noneMatch(request -> request.path().contains("smuggled"));
        if (each.status() == 200) {
            assertThat(bodies).containsExactly(each.body());
        }
    }

    @Test
    void chunksWithMoreFramingThanContentAreRefused() throws IOException {
        try (RawClient client = router.client()) {
            client.send("POST / HTTP/1.1\r\n" + HOST + "Transfer-Encoding: chunked\r\n\r\n");
            String chunk = "1;" + "x".repeat(1000) + "\r\na\r\n";
            try {
                for (int i = 0; i < 100; i++) {
                    client.send(chunk);
                }
            } catch (IOException closed) {
                // the response may be lost if the connection closes while bytes are on their way
            }
            assertThat(client.rest()).doesNotContain("200 OK");
        }
        assertThat(bodies).isEmpty();
    }

    @Test
    void manySmallChunksAreAllowed() throws IOException {
        try (RawClient client = router.client()) {
            client.send("POST / HTTP/1.1\r\n" + HOST + "Transfer-Encoding: chunked\r\n\r\n");
            client.send("1\r\na\r\n".repeat(50_000) + "0\r\n\r\n");
            assertThat(client.read().status()).isEqualTo(200);
        }
        assertThat(bodies).containsExactly("a".repeat(50_000));
    }

    @Test
    void theTargetIsNormalised() throws IOException {
        String[][] targets = {
            {"/a/./b/../c", "/a/c"},
            {"/../../etc/passwd", "/etc/passwd"},
            {"/a/%2e%2e/b", "/b"},
            {"/%61%2Fb", "/a%2Fb"},
            {"/a//b", "/a//b"},
            {"/ü?ö", "/%FC?%F6"},
            {"/a/..", "/"},
            {"/a?x=/../b", "/a?x=/../b"},
            {"/a?x=%00", "/a?x=%00"},
        };
        for (String[] target : targets) {
            assertThat(router.get(target[0]).text())
                    .as(Arrays.toString(target))
                    .isEqualTo("seen " + target[1]);
        }
    }
}

package petrichor.services.fetch;

import static org.assertj.core.api.Assertions.assertThat;
import static petrichor.services.fetch.Fetching.DEFAULT;
import static petrichor.services.fetch.Fetching.NO_REDIRECTS;
import static petrichor.services.fetch.Fetching.fetched;
import static petrichor.services.fetch.Fetching.reason;
import static petrichor.services.fetch.Fetching.request;
import static petrichor.services.fetch.Fetching.text;

import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import petrichor.services.fetch.FetchRequest.Method;
import petrichor.services.fetch.FetchResult.Fetched;
import petrichor.services.fetch.FetchResult.Reason;

final class UrlFetcherTest {
    private final EchoServer server = EchoServer.start();
    private final Fetching fetching = new Fetching("127.0.0.0/8");

    @AfterEach
    void close() {
        fetching.close();
        server.close();
    }

    @Test
    void everyMethodArrivesWithItsPayload() {
        for (Method method : Method.values()) {
            Fetched reply =
                    fetched(
                            fetching.fetch(
                                    request(method, server.url("/a?b=c"), "hello", DEFAULT)));
            assertThat(reply.status()).isEqualTo(200);
            if (method == Method.HEAD) {
                assertThat(reply.content()).isEmpty();
                continue;
            }
            assertThat(text(reply)).startsWith(method.name() + " /a?b=c\n");
            assertThat(text(reply).endsWith("\n\nhello"))
                    .as(method.name())
                    .isEqualTo(method.hasBody());
        }
    }

    @Test
    void repeatedFieldsOfTheResponseAreKept() {
        assertThat(fetching.get(server.url("/")).headers())
                .filteredOn(field -> field.isNamed("X-Twice"))
                .extracting(HeaderField::value)
                .containsExactly("one", "two");
    }

    @Test
    void fieldsThatBelongToThePlatformAreRemoved() {
        String sent =
                text(
                        fetched(
                                fetching.fetch(
                                        request(
                                                server.url("/"),
                                                new HeaderField("Host", "other.example"),
                                                new HeaderField("content-length", "7"),
                                                new HeaderField("Transfer-Encoding", "chunked"),
                                                new HeaderField("X-Forwarded-For", "1.2.3.4"),
                                                new HeaderField("X-Appengine-Inbound-Appid", "x"),
                                                new HeaderField("X-AppEngine-User-Is-Admin", "1"),
                                                new HeaderField("Via", "me"),
                                                new HeaderField("X-Own", "yes"),
                                                new HeaderField("User-Agent", "mine")))));
        assertThat(sent)
                .contains("host: server.example:" + server.port() + "\n")
                .contains("x-own: yes\n")
                .contains(
                        "user-agent: mine AppEngine-Google;"
                                + " (+http://code.google.com/appengine; appid: demo)\n")
                .doesNotContain("other.example", "chunked", "1.2.3.4", "appengine-", "via:")
                .doesNotContain("content-length");
    }

    @Test
    void aLineBreakInAFieldIsRefusedBeforeAnythingIsSent() {
        for (HeaderField field :
                List.of(
                        new HeaderField("X-One", "a\r\nX-Appengine-User-Is-Admin: 1"),
                        new HeaderField("X-One\r\nX-Two", "a"),
                        new HeaderField("X-One", "a\nb"),
                        new HeaderField("X One", "a"),
                        new HeaderField("", "a"))) {
            assertThat(reason(fetching.fetch(request(server.url("/"), field))))
                    .isEqualTo(Reason.FETCH_ERROR);
        }
        assertThat(server.requests).hasValue(0);
    }

    @Test
    void onlyAppsOfThePlatformLearnWhichAppCalls() {
        String app = "http://other.apps.example:" + server.port() + "/";
        assertThat(text(fetched(fetching.fetch(request(Method.GET, app, "", NO_REDIRECTS)))))
                .contains("x-appengine-inbound-appid: demo\n");
        assertThat(text(fetching.get(app))).doesNotContain("inbound-appid");
        assertThat(
                        text(
                                fetched(
                                        fetching.fetch(
                                                request(
                                                        Method.GET,
                                                        server.url("/"),
                                                        "",
                                                        NO_REDIRECTS)))))
                .doesNotContain("inbound-appid");
    }

    @Test
    void redirectsAreFollowedUnlessTheAppDeclines() {
        Fetched reply = fetching.get(server.url("/redirect?302,/there"));
        assertThat(text(reply)).startsWith("GET /there\n");
        assertThat(reply.finalUrl()).isEqualTo(server.url("/there"));

        Fetched declined =
                fetched(
                        fetching.fetch(
                                request(
                                        Method.GET,
                                        server.url("/redirect?302,/there"),
                                        "",
                                        NO_REDIRECTS)));
        assertThat(declined.status()).isEqualTo(302);
        assertThat(declined.finalUrl()).isEqualTo(server.url("/redirect?302,/there"));
    }

    @Test
    void aPostBecomesAGetExceptWhereTheStatusKeepsIt() {
        for (int status : new int[] {301, 302, 303}) {
            assertThat(posted(status)).startsWith("GET /there\n").doesNotContain("hello");
        }
        for (int status : new int[] {307, 308}) {
            assertThat(posted(status)).startsWith("POST /there\n").endsWith("\n\nhello");
        }
    }

    private String posted(int status) {
        return text(
                fetched(
                        fetching.fetch(
                                request(
                                        Method.POST,
                                        server.url("/redirect?" + status + ",/there"),
                                        "hello",
                                        DEFAULT))));
    }

    @Test
    void credentialsStayAtTheirOrigin() {
        HeaderField secret = new HeaderField("Authorization", "Bearer secret");
        String elsewhere = "http://elsewhere.example:" + server.port() + "/there";
        assertThat(
                        text(
                                fetched(
                                        fetching.fetch(
                                                request(
                                                        server.url("/redirect?302," + elsewhere),
                                                        secret)))))
                .startsWith("GET /there\n")
                .doesNotContain("secret");
        assertThat(
                        text(
                                fetched(
                                        fetching.fetch(
                                                request(
                                                        server.url("/redirect?302,/there"),
                                                        secret)))))
                .contains("secret");
    }

    @Test
    void redirectsEndAfterFive() {
        assertThat(fetching.failure(server.url("/loop"))).isEqualTo(Reason.TOO_MANY_REDIRECTS);
        assertThat(server.requests).hasValue(FetchLimits.REDIRECTS_MAX + 1);
        assertThat(fetching.failure(server.url("/nowhere"))).isEqualTo(Reason.MALFORMED_REPLY);
    }

    @Test
    void gzipIsDecodedUnlessTheAppAsksForIt() {
        Fetched decoded = fetching.get(server.url("/gzip"));
        assertThat(text(decoded)).isEqualTo("compressed");
        assertThat(decoded.headers()).noneMatch(field -> field.isNamed("Content-Encoding"));
        assertThat(decoded.headers())
                .anyMatch(field -> field.isNamed("Content-Length") && field.value().equals("10"));

        Fetched raw =
                fetched(
                        fetching.fetch(
                                request(
                                        server.url("/gzip"),
                                        new HeaderField("Accept-Encoding", "gzip"))));
        assertThat(raw.content()).startsWith(0x1F, 0x8B);
        assertThat(raw.headers()).anyMatch(field -> field.isNamed("Content-Encoding"));
        assertThat(fetching.failure(server.url("/notgzip"))).isEqualTo(Reason.MALFORMED_REPLY);
    }

    @Test
    void aResponseEndsAtTheLimit() {
        int max = FetchLimits.RESPONSE_BYTES_MAX;
        Fetched fitting = fetching.get(server.url("/bytes?" + max));
        assertThat(fitting.content()).hasSize(max);
        assertThat(fitting.truncated()).isFalse();
        Fetched longer = fetching.get(server.url("/bytes?" + (max + 1)));
        assertThat(longer.content()).hasSize(max);
        assertThat(longer.truncated()).isTrue();
    }

    @Test
    void aDecompressionBombEndsAtTheLimit() {
        Fetched bomb = fetching.get(server.url("/bomb"));
        assertThat(bomb.content()).hasSize(FetchLimits.RESPONSE_BYTES_MAX);
        assertThat(bomb.truncated()).isTrue();
    }

    @Test
    void aPayloadEndsAtTheLimit() {
        char[] large = new char[FetchLimits.PAYLOAD_BYTES_MAX + 1];
        Arrays.fill(large, 'a');
        assertThat(
                        reason(
                                fetching.fetch(
                                        request(
                                                Method.POST,
                                                server.url("/"),
                                                new String(large),
                                                DEFAULT))))
                .isEqualTo(Reason.PAYLOAD_TOO_LARGE);
        assertThat(server.requests).hasValue(0);
    }

    @Test
    void statusesOfTheServerAreResults() {
        for (int status : new int[] {204, 404, 500, 503}) {
            assertThat(fetching.get(server.url("/status?" + status)).status()).isEqualTo(status);
        }
    }
}

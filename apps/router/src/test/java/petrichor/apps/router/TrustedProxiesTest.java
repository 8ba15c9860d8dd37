package petrichor.apps.router;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.netty.handler.codec.http.DefaultHttpHeaders;
import io.netty.handler.codec.http.HttpHeaders;
import java.net.InetAddress;
import org.junit.jupiter.api.Test;
import petrichor.apps.router.http.TrustedProxies;
import petrichor.base.PetrichorException;

/** Addresses and schemes of clients behind proxies. */
final class TrustedProxiesTest {
    private static final TrustedProxies PROXIES =
            TrustedProxies.parse("10.0.0.0/8, 2001:db8::/32,192.0.2.7");

    private static String origin(String peer, boolean secure, String... fields) {
        HttpHeaders headers = new DefaultHttpHeaders();
        for (int i = 0; i < fields.length; i += 2) {
            headers.add(fields[i], fields[i + 1]);
        }
        TrustedProxies.Origin origin = PROXIES.origin(InetAddress.ofLiteral(peer), secure, headers);
        return origin.address().getHostAddress() + (origin.secure() ? " https" : " http");
    }

    @Test
    void onlyTrustedProxiesAreBelieved() {
        assertThat(origin("10.1.2.3", false, "X-Forwarded-For", "198.51.100.1"))
                .isEqualTo("198.51.100.1 http");
        assertThat(origin("192.0.2.7", false, "X-Forwarded-For", "198.51.100.1"))
                .isEqualTo("198.51.100.1 http");
        assertThat(
                        origin(
                                "192.0.2.8",
                                false,
                                "X-Forwarded-For",
                                "198.51.100.1",
                                "X-Forwarded-Proto",
                                "https"))
                .isEqualTo("192.0.2.8 http");
    }

    @Test
    void theLastAddressThatIsNoProxyIsTheClient() {
        assertThat(origin("10.0.0.1", true, "X-Forwarded-For", "6.6.6.6, 198.51.100.1, 10.0.0.2"))
                .isEqualTo("198.51.100.1 https");
        assertThat(
                        origin(
                                "10.0.0.1",
                                true,
                                "X-Forwarded-For",
                                "198.51.100.1",
                                "X-Forwarded-For",
                                "10.0.0.2"))
                .isEqualTo("198.51.100.1 https");
        assertThat(origin("10.0.0.1", true, "X-Forwarded-For", "10.0.0.3,10.0.0.2"))
                .isEqualTo("10.0.0.3 https");
        assertThat(origin("10.0.0.1", true, "X-Forwarded-For", "198.51.100.1:4711"))
                .isEqualTo("198.51.100.1 https");
        assertThat(origin("10.0.0.1", true, "X-Forwarded-For", "[2001:db9::1]:4711"))
                .isEqualTo("2001:db9:0:0:0:0:0:1 https");
    }

    @Test
    void whatIsNoAddressIsNotUsed() {
        for (String forged :
                new String[] {"", "unknown", "localhost", "1.2.3", "1.2.3.4.5", "a,"}) {
            assertThat(origin("10.0.0.1", false, "X-Forwarded-For", forged))
                    .as(forged)
                    .isEqualTo("10.0.0.1 http");
        }
        assertThat(origin("10.0.0.1", false)).isEqualTo("10.0.0.1 http");
        assertThat(origin("10.0.0.1", false, "X-Forwarded-Proto", "gopher"))
                .isEqualTo("10.0.0.1 http");
        assertThat(origin("10.0.0.1", true, "X-Forwarded-Proto", "HTTP"))
                .isEqualTo("10.0.0.1 http");
        assertThat(origin("10.0.0.1", false, "X-Forwarded-Proto", "http, https"))
                .isEqualTo("10.0.0.1 https");
        assertThatThrownBy(() -> TrustedProxies.parse("10.0.0.0/33"))
                .isInstanceOf(PetrichorException.class);
    }

    @Test
    void appsSeeTheClientOfAProxy() throws Exception {
        String[] fields = {"X-Forwarded-For: 198.51.100.1", "X-Forwarded-Proto: https"};
        for (String trusted : new String[] {"127.0.0.0/8", "10.0.0.0/8"}) {
            try (TestRouter router =
                    TestRouter.open(
                            settings -> settings.behind(TrustedProxies.parse(trusted)),
                            plain -> plain)) {
                TestInstance instance = router.add(TestInstance.named("i1"));
                assertThat(router.get("/", fields).status()).isEqualTo(200);
                TestInstance.Request seen = instance.requests().getFirst();
                boolean believed = trusted.startsWith("127");
                assertThat(seen.header("X-Forwarded-For"))
                        .isEqualTo(believed ? "198.51.100.1" : "127.0.0.1");
                assertThat(seen.header("X-Forwarded-Proto")).isEqualTo(believed ? "https" : "http");
            }
        }
    }
}

package petrichor.services.fetch;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import org.junit.jupiter.api.Test;

final class TargetUrlTest {
    @Test
    void urlsAreNormalizedAsBrowsersDo() {
        assertThat(text("HTTP://Example.COM")).isEqualTo("http://example.com/");
        assertThat(text("https://example.com:443/a?b=c#d")).isEqualTo("https://example.com/a?b=c");
        assertThat(text("http://example.com:8080?q=a b"))
                .isEqualTo("http://example.com:8080/?q=a%20b");
        assertThat(text("http://example.com/ä|x")).isEqualTo("http://example.com/%C3%A4%7Cx");
        assertThat(text("http://bücher.example/")).isEqualTo("http://xn--bcher-kva.example/");
        assertThat(text("http://my_service.example/")).isEqualTo("http://my_service.example/");
        assertThat(text("http://[2a00::1]:8080/")).isEqualTo("http://[2a00::1]:8080/");
        assertThat(text("http://example.com/a%2Fb")).isEqualTo("http://example.com/a%2Fb");
    }

    @Test
    void otherSchemesCredentialsAndPortsOfOtherProtocolsAreRefused() {
        for (String url :
                List.of(
                        "ftp://example.com/",
                        "file:///etc/passwd",
                        "//example.com/",
                        "/path",
                        "",
                        "http://",
                        "http:///path",
                        "http://user:secret@example.com/",
                        "http://example.com@10.0.0.1/",
                        "http://example.com:22/",
                        "http://example.com:25/",
                        "http://example.com:99999/",
                        "http://[fe80::1%25eth0]/",
                        "http://exa mple.com/",
                        "http://example.com\r\nHost: other/",
                        "http://example.com/%zz",
                        "http://" + "a".repeat(FetchLimits.URL_CHARS_MAX) + "/")) {
            assertThatThrownBy(() -> text(url)).as(url).isInstanceOf(FetchFailure.class);
        }
    }

    @Test
    void aRedirectMayBeRelative() {
        TargetUrl from = TargetUrl.parse("http://example.com/a/b?c", FetchAllowlist.NONE);
        assertThat(redirect(from, "d")).isEqualTo("http://example.com/a/d");
        assertThat(redirect(from, "/d e")).isEqualTo("http://example.com/d%20e");
        assertThat(redirect(from, "//other.example/x")).isEqualTo("http://other.example/x");
        assertThat(redirect(from, "?q=1")).isEqualTo("http://example.com/a/?q=1");
        assertThatThrownBy(() -> redirect(from, "file:///etc/passwd"))
                .isInstanceOf(FetchFailure.class);
    }

    private static String redirect(TargetUrl from, String location) {
        return from.redirect(location, FetchAllowlist.NONE).text();
    }

    private static String text(String url) {
        return TargetUrl.parse(url, FetchAllowlist.NONE).text();
    }
}

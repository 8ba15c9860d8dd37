package petrichor.apps.router.http;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

final class RequestTargetTest {
    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "/|/|/|/",
                "/a/b.html?c=d|/a/b.html?c=d|/a/b.html|/a/b.html",
                "/a/../b|/b|/b|/b",
                "/a/..|/|/|/",
                "/a/.|/a/|/a/|/a/",
                "/..|/|/|/",
                "/../../x|/x|/x|/x",
                "/a/%2E%2e/b|/b|/b|/b",
                "/%7Euser|/~user|/~user|/~user",
                "/a%20b|/a%20b|/a b|/a b",
                "/a%2fb|/a%2Fb|/a/b|/a/b",
                "/a//b|/a//b|/a//b|/a/b",
                "//a|//a|//a|/a",
                "/a;b=c/d|/a;b=c/d|/a;b=c/d|/a/d",
                "/a\\b|/a\\b|/a\\b|/a/b",
                "/a%5cb|/a%5Cb|/a\\b|/a/b",
                "/%C3%BC|/%C3%BC|/ü|/ü",
                "/...|/...|/...|/...",
                "/.hidden|/.hidden|/.hidden|/.hidden",
                "/a?b?c/../d|/a?b?c/../d|/a|/a",
                "/%2525|/%2525|/%25|/%25",
            })
    void targetsHaveOneForm(String raw, String uri, String path, String strict) {
        assertThat(RequestTarget.parse(raw))
                .isEqualTo(new RequestTarget(uri, path, strict, Optional.empty()));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "*",
                "a",
                "example.com:443",
                "ftp://x/",
                "/a#b",
                "/a b",
                "/%",
                "/%1",
                "/%gg",
                "/%00",
                "/a\u0001",
                "/a\u007f",
                "/..;/a",
                "/.;x/a",
                "/a/%2e%2e;/b",
                "/a/..%2fb",
                "/a%2f../b",
                "/a%2f..%2fb",
                "/%2e%2e%2f",
                "/a?b#c",
                "/a?b c"
            })
    void othersAreMalformed(String raw) {
        assertThat(RequestTarget.parse(raw)).isInstanceOf(MalformedTarget.class);
    }

    @Test
    void theAbsoluteFormHasAnAuthority() {
        assertThat(RequestTarget.parse("HTTP://a.com:80/b"))
                .isEqualTo(new RequestTarget("/b", "/b", "/b", Optional.of("a.com:80")));
        assertThat(RequestTarget.parse("http://a.com?b"))
                .isEqualTo(new RequestTarget("/?b", "/", "/", Optional.of("a.com")));
    }
}

package petrichor.services.users;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

final class ContinueUrlTest {
    @ParameterizedTest
    @ValueSource(
            strings = {
                "/",
                "/path?q=http://other.example/#part",
                "http://app.example/path",
                "https://APP.example:8080/",
                "http://other.apps.example/"
            })
    void ownUrlsAreKept(String url) {
        String host = url.contains("8080") ? "app.example:8080" : "app.example";
        assertThat(ContinueUrl.checked(url, host, other -> other.endsWith(".apps.example")))
                .isEqualTo(url);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "path",
                "//evil.example/",
                "///evil.example/",
                "/\\evil.example/",
                "\\\\evil.example",
                "http://evil.example/",
                "http://app.example@evil.example/",
                "http://app.example.evil.example/",
                "http://app.example:81/",
                "https:evil.example",
                "javascript:alert(1)",
                "data:text/html,x",
                "/a\r\nSet-Cookie: a=b",
                "\t//evil.example/",
                "/%zz"
            })
    void othersLeadHome(String url) {
        assertThat(ContinueUrl.checked(url, "app.example", _ -> false)).isEqualTo("/");
    }

    @Test
    void anAppLearnsWhoItsUserIs() {
        Account ann =
                new Account(
                        "ann@example.com",
                        "1234",
                        Optional.empty(),
                        new Account.Roles(false, Set.of("demo")),
                        1);
        assertThat(UserHeaders.of(Optional.of(ann), "demo", "example.com"))
                .isEqualTo(
                        Map.of(
                                "X-Appengine-User-Email", "ann@example.com",
                                "X-Appengine-User-Id", "1234",
                                "X-Appengine-User-Nickname", "ann",
                                "X-Appengine-User-Organization", "",
                                "X-Appengine-User-Is-Admin", "1",
                                "X-Appengine-Auth-Domain", "example.com"));
        assertThat(UserHeaders.of(Optional.of(ann), "other", "gmail.com"))
                .containsEntry("X-Appengine-User-Is-Admin", "0")
                .containsEntry("X-Appengine-User-Nickname", "ann@example.com");
        assertThat(UserHeaders.of(Optional.empty(), "demo", "gmail.com"))
                .isEqualTo(Map.of("X-Appengine-Auth-Domain", "gmail.com"));
        assertThat(UserHeaders.isReserved("x-AppEngine-User-Is-Admin")).isTrue();
        assertThat(UserHeaders.isReserved("X-Forwarded-For")).isFalse();
    }
}

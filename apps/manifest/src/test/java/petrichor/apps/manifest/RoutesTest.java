package petrichor.apps.manifest;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class RoutesTest {
    private static final String SITE =
            """
            - url: /favicon\\.ico
              static_files: static/favicon.ico
              upload: static/favicon\\.ico
            - url: /(.*\\.(gif|png))$
              static_files: images/\\1
              upload: images/.*\\.png
              expiration: 1d 12h
            - url: /css
              static_dir: ./assets/css/
              mime_type: text/css
              http_headers: {X-A: b}
            - url: /maybe
              static_dir: maybe
              require_matching_file: true
            - url: /admin/.*
              script: auto
              login: admin
              secure: always
              redirect_http_response_code: 301
            """;

    private static Routes routes(String handlers) {
        return AppYaml.parse("app.yaml", "runtime: python313\nhandlers:\n" + handlers).routes();
    }

    private static Destination destination(Routes routes, String path) {
        return routes.match(path, file -> file.equals("maybe/there.txt")).destination();
    }

    @ParameterizedTest
    @CsvSource({
        "/favicon.ico, static/favicon.ico",
        "/a/b.png, images/a/b.png",
        "/a.gif, 404",
        "/css/a.css, assets/css/a.css",
        "/css/a/b.css, assets/css/a/b.css",
        "/css/, 404",
        "/css, app",
        "/cssx, app",
        "/maybe/there.txt, maybe/there.txt",
        "/maybe/missing.txt, app",
        "/maybe/../secret, app",
        "/css/../secret, 404",
        "/css/..%2fsecret, assets/css/..%2fsecret",
        "/css/./a, 404",
        "/css//a, 404",
        "/css/a\\b, 404",
        "/../x.png, 404",
        "/x/../../y.png, 404",
        "/.., app",
        "/other, app",
    })
    void theFirstHandlerThatMatchesDecides(String path, String expected) {
        String found =
                switch (destination(routes(SITE), path)) {
                    case Destination.App() -> "app";
                    case Destination.File(String file, StaticOptions _) -> file;
                    case Destination.NotFound _ -> "404";
                };
        assertThat(found).isEqualTo(expected);
    }

    @Test
    void staticFilesHaveTheirOptions() {
        Destination.File image = (Destination.File) destination(routes(SITE), "/a.png");
        assertThat(image.options().expiration()).contains(Duration.ofHours(36));
        Destination.File style = (Destination.File) destination(routes(SITE), "/css/a.css");
        assertThat(style.options().mimeType()).contains("text/css");
        assertThat(style.options().headers()).containsEntry("X-A", "b");
        assertThat(style.options().expiration()).isEmpty();
    }

    @Test
    void accessIsThatOfTheHandler() {
        UrlHandler.Access admin = routes(SITE).match("/admin/x", file -> false).access();
        assertThat(admin)
                .isEqualTo(
                        new UrlHandler.Access(
                                UrlHandler.Login.ADMIN,
                                UrlHandler.AuthFailAction.REDIRECT,
                                UrlHandler.Secure.ALWAYS,
                                301));
        assertThat(routes(SITE).match("/x", file -> false).access())
                .isEqualTo(UrlHandler.Access.DEFAULT);
    }

    @ParameterizedTest
    @ValueSource(strings = {"/admin/\n", "/admin/a\nb", "/admin/\r", "/admin/\u2028"})
    void aLineBreakDoesNotEvadeALogin(String path) {
        assertThat(routes(SITE).match(path, file -> false).access().login())
                .isEqualTo(UrlHandler.Login.ADMIN);
    }

    @Test
    void aControlCharacterIsNotPartOfAFile() {
        assertThat(destination(routes(SITE), "/css/a\0.css"))
                .isInstanceOf(Destination.NotFound.class);
    }

    @Test
    @Timeout(20)
    void anExpressionTakesLinearTime() {
        Routes routes = routes("- {url: '/(a*)*(a|aa)*b', script: auto, login: admin}\n");
        String path = "/" + "a".repeat(20_000);
        assertThat(routes.match(path, file -> false).access()).isEqualTo(UrlHandler.Access.DEFAULT);
        assertThat(routes.match(path + "b", file -> false).access().login())
                .isEqualTo(UrlHandler.Login.ADMIN);
    }

    @ParameterizedTest
    @Timeout(20)
    @ValueSource(
            strings = {
                "/((((a{100}){100}){100}){100})",
                "/(([)]a{100}){100}){100}",
                "/(([^]a)]{100}){100}){100}",
                "/((\\)a{100}){100}){100}",
                "/(([[:alpha:])]{100}){100}){100}",
                "/(([\\])]{100}){100}){100}",
                "/(\\Q(\\Ea{100})b{100}",
                "/(a{0,1000}){3,}",
                "/(a{1000}b{1000})",
            })
    void anExpressionOfManyInstructionsIsRefused(String expression) {
        assertThatThrownBy(() -> UrlPattern.of(expression))
                .hasMessageContaining("more than 2000 instructions");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "/[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/[0-9a-f]{8}(-[0-9a-f]{4}){3}",
                "/(\\d{4})/(\\d{2})/(\\d{2})/[^/]{1,200}",
                "/a{900}",
                "/[]a{900}b{900}]{900}{",
                "/[[:alpha:]a{900}b{900}]{900}",
                "/[^\\]a{900}b{900}]{900}",
            })
    void usualExpressionsAreAccepted(String expression) {
        assertThat(UrlPattern.of(expression).matches("/other")).isFalse();
    }

    @Test
    void theLengthOfAnExpressionIsLimited() {
        assertThatThrownBy(() -> UrlPattern.of("/" + "a".repeat(UrlPattern.CHARACTERS_MAX)))
                .hasMessageContaining("1001 characters");
    }

    @Test
    void referencesMustExist() {
        assertThat(UrlPattern.expand("a\\1/\\2x", List.of("all", "b", "c"))).isEqualTo("ab/cx");
        assertThatThrownBy(() -> UrlPattern.expand("a\\3", List.of("all", "b", "c")))
                .hasMessageContaining("a group that the URL does not have; it has 2");
        assertThatThrownBy(() -> UrlPattern.expand("a\\", List.of("all")))
                .hasMessageContaining("a backslash that no number follows");
    }

    @Test
    void aGroupWithoutMatchIsEmpty() {
        assertThat(UrlPattern.of("/(a)?(b)?").match("/b")).contains(List.of("/b", "", "b"));
        assertThat(UrlPattern.of("/(a)?(b)?").match("/c")).isEqualTo(Optional.empty());
    }
}

package petrichor.frontends.datastore;

import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import petrichor.base.PetrichorException;

class BrowserGuardTest {
    private final BrowserGuard guard = new BrowserGuard(false, Set.of("db.example.com"));

    @Test
    void namesOfThisServerAreAdmitted() {
        for (String host :
                List.of(
                        "localhost:8081",
                        "LOCALHOST",
                        "app.localhost:1",
                        "127.0.0.1:8081",
                        "[::1]:8081",
                        "10.0.0.7:8081",
                        "petrichor:8081",
                        "db.example.com:443",
                        "db.example.com.")) {
            assertThatCode(() -> check(host, null, null, null, false))
                    .as(host)
                    .doesNotThrowAnyException();
        }
        assertThatCode(() -> check(null, null, null, null, false)).doesNotThrowAnyException();
    }

    @Test
    void reboundNamesAreRefused() {
        for (String host :
                List.of(
                        "evil.example:8081",
                        "localhost.evil.example",
                        "",
                        "127.0.0.1.evil.example")) {
            assertRefused(host, null, null, null, true);
        }
    }

    @Test
    void pagesOfOtherSitesAreRefused() {
        for (String origin :
                List.of(
                        "http://evil.example",
                        "null",
                        "https://10.0.0.9",
                        "http://localhost.evil.example",
                        "x")) {
            assertRefused("localhost:8081", origin, null, null, true);
        }
        assertRefused("localhost:8081", null, "cross-site", "no-cors", true);
        assertRefused("localhost:8081", null, "cross-site", "navigate", false);
    }

    @Test
    void pagesOfThisMachineAndLinksAreAdmitted() {
        assertThatCode(
                        () ->
                                check(
                                        "localhost:8081",
                                        "http://localhost:3000",
                                        "same-site",
                                        "cors",
                                        false))
                .doesNotThrowAnyException();
        assertThatCode(
                        () ->
                                check(
                                        "10.0.0.7:8081",
                                        "http://10.0.0.7:8081",
                                        "same-origin",
                                        "cors",
                                        false))
                .doesNotThrowAnyException();
        assertThatCode(() -> check("localhost:8081", null, "cross-site", "navigate", true))
                .doesNotThrowAnyException();
    }

    @Test
    void withATokenNoOriginIsRefused() {
        BrowserGuard open = new BrowserGuard(true, Set.of());
        assertThatCode(
                        () ->
                                open.check(
                                        new BrowserGuard.Sender(
                                                "api.example.com",
                                                "https://app.example.com",
                                                null,
                                                null),
                                        false))
                .doesNotThrowAnyException();
    }

    private void assertRefused(
            @Nullable String host,
            @Nullable String origin,
            @Nullable String site,
            @Nullable String mode,
            boolean reads) {
        assertThatThrownBy(() -> check(host, origin, site, mode, reads))
                .as(host + " " + origin)
                .isInstanceOf(PetrichorException.class);
    }

    private void check(
            @Nullable String host,
            @Nullable String origin,
            @Nullable String site,
            @Nullable String mode,
            boolean reads) {
        guard.check(new BrowserGuard.Sender(host, origin, site, mode), reads);
    }
}

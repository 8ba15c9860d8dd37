package petrichor.services.users;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.net.InetAddress;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import no.nav.security.mock.oauth2.MockOAuth2Server;
import no.nav.security.mock.oauth2.token.DefaultOAuth2TokenCallback;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import petrichor.base.PetrichorException;

/** Against a provider that signs everybody in. */
final class OpenIdProviderTest {
    private static final URI CALLBACK = URI.create("http://localhost:8080/_ah/login/callback");

    private final MockOAuth2Server server = new MockOAuth2Server();
    private final Users users = new Users();

    @BeforeEach
    void start() {
        server.start(InetAddress.getLoopbackAddress(), 0);
    }

    @AfterEach
    void close() {
        server.shutdown();
        users.close();
    }

    @Test
    void aUserReturnsFromTheProviderSignedIn() throws Exception {
        OpenIdProvider provider = provider(List.of());
        tokenWith("Ann@example.com", true);
        OpenIdProvider.Started started = provider.start(CALLBACK, "/there");
        assertThat(started.redirect().getQuery())
                .contains("code_challenge_method=S256", "scope=openid+email", "nonce=", "state=");
        Map<String, String> answer = signIn(started);
        OpenIdProvider.Finished finished =
                provider.finish(
                                started.cookie(),
                                answer.getOrDefault("state", ""),
                                answer.getOrDefault("code", ""))
                        .orElseThrow();
        assertThat(finished.account().email()).isEqualTo("ann@example.com");
        assertThat(finished.account().password()).isEmpty();
        assertThat(finished.continueUrl()).isEqualTo("/there");
        assertThat(users.accounts.find("ann@example.com")).contains(finished.account());
        assertThat(
                        provider.finish(
                                started.cookie(),
                                answer.getOrDefault("state", ""),
                                answer.getOrDefault("code", "")))
                .as("a code works once")
                .isEmpty();
    }

    @Test
    void anAnswerThatBelongsToNoSignInIsRefused() throws Exception {
        OpenIdProvider provider = provider(List.of());
        tokenWith("ann@example.com", true);
        OpenIdProvider.Started started = provider.start(CALLBACK, "/");
        Map<String, String> answer = signIn(started);
        String code = answer.getOrDefault("code", "");
        assertThat(provider.finish(started.cookie(), "other", code)).isEmpty();
        assertThat(provider.finish("", answer.getOrDefault("state", ""), code)).isEmpty();
        assertThat(provider.finish(started.cookie() + "x", answer.getOrDefault("state", ""), code))
                .isEmpty();
        OpenIdProvider.Started another = provider.start(CALLBACK, "/");
        assertThat(provider.finish(another.cookie(), answer.getOrDefault("state", ""), code))
                .isEmpty();
        users.clock.advance(OpenIdSettings.SIGN_IN_MAX.plus(Duration.ofSeconds(1)));
        assertThat(provider.finish(started.cookie(), answer.getOrDefault("state", ""), code))
                .isEmpty();
        assertThat(users.accounts.list()).isEmpty();
    }

    @Test
    void onlyVerifiedAddressesOfPermittedDomainsCount() throws Exception {
        assertThat(isSignedIn(List.of(), "ann@example.com", false)).isFalse();
        assertThat(isSignedIn(List.of("example.com"), "ann@evil.example", true)).isFalse();
        assertThat(isSignedIn(List.of("example.com"), "ann@notexample.com", true)).isFalse();
        assertThat(users.accounts.list()).isEmpty();
        assertThat(isSignedIn(List.of("example.com"), "ann@example.com", true)).isTrue();
    }

    @Test
    void aMissingProviderIsReported() {
        OpenIdProvider provider = provider(List.of());
        server.shutdown();
        assertThatThrownBy(() -> provider.start(CALLBACK, "/"))
                .isInstanceOf(PetrichorException.class);
    }

    private boolean isSignedIn(List<String> domains, String email, boolean verified)
            throws Exception {
        OpenIdProvider provider = provider(domains);
        tokenWith(email, verified);
        OpenIdProvider.Started started = provider.start(CALLBACK, "/");
        Map<String, String> answer = signIn(started);
        return provider.finish(
                        started.cookie(),
                        answer.getOrDefault("state", ""),
                        answer.getOrDefault("code", ""))
                .isPresent();
    }

    private OpenIdProvider provider(List<String> domains) {
        return new OpenIdProvider(
                new OpenIdSettings(
                        server.issuerUrl("default").uri(), "petrichor", "secret", domains),
                users.accounts,
                users.sessions);
    }

    private void tokenWith(String email, boolean verified) {
        server.enqueueCallback(
                new DefaultOAuth2TokenCallback(
                        "default",
                        "subject",
                        "JWT",
                        List.of("petrichor"),
                        Map.of("email", email, "email_verified", verified),
                        3600));
    }

    /** What a browser does: the provider sends it back at once. */
    private static Map<String, String> signIn(OpenIdProvider.Started started) throws Exception {
        try (HttpClient browser = HttpClient.newHttpClient()) {
            HttpResponse<Void> answer =
                    browser.send(
                            HttpRequest.newBuilder(started.redirect()).build(),
                            HttpResponse.BodyHandlers.discarding());
            URI back = URI.create(answer.headers().firstValue("location").orElseThrow());
            assertThat(back.toString()).startsWith(CALLBACK.toString());
            return Arrays.stream(back.getQuery().split("&", -1))
                    .map(pair -> pair.split("=", 2))
                    .collect(Collectors.toMap(pair -> pair[0], pair -> pair[1]));
        }
    }
}

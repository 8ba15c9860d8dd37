package petrichor.services.channels;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.Base64;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

final class ChannelTokensTest {
    private final OwnerFixture owner = new OwnerFixture();

    @AfterEach
    void close() {
        owner.close();
    }

    private long inAnHour() {
        return owner.time.epochMicros() + Duration.ofHours(1).toNanos() / 1_000;
    }

    private String signed(String project, String client) {
        return owner.tokens.sign(new ChannelToken(project, client, inAnHour()));
    }

    @Test
    void aTokenNamesItsClientUntilItExpires() {
        ChannelToken token = new ChannelToken("demo", "ann\nzoë", inAnHour());
        String text = owner.tokens.sign(token);
        assertThat(text).matches("[A-Za-z0-9_\\-.]+");
        assertThat(owner.tokens.verify(text)).contains(token);
        owner.time.pass(Duration.ofHours(1));
        assertThat(owner.tokens.verify(text)).isEmpty();
    }

    @Test
    void everyServerVerifiesATokenAlsoAfterARestart() {
        String text = signed("demo", "ann");
        ChannelTokens other =
                new ChannelTokens(() -> owner.databases, owner.time, new SecureRandom());
        assertThat(other.verify(text)).isPresent();
    }

    @Test
    void aChangedTokenIsNotValid() {
        String text = signed("demo", "ann");
        String signature = text.substring(text.indexOf('.'));
        String other =
                Base64.getUrlEncoder()
                        .withoutPadding()
                        .encodeToString(new ChannelToken("demo", "bob", inAnHour()).encode());
        assertThat(owner.tokens.verify(other + signature)).isEmpty();
        assertThat(owner.tokens.verify(text.substring(0, text.length() - 2))).isEmpty();
        for (String nonsense : new String[] {"", ".", "a", "a.b", "!.!", "x".repeat(5_000) + "."}) {
            assertThat(owner.tokens.verify(nonsense)).as(nonsense).isEmpty();
        }
    }

    @Test
    void anAppCannotSignForAnother() {
        String ours = signed("demo", "ann");
        signed("other", "ann");
        String forged =
                Base64.getUrlEncoder()
                                .withoutPadding()
                                .encodeToString(
                                        new String(
                                                        Base64.getUrlDecoder()
                                                                .decode(
                                                                        ours.substring(
                                                                                0,
                                                                                ours.indexOf('.'))),
                                                        StandardCharsets.UTF_8)
                                                .replace("demo", "other")
                                                .getBytes(StandardCharsets.UTF_8))
                        + ours.substring(ours.indexOf('.'));
        assertThat(owner.tokens.verify(forged)).isEmpty();
    }

    @Test
    void aForgedTokenCreatesNoDatabase() {
        String forged =
                Base64.getUrlEncoder()
                                .withoutPadding()
                                .encodeToString(
                                        new ChannelToken("unknown", "ann", inAnHour()).encode())
                        + ".AAAA";
        assertThat(owner.tokens.verify(forged)).isEmpty();
        assertThat(owner.databases.names()).doesNotContain("unknown");
    }
}

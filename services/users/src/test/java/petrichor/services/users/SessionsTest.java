package petrichor.services.users;

import static org.assertj.core.api.Assertions.assertThat;
import static petrichor.services.users.Users.EMAIL;
import static petrichor.services.users.Users.PASSWORD;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ThreadLocalRandom;
import java.util.random.RandomGenerator;
import org.junit.jupiter.api.Test;

final class SessionsTest {
    @Test
    void aSessionExpires() {
        try (Users users = new Users()) {
            String cookie = users.sessions.start(users.accounts.add(EMAIL, Optional.empty()));
            users.clock.advance(Duration.ofDays(1).minusSeconds(1));
            assertThat(users.sessions.account(cookie)).isPresent();
            users.clock.advance(Duration.ofSeconds(1));
            assertThat(users.sessions.account(cookie)).isEmpty();
        }
    }

    @Test
    void aSessionEndsAlsoWhereItsCookieWasCopied() {
        try (Users users = new Users()) {
            Account account = users.accounts.add(EMAIL, Optional.empty());
            String cookie = users.sessions.start(account);
            String other = users.sessions.start(account);
            users.sessions.end(cookie);
            users.sessions.end("nonsense");
            assertThat(users.sessions.account(cookie)).isEmpty();
            assertThat(users.sessions.account(other)).isPresent();
        }
    }

    @Test
    void aNewPasswordARemovalAndTheOperatorEndAllSessions() {
        try (Users users = new Users()) {
            String first = users.sessions.start(users.accounts.add(EMAIL, Optional.empty()));
            users.accounts.changeRoles(EMAIL, _ -> new Account.Roles(false, Set.of("demo")));
            assertThat(users.sessions.account(first).orElseThrow().roles().adminOf())
                    .as("roles apply at once")
                    .containsExactly("demo");
            String second = users.sessions.start(users.accounts.changePassword(EMAIL, PASSWORD));
            assertThat(users.sessions.account(first)).isEmpty();
            assertThat(users.sessions.account(second)).isPresent();
            String third = users.sessions.start(users.accounts.endSessions(EMAIL));
            assertThat(users.sessions.account(second)).isEmpty();
            users.accounts.remove(EMAIL);
            assertThat(users.sessions.account(third)).isEmpty();
            users.accounts.add(EMAIL, Optional.empty());
            assertThat(users.sessions.account(third)).as("another account").isEmpty();
        }
    }

    @Test
    void aChangedCookieIsWorthless() {
        try (Users users = new Users();
                Users others = new Users()) {
            Account account = users.accounts.add(EMAIL, Optional.empty());
            String cookie = users.sessions.start(account);
            for (int i = 0; i < cookie.length(); i += 7) {
                char changed = cookie.charAt(i) == 'A' ? 'B' : 'A';
                String forged = cookie.substring(0, i) + changed + cookie.substring(i + 1);
                assertThat(users.sessions.account(forged)).as("%s", i).isEmpty();
            }
            assertThat(users.sessions.account("")).isEmpty();
            assertThat(users.sessions.account(others.sessions.start(account))).isEmpty();
            // Signed by us, but not as a session.
            String text =
                    new String(
                            java.util.Base64.getUrlDecoder()
                                    .decode(cookie.substring(0, cookie.indexOf('.'))),
                            java.nio.charset.StandardCharsets.UTF_8);
            assertThat(users.sessions.account(users.sessions.signer().sign("other", text)))
                    .isEmpty();
            assertThat(users.sessions.account(users.sessions.signer().sign("session", text)))
                    .isPresent();
        }
    }

    /** Two servers see no key at their first use, and each makes one. */
    @Test
    void serversAgreeOnTheSigningKey() {
        try (Users users = new Users()) {
            Account account = users.accounts.add(EMAIL, Optional.empty());
            List<String> cookies = new ArrayList<>();
            RandomGenerator random =
                    new RandomGenerator() {
                        @Override
                        public long nextLong() {
                            return ThreadLocalRandom.current().nextLong();
                        }

                        @Override
                        public void nextBytes(byte[] bytes) {
                            ThreadLocalRandom.current().nextBytes(bytes);
                            if (bytes.length == Signer.KEY_BYTES) {
                                cookies.add(users.sessions.start(account));
                            }
                        }
                    };
            Sessions other =
                    new Sessions(
                            new Accounts(() -> users.databases.open(Accounts.DATABASE), random),
                            Duration.ofDays(1),
                            users.clock);
            cookies.add(other.start(account));
            assertThat(cookies).hasSize(2);
            for (String cookie : cookies) {
                assertThat(users.sessions.account(cookie)).isPresent();
                assertThat(other.account(cookie)).isPresent();
            }
        }
    }

    @Test
    void sealedTextsExpireAndHaveOnePurpose() {
        try (Users users = new Users()) {
            String sealed = users.sessions.seal("form", "text", Duration.ofMinutes(1));
            assertThat(users.sessions.unseal("form", sealed)).contains("text");
            assertThat(users.sessions.unseal("other", sealed)).isEmpty();
            assertThat(users.sessions.unseal("form", "x" + sealed)).isEmpty();
            users.clock.advance(Duration.ofMinutes(1));
            assertThat(users.sessions.unseal("form", sealed)).isEmpty();
        }
    }

    @Test
    void rowsOfEndedSessionsAreRemovedWhenTheyWouldHaveExpired() {
        try (Users users = new Users()) {
            Account account = users.accounts.add(EMAIL, Optional.empty());
            users.sessions.end(users.sessions.start(account));
            assertThat(ended(users)).isEqualTo(1);
            users.clock.advance(Duration.ofDays(2));
            users.sessions.end(users.sessions.start(account));
            assertThat(ended(users)).isEqualTo(1);
        }
    }

    private static int ended(Users users) {
        return users.accounts
                .rows()
                .scan(petrichor.kv.KeyRange.ofPrefix(AccountRows.endedSessions()))
                .size();
    }
}

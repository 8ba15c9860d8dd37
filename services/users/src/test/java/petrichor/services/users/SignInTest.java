package petrichor.services.users;

import static org.assertj.core.api.Assertions.assertThat;
import static petrichor.services.users.Users.EMAIL;
import static petrichor.services.users.Users.PASSWORD;

import java.util.Optional;
import org.junit.jupiter.api.Test;
import petrichor.services.users.SignIn.Result;

final class SignInTest {
    private static final String HERE = "192.0.2.1";

    @Test
    void aLocalAccountSignsInWithItsPassword() {
        try (Users users = new Users()) {
            users.accounts.add(EMAIL, Optional.of(PASSWORD));
            SignIn signIn = new SignIn(users.accounts, Directory.NONE, users.clock);
            assertThat(signIn.signIn(" ANN@example.com", PASSWORD, HERE))
                    .isInstanceOf(Result.SignedIn.class);
            assertThat(signIn.signIn(EMAIL, "wrong", HERE)).isInstanceOf(Result.Wrong.class);
            assertThat(signIn.signIn("bob@example.com", PASSWORD, HERE))
                    .isInstanceOf(Result.Wrong.class);
            assertThat(signIn.signIn("", PASSWORD, HERE)).isInstanceOf(Result.Wrong.class);
        }
    }

    @Test
    void attemptsAreLimitedPerAccountAndPerAddress() {
        try (Users users = new Users()) {
            users.accounts.add(EMAIL, Optional.of(PASSWORD));
            users.accounts.add("bob@example.com", Optional.of(PASSWORD));
            AttemptLimit limit = new AttemptLimit(users.clock);
            for (int i = 0; i < AttemptLimit.FAILURES_PER_ACCOUNT_MAX; i++) {
                assertThat(limit.attempt(EMAIL, HERE)).isTrue();
            }
            assertThat(limit.attempt(EMAIL, HERE)).isFalse();
            assertThat(limit.attempt(EMAIL, "192.0.2.2")).isFalse();
            assertThat(limit.attempt("bob@example.com", HERE)).isTrue();
            for (int i = 0; i < AttemptLimit.FAILURES_PER_ADDRESS_MAX; i++) {
                var _ = limit.attempt(i + "@example.com", HERE);
            }
            assertThat(limit.attempt("new@example.com", HERE)).isFalse();
            assertThat(limit.attempt("new@example.com", "192.0.2.2")).isTrue();
            users.clock.advance(AttemptLimit.WINDOW.plusSeconds(1));
            assertThat(limit.attempt(EMAIL, HERE)).isTrue();
        }
    }

    @Test
    void aRightPasswordDoesNotHelpAfterTooManyWrongOnes() {
        try (Users users = new Users()) {
            users.accounts.add(EMAIL, Optional.of(PASSWORD));
            SignIn signIn = new SignIn(users.accounts, Directory.NONE, users.clock);
            for (int i = 0; i < AttemptLimit.FAILURES_PER_ACCOUNT_MAX; i++) {
                assertThat(signIn.signIn(EMAIL, "wrong", HERE)).isInstanceOf(Result.Wrong.class);
            }
            assertThat(signIn.signIn(EMAIL, PASSWORD, HERE)).isInstanceOf(Result.TooMany.class);
            users.clock.advance(AttemptLimit.WINDOW.plusSeconds(1));
            for (int i = 0; i < 2 * AttemptLimit.FAILURES_PER_ACCOUNT_MAX; i++) {
                assertThat(signIn.signIn(EMAIL, PASSWORD, HERE))
                        .as("successes do not count")
                        .isInstanceOf(Result.SignedIn.class);
            }
        }
    }

    @Test
    void aDirectoryCannotReplaceALocalPassword() {
        try (Users users = new Users()) {
            users.accounts.add(EMAIL, Optional.of(PASSWORD));
            SignIn signIn =
                    new SignIn(
                            users.accounts,
                            (_, password) -> password.equals("of the directory"),
                            users.clock);
            assertThat(signIn.signIn(EMAIL, "of the directory", HERE))
                    .isInstanceOf(Result.Wrong.class);
            assertThat(signIn.signIn("bob@example.com", "of the directory", HERE))
                    .isInstanceOf(Result.SignedIn.class);
            assertThat(users.accounts.find("bob@example.com")).isPresent();
        }
    }
}

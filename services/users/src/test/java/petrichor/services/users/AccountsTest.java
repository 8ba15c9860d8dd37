package petrichor.services.users;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static petrichor.services.users.Users.EMAIL;
import static petrichor.services.users.Users.PASSWORD;

import java.nio.file.Path;
import java.security.SecureRandom;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import petrichor.base.PetrichorException;
import petrichor.kv.rocksdb.RocksStore;

final class AccountsTest {
    @Test
    void accountsSurviveARestart(@TempDir Path folder) {
        Account added;
        String cookie;
        try (Users users = new Users(RocksStore.open(folder))) {
            users.accounts.add("Ann@Example.com ", Optional.of(PASSWORD));
            added =
                    users.accounts.changeRoles(
                            EMAIL, _ -> new Account.Roles(true, Set.of("demo", "other")));
            cookie = users.sessions.start(added);
        }
        try (Users users = new Users(RocksStore.open(folder))) {
            assertThat(users.accounts.find(EMAIL)).contains(added);
            assertThat(users.accounts.list()).containsExactly(added);
            assertThat(users.sessions.account(cookie)).contains(added);
        }
    }

    @Test
    void anAccountIsAddedOnce() {
        try (Users users = new Users()) {
            users.accounts.add(EMAIL, Optional.empty());
            assertThatThrownBy(() -> users.accounts.add("ANN@example.com", Optional.empty()))
                    .isInstanceOf(PetrichorException.class);
            assertThat(users.accounts.findOrAdd(EMAIL).id())
                    .isEqualTo(users.accounts.find(EMAIL).orElseThrow().id());
        }
    }

    @Test
    void anAccountThatIsAddedAgainIsAnotherOne() {
        try (Users users = new Users()) {
            String before = users.accounts.add(EMAIL, Optional.empty()).id();
            users.accounts.remove(EMAIL);
            assertThat(users.accounts.find(EMAIL)).isEmpty();
            assertThat(users.accounts.add(EMAIL, Optional.empty()).id())
                    .isNotEqualTo(before)
                    .matches("1[0-9]{20}");
        }
    }

    @Test
    void administratorsAreThoseOfTheAppAndOfTheCloud() {
        try (Users users = new Users()) {
            for (String email : List.of("a@b.example", "c@d.example", "e@f.example")) {
                users.accounts.add(email, Optional.empty());
            }
            users.accounts.changeRoles("a@b.example", _ -> new Account.Roles(true, Set.of()));
            users.accounts.changeRoles(
                    "c@d.example", _ -> new Account.Roles(false, Set.of("demo")));
            assertThat(users.accounts.admins("demo")).containsExactly("a@b.example", "c@d.example");
            assertThat(users.accounts.admins("other")).containsExactly("a@b.example");
        }
    }

    @Test
    void nonsenseIsRefused() {
        try (Users users = new Users()) {
            for (String email :
                    List.of("", "ann", "@b.example", "a b@c.example", "a@b@c.example", "a@b\n")) {
                if (email.equals("a@b\n")) {
                    continue; // white space at the end is removed
                }
                assertThatThrownBy(() -> users.accounts.add(email, Optional.empty()))
                        .as(email)
                        .isInstanceOf(PetrichorException.class);
                assertThat(users.accounts.find(email)).isEmpty();
            }
            assertThatThrownBy(() -> users.accounts.add(EMAIL, Optional.of("short")))
                    .isInstanceOf(PetrichorException.class);
            assertThatThrownBy(() -> users.accounts.changePassword(EMAIL, PASSWORD))
                    .isInstanceOf(PetrichorException.class);
            assertThatThrownBy(() -> users.accounts.remove(EMAIL))
                    .isInstanceOf(PetrichorException.class);
        }
    }

    @Test
    void aHashIsSaltedAndChecksOnlyItsPassword() {
        SecureRandom random = new SecureRandom();
        PasswordHash hash = PasswordHash.of(PASSWORD, random);
        assertThat(hash.text()).startsWith("$argon2id$v=19$m=19456,t=2,p=1$");
        assertThat(hash.matches(PASSWORD)).isTrue();
        assertThat(hash.matches(PASSWORD + " ")).isFalse();
        assertThat(hash.matches("")).isFalse();
        assertThat(PasswordHash.of(PASSWORD, random)).isNotEqualTo(hash);
        assertThat(hash.toString()).doesNotContain(hash.text().substring(30));
        assertThatThrownBy(() -> new PasswordHash(PASSWORD))
                .isInstanceOf(IllegalArgumentException.class);
    }

    /** A hash that argon2-cffi computed. */
    @Test
    void hashesOfOtherProgramsAreUnderstood() {
        PasswordHash hash =
                new PasswordHash(
                        "$argon2id$v=19$m=65536,t=3,p=4$c29tZXNhbHRzb21lc2FsdA$7YbYS2w24dSTBgFeLZ/Pp5pFxLjWTXyOMrr1Ld8BcEI");
        assertThat(hash.matches(PASSWORD)).isTrue();
    }
}

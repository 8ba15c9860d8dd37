package petrichor.kv.cassandra;

import static org.assertj.core.api.Assertions.assertThat;
import static petrichor.kv.testkit.Rows.TABLE;
import static petrichor.kv.testkit.Rows.failure;
import static petrichor.kv.testkit.Rows.put;
import static petrichor.kv.testkit.Rows.value;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import petrichor.base.ErrorCode;
import petrichor.kv.KeyValueStore;
import petrichor.kv.StoreUrl;

/** Authentication, and which keyspaces are accepted. */
@Tag("slow")
class AdmissionTest {
    private static final CassandraServer SERVER = CassandraServer.shared();

    private static KeyValueStore open(StoreUrl url) {
        return new CassandraPlugin().open(url);
    }

    @Test
    void wrongPasswordIsRefusedInOneLineWithoutThePassword() {
        StoreUrl wrong = SERVER.newStore().withPassword("guessed");
        assertThat(failure(ErrorCode.UNAUTHENTICATED, () -> open(wrong)))
                .contains("cassandra://petrichor@")
                .doesNotContain("guessed");
    }

    @Test
    void missingPasswordIsRefused() {
        String url = SERVER.newStore().toString().replace("petrichor@", "");
        failure(ErrorCode.UNAUTHENTICATED, () -> open(StoreUrl.parse(url)));
    }

    @Test
    void missingPermissionToCreateAKeyspaceIsReported() {
        SERVER.operator(
                session ->
                        session.execute(
                                "CREATE ROLE IF NOT EXISTS guest WITH PASSWORD = 'guest' AND LOGIN"
                                        + " = true"));
        StoreUrl own = SERVER.keyspace("forbidden");
        StoreUrl guest =
                StoreUrl.parse(
                        own.toString().replace("petrichor@", "guest:guest@") + "?timeout=20s");
        failure(ErrorCode.PERMISSION_DENIED, () -> open(guest));
    }

    @Test
    void keyspaceOfAnotherProgramIsRefused() {
        SERVER.operator(
                session -> {
                    session.execute(
                            "CREATE KEYSPACE foreign_one WITH replication = {'class':"
                                    + " 'SimpleStrategy', 'replication_factor': 1}");
                    return session.execute("CREATE TABLE foreign_one.users (id int PRIMARY KEY)");
                });
        assertThat(
                        failure(
                                ErrorCode.FAILED_PRECONDITION,
                                () -> open(SERVER.keyspace("foreign_one"))))
                .contains("users")
                .contains("another keyspace");
    }

    @Test
    void tableOfAnotherProgramUnderOurNameIsRefused() {
        SERVER.operator(
                session -> {
                    session.execute(
                            "CREATE KEYSPACE foreign_two WITH replication = {'class':"
                                    + " 'SimpleStrategy', 'replication_factor': 1}");
                    return session.execute(
                            "CREATE TABLE foreign_two.format (name text PRIMARY KEY, colour text)");
                });
        assertThat(
                        failure(
                                ErrorCode.FAILED_PRECONDITION,
                                () -> open(SERVER.keyspace("foreign_two"))))
                .contains("colour");
    }

    @Test
    void rowsOfANewerFormatAreRefused() {
        open(SERVER.keyspace("newer")).close();
        SERVER.operator(
                session ->
                        session.execute(
                                "UPDATE newer.format SET version = 2 WHERE name = 'petrichor' IF"
                                        + " EXISTS"));
        assertThat(failure(ErrorCode.FAILED_PRECONDITION, () -> open(SERVER.keyspace("newer"))))
                .contains("format 2");
    }

    @Test
    void storesInOneKeyspaceAreIsolated() {
        try (KeyValueStore one = open(SERVER.newStore());
                KeyValueStore other = open(SERVER.newStore())) {
            one.createTable(TABLE);
            one.write(put("a", "1"));
            assertThat(other.tables()).isEmpty();
            other.createTable(TABLE);
            assertThat(value(other, "a")).isNull();
        }
    }

    @Test
    void invalidAddressesAreRefused() {
        for (String url :
                new String[] {
                    "cassandra://127.0.0.1/Shop",
                    "cassandra://127.0.0.1/1shop",
                    "cassandra://127.0.0.1/shop.a.b",
                    "cassandra://127.0.0.1/shop?colour=red",
                    "cassandra://127.0.0.1/shop?timeout=soon"
                }) {
            failure(ErrorCode.INVALID_ARGUMENT, () -> open(StoreUrl.parse(url)));
        }
    }

    @Test
    void unreachableAddressIsUnavailableAndNamed() {
        StoreUrl nobody = StoreUrl.parse("cassandra://127.0.0.1:21499/shop?timeout=2s");
        assertThat(failure(ErrorCode.UNAVAILABLE, () -> open(nobody)))
                .contains("cassandra://127.0.0.1:21499/shop");
    }
}

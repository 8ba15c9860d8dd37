package petrichor.kv.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static petrichor.kv.testkit.Rows.TABLE;
import static petrichor.kv.testkit.Rows.failure;
import static petrichor.kv.testkit.Rows.put;
import static petrichor.kv.testkit.Rows.value;

import io.lettuce.core.AclSetuserArgs;
import io.lettuce.core.protocol.CommandType;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import petrichor.base.ErrorCode;
import petrichor.kv.StoreUrl;

/** Addresses, users and passwords. */
class AuthenticationTest {
    private static RedisServer server;

    @BeforeAll
    static void startServer() {
        server = RedisServer.shared();
    }

    @Test
    void wrongPasswordIsUnauthenticatedAndNotEchoed() {
        StoreUrl url = server.newStore().withPassword("wr0ng");
        assertThat(failure(ErrorCode.UNAUTHENTICATED, () -> RedisStore.open(url)))
                .contains("password")
                .doesNotContain("wr0ng");
    }

    @Test
    void missingPasswordIsUnauthenticated() {
        StoreUrl with = server.newStore();
        StoreUrl url = StoreUrl.parse("redis://" + with.nodes().getFirst() + "/" + with.name());
        assertThat(failure(ErrorCode.UNAUTHENTICATED, () -> RedisStore.open(url)))
                .contains("password");
    }

    @Test
    void userWithoutAccessToTheSettingsIsRefusedWithARemedy() {
        StoreUrl url = user("secretive", AclSetuserArgs.Builder.allCommands().allKeys());
        server.operator(
                redis ->
                        redis.aclSetuser(
                                "secretive",
                                AclSetuserArgs.Builder.removeCommand(CommandType.CONFIG)));
        assertThat(failure(ErrorCode.FAILED_PRECONDITION, () -> RedisStore.open(url)))
                .contains("+config|get");
    }

    @Test
    void userWithoutAccessToOurKeysIsDenied() {
        StoreUrl url = user("outsider", AclSetuserArgs.Builder.allCommands().keyPattern("x*"));
        assertThat(failure(ErrorCode.PERMISSION_DENIED, () -> RedisStore.open(url)))
                .contains("ACL");
    }

    @Test
    void userWithAnAclIsAccepted() {
        StoreUrl url = user("insider", AclSetuserArgs.Builder.allCommands().allKeys());
        try (RedisStore store = RedisStore.open(url)) {
            assertThat(store.tables()).isEmpty();
        }
    }

    private static StoreUrl user(String name, AclSetuserArgs rights) {
        server.operator(redis -> redis.aclSetuser(name, rights.on().addPassword("pass")));
        StoreUrl url = server.newStore();
        return StoreUrl.parse(
                "redis://" + name + ":pass@" + url.nodes().getFirst() + "/" + url.name());
    }

    @Test
    void databasesAreIsolated() {
        String name = server.newStore().name();
        try (RedisStore first = RedisStore.open(server.store(name, "?database=1"));
                RedisStore second = RedisStore.open(server.store(name, "?database=2"))) {
            first.createTable(TABLE);
            first.write(put("a", "1"));
            assertThat(second.tables()).isEmpty();
            second.createTable(TABLE);
            assertThat(value(second, "a")).isNull();
        }
    }

    @Test
    void missingDatabaseIsRefused() {
        StoreUrl url = server.store("x", "?database=1000");
        assertThat(failure(ErrorCode.INVALID_ARGUMENT, () -> RedisStore.open(url)))
                .contains("database");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "redis://a,b/x",
                "redis://a/x:y",
                "redis://a/x?database=-1",
                "redis://a/x?timeout=5",
                "redis://a/x?tls=yes"
            })
    void invalidAddressIsRefused(String address) {
        failure(ErrorCode.INVALID_ARGUMENT, () -> RedisStore.open(StoreUrl.parse(address)));
    }

    @Test
    void unreachableServerIsUnavailableWithTheAddress() {
        StoreUrl url = StoreUrl.parse("redis://127.0.0.1:1/x?timeout=2s");
        assertThat(failure(ErrorCode.UNAVAILABLE, () -> RedisStore.open(url)))
                .contains("redis://127.0.0.1:1/x");
    }
}

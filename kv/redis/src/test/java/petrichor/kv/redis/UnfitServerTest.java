package petrichor.kv.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static petrichor.kv.testkit.Rows.TABLE;
import static petrichor.kv.testkit.Rows.count;
import static petrichor.kv.testkit.Rows.failure;
import static petrichor.kv.testkit.Rows.put;
import static petrichor.kv.testkit.Rows.value;

import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import petrichor.base.ErrorCode;
import petrichor.base.PetrichorException;
import petrichor.kv.DurableStep;
import petrichor.kv.StoreUrl;

/** Servers that must not be used, including those that become unsuitable while in use. */
class UnfitServerTest {
    private static final Map<String, String> FIT =
            Map.of(
                    "appendonly", "yes",
                    "appendfsync", "always",
                    "no-appendfsync-on-rewrite", "no",
                    "maxmemory-policy", "noeviction",
                    "maxmemory", "0");

    private static RedisServer server;

    @BeforeAll
    static void startServer() {
        server = RedisServer.ofItsOwn();
    }

    @AfterAll
    static void stopServer() {
        server.close();
    }

    @AfterEach
    void makeFitAgain() {
        server.operator(
                redis -> {
                    redis.replicaofNoOne();
                    return redis.configSet(FIT);
                });
    }

    @ParameterizedTest
    @CsvSource({
        "appendonly, no",
        "appendfsync, everysec",
        "appendfsync, no",
        "no-appendfsync-on-rewrite, yes",
        "maxmemory-policy, allkeys-lru"
    })
    void weakerSettingIsRefusedWithTheLineThatIsNeeded(String setting, String weak) {
        server.operator(redis -> redis.configSet(setting, weak));
        assertThat(failure(ErrorCode.FAILED_PRECONDITION, server::open))
                .contains("its " + setting + " is '" + weak + "'")
                .contains("put '" + setting + " " + FIT.get(setting) + "' into");
    }

    @Test
    void serverThatReturnsWithWeakerSettingsIsRefusedUntilCorrected() {
        try (RedisStore store = server.open()) {
            store.createTable(TABLE);
            store.write(put("a", "1"));
            server.operator(redis -> redis.configSet("appendfsync", "everysec"));
            server.breakConnections();
            assertThat(failure(ErrorCode.FAILED_PRECONDITION, () -> afterBreak(store)))
                    .contains("appendfsync always");
            server.operator(redis -> redis.configSet("appendfsync", "always"));
            assertThat(value(store, "a")).isEqualTo("1");
        }
    }

    /** The first call after a break may be the one that detects it. */
    private static void afterBreak(RedisStore store) {
        try {
            store.write(put("a", "1"));
        } catch (PetrichorException broken) {
            if (broken.code() != ErrorCode.UNAVAILABLE) {
                throw broken;
            }
        }
        store.write(put("a", "1"));
    }

    @Test
    void replicaIsRefusedAndItsMasterNamed() {
        server.operator(redis -> redis.replicaof("127.0.0.1", 1));
        assertThat(failure(ErrorCode.FAILED_PRECONDITION, server::open))
                .contains("replica")
                .contains("127.0.0.1:1");
    }

    @Test
    void aServerThatBecameAReplicaIsRefused() {
        try (RedisStore store = server.open()) {
            store.createTable(TABLE);
            server.operator(redis -> redis.replicaof("127.0.0.1", 1));
            failure(ErrorCode.UNAVAILABLE, () -> store.write(put("a", "1")));
            assertThat(failure(ErrorCode.FAILED_PRECONDITION, () -> store.write(put("a", "1"))))
                    .contains("replica");
        }
    }

    @Test
    void serverThatForgotAcknowledgedWritesIsRefused() {
        StoreUrl url = server.newStore();
        try (RedisStore store = RedisStore.open(url)) {
            store.createTable(TABLE);
            store.write(put("a", "1"));
            server.operator(redis -> redis.decr(url.name() + ":writes"));
            server.breakConnections();
            assertThat(failure(ErrorCode.FAILED_PRECONDITION, () -> afterBreak(store)))
                    .contains("it contains 1 of 2");
        }
    }

    @Test
    void serverThatLostAllDataIsRefusedAndNotInitialized() {
        StoreUrl url = server.newStore();
        try (RedisStore store = RedisStore.open(url)) {
            store.createTable(TABLE);
            server.operator(
                    redis ->
                            redis.del(
                                    url.name() + ":format",
                                    url.name() + ":tables",
                                    url.name() + ":writes"));
            server.breakConnections();
            assertThat(failure(ErrorCode.FAILED_PRECONDITION, () -> afterBreak(store)))
                    .contains("without acknowledged writes");
            assertThat(server.<Long>operator(redis -> redis.exists(url.name() + ":format")))
                    .isZero();
        }
    }

    @Test
    void valuesOfAnotherProgramUnderOurNameAreRefused() {
        server.operator(redis -> redis.sadd("theirs:tables", "x"));
        StoreUrl url = server.store("theirs", "");
        assertThat(failure(ErrorCode.FAILED_PRECONDITION, () -> RedisStore.open(url)))
                .contains("'theirs:'")
                .contains("another name");
        server.operator(redis -> redis.set("foreign:format", "7"));
        StoreUrl other = server.store("foreign", "");
        failure(ErrorCode.FAILED_PRECONDITION, () -> RedisStore.open(other));
    }

    @Test
    void valuesOfAnotherProgramUnderATablesNameAreRefused() {
        StoreUrl url = server.newStore();
        server.operator(redis -> redis.set(url.name() + ":rows:values", "theirs"));
        try (RedisStore store = RedisStore.open(url)) {
            assertThat(failure(ErrorCode.FAILED_PRECONDITION, () -> store.createTable(TABLE)))
                    .contains("'rows'");
            assertThat(store.tables()).isEmpty();
        }
    }

    @Test
    void valuesOfAnotherProgramAmongOursAreRefused() {
        StoreUrl url = server.newStore();
        server.operator(redis -> redis.set(url.name() + ":format", "petrichor 1"));
        server.operator(redis -> redis.set(url.name() + ":fences", "theirs"));
        assertThat(failure(ErrorCode.FAILED_PRECONDITION, () -> RedisStore.open(url)))
                .contains("another name");
    }

    @Test
    void valuesOfAnotherProgramInPlaceOfATableAreRefused() {
        StoreUrl url = server.newStore();
        try (RedisStore store = RedisStore.open(url)) {
            store.createTable(TABLE);
            server.operator(redis -> redis.set(url.name() + ":rows:values", "theirs"));
            assertThat(failure(ErrorCode.FAILED_PRECONDITION, () -> value(store, "a")))
                    .contains("another name");
        }
    }

    @Test
    void newerFormatIsRefused() {
        StoreUrl url = server.newStore();
        server.operator(redis -> redis.set(url.name() + ":format", "petrichor 2"));
        assertThat(failure(ErrorCode.FAILED_PRECONDITION, () -> RedisStore.open(url)))
                .contains("newer Petrichor");
    }

    @Test
    void exhaustedMemoryRefusesWholeCommits() {
        try (RedisStore store = server.open()) {
            store.createTable(TABLE);
            var step = (DurableStep.AtomicBatch) store.durableStep();
            byte[] domain = {1};
            long fence = step.takeFence(domain);
            server.operator(redis -> redis.configSet("maxmemory", "1mb"));
            assertThat(
                            failure(
                                    ErrorCode.UNAVAILABLE,
                                    () -> step.commit(domain, fence, put("a", "1"))))
                    .contains("maxmemory");
            assertThat(count(store)).isZero();
            server.operator(redis -> redis.configSet("maxmemory", "0"));
            assertThat(step.commit(domain, fence, put("a", "1")))
                    .isEqualTo(DurableStep.Outcome.DONE);
        }
    }

    @Test
    void lostScriptsAreLoadedAgain() {
        try (RedisStore store = server.open()) {
            store.createTable(TABLE);
            long before = store.retries();
            server.operator(redis -> redis.scriptFlush());
            store.write(put("a", "1"));
            server.operator(redis -> redis.scriptFlush());
            assertThat(count(store)).isEqualTo(1);
            assertThat(store.retries()).isEqualTo(before + 2);
        }
    }
}

package petrichor.apps.catalog;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.protobuf.ByteString;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import petrichor.base.ErrorCode;
import petrichor.base.PetrichorException;
import petrichor.kv.KeyValueStore;
import petrichor.kv.memory.MemoryStore;
import petrichor.transactions.databases.RowDatabases;

class AppCatalogTest {
    private static final String APP = "demo";
    private static final String SERVICE = AppRecord.DEFAULT_SERVICE;

    private final KeyValueStore store = MemoryStore.open();
    private final RowDatabases databases = new RowDatabases(store);
    private final AppCatalog catalog = new AppCatalog(() -> databases.open("$system"));

    @AfterEach
    void close() {
        databases.close();
        store.close();
    }

    private static VersionRecord version(String name) {
        return new VersionRecord(
                name, "0123456789abcdef".repeat(4), new VersionRecord.Origin(7, "ann"), true);
    }

    private ServiceRecord deploy(String name, boolean promote) {
        return catalog.deploy(APP, SERVICE, version(name), promote, UnaryOperator.identity())
                .service(SERVICE);
    }

    private static void assertFails(
            ErrorCode code, org.assertj.core.api.ThrowableAssert.ThrowingCallable call) {
        assertThatThrownBy(call)
                .isInstanceOfSatisfying(
                        PetrichorException.class, e -> assertThat(e.code()).isEqualTo(code));
    }

    @Test
    void theFirstVersionGetsAllRequests() {
        assertThat(deploy("v1", false).traffic()).contains(Traffic.all("v1"));
        assertThat(deploy("v2", false).traffic()).contains(Traffic.all("v1"));
        assertThat(deploy("v3", true).traffic()).contains(Traffic.all("v3"));
        assertThat(catalog.require(APP).service(SERVICE).versions())
                .containsOnlyKeys("v1", "v2", "v3");
    }

    @Test
    void whatIsStoredIsRead() {
        deploy("v1", true);
        deploy("v2", false);
        Traffic split = new Traffic(Traffic.By.COOKIE, Map.of("v1", 900, "v2", 100));
        AppRecord changed = catalog.split(APP, SERVICE, split);
        catalog.deploy("another", "worker", version("a"), true, UnaryOperator.identity());
        assertThat(catalog.find(APP)).contains(changed);
        assertThat(catalog.list()).extracting(AppRecord::name).containsExactly("another", APP);
        assertThat(changed.service(SERVICE).version("v2")).isEqualTo(version("v2"));
    }

    @Test
    void theConfigurationOutlivesChangesOfVersions() {
        AppConfiguration configuration =
                new AppConfiguration(
                        List.of(new AppConfiguration.DispatchRoute("*/a/*", SERVICE)),
                        List.of("mail"),
                        new AppVariables(
                                Map.of("A", "\u00fc"), Map.of("B", ByteString.copyFromUtf8("x"))),
                        List.of(
                                AppDomain.of("www.example.com", SERVICE),
                                AppDomain.of("*.example.com", "api")));
        catalog.configure(APP, _ -> configuration);
        deploy("v1", true);
        assertThat(catalog.require(APP).configuration()).isEqualTo(configuration);
    }

    @Test
    void rollbacksReturnToFormerSplits() {
        deploy("v1", true);
        deploy("v2", true);
        Traffic split = new Traffic(Traffic.By.IP, Map.of("v1", 500, "v2", 500));
        catalog.split(APP, SERVICE, split);
        deploy("v3", true);
        assertThat(catalog.rollback(APP, SERVICE).service(SERVICE).traffic()).contains(split);
        assertThat(catalog.rollback(APP, SERVICE).service(SERVICE).traffic())
                .contains(Traffic.all("v2"));
        assertThat(catalog.rollback(APP, SERVICE).service(SERVICE).traffic())
                .contains(Traffic.all("v1"));
        assertFails(ErrorCode.FAILED_PRECONDITION, () -> catalog.rollback(APP, SERVICE));
    }

    @Test
    void aRollbackSkipsDeletedVersions() {
        deploy("v1", true);
        deploy("v2", true);
        deploy("v3", true);
        catalog.deleteVersion(APP, SERVICE, "v2");
        assertThat(catalog.rollback(APP, SERVICE).service(SERVICE).traffic())
                .contains(Traffic.all("v1"));
    }

    @Test
    void formerSplitsAreLimited() {
        for (int i = 0; i < ServiceRecord.FORMER_MAX + 5; i++) {
            deploy("v" + i, true);
        }
        assertThat(catalog.require(APP).service(SERVICE).former())
                .hasSize(ServiceRecord.FORMER_MAX)
                .startsWith(Traffic.all("v4"));
    }

    @Test
    void aVersionWithRequestsIsNotDeleted() {
        deploy("v1", true);
        assertFails(ErrorCode.FAILED_PRECONDITION, () -> catalog.deleteVersion(APP, SERVICE, "v1"));
        deploy("v2", true);
        catalog.deleteVersion(APP, SERVICE, "v1");
        assertFails(ErrorCode.NOT_FOUND, () -> catalog.deleteVersion(APP, SERVICE, "v1"));
    }

    @Test
    void versionsStopAndStart() {
        deploy("v1", true);
        assertThat(
                        catalog.setServing(APP, SERVICE, "v1", false)
                                .service(SERVICE)
                                .version("v1")
                                .serving())
                .isFalse();
        assertThat(catalog.setServing(APP, SERVICE, "v1", true).service(SERVICE).version("v1"))
                .isEqualTo(version("v1"));
    }

    @Test
    void unknownNamesAreReported() {
        assertFails(ErrorCode.NOT_FOUND, () -> catalog.require("missing"));
        assertFails(ErrorCode.NOT_FOUND, () -> catalog.delete("missing"));
        assertFails(ErrorCode.NOT_FOUND, () -> catalog.rollback("missing", SERVICE));
        deploy("v1", true);
        assertFails(ErrorCode.NOT_FOUND, () -> catalog.rollback(APP, "missing"));
        assertFails(ErrorCode.NOT_FOUND, () -> catalog.split(APP, SERVICE, Traffic.all("missing")));
        assertThat(catalog.find("missing")).isEqualTo(Optional.empty());
    }

    @Test
    void invalidNamesAreRefused() {
        for (String name : List.of("", "A", "a_b", "-a", "a-", "a".repeat(64), "a-dot-b", "a/b")) {
            assertFails(ErrorCode.INVALID_ARGUMENT, () -> version(name));
            assertFails(
                    ErrorCode.INVALID_ARGUMENT,
                    () ->
                            catalog.deploy(
                                    name, SERVICE, version("v1"), true, UnaryOperator.identity()));
            assertFails(
                    ErrorCode.INVALID_ARGUMENT,
                    () -> catalog.deploy(APP, name, version("v1"), true, UnaryOperator.identity()));
        }
        assertThat(catalog.list()).isEmpty();
        assertFails(
                ErrorCode.INVALID_ARGUMENT,
                () -> new VersionRecord("v", "abc", new VersionRecord.Origin(0, ""), true));
    }

    @Test
    void sharesAreThoseOfAWhole() {
        for (Map<String, Integer> shares :
                List.of(
                        Map.<String, Integer>of(),
                        Map.of("a", 999),
                        Map.of("a", 1000, "b", 0),
                        Map.of("a", 1001, "b", -1))) {
            assertFails(ErrorCode.INVALID_ARGUMENT, () -> new Traffic(Traffic.By.RANDOM, shares));
        }
    }

    @Test
    void limitsHold() {
        for (int i = 0; i < ServiceRecord.VERSIONS_MAX; i++) {
            deploy("v" + i, false);
        }
        assertFails(ErrorCode.RESOURCE_EXHAUSTED, () -> deploy("one-more", false));
        deploy("v0", false); // replaces a version
        for (int i = 1; i < AppRecord.SERVICES_MAX; i++) {
            catalog.deploy(APP, "s" + i, version("v"), true, UnaryOperator.identity());
        }
        assertFails(
                ErrorCode.RESOURCE_EXHAUSTED,
                () ->
                        catalog.deploy(
                                APP, "one-more", version("v"), true, UnaryOperator.identity()));
    }

    @Test
    void concurrentChangesAreAllKept() throws Exception {
        deploy("v", true);
        try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
            List<Future<?>> changes = new ArrayList<>();
            for (int i = 0; i < 8; i++) {
                String name = "v" + i;
                changes.add(threads.submit(() -> deploy(name, false)));
            }
            for (Future<?> change : changes) {
                change.get();
            }
        }
        assertThat(catalog.require(APP).service(SERVICE).versions()).hasSize(9);
    }

    @Test
    void aDeletedAppIsGone() {
        deploy("v1", true);
        catalog.delete(APP);
        assertThat(catalog.list()).isEmpty();
        assertThat(deploy("v2", false).versions()).containsOnlyKeys("v2");
    }

    @Test
    void aDomainBelongsToOneApp() {
        deploy("v1", true);
        catalog.deploy("another", SERVICE, version("a"), true, UnaryOperator.identity());
        AppDomain domain = AppDomain.of("Shop.Example.COM.", SERVICE);
        assertThat(catalog.addDomain(APP, domain).configuration().domains())
                .containsExactly(new AppDomain("shop.example.com", SERVICE));
        assertThat(catalog.addDomain(APP, domain).configuration().domains()).hasSize(1);
        assertFails(ErrorCode.ALREADY_EXISTS, () -> catalog.addDomain("another", domain));
        assertFails(ErrorCode.NOT_FOUND, () -> catalog.addDomain("none", domain));
        assertFails(
                ErrorCode.NOT_FOUND,
                () -> catalog.addDomain(APP, AppDomain.of("api.example.com", "api")));
        assertFails(ErrorCode.NOT_FOUND, () -> catalog.removeDomain("another", "shop.example.com"));
        assertThat(catalog.removeDomain(APP, "shop.example.com").configuration().domains())
                .isEmpty();
        assertThat(catalog.addDomain("another", domain).configuration().domains()).hasSize(1);
        catalog.delete("another");
        assertThat(catalog.addDomain(APP, domain).configuration().domains()).hasSize(1);
    }

    @Test
    void onlyOneOfTwoAppsThatAddADomainAtOnceGetsIt() throws Exception {
        List<String> apps = List.of("a", "b");
        for (String app : apps) {
            catalog.deploy(app, SERVICE, version("v"), true, UnaryOperator.identity());
        }
        try (ExecutorService both = Executors.newVirtualThreadPerTaskExecutor()) {
            for (int round = 0; round < 50; round++) {
                AppDomain domain = AppDomain.of("w" + round + ".example.com", SERVICE);
                List<Future<?>> adding = new ArrayList<>();
                for (String app : apps) {
                    adding.add(both.submit(() -> catalog.addDomain(app, domain)));
                }
                long refused = 0;
                for (Future<?> each : adding) {
                    try {
                        var _ = each.get();
                    } catch (java.util.concurrent.ExecutionException expected) {
                        refused++;
                    }
                }
                assertThat(refused).as(domain.host()).isEqualTo(1);
            }
        }
    }

    @Test
    void domainsAreNamesOfHosts() {
        assertThat(AppDomain.of("M\u00fcnchen.example", SERVICE).host())
                .isEqualTo("xn--mnchen-3ya.example");
        assertThat(AppDomain.of("*.example.com", SERVICE).isWildcard()).isTrue();
        for (String host :
                List.of(
                        "",
                        "*",
                        "*.",
                        "*.com",
                        "a.*.com",
                        "127.0.0.1",
                        "[::1]",
                        "example.com:80",
                        "http://example.com",
                        "example.com/a",
                        "a b.example.com",
                        "a..example.com",
                        ".example.com",
                        "-a.example.com",
                        "a_b.example.com",
                        "a".repeat(64) + ".example.com",
                        "a.".repeat(126) + "com")) {
            assertFails(ErrorCode.INVALID_ARGUMENT, () -> AppDomain.of(host, SERVICE));
        }
    }
}

package petrichor.apps.router.table;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import petrichor.base.PetrichorException;

final class RoutingTableTest {
    private final RoutingTable table =
            new RoutingTable(
                    "apps.example",
                    Optional.of("blog"),
                    Map.of("shop", app("shop"), "blog", app("blog")),
                    Map.of(
                            "www.shop.com",
                            new RoutingTable.CustomDomain("shop", Optional.empty()),
                            "api.shop.com",
                            new RoutingTable.CustomDomain("shop", Optional.of("api")),
                            "*.shop.com",
                            new RoutingTable.CustomDomain("shop", Optional.of("api"))));

    static VersionRoutes version(String app, String service, String version) {
        return new VersionRoutes(
                new VersionName(app, service, version),
                List.of(UrlHandler.instances()),
                ErrorPages.NONE,
                VersionRoutes.Timeouts.DEFAULT);
    }

    private static ServiceRoutes service(String app, String service) {
        return new ServiceRoutes(
                service,
                Map.of("v1", version(app, service, "v1"), "v2", version(app, service, "v2")),
                TrafficSplit.all("v1"));
    }

    private static AppRoutes app(String app) {
        return new AppRoutes(
                app,
                Map.of("default", service(app, "default"), "api", service(app, "api")),
                List.of(DispatchRule.of("*/api/*", "api"), DispatchRule.of("a.com/b", "api")),
                List.of());
    }

    private String match(String host) {
        return switch (table.match(host)) {
            case RoutingTable.Unknown _ -> "unknown";
            case RoutingTable.Service(var app, var service) -> app.app() + "/" + service.service();
            case RoutingTable.Version(var app, var service, var version, var instance) ->
                    app.app()
                            + "/"
                            + service.service()
                            + "/"
                            + version.name().version()
                            + instance.map(id -> "/" + id).orElse("");
        };
    }

    @Test
    void hostsNameAppsServicesVersionsAndInstances() {
        assertThat(match("shop.apps.example")).isEqualTo("shop/default");
        assertThat(match("api-dot-shop.apps.example")).isEqualTo("shop/api");
        assertThat(match("v2-dot-shop.apps.example")).isEqualTo("shop/default/v2");
        assertThat(match("v2-dot-api-dot-shop.apps.example")).isEqualTo("shop/api/v2");
        assertThat(match("3-dot-v2-dot-api-dot-shop.apps.example")).isEqualTo("shop/api/v2/3");
        assertThat(match("3-dot-v2-dot-shop.apps.example")).isEqualTo("shop/default/v2/3");
    }

    @Test
    void unknownServicesAndVersionsLeadToTheDefaultService() {
        assertThat(match("v9-dot-shop.apps.example")).isEqualTo("shop/default");
        assertThat(match("v9-dot-api-dot-shop.apps.example")).isEqualTo("shop/default");
        assertThat(match("1-dot-v1-dot-web-dot-shop.apps.example")).isEqualTo("shop/default");
        assertThat(match("a-dot-b-dot-c-dot-d-dot-shop.apps.example")).isEqualTo("shop/default");
    }

    @Test
    void customDomainsAndTheDefaultApp() {
        assertThat(match("www.shop.com")).isEqualTo("shop/default");
        assertThat(match("api.shop.com")).isEqualTo("shop/api");
        assertThat(match("x.y.shop.com")).isEqualTo("shop/api");
        assertThat(match("shop.com")).isEqualTo("blog/default");
        assertThat(match("elsewhere")).isEqualTo("blog/default");
        assertThat(match("none.apps.example")).isEqualTo("blog/default");
        assertThat(match("")).isEqualTo("blog/default");
        assertThat(RoutingTable.EMPTY.match("shop.localhost"))
                .isInstanceOf(RoutingTable.Unknown.class);
    }

    @Test
    void dispatchRulesMatchHostsAndPaths() {
        AppRoutes app = app("shop");
        assertThat(app.dispatched("any.host", "/api/x")).isNotNull();
        assertThat(app.dispatched("any.host", "/apix")).isNull();
        assertThat(app.dispatched("a.com", "/b")).isNotNull();
        assertThat(app.dispatched("a.com", "/b/c")).isNull();
        assertThat(app.dispatched("b.a.com", "/b")).isNull();
        assertThatThrownBy(() -> DispatchRule.of("a*b.com/x", "api"))
                .isInstanceOf(PetrichorException.class);
        assertThatThrownBy(() -> DispatchRule.of("/x", "api"))
                .isInstanceOf(PetrichorException.class);
    }

    @Test
    void tablesThatContradictThemselvesAreRefused() {
        assertThatThrownBy(() -> new RoutingTable("d", Optional.of("none"), Map.of(), Map.of()))
                .isInstanceOf(PetrichorException.class);
        assertThatThrownBy(
                        () ->
                                new ServiceRoutes(
                                        "default",
                                        Map.of("v1", version("a", "default", "v1")),
                                        TrafficSplit.all("v2")))
                .isInstanceOf(PetrichorException.class);
    }

    @Test
    void sharesAreExact() {
        TrafficSplit split =
                TrafficSplit.of(TrafficSplit.By.COOKIE, Map.of("a", 333, "b", 666, "c", 1));
        Map<String, Integer> counted = new HashMap<>();
        for (int bucket = 0; bucket < TrafficSplit.BUCKETS; bucket++) {
            counted.merge(split.version(bucket), 1, Integer::sum);
        }
        assertThat(counted).isEqualTo(Map.of("a", 333, "b", 666, "c", 1));
    }

    @Test
    void betweenTwoVersionsOnlyTheDifferenceMoves() {
        TrafficSplit before = TrafficSplit.all("old");
        int moves = 0;
        for (int share : new int[] {1, 10, 50, 200, 500, 900, 999, 1000}) {
            TrafficSplit after =
                    TrafficSplit.of(TrafficSplit.By.IP, Map.of("old", 1000 - share, "new", share));
            for (int bucket = 0; bucket < TrafficSplit.BUCKETS; bucket++) {
                if (!after.version(bucket).equals(before.version(bucket))) {
                    assertThat(after.version(bucket)).isEqualTo("new");
                    moves++;
                }
            }
            before = after;
        }
        assertThat(moves).isEqualTo(1000);
    }

    @Test
    void amongThreeVersionsLittleMoreThanTheDifferenceMoves() {
        TrafficSplit before =
                TrafficSplit.of(TrafficSplit.By.IP, Map.of("a", 600, "b", 300, "c", 100));
        TrafficSplit after =
                TrafficSplit.of(TrafficSplit.By.IP, Map.of("a", 500, "b", 300, "c", 200));
        int moved = 0;
        for (int bucket = 0; bucket < TrafficSplit.BUCKETS; bucket++) {
            moved += after.version(bucket).equals(before.version(bucket)) ? 0 : 1;
        }
        assertThat(moved).isBetween(100, 150);
    }

    @Test
    void addressesSpreadOverTheBuckets() {
        int low = 0;
        for (int i = 0; i < 10_000; i++) {
            byte[] address = {10, 0, (byte) (i >> 8), (byte) i};
            low += TrafficSplit.bucketOf(address) < 100 ? 1 : 0;
        }
        assertThat(low).isBetween(850, 1150);
        byte[] one = {0x20, 1, 0xd, (byte) 0xb8, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 1};
        byte[] sameNetwork = one.clone();
        sameNetwork[15] = 77;
        assertThat(TrafficSplit.bucketOf(sameNetwork)).isEqualTo(TrafficSplit.bucketOf(one));
    }

    @Test
    void invalidSharesAreRefused() {
        assertThatThrownBy(() -> TrafficSplit.of(TrafficSplit.By.IP, Map.of("a", 999)))
                .isInstanceOf(PetrichorException.class);
        assertThatThrownBy(() -> TrafficSplit.of(TrafficSplit.By.IP, Map.of("a", 1100, "b", -100)))
                .isInstanceOf(PetrichorException.class);
        assertThatThrownBy(() -> TrafficSplit.of(TrafficSplit.By.IP, Map.of()))
                .isInstanceOf(PetrichorException.class);
    }
}

package petrichor.server.apps;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import petrichor.apps.router.table.AppRoutes;
import petrichor.apps.router.table.ErrorPages;
import petrichor.apps.router.table.ServiceRoutes;
import petrichor.apps.router.table.TrafficSplit;
import petrichor.apps.router.table.VersionName;
import petrichor.apps.router.table.VersionRoutes;

class TaskTargetTest {
    private static final AppRoutes APP =
            new AppRoutes(
                    "demo",
                    Map.of(
                            "default",
                            service(
                                    "default",
                                    TrafficSplit.of(
                                            TrafficSplit.By.RANDOM, Map.of("v1", 900, "v2", 100))),
                            "worker",
                            service("worker", TrafficSplit.all("v1"))),
                    List.of(),
                    List.of());

    private static ServiceRoutes service(String name, TrafficSplit split) {
        return new ServiceRoutes(
                name,
                Stream.of("v1", "v2")
                        .collect(
                                Collectors.toMap(
                                        version -> version,
                                        version ->
                                                new VersionRoutes(
                                                        version(name, version),
                                                        List.of(),
                                                        ErrorPages.NONE,
                                                        VersionRoutes.Timeouts.DEFAULT))),
                split);
    }

    private static VersionName version(String service, String version) {
        return new VersionName("demo", service, version);
    }

    private static int share(String target, String service, String version) {
        return Objects.requireNonNull(TaskTarget.of(APP, target))
                .share(version(service, version), 50);
    }

    @Test
    void tasksOfAServiceWaitForItsVersionsByTheirShares() {
        assertThat(share("", "default", "v1")).isEqualTo(45);
        assertThat(share("", "default", "v2")).isEqualTo(5);
        assertThat(share("", "worker", "v1")).isZero();
        assertThat(share("worker", "worker", "v1")).isEqualTo(50);
        assertThat(share("worker", "worker", "v2")).isZero();
        assertThat(share("worker", "default", "v1")).isZero();
    }

    @Test
    void tasksOfAVersionWaitForItAlone() {
        assertThat(share("v2", "default", "v2")).isEqualTo(50);
        assertThat(share("v2", "default", "v1")).isZero();
        assertThat(share("v2.worker", "worker", "v2")).isEqualTo(50);
        assertThat(share("v2.worker", "worker", "v1")).isZero();
    }

    @Test
    void anAppWithoutServicesHasNoTarget() {
        AppRoutes empty = new AppRoutes("demo", Map.of(), List.of(), List.of());
        assertThat(TaskTarget.of(empty, "worker")).isNull();
    }
}

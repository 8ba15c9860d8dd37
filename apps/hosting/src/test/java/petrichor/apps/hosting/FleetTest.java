package petrichor.apps.hosting;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.fail;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import petrichor.apps.catalog.AppQuotas;
import petrichor.apps.catalog.AppVariables;
import petrichor.apps.catalog.EffectiveQuotas;
import petrichor.apps.catalog.QuotaRecords;
import petrichor.apps.instances.Command;
import petrichor.apps.instances.HostSettings;
import petrichor.apps.instances.Instance;
import petrichor.apps.instances.InstanceFiles;
import petrichor.apps.instances.InstanceHost;
import petrichor.apps.instances.InstanceLifecycle;
import petrichor.apps.instances.InstanceLimits;
import petrichor.apps.instances.InstanceLog;
import petrichor.apps.instances.InstanceName;
import petrichor.apps.instances.InstanceSpec;
import petrichor.apps.instances.LogLimits;
import petrichor.apps.instances.RestartPolicy;
import petrichor.apps.router.Backend;
import petrichor.apps.router.Backends;
import petrichor.apps.router.table.VersionName;
import petrichor.apps.scaling.ScalingPolicy;
import petrichor.base.TimeSource;

/** Fleets of real processes, with a clock that the test sets and without the router. */
final class FleetTest {
    private static final Duration WAIT_MAX = Duration.ofSeconds(60);
    private static final VersionName VERSION = new VersionName("demo", "default", "v1");

    /** Listens while no file "refuse" exists. */
    private static final String APP =
            """
            import os, socket, time

            listening = None
            while True:
                refuse = os.path.exists("refuse")
                if refuse and listening:
                    listening.close()
                    listening = None
                if not refuse and not listening:
                    listening = socket.create_server(("127.0.0.1", int(os.environ["PORT"])))
                    listening.settimeout(0.01)
                if not listening:
                    time.sleep(0.01)
                    continue
                try:
                    listening.accept()[0].close()
                except TimeoutError:
                    pass
            """;

    private final Random random = new Random(1);
    @TempDir private Path folder;
    private final AtomicLong nanos = new AtomicLong();
    private Path code;
    private InstanceHost host;
    private InstanceLog log;

    private final TimeSource time =
            new TimeSource() {
                @Override
                public long epochMicros() {
                    return nanos.get() / 1_000;
                }

                @Override
                public long monotonicNanos() {
                    return nanos.get();
                }
            };

    private final EffectiveQuotas effective = new EffectiveQuotas(AppQuotas.NONE);
    private final InstanceQuotas quotas = new InstanceQuotas(settings(effective), time);

    @BeforeEach
    void open() throws IOException {
        Files.setPosixFilePermissions(folder, PosixFilePermissions.fromString("rwx--x--x"));
        code = Files.createDirectories(folder.resolve("code"));
        Files.writeString(code.resolve("app.py"), APP);
        host = InstanceHost.open(HostSettings.of(folder.resolve("host"), List.of()));
        log = InstanceLog.open(folder.resolve("log"), LogLimits.DEFAULT);
    }

    @AfterEach
    void close() {
        host.instances().forEach(each -> each.kill("the test is over"));
        host.close();
        log.close();
    }

    private static QuotaSettings settings(EffectiveQuotas effective) {
        return new QuotaSettings(
                new QuotaRecords(
                        () -> {
                            throw new IllegalStateException("these quotas are not stored");
                        }),
                effective,
                () -> 1);
    }

    private Fleet fleet() {
        return fleet(random);
    }

    private Fleet fleet(Random ids) {
        return new Fleet(
                new FleetPlan(
                        VERSION,
                        new ScalingPolicy.Manual(1, 8),
                        AppVariables.NONE,
                        this::spec,
                        () -> 0,
                        quotas),
                spec -> host.start(spec, log),
                RestartPolicy.DEFAULT,
                time,
                ids,
                Runnable::run);
    }

    private InstanceSpec spec(String id) {
        return new InstanceSpec(
                new InstanceName(VERSION.app(), VERSION.service(), VERSION.version(), id),
                new Command.Program(List.of("/usr/bin/python3", "app.py")),
                InstanceFiles.of(code),
                Map.of(),
                InstanceLimits.DEFAULT,
                InstanceLifecycle.DEFAULT);
    }

    private static Backends.Wanted wanted(String... instance) {
        return new Backends.Wanted(
                VERSION,
                Optional.of(instance).filter(each -> each.length > 0).map(each -> each[0]),
                Optional.empty(),
                WAIT_MAX);
    }

    private static CompletableFuture<Backends.Acquisition> acquire(Fleet fleet) {
        return fleet.acquire(wanted()).orElseThrow();
    }

    private static Backend acquired(CompletableFuture<Backends.Acquisition> future)
            throws Exception {
        Backends.Acquisition acquisition = future.get(WAIT_MAX.toSeconds(), TimeUnit.SECONDS);
        assertThat(acquisition).isInstanceOf(Backends.Acquired.class);
        return ((Backends.Acquired) acquisition).backend();
    }

    private static void await(String what, BooleanSupplier condition) {
        long end = System.nanoTime() + WAIT_MAX.toNanos();
        while (!condition.getAsBoolean()) {
            if (System.nanoTime() - end > 0) {
                fail("not within " + WAIT_MAX + ": " + what);
            }
            LockSupport.parkNanos(10_000_000);
        }
    }

    /** Lets the app refuse connections, and reports it as the router does. */
    private Backend refuse(Fleet fleet) throws Exception {
        Backend backend = acquired(acquire(fleet));
        fleet.release(backend, Backends.Use.ANSWERED);
        Instance instance = host.instances().iterator().next();
        Files.createFile(code.resolve("refuse"));
        await("it refuses connections", () -> !instance.accepts(WAIT_MAX));
        for (int i = 0; i < 10; i++) {
            Backend same = acquired(acquire(fleet));
            assertThat(same).isEqualTo(backend);
            fleet.release(same, Backends.Use.UNREACHABLE);
        }
        return backend;
    }

    private void pass(Fleet fleet, int seconds) {
        for (int i = 0; i < seconds; i++) {
            nanos.addAndGet(Duration.ofSeconds(1).toNanos());
            fleet.scale();
        }
    }

    @Test
    void anInstanceThatRefusesConnectionsForSecondsStays() throws Exception {
        Fleet fleet = fleet();
        Backend backend = refuse(fleet);
        Instance instance = host.instances().iterator().next();
        pass(fleet, (int) FleetMember.REFUSING_MAX.toSeconds() - 1);

        Files.delete(code.resolve("refuse"));
        await("it accepts connections", () -> instance.accepts(WAIT_MAX));
        pass(fleet, 60);
        assertThat(fleet.status().members())
                .singleElement()
                .matches(member -> member.id().equals(backend.id()));
        assertThat(acquired(acquire(fleet))).isEqualTo(backend);
    }

    @Test
    void aJumpOfTheClockDoesNotEndAnInstance() throws Exception {
        Fleet fleet = fleet();
        Backend backend = refuse(fleet);
        Instance instance = host.instances().iterator().next();
        nanos.addAndGet(Duration.ofHours(1).toNanos());
        fleet.scale();
        Files.delete(code.resolve("refuse"));
        await("it accepts connections", () -> instance.accepts(WAIT_MAX));
        pass(fleet, 1);
        assertThat(acquired(acquire(fleet))).isEqualTo(backend);
    }

    @Test
    void anInstanceThatRefusesConnectionsForLongIsReplaced() throws Exception {
        Fleet fleet = fleet();
        Backend backend = refuse(fleet);
        pass(fleet, (int) FleetMember.REFUSING_MAX.toSeconds() + 1);
        Files.delete(code.resolve("refuse"));
        CompletableFuture<Backends.Acquisition> next = acquire(fleet);
        await(
                "a new instance",
                () -> {
                    pass(fleet, 1);
                    return next.isDone();
                });
        assertThat(acquired(next).id()).isNotEqualTo(backend.id());
    }

    @Test
    void aBusyInstanceIsNotSuspect() throws Exception {
        Fleet fleet = fleet();
        Backend backend = acquired(acquire(fleet));
        fleet.release(backend, Backends.Use.ANSWERED);
        for (int i = 0; i < 100; i++) {
            Backend same = acquired(acquire(fleet));
            fleet.release(same, Backends.Use.UNREACHABLE);
            pass(fleet, 1);
        }
        assertThat(acquired(acquire(fleet))).isEqualTo(backend);
    }

    /** A fleet whose instance does not become ready. */
    private Fleet starting() throws IOException {
        Files.createFile(code.resolve("refuse"));
        return fleet();
    }

    @Test
    void requestsThatWaitForAReplacedFleetGoToItsSuccessor() throws Exception {
        Fleets fleets = new Fleets(InetSocketAddress.createUnresolved("platform", 1));
        Fleet former = starting();
        assertThat(fleets.put(former)).isNull();
        List<CompletableFuture<Backends.Acquisition>> waiting =
                List.of(fleets.acquire(wanted()), fleets.acquire(wanted()));
        CompletableFuture<Backends.Acquisition> cancelled = fleets.acquire(wanted());
        String first = former.status().members().getFirst().id();
        CompletableFuture<Backends.Acquisition> bound = fleets.acquire(wanted(first));
        cancelled.cancel(false);

        Fleet next = fleet();
        assertThat(fleets.put(next)).isSameAs(former);
        CompletableFuture<Void> ended = fleets.retire(former, "another deployment replaces it");
        assertThat(waiting).noneMatch(CompletableFuture::isDone);
        assertThat(bound.getNow(null)).isInstanceOf(Backends.Unavailable.class);

        Files.delete(code.resolve("refuse"));
        List<String> instances = new ArrayList<>();
        for (CompletableFuture<Backends.Acquisition> each : waiting) {
            Backend backend = acquired(each);
            instances.add(backend.id());
            fleets.release(backend, Backends.Use.ANSWERED);
        }
        assertThat(next.status().members())
                .singleElement()
                .matches(member -> instances.equals(List.of(member.id(), member.id())))
                .matches(member -> member.requests() == 0);
        ended.get(WAIT_MAX.toSeconds(), TimeUnit.SECONDS);
    }

    @Test
    void requestsThatWaitForARemovedFleetFail() throws Exception {
        Fleets fleets = new Fleets(InetSocketAddress.createUnresolved("platform", 1));
        Fleet former = starting();
        assertThat(fleets.put(former)).isNull();
        CompletableFuture<Backends.Acquisition> waiting = fleets.acquire(wanted());
        assertThat(fleets.remove(VERSION)).isSameAs(former);
        var _ = fleets.retire(former, "the version was stopped");
        assertThat(waiting.getNow(null))
                .isInstanceOfSatisfying(
                        Backends.Unavailable.class,
                        each -> assertThat(each.reason()).isEqualTo("the version was stopped"));
    }

    @Test
    void aClosedFleetGivesItsPlaceToItsSuccessor() throws Exception {
        Fleets fleets = new Fleets(InetSocketAddress.createUnresolved("platform", 1));
        Fleet closed = fleet();
        assertThat(fleets.put(closed)).isNull();
        var _ = closed.close("the server stops");
        assertThat(fleets.acquire(wanted()).getNow(null)).isInstanceOf(Backends.Unavailable.class);
        assertThat(fleets.put(fleet())).isSameAs(closed);
        acquired(fleets.acquire(wanted()));
    }

    @Test
    void instancesOfReplacedAndNewFleetsHaveDifferentIds() {
        Random shared = new Random(1);
        assertThat(Stream.generate(() -> fleet(shared).nextId()).limit(100).distinct())
                .hasSize(100);
    }

    /** Changes the quotas of the app, as a server does when it reads the catalog. */
    private void limit(String quotas) {
        effective.follow(Map.of(VERSION.app(), AppQuotas.parse(quotas)));
    }

    @Test
    void aFleetStartsNoMoreInstancesThanTheQuotaOfItsApp() throws Exception {
        limit("instances=1");
        Fleet first = fleet(new Random(3));
        Fleet second = fleet(new Random(4));
        Backend backend = acquired(acquire(first));
        Backends.Acquisition refused = acquire(second).get(WAIT_MAX.toSeconds(), TimeUnit.SECONDS);
        assertThat(refused)
                .isInstanceOfSatisfying(
                        Backends.Unavailable.class,
                        reason ->
                                assertThat(reason.reason())
                                        .isEqualTo("the app is at its quota instances=1"));
        assertThat(second.status().explanation())
                .contains("; no more start because the app is at its quota instances=1");
        assertThat(host.instances()).hasSize(1);
        assertThat(quotas.use(VERSION.app()).instances()).isEqualTo(1);
        assertThat(quotas.refused(VERSION.app())).isPositive();

        limit("instances=2");
        assertThat(acquired(acquire(second)).id()).isNotEqualTo(backend.id());
        assertThat(second.status().explanation()).doesNotContain("quota");
        assertThat(host.instances()).hasSize(2);
    }

    @Test
    void theMemoryOfInstancesIsLimitedTogether() throws Exception {
        limit("memory=500MiB");
        Fleet first = fleet(new Random(3));
        Fleet second = fleet(new Random(4));
        acquired(acquire(first));
        assertThat(acquire(second).get(WAIT_MAX.toSeconds(), TimeUnit.SECONDS))
                .isInstanceOf(Backends.Unavailable.class);
        limit("memory=1GiB");
        acquired(acquire(second));
        assertThat(quotas.use(VERSION.app()).memoryBytes())
                .isEqualTo(2 * InstanceLimits.DEFAULT.memoryBytesMax());
    }

    @Test
    void instancesOverALoweredQuotaEndThoseWithoutRequestsFirst() throws Exception {
        Fleet busy = fleet(new Random(3));
        Fleet idle = fleet(new Random(4));
        Backend used = acquired(acquire(busy));
        Backend unused = acquired(acquire(idle));
        idle.release(unused, Backends.Use.ANSWERED);
        limit("instances=1");
        quotas.trim(VERSION.app(), List.of(busy, idle), _ -> true);
        await("one instance ends", () -> quotas.use(VERSION.app()).instances() == 1);
        assertThat(busy.status().members())
                .singleElement()
                .matches(member -> member.id().equals(used.id()));
        busy.release(used, Backends.Use.ANSWERED);
    }

    @Test
    void startsAtTheSameTimeDoNotExceedTheQuota() throws Exception {
        limit("instances=3");
        List<CompletableFuture<Backends.Acquisition>> all = new ArrayList<>();
        try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
            for (int i = 0; i < 8; i++) {
                Fleet fleet = fleet(new Random(10 + i));
                CompletableFuture<Backends.Acquisition> found = new CompletableFuture<>();
                all.add(found);
                threads.execute(() -> found.complete(acquire(fleet).join()));
            }
        }
        int started = 0;
        for (CompletableFuture<Backends.Acquisition> each : all) {
            started +=
                    each.get(WAIT_MAX.toSeconds(), TimeUnit.SECONDS) instanceof Backends.Acquired
                            ? 1
                            : 0;
        }
        assertThat(started).isEqualTo(3);
        assertThat(host.instances()).hasSize(3);
    }
}

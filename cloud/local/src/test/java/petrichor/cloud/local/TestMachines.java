package petrichor.cloud.local;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import petrichor.cloud.Billing;
import petrichor.cloud.Cloud;
import petrichor.cloud.InstanceType;
import petrichor.cloud.Money;
import petrichor.cloud.testkit.CloudUnderTest;

/** A local cloud in a temporary folder; all of its processes end with the test. */
final class TestMachines implements CloudUnderTest {
    private static final Duration WAIT_MAX = Duration.ofSeconds(60);
    private static final long POLL_NANOS = 5_000_000;

    static final InstanceType SMALL =
            new InstanceType(
                    "local.small", 1, 128L << 20, 0, Money.parse("0.01"), Duration.ofSeconds(1));

    private final Path folder;
    private final Fence fence;
    private final List<String> command;
    private final LocalCloud cloud;

    TestMachines(Fence fence, String script) throws IOException {
        this.folder = Files.createTempDirectory("petrichor-machines");
        this.fence = fence;
        this.command = List.of("sh", "-c", script);
        this.cloud = LocalCloud.open(setting(folder, command), fence);
    }

    static LocalSetting setting(Path folder, List<String> command) {
        return new LocalSetting(folder, List.of(SMALL), type -> command, 4);
    }

    Path folder() {
        return folder;
    }

    Path machine(String id) {
        return folder.resolve("machines").resolve(id);
    }

    @Override
    public LocalCloud cloud() {
        return cloud;
    }

    @Override
    public Cloud reopen() {
        return LocalCloud.open(setting(folder, command), fence);
    }

    /** The same machines with a spot market. */
    LocalCloud with(SpotPrices spot) {
        return LocalCloud.open(
                new LocalSetting(
                        folder, List.of(SMALL), type -> command, 4, Billing.PER_SECOND, spot),
                fence);
    }

    @Override
    public void until(String what, BooleanSupplier condition) {
        long end = System.nanoTime() + WAIT_MAX.toNanos();
        while (!condition.getAsBoolean()) {
            if (System.nanoTime() - end > 0) {
                throw new AssertionError("not within " + WAIT_MAX + ": " + what);
            }
            LockSupport.parkNanos(POLL_NANOS);
        }
    }

    @Override
    public void close() {
        try {
            for (MachineFolder machine : MachineFolder.all(folder.resolve("machines"))) {
                cloud.terminate(machine.id());
            }
        } catch (IOException e) {
            throw new AssertionError(e);
        }
        until("the folder is deleted", this::deleted);
    }

    /** A process that has just been started or terminated may still create and rename files. */
    private boolean deleted() {
        try (var all = Files.walk(folder)) {
            for (Path each : all.sorted(Comparator.reverseOrder()).toList()) {
                Files.deleteIfExists(each);
            }
            return true;
        } catch (IOException | UncheckedIOException changed) {
            return !Files.exists(folder);
        }
    }
}

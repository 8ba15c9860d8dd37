package petrichor.jobs.leased;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import petrichor.base.LinuxProcesses;
import petrichor.cloud.Description;
import petrichor.cloud.InstanceState;
import petrichor.cloud.InstanceType;
import petrichor.cloud.LaunchRequest;
import petrichor.cloud.LaunchResult;
import petrichor.cloud.LeaseTag;
import petrichor.cloud.TerminateResult;
import petrichor.cloud.local.LocalCloud;
import petrichor.cloud.local.LocalSetting;

/** A machine whose lessee has died, and whose worker hangs. */
@Timeout(180)
final class OrphanedMachineTest {
    private static final Duration WAIT_MAX = Duration.ofSeconds(60);

    @TempDir private Path folder;

    @Test
    void anOrphanedMachineEndsEvenWithAHangingWorker() throws Exception {
        InstanceType small = LeaseSetting.type("small:1:320:0.10");
        Files.writeString(folder.resolve("worker-small"), "echo yes > greeted; sleep 600\n");
        Process lessee = new ProcessBuilder("sleep", "600").start();
        new Coordinator(lessee.pid(), LinuxProcesses.startTicks(lessee.pid()), 1, "token")
                .write(folder);
        LocalSetting setting =
                new LocalSetting(
                        folder, List.of(small), type -> LocalMachines.machine(folder, type, 1), 1);
        try (LocalCloud cloud = LocalCloud.open(setting)) {
            String machine = launch(cloud);
            Path place = folder.resolve("machines").resolve(machine);
            await(() -> Files.exists(place.resolve(LocalMachines.GREETED)));
            assertThat(state(cloud, machine)).isEqualTo(InstanceState.RUNNING);
            lessee.destroyForcibly();
            await(() -> state(cloud, machine) == InstanceState.TERMINATED);
            assertThat(cloud.terminate(machine))
                    .isInstanceOfSatisfying(
                            TerminateResult.Gone.class,
                            gone -> assertThat(gone.since()).isPresent());
        } finally {
            lessee.destroyForcibly();
        }
    }

    private static String launch(LocalCloud cloud) {
        LaunchRequest request =
                LaunchRequest.onDemand("one-machine", "small", new LeaseTag("a test", "nothing"));
        return cloud.launch(request) instanceof LaunchResult.Launched(var machine)
                ? machine.id()
                : "";
    }

    private static InstanceState state(LocalCloud cloud, String machine) {
        return cloud.describe(machine) instanceof Description.Known(var known)
                ? known.state()
                : InstanceState.PENDING;
    }

    private static void await(BooleanSupplier moment) {
        long started = System.nanoTime();
        while (!moment.getAsBoolean()) {
            assertThat(System.nanoTime() - started).isLessThan(WAIT_MAX.toNanos());
            LockSupport.parkNanos(10_000_000);
        }
    }
}

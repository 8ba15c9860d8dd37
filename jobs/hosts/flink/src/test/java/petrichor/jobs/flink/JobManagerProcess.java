package petrichor.jobs.flink;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.ServerSocket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import petrichor.cloud.leasing.LeaseJournal;
import petrichor.cloud.leasing.LeaseLine;
import petrichor.cloud.leasing.LeaseState;
import petrichor.jobs.leased.ClusterMachines;

/** A job manager that leases machines, in a separate process that can be killed. */
final class JobManagerProcess {
    private static final Duration SOON = Duration.ofSeconds(60);
    private static final Pattern MACHINES = Pattern.compile("\"taskmanagers\":([0-9]+)");

    private final Process process;
    private final int port;

    private JobManagerProcess(Process process, int port) {
        this.process = process;
        this.port = port;
    }

    static JobManagerProcess start(Path folder, ClusterMachines machines, int waitSeconds)
            throws Exception {
        Path conf = Files.createDirectories(folder.resolve("conf"));
        Path file = folder.resolve("machines");
        machines.write(file);
        int port = freePort();
        Files.writeString(
                conf.resolve("config.yaml"), configuration(folder, file, port, waitSeconds));
        List<String> command =
                List.of(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-Xmx256m",
                        "-XX:+UseSerialGC",
                        "--enable-native-access=ALL-UNNAMED",
                        "--sun-misc-unsafe-memory-access=allow",
                        "--add-opens=java.base/java.lang=ALL-UNNAMED",
                        "--add-opens=java.base/java.util=ALL-UNNAMED",
                        "-cp",
                        System.getProperty("java.class.path"),
                        LeasedCluster.class.getName(),
                        "--configDir",
                        conf.toString());
        var started =
                new JobManagerProcess(
                        new ProcessBuilder(command)
                                .redirectErrorStream(true)
                                .redirectOutput(
                                        ProcessBuilder.Redirect.appendTo(
                                                folder.resolve("log").toFile()))
                                .start(),
                        port);
        await("the manager answers", () -> started.overview().isPresent());
        return started;
    }

    private static String configuration(Path folder, Path machines, int port, int waitSeconds)
            throws IOException {
        return """
        petrichor.machines: %s
        petrichor.slot-memory-bytes: 50000000
        resourcemanager.taskmanager-timeout: 1s
        slot.request.timeout: %ds
        jobmanager.rpc.address: 127.0.0.1
        jobmanager.rpc.port: %d
        jobmanager.bind-host: 127.0.0.1
        jobmanager.memory.process.size: 1g
        blob.server.port: 0
        rest.address: 127.0.0.1
        rest.bind-address: 127.0.0.1
        rest.port: %d
        classloader.parent-first-patterns.additional: petrichor.
        taskmanager.host: 127.0.0.1
        taskmanager.bind-host: 127.0.0.1
        taskmanager.numberOfTaskSlots: 1
        taskmanager.cpu.cores: 1.0
        taskmanager.memory.framework.heap.size: 64m
        taskmanager.memory.framework.off-heap.size: 64m
        taskmanager.memory.task.heap.size: 128m
        taskmanager.memory.task.off-heap.size: 0m
        taskmanager.memory.managed.size: 1m
        taskmanager.memory.network.min: 32m
        taskmanager.memory.network.max: 32m
        taskmanager.memory.jvm-metaspace.size: 128m
        taskmanager.memory.jvm-overhead.min: 103m
        taskmanager.memory.jvm-overhead.max: 103m
        io.tmp.dirs: %s
        """
                .formatted(
                        machines,
                        waitSeconds,
                        freePort(),
                        port,
                        Files.createDirectories(folder.resolve("tmp")));
    }

    private static int freePort() throws IOException {
        try (ServerSocket any = new ServerSocket(0)) {
            return any.getLocalPort();
        }
    }

    private Optional<Integer> overview() {
        try (var client = HttpClient.newHttpClient()) {
            var answer =
                    client.send(
                            HttpRequest.newBuilder(
                                            URI.create("http://127.0.0.1:" + port + "/overview"))
                                    .build(),
                            HttpResponse.BodyHandlers.ofString());
            Matcher found = MACHINES.matcher(answer.body());
            return found.find() ? Optional.of(Integer.valueOf(found.group(1))) : Optional.empty();
        } catch (IOException notYet) {
            return Optional.empty();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return Optional.empty();
        }
    }

    int taskManagers() {
        return overview().orElse(0);
    }

    FlinkRuntime client() {
        return FlinkRuntime.at("127.0.0.1", port);
    }

    void kill() throws InterruptedException {
        process.destroyForcibly().waitFor();
    }

    /** Machines with a task manager, according to the lease journal. */
    static List<String> used(Path folder) {
        Map<String, LeaseLine> last = new HashMap<>();
        LeaseJournal.peek(folder.resolve("cloud/leases"))
                .forEach(line -> last.put(line.token(), line));
        return last.values().stream()
                .filter(line -> line.state() == LeaseState.USED)
                .flatMap(line -> line.instance().stream())
                .toList();
    }

    static void await(String what, BooleanSupplier condition) {
        long until = System.nanoTime() + SOON.toNanos();
        while (!condition.getAsBoolean()) {
            assertThat(System.nanoTime()).as(what).isLessThan(until);
            LockSupport.parkNanos(50_000_000);
        }
    }
}

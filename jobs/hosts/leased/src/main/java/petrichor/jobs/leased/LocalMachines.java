package petrichor.jobs.leased;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Collectors;
import petrichor.base.ErrorCode;
import petrichor.base.FileProblem;
import petrichor.base.LinuxProcesses;
import petrichor.base.PetrichorException;
import petrichor.cloud.Instance;
import petrichor.cloud.InstanceState;
import petrichor.cloud.InstanceType;
import petrichor.cloud.Listing;
import petrichor.cloud.local.LocalCloud;
import petrichor.cloud.local.LocalSetting;
import petrichor.jobs.engine.workers.Workers;

/**
 * The program of a local cloud's machines: a loop that starts one worker after the other. The
 * machine ends by itself when no process has leased it for a while.
 */
final class LocalMachines {
    /** A worker creates this file in its machine's folder when it has registered. */
    static final String GREETED = "greeted";

    private static final String WORKER = LeasedWorkerMain.class.getName();
    private static final Duration END_WAIT_MAX = Duration.ofSeconds(10);
    private static final long POLL_NANOS = 2_000_000;

    /** How long a machine waits for a new coordinator after a crash. */
    private static final int ORPHAN_S = 60;

    /** A machine with this many consecutive workers that ended before they registered is faulty. */
    private static final int FAILED_MAX = 5;

    /** Of a machine's memory: half for the heap, a quarter outside it, the rest for the JVM. */
    private static final int HEAP_SHARE = 2;

    private static final int DIRECT_SHARE = 4;

    private static final double SORTING_PART_OF_HEAP = 0.6;

    /**
     * Arguments: the cloud's folder, the type, {@link #ORPHAN_S}, {@link #FAILED_MAX}. Next to the
     * workers runs a watchdog, which writes a heartbeat every second, and ends the machine with all
     * of its processes, even a hanging worker, when no process has leased it for long enough: no
     * other process might ever do so. The 22nd field of a process' stat file is its start time.
     */
    private static final String LOOP =
            """
            is_leased() {
              start=; state=; read -r pid start rest < "$1/coordinator"
              [ -n "$start" ] && read -r state 2> /dev/null < "/proc/$pid/stat" || return 1
              set -- "$start" $state
              [ "$1" = "${23}" ]
            }
            end_all() { kill -KILL 0; }
            ( orphan=0
              while [ "$orphan" -lt "$3" ]; do
                : > alive
                if is_leased "$1"; then orphan=0; else orphan=$((orphan + 1)); fi
                sleep 1
              done
              end_all ) &
            failed=0
            while [ "$failed" -lt "$4" ]; do
              if is_leased "$1"; then
                rm -f greeted
                sh "$1/worker-$2"
                if [ -e greeted ]; then failed=0; else failed=$((failed + 1)); sleep 0.2; fi
              else
                sleep 1
              fi
            done
            end_all
            """;

    private LocalMachines() {}

    /** Opens the cloud, whose machines run workers with this user code from now on. */
    static LocalCloud open(LeaseSetting setting) {
        Path folder = setting.folder().toAbsolutePath().normalize();
        try {
            Files.createDirectories(folder);
        } catch (IOException e) {
            throw FileProblem.of("cannot create a folder for machines: " + folder, e);
        }
        for (InstanceType type : setting.types()) {
            Coordinator.replace(
                    folder.resolve("worker-" + type.name()), worker(folder, type, setting));
        }
        return LocalCloud.open(
                new LocalSetting(
                        folder,
                        setting.types(),
                        type -> machine(folder, type, ORPHAN_S),
                        setting.instancesMax(),
                        setting.billing(),
                        setting.spot()));
    }

    /**
     * Ends the workers of the process that leased these machines before, but not the machines: a
     * stopped worker would otherwise continue its old stage when it resumes.
     */
    static void endWorkers(LocalCloud cloud, String owner) {
        long started = System.nanoTime();
        List<Long> left = workers(cloud, owner);
        while (!left.isEmpty()) {
            if (System.nanoTime() - started > END_WAIT_MAX.toNanos()) {
                throw PetrichorException.of(
                        ErrorCode.UNAVAILABLE,
                        "workers of an earlier job did not stop: processes {left}; kill them, or"
                                + " use another folder for machines",
                        "left",
                        left);
            }
            left.forEach(LinuxProcesses::kill);
            LockSupport.parkNanos(POLL_NANOS);
            left = workers(cloud, owner);
        }
    }

    private static List<Long> workers(LocalCloud cloud, String owner) {
        List<Long> found = new ArrayList<>();
        if (cloud.list(owner) instanceof Listing.Rows rows) {
            for (Listing.Row row : rows.rows()) {
                if (row instanceof Listing.Row.Seen(Instance machine)
                        && machine.state() != InstanceState.TERMINATED) {
                    cloud.processes(machine.id()).stream()
                            .filter(pid -> LinuxProcesses.command(pid).contains(WORKER))
                            .forEach(found::add);
                }
            }
        }
        return found;
    }

    /**
     * @param orphanSeconds how long it waits to be leased
     */
    static List<String> machine(Path folder, InstanceType type, int orphanSeconds) {
        return List.of(
                "sh",
                "-c",
                LOOP,
                "machine",
                folder.toString(),
                type.name(),
                Integer.toString(orphanSeconds),
                Integer.toString(FAILED_MAX));
    }

    /** Read again for every worker, since the next one may belong to another job. */
    private static String worker(Path folder, InstanceType type, LeaseSetting setting) {
        Workers process =
                Workers.of(
                                1,
                                List.of(
                                        "-XX:+UseSerialGC",
                                        "-XX:ActiveProcessorCount=" + type.cores(),
                                        "-Xmx" + (heapBytes(type) >> 20) + "m",
                                        "-XX:MaxDirectMemorySize="
                                                + ((type.memoryBytes() / DIRECT_SHARE) >> 20)
                                                + "m"))
                        .withJars(setting.jars());
        String command =
                process.command(LeasedWorkerMain.class).stream()
                        .map(LocalMachines::quoted)
                        .collect(Collectors.joining(" "));
        // A job's relative paths refer to the folder in which it was started.
        return "machine=$PWD; cd "
                + quoted(Path.of("").toAbsolutePath().toString())
                + " && exec "
                + command
                + " "
                + quoted(folder.resolve(Coordinator.FILE).toString())
                + " \"$machine\"\n";
    }

    private static long heapBytes(InstanceType type) {
        return type.memoryBytes() / HEAP_SHARE;
    }

    /** Memory for sorts, tables and buffers of a worker on such a machine. */
    static long sortingBytes(InstanceType type) {
        return (long) (heapBytes(type) * SORTING_PART_OF_HEAP);
    }

    private static String quoted(String word) {
        return "'" + word.replace("'", "'\\''") + "'";
    }
}

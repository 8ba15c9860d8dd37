package petrichor.jobs.flink;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Collectors;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.runtime.clusterframework.TaskExecutorProcessSpec;
import org.apache.flink.runtime.clusterframework.TaskExecutorProcessUtils;
import org.apache.flink.runtime.clusterframework.types.ResourceID;
import org.apache.flink.runtime.taskexecutor.TaskManagerRunner;
import petrichor.base.FileProblem;
import petrichor.base.LinuxProcesses;
import petrichor.cloud.InstanceType;
import petrichor.cloud.leasing.Leased;
import petrichor.jobs.leased.ClusterMachines;

/**
 * The program of a local cloud's machines: a loop that runs, replaces or ends a task manager as a
 * file in the machine's folder demands; it ends when there is no job manager for a while. When a
 * new job manager takes over, it ends the task manager of the old one. Safe for all threads.
 */
final class TaskManagerAgent {
    private static final String MANAGER = "job-manager";
    private static final String WANTED = "wanted";
    private static final String ENDED = "ended";
    private static final String COMMAND = "task-manager";

    /** In fifths of a second: how long a machine waits for a job manager after a crash. */
    private static final int ORPHAN_CHECKS = 300;

    /**
     * Arguments: the file that identifies the job manager's process, {@link #ORPHAN_CHECKS}. In the
     * machine's folder: {@code wanted} names the task manager to run, and its job manager; {@code
     * ended} lists those that have ended by themselves.
     */
    private static final String LOOP =
            """
            started() {
              read -r all < "/proc/$1/stat" || return
              set -- ${all##*) }
              ticks=${20}
            }
            stop() {
              [ -n "$child" ] || return 0
              kill "$child" 2>/dev/null; n=0
              while kill -0 "$child" 2>/dev/null && [ "$n" -lt 10 ]; do sleep 0.2; n=$((n + 1)); done
              kill -9 "$child" 2>/dev/null; wait "$child" 2>/dev/null; child=
            }
            orphan=0; has=; child=
            echo here > address.new && mv address.new address
            while [ "$orphan" -lt "$2" ]; do
              pid=0; start=; wants=; under=; ticks=
              read -r pid start < "$1"
              started "$pid" 2>/dev/null
              if [ -n "$start" ] && [ "$ticks" = "$start" ]; then
                orphan=0
                [ -e wanted ] && read -r wants under < wanted
                [ "$under" = "$pid" ] || wants=
              else
                orphan=$((orphan + 1))
              fi
              if [ "$wants" != "$has" ]; then
                stop
                has=$wants
                if [ -n "$has" ]; then sh ./task-manager "$has" & child=$!; fi
              elif [ -n "$child" ] && ! kill -0 "$child" 2>/dev/null; then
                wait "$child"; child=
                echo "$has" >> ended
              fi
              sleep 0.2
            done
            """;

    private final ClusterMachines machines;
    private final Configuration configuration;
    private final Path manager;
    private final Map<MachinePool.Request, Path> folders = new ConcurrentHashMap<>();

    private TaskManagerAgent(ClusterMachines machines, Configuration configuration) {
        this.machines = machines;
        this.configuration = configuration;
        this.manager = machines.setting().folder().toAbsolutePath().normalize().resolve(MANAGER);
    }

    static TaskManagerAgent of(ClusterMachines machines, Configuration configuration) {
        return new TaskManagerAgent(machines, configuration);
    }

    /** Registers this process as the job manager. */
    void begin() {
        long pid = ProcessHandle.current().pid();
        write(manager, pid + " " + LinuxProcesses.startTicks(pid) + "\n");
    }

    /** The command line of a machine. */
    List<String> machine(InstanceType type) {
        return machine(manager, ORPHAN_CHECKS);
    }

    static List<String> machine(Path manager, int orphanLooks) {
        return List.of(
                "sh", "-c", LOOP, "machine", manager.toString(), Integer.toString(orphanLooks));
    }

    void start(
            MachinePool.Request request,
            Leased machine,
            ResourceID id,
            TaskExecutorProcessSpec spec) {
        Path folder = MachinePool.folder(machines, machine);
        folders.put(request, folder);
        write(folder.resolve(COMMAND), command(spec));
        write(folder.resolve(WANTED), id + " " + ProcessHandle.current().pid() + "\n");
    }

    /** Ends its task manager; the machine continues to run. */
    void end(MachinePool.Request request) {
        Path folder = folders.remove(request);
        try {
            if (folder != null) {
                Files.deleteIfExists(folder.resolve(WANTED));
            }
        } catch (IOException e) {
            throw FileProblem.of("cannot stop the processes in " + folder, e);
        }
    }

    /** Whether a started task manager has ended by itself. */
    boolean hasEnded(MachinePool.Request request, ResourceID id) {
        Path folder = folders.get(request);
        try {
            return folder != null
                    && Files.exists(folder.resolve(ENDED))
                    && Files.readAllLines(folder.resolve(ENDED)).contains(id.toString());
        } catch (IOException notNow) {
            return false;
        }
    }

    private String command(TaskExecutorProcessSpec spec) {
        long heap = spec.getJvmHeapMemorySize().getMebiBytes();
        List<String> words = new ArrayList<>();
        words.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        words.addAll(
                List.of(
                        "-Xmx" + heap + "m",
                        "-XX:MaxDirectMemorySize="
                                + spec.getJvmDirectMemorySize().getMebiBytes()
                                + "m",
                        "-XX:MaxMetaspaceSize=" + spec.getJvmMetaspaceSize().getMebiBytes() + "m",
                        "-XX:+UseSerialGC",
                        "-XX:+ExitOnOutOfMemoryError",
                        "--enable-native-access=ALL-UNNAMED",
                        "--sun-misc-unsafe-memory-access=allow",
                        "--add-opens=java.base/java.lang=ALL-UNNAMED",
                        "--add-opens=java.base/java.util=ALL-UNNAMED",
                        "-cp",
                        System.getProperty("java.class.path"),
                        TaskManagerRunner.class.getName(),
                        "--configDir",
                        configuration.get(LeasedCluster.FOLDER)));
        return "exec "
                + words.stream().map(TaskManagerAgent::quoted).collect(Collectors.joining(" "))
                + " -D taskmanager.resource-id=\"$1\" -D io.tmp.dirs=\"$PWD/tmp\" "
                + TaskExecutorProcessUtils.generateDynamicConfigsStr(spec)
                + " -D "
                + StageTask.SLOT_MEMORY_BYTES.key()
                + "="
                + TaskManagerSize.slotMemoryBytes(spec, configuration)
                + "\n";
    }

    private static String quoted(String word) {
        return "'" + word.replace("'", "'\\''") + "'";
    }

    /** Atomically. */
    private static void write(Path file, String text) {
        try {
            Files.createDirectories(file.getParent());
            Path fresh = file.resolveSibling(file.getFileName() + ".new");
            Files.writeString(fresh, text);
            Files.move(
                    fresh,
                    file,
                    StandardCopyOption.ATOMIC_MOVE,
                    StandardCopyOption.REPLACE_EXISTING);
        } catch (IOException e) {
            throw FileProblem.of("cannot write " + file, e);
        }
    }
}

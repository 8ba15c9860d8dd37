package petrichor.apps.instances;

import java.io.IOException;
import java.nio.file.DirectoryNotEmptyException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import petrichor.base.FileProblem;
import petrichor.base.LinuxProcesses;

/** The control group of an instance, in each hierarchy. Its state is the kernel's. */
final class ControlGroup {
    private static final System.Logger LOG = System.getLogger(ControlGroup.class.getName());
    private static final int PERIOD_MICROS = 100_000;

    /** Default weight of a group with one core. */
    private static final int SHARES_PER_CORE = 1_024;

    private static final int SHARES_MIN = 2;
    private static final int MILLIS_PER_CORE = 1_000;
    private static final String PROCESSES = "cgroup.procs";
    private static final String KILL = "cgroup.kill";

    private final ControlGroups groups;
    private final String name;

    ControlGroup(ControlGroups groups, String name) {
        this.groups = groups;
        this.name = name;
    }

    String name() {
        return name;
    }

    /** Creates the group with the limits of an instance that starts. */
    void create(InstanceLimits limits) throws IOException {
        for (ControlGroups.Hierarchy each : groups.hierarchies()) {
            Files.createDirectories(folder(each));
        }
        for (var controller : groups.controllers().entrySet()) {
            limit(controller.getKey(), controller.getValue(), limits.whileStarting());
        }
    }

    /** Limits the processor when the instance has started. */
    void started(InstanceLimits limits) throws IOException {
        ControlGroups.Hierarchy hierarchy = groups.controllers().get(ControlGroups.Controller.CPU);
        if (hierarchy != null && !limits.equals(limits.whileStarting())) {
            limit(ControlGroups.Controller.CPU, hierarchy, limits);
        }
    }

    private void limit(
            ControlGroups.Controller controller,
            ControlGroups.Hierarchy hierarchy,
            InstanceLimits limits)
            throws IOException {
        Path folder = folder(hierarchy);
        long quota = (long) limits.cpuMillisMax() * PERIOD_MICROS / MILLIS_PER_CORE;
        String bytes = Long.toString(limits.memoryBytesMax());
        switch (controller) {
            case MEMORY -> {
                if (hierarchy.unified()) {
                    write(folder.resolve("memory.max"), bytes);
                    writeIfPresent(folder.resolve("memory.swap.max"), "0");
                } else {
                    write(folder.resolve("memory.limit_in_bytes"), bytes);
                    writeIfPresent(folder.resolve("memory.memsw.limit_in_bytes"), bytes);
                }
            }
            case CPU -> {
                if (hierarchy.unified()) {
                    write(folder.resolve("cpu.max"), quota + " " + PERIOD_MICROS);
                } else {
                    long shares = (long) limits.cpuMillisMax() * SHARES_PER_CORE / MILLIS_PER_CORE;
                    write(folder.resolve("cpu.cfs_period_us"), Integer.toString(PERIOD_MICROS));
                    write(folder.resolve("cpu.cfs_quota_us"), Long.toString(quota));
                    writeIfPresent(
                            folder.resolve("cpu.shares"),
                            Long.toString(Math.max(SHARES_MIN, shares)));
                }
            }
            case PIDS -> write(folder.resolve("pids.max"), Integer.toString(limits.processesMax()));
        }
    }

    /** In the unified hierarchy. */
    Optional<Path> unifiedFolder() {
        return groups.unified().map(this::folder);
    }

    /** Files to which a process writes its id to join the group. */
    List<Path> gates() {
        return groups.hierarchies().stream().map(each -> folder(each).resolve(PROCESSES)).toList();
    }

    /** Processes that the kernel ended because the group reached its memory limit. */
    long memoryKills() {
        return value(ControlGroups.Controller.MEMORY, "memory.events", "memory.oom_control")
                .map(text -> counter(text, "oom_kill"))
                .orElse(0L);
    }

    /** Current memory; empty without the controller. */
    Optional<Long> memoryBytes() {
        return value(ControlGroups.Controller.MEMORY, "memory.current", "memory.usage_in_bytes")
                .map(text -> Long.parseLong(text.strip()));
    }

    /** Current processes and threads; empty without the controller. */
    Optional<Long> processes() {
        return value(ControlGroups.Controller.PIDS, "pids.current", "pids.current")
                .map(text -> Long.parseLong(text.strip()));
    }

    private Optional<String> value(
            ControlGroups.Controller controller, String unified, String separate) {
        ControlGroups.Hierarchy hierarchy = groups.controllers().get(controller);
        if (hierarchy == null) {
            return Optional.empty();
        }
        try {
            Path file = folder(hierarchy).resolve(hierarchy.unified() ? unified : separate);
            return Optional.of(Files.readString(file));
        } catch (IOException removed) {
            return Optional.empty();
        }
    }

    private static long counter(String text, String name) {
        return text.lines()
                .filter(line -> line.startsWith(name + " "))
                .mapToLong(line -> Long.parseLong(line.substring(name.length() + 1).strip()))
                .findFirst()
                .orElse(0);
    }

    /** Sends SIGKILL to all processes; they may need a moment to end. */
    void kill() {
        for (ControlGroups.Hierarchy each : groups.hierarchies()) {
            if (each.unified() && writeOrLog(folder(each).resolve(KILL), "1")) {
                return;
            }
        }
        members().forEach(LinuxProcesses::kill);
    }

    private static boolean writeOrLog(Path file, String text) {
        try {
            write(file, text);
            return true;
        } catch (IOException olderKernel) {
            LOG.log(System.Logger.Level.DEBUG, "cannot write {0}: {1}", file, olderKernel);
            return false;
        }
    }

    Set<Long> members() {
        Set<Long> members = new HashSet<>();
        for (ControlGroups.Hierarchy each : groups.hierarchies()) {
            try {
                Files.readAllLines(folder(each).resolve(PROCESSES)).stream()
                        .map(Long::parseLong)
                        .forEach(members::add);
            } catch (IOException removed) {
                // No group, no members.
            }
        }
        return members;
    }

    /** False if it still contains processes. */
    boolean remove() {
        boolean removed = true;
        for (ControlGroups.Hierarchy each : groups.hierarchies()) {
            try {
                Files.deleteIfExists(folder(each));
            } catch (DirectoryNotEmptyException busy) {
                removed = false;
            } catch (IOException e) {
                LOG.log(
                        System.Logger.Level.DEBUG,
                        "cannot remove {0}: {1}",
                        folder(each),
                        FileProblem.reason(e));
                removed = false;
            }
        }
        return removed;
    }

    private Path folder(ControlGroups.Hierarchy hierarchy) {
        return hierarchy.root().resolve(name);
    }

    private static void write(Path file, String text) throws IOException {
        if (!Files.exists(file)) {
            // The kernel creates these files; a missing one means a missing controller.
            throw new IOException("there is no " + file);
        }
        Files.writeString(file, text);
    }

    private static void writeIfPresent(Path file, String text) throws IOException {
        if (Files.exists(file)) {
            Files.writeString(file, text);
        }
    }
}

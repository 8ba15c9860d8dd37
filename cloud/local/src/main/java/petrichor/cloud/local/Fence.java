package petrichor.cloud.local;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import petrichor.cloud.InstanceType;
import petrichor.cloud.Money;

/** Limits a machine to its cores and its memory. */
sealed interface Fence {
    /** Describes the mechanism, for display. */
    String how();

    /** Creates the limits of a machine. */
    void raise(String id, InstanceType type) throws IOException;

    /** Files to which the machine's first process writes its process id to enter the limits. */
    List<Path> gates(String id);

    /** Command prefix that applies the limits. */
    List<String> prefix(InstanceType type);

    /** Removes the limits of a terminated machine. */
    void remove(String id);

    /** The strongest mechanism available to this user. */
    static Fence find() {
        for (Fence fence :
                List.of(
                        new Cgroups(Path.of("/sys/fs/cgroup")),
                        new OldCgroups(
                                Path.of("/sys/fs/cgroup/cpu"), Path.of("/sys/fs/cgroup/memory")))) {
            String trial = "petrichor-trial-" + ProcessHandle.current().pid();
            try {
                fence.raise(trial, TRIAL);
                fence.remove(trial);
                return fence;
            } catch (IOException notHere) {
                fence.remove(trial);
            }
        }
        return new Rlimits();
    }

    /** Only for testing a mechanism. */
    InstanceType TRIAL = new InstanceType("trial", 1, 64 << 20, 0, Money.ZERO, Duration.ZERO);

    int PERIOD_MICROS = 100_000;

    private static void write(Path file, String text) throws IOException {
        if (!Files.exists(file)) {
            // The kernel creates these files; a missing one means that the mechanism is
            // unavailable.
            throw new IOException("there is no " + file);
        }
        Files.writeString(file, text);
    }

    private static void delete(Path group) {
        try {
            Files.deleteIfExists(group);
        } catch (IOException stillBusy) {
            System.getLogger(Fence.class.getName())
                    .log(System.Logger.Level.DEBUG, "cannot remove {0}: {1}", group, stillBusy);
        }
    }

    /** Version 2. */
    record Cgroups(Path root) implements Fence {
        @Override
        public String how() {
            return "cgroups: cpu.max and memory.max";
        }

        @Override
        public void raise(String id, InstanceType type) throws IOException {
            Path group = root.resolve(id);
            if (!Files.exists(root.resolve("cgroup.controllers"))) {
                throw new IOException("cgroups version 2 is not available");
            }
            Files.createDirectories(group);
            write(group.resolve("cpu.max"), type.cores() * PERIOD_MICROS + " " + PERIOD_MICROS);
            write(group.resolve("memory.max"), Long.toString(type.memoryBytes()));
        }

        @Override
        public List<Path> gates(String id) {
            return List.of(root.resolve(id).resolve("cgroup.procs"));
        }

        @Override
        public List<String> prefix(InstanceType type) {
            return List.of();
        }

        @Override
        public void remove(String id) {
            delete(root.resolve(id));
        }
    }

    /** Version 1, with separate groups for cores and memory. */
    record OldCgroups(Path cpu, Path memory) implements Fence {
        @Override
        public String how() {
            return "cgroups: cpu.cfs_quota_us and memory.limit_in_bytes";
        }

        @Override
        public void raise(String id, InstanceType type) throws IOException {
            if (!Files.isDirectory(cpu) || !Files.isDirectory(memory)) {
                throw new IOException("cgroups version 1 is not available");
            }
            Files.createDirectories(cpu.resolve(id));
            Files.createDirectories(memory.resolve(id));
            write(cpu.resolve(id).resolve("cpu.cfs_period_us"), Integer.toString(PERIOD_MICROS));
            write(
                    cpu.resolve(id).resolve("cpu.cfs_quota_us"),
                    Integer.toString(type.cores() * PERIOD_MICROS));
            write(
                    memory.resolve(id).resolve("memory.limit_in_bytes"),
                    Long.toString(type.memoryBytes()));
        }

        @Override
        public List<Path> gates(String id) {
            return List.of(
                    cpu.resolve(id).resolve("cgroup.procs"),
                    memory.resolve(id).resolve("cgroup.procs"));
        }

        @Override
        public List<String> prefix(InstanceType type) {
            return List.of();
        }

        @Override
        public void remove(String id) {
            delete(cpu.resolve(id));
            delete(memory.resolve(id));
        }
    }

    /**
     * Without cgroups: the memory limit applies to each process separately, and machines share
     * cores.
     */
    record Rlimits() implements Fence {
        @Override
        public String how() {
            return "prlimit and taskset: memory is limited for each process, not for all of a"
                    + " machine";
        }

        @Override
        public void raise(String id, InstanceType type) {}

        @Override
        public List<Path> gates(String id) {
            return List.of();
        }

        @Override
        public List<String> prefix(InstanceType type) {
            List<String> prefix = new ArrayList<>();
            prefix.add("prlimit");
            prefix.add("--data=" + type.memoryBytes());
            int here = Runtime.getRuntime().availableProcessors();
            if (type.cores() < here) {
                prefix.addAll(List.of("taskset", "-c", "0-" + (type.cores() - 1)));
            }
            return prefix;
        }

        @Override
        public void remove(String id) {}
    }
}

package petrichor.apps.instances;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import petrichor.base.FileProblem;

/**
 * Control groups of the kernel: version 2 with all controllers in one hierarchy, version 1 with a
 * hierarchy per controller, or a mixture, in which a unified hierarchy without controllers still
 * ends all processes of a group at once. Groups are created directly below the root of each
 * hierarchy. Immutable.
 *
 * @param controllers where each limit is set
 * @param plain a unified hierarchy without controllers of interest
 */
record ControlGroups(Map<Controller, Hierarchy> controllers, Optional<Hierarchy> plain) {
    private static final Path MOUNTS = Path.of("/proc/self/mounts");
    private static final int MOUNT_FIELDS = 4;

    /** A controller, and the feature that it enforces. */
    enum Controller {
        MEMORY("memory", IsolationFeature.MEMORY_LIMIT),
        CPU("cpu", IsolationFeature.CPU_LIMIT),
        PIDS("pids", IsolationFeature.PROCESS_LIMIT);

        final String kernelName;
        final IsolationFeature feature;

        Controller(String kernelName, IsolationFeature feature) {
            this.kernelName = kernelName;
            this.feature = feature;
        }
    }

    /**
     * @param unified version 2
     */
    record Hierarchy(Path root, boolean unified) {}

    static final ControlGroups NONE = new ControlGroups(Map.of(), Optional.empty());

    ControlGroups {
        controllers = Map.copyOf(controllers);
    }

    /** What this process may use; reasons for the rest are added to {@code problems}. */
    static ControlGroups find(String trial, Map<Controller, String> problems) {
        Map<Controller, Hierarchy> usable = new EnumMap<>(Controller.class);
        Optional<Hierarchy> plain = Optional.empty();
        for (Mount mount : mounts()) {
            List<Controller> here = new ArrayList<>();
            for (Controller controller : mount.controllers()) {
                Optional<String> problem = problem(mount.hierarchy(), controller, trial);
                if (problem.isEmpty()) {
                    usable.put(controller, mount.hierarchy());
                    here.add(controller);
                } else {
                    problems.put(controller, problem.get());
                }
            }
            if (mount.hierarchy().unified() && here.isEmpty() && endsGroups(mount, trial)) {
                plain = Optional.of(mount.hierarchy());
            }
        }
        for (Controller controller : Controller.values()) {
            if (!usable.containsKey(controller)) {
                problems.putIfAbsent(
                        controller, "the controller " + controller.kernelName + " is not mounted");
            }
        }
        usable.keySet().forEach(problems::remove);
        return new ControlGroups(usable, plain);
    }

    private record Mount(Hierarchy hierarchy, List<Controller> controllers) {}

    private static List<Mount> mounts() {
        Set<Mount> mounts = new LinkedHashSet<>();
        try {
            for (String line : Files.readAllLines(MOUNTS, StandardCharsets.ISO_8859_1)) {
                String[] fields = line.split(" ", -1);
                if (fields.length < MOUNT_FIELDS) {
                    continue;
                }
                Path root = Path.of(fields[1]);
                if (fields[2].equals("cgroup2")) {
                    mounts.add(new Mount(new Hierarchy(root, true), enabled(root)));
                } else if (fields[2].equals("cgroup")) {
                    List<Controller> found = named(Arrays.asList(fields[3].split(",", -1)));
                    mounts.add(new Mount(new Hierarchy(root, false), found));
                }
            }
        } catch (IOException notLinux) {
            return List.of();
        }
        return List.copyOf(mounts);
    }

    /** Controllers of a unified hierarchy; enables them for its groups if possible. */
    private static List<Controller> enabled(Path root) {
        try {
            String names = Files.readString(root.resolve("cgroup.controllers"));
            List<Controller> all = named(Arrays.asList(names.strip().split(" ", -1)));
            for (Controller each : all) {
                enable(root, each);
            }
            return all;
        } catch (IOException notReadable) {
            return List.of();
        }
    }

    private static void enable(Path root, Controller controller) {
        try {
            Files.writeString(root.resolve("cgroup.subtree_control"), "+" + controller.kernelName);
        } catch (IOException notPermitted) {
            // It may be enabled already; the trial will show.
        }
    }

    private static List<Controller> named(List<String> names) {
        return Arrays.stream(Controller.values())
                .filter(each -> names.contains(each.kernelName))
                .toList();
    }

    private static Optional<String> problem(Hierarchy where, Controller controller, String trial) {
        ControlGroup group =
                new ControlGroups(Map.of(controller, where), Optional.empty()).group(trial);
        try {
            group.create(InstanceLimits.DEFAULT);
            return Optional.empty();
        } catch (IOException e) {
            return Optional.of(
                    "no group with the controller "
                            + controller.kernelName
                            + " can be created below "
                            + where.root()
                            + " ("
                            + FileProblem.reason(e)
                            + ")");
        } finally {
            group.remove();
        }
    }

    private static boolean endsGroups(Mount mount, String trial) {
        ControlGroup group =
                new ControlGroups(Map.of(), Optional.of(mount.hierarchy())).group(trial);
        try {
            group.create(InstanceLimits.DEFAULT);
            return true;
        } catch (IOException notPermitted) {
            return false;
        } finally {
            group.remove();
        }
    }

    /** Every hierarchy once. */
    List<Hierarchy> hierarchies() {
        Set<Hierarchy> all = new LinkedHashSet<>(controllers.values());
        plain.ifPresent(all::add);
        return List.copyOf(all);
    }

    /** The hierarchy of version 2, to whose groups programs can be attached. */
    Optional<Hierarchy> unified() {
        return hierarchies().stream().filter(Hierarchy::unified).findFirst();
    }

    boolean any() {
        return !hierarchies().isEmpty();
    }

    ControlGroups without(IsolationFeature feature) {
        Map<Controller, Hierarchy> fewer = new EnumMap<>(Controller.class);
        controllers.forEach(
                (controller, where) -> {
                    if (controller.feature != feature) {
                        fewer.put(controller, where);
                    }
                });
        return fewer.isEmpty() ? NONE : new ControlGroups(fewer, plain);
    }

    ControlGroup group(String name) {
        return new ControlGroup(this, name);
    }

    /** Names of existing groups that start with this. */
    Set<String> existing(String prefix) throws IOException {
        Set<String> names = new LinkedHashSet<>();
        for (Hierarchy each : hierarchies()) {
            try (var folders = Files.newDirectoryStream(each.root(), prefix + "*")) {
                folders.forEach(folder -> names.add(String.valueOf(folder.getFileName())));
            }
        }
        return names;
    }
}

package petrichor.apps.instances;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.OptionalInt;

/**
 * The file system that an instance sees in its namespaces. Java prepares folders and a table of
 * mounts, for all of which {@code view.sh} then needs a single process: an instance should not
 * start much later than its app alone would.
 *
 * @param folder in which it is prepared
 * @param hidden folders replaced by empty ones where they are in a folder of the system
 * @param readable visible where they are, also in a hidden folder
 * @param memoryBytesMax for temporary files, which are in memory
 * @param owner user id of the temporary folder, if not that of root in the namespace
 */
record ViewPlan(
        InstanceFolder folder,
        List<Path> hidden,
        List<Path> readable,
        long memoryBytesMax,
        OptionalInt owner) {
    /** The rest of the machine's files does not exist for instances. */
    private static final List<String> SYSTEM =
            List.of(
                    "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32", "/usr", "/etc", "/opt",
                    "/nix");

    private static final List<String> DEVICES =
            List.of("/dev/null", "/dev/zero", "/dev/full", "/dev/random", "/dev/urandom");

    private static final Map<String, String> LINKS =
            Map.of(
                    "/var/tmp", "/tmp",
                    "/dev/fd", "/proc/self/fd",
                    "/dev/stdout", "/proc/self/fd/1",
                    "/dev/stderr", "/proc/self/fd/2");

    /** A link to another folder where systemd-resolved runs. */
    private static final Path NAME_SERVERS = Path.of("/etc/resolv.conf");

    /** The temporary folder in this file system. */
    static final String TEMPORARY = "/tmp";

    private static final List<String> MEMORY = List.of(TEMPORARY, "/dev/shm");
    private static final String READ_ONLY = "bind,ro,nosuid,nodev";

    /** Prepares the folders, and returns the variables of {@code view.sh}. */
    Map<String, String> prepare() throws IOException {
        StringBuilder table = new StringBuilder();
        Path root = folder.view();
        // All mount points exist before, hence it never needs to be writable.
        mount(table, root.toString(), root, "none", READ_ONLY + ",noexec");
        List<Path> system = system(table, root);
        for (String each : List.of("/proc", "/run")) {
            Files.createDirectories(in(root, each));
        }
        mount(table, "proc", in(root, "/proc"), "proc", "nosuid,nodev,noexec");
        for (String device : DEVICES) {
            file(root, device);
            mount(table, device, in(root, device), "none", "bind");
        }
        for (var link : LINKS.entrySet()) {
            Path from = in(root, link.getKey());
            createParent(from);
            Files.createSymbolicLink(from, Path.of(link.getValue()));
        }
        for (String memory : MEMORY) {
            Files.createDirectories(in(root, memory));
            mount(table, "tmpfs", in(root, memory), "tmpfs", memoryOptions());
        }
        nameServers(table, root, system);
        for (Path each : hidden) {
            if (system.stream().anyMatch(each::startsWith) && Files.isDirectory(each)) {
                mount(table, "tmpfs", in(root, each.toString()), "tmpfs", "size=64k,mode=755");
            }
        }
        // A folder before those in it.
        for (Path each : readable.stream().distinct().sorted().toList()) {
            if (system.stream().noneMatch(each::startsWith)) {
                Files.createDirectories(in(root, each.toString()));
            }
            mount(
                    table,
                    each.toString(),
                    in(root, each.toString()),
                    "none",
                    // In a folder that is itself mounted, the mount point does not exist yet.
                    READ_ONLY + ",X-mount.mkdir");
        }
        Files.writeString(folder.table(), table, StandardCharsets.UTF_8);
        return Map.of("VIEW_ROOT", root.toString(), "VIEW_TABLE", folder.table().toString());
    }

    /** Folders of the system, at the same paths; returns those that are not links. */
    private static List<Path> system(StringBuilder table, Path root) throws IOException {
        List<Path> mounted = new ArrayList<>();
        for (String name : SYSTEM) {
            Path each = Path.of(name);
            Path target = in(root, name);
            if (Files.isSymbolicLink(each)) {
                Files.createSymbolicLink(target, Files.readSymbolicLink(each));
            } else if (Files.isDirectory(each, LinkOption.NOFOLLOW_LINKS)) {
                Files.createDirectories(target);
                mount(table, name, target, "none", READ_ONLY);
                mounted.add(each);
            }
        }
        return mounted;
    }

    private static void nameServers(StringBuilder table, Path root, List<Path> system)
            throws IOException {
        if (!Files.isRegularFile(NAME_SERVERS)) {
            return;
        }
        Path real = NAME_SERVERS.toRealPath();
        if (system.stream().noneMatch(real::startsWith)) {
            file(root, real.toString());
            mount(table, real.toString(), in(root, real.toString()), "none", READ_ONLY);
        }
    }

    private String memoryOptions() {
        String options = "size=" + memoryBytesMax + ",mode=700,nosuid,nodev";
        return owner.isPresent()
                ? options + ",uid=" + owner.getAsInt() + ",gid=" + owner.getAsInt()
                : options;
    }

    /** The place of an absolute path below another root. */
    private static Path in(Path root, String path) {
        return root.resolve(path.substring(1));
    }

    private static void file(Path root, String path) throws IOException {
        Path file = in(root, path);
        createParent(file);
        Files.createFile(file);
    }

    private static void createParent(Path path) throws IOException {
        Path parent = path.getParent();
        if (parent != null) {
            Files.createDirectories(parent);
        }
    }

    /** A line as in fstab. */
    private static void mount(
            StringBuilder table, String source, Path target, String type, String options) {
        table.append(escaped(source))
                .append(' ')
                .append(escaped(target.toString()))
                .append(' ')
                .append(type)
                .append(' ')
                .append(options)
                .append(" 0 0\n");
    }

    private static String escaped(String path) {
        return path.replace("\\", "\\134")
                .replace(" ", "\\040")
                .replace("\t", "\\011")
                .replace("\n", "\\012")
                .replace("#", "\\043");
    }
}

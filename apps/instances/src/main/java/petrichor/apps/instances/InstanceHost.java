package petrichor.apps.instances;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.channels.FileChannel;
import java.nio.channels.OverlappingFileLockException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import petrichor.apps.instances.network.SocketOwners;
import petrichor.base.ErrorCode;
import petrichor.base.FileProblem;
import petrichor.base.PetrichorException;
import petrichor.base.TimeSource;

/**
 * Runs instances on this machine, within limits for all of them together. Thread-safe. When the
 * process of the platform ends, however it ends, the kernel ends the instances; where it cannot,
 * the next host on the same folder does.
 */
public final class InstanceHost implements AutoCloseable {
    private static final System.Logger LOG = System.getLogger(InstanceHost.class.getName());
    private static final int HASH_BYTES = 4;
    private static final String PASSABLE = "rwx--x--x";

    private final HostSettings settings;
    private final Place.Shared shared;
    private final FileChannel lock;
    private final Path folders;
    private final String groupPrefix;
    private final ExecutorService launcher;
    private final NumberPool ports;
    private final NumberPool users;
    private final StartSlots slots;
    private final Set<Instance> instances = new LinkedHashSet<>();
    private final Map<Integer, Instance> byUser = new ConcurrentHashMap<>();
    private final SocketOwners sockets = new SocketOwners();
    private long memoryBytes;
    private long sequence;
    private boolean closed;

    private InstanceHost(
            HostSettings settings,
            Place.Shared shared,
            FileChannel lock,
            Path folders,
            String groupPrefix,
            ExecutorService launcher) {
        this.settings = settings;
        this.shared = shared;
        this.lock = lock;
        this.folders = folders;
        this.groupPrefix = groupPrefix;
        this.launcher = launcher;
        // Hosts of one machine start at different ports, and a new host not at those of its
        // predecessor.
        int start = (int) ProcessHandle.current().pid() * 31 + settings.folder().hashCode();
        this.ports = new NumberPool(settings.ports(), start);
        this.users = new NumberPool(settings.users(), start);
        this.slots = new StartSlots(settings.limits().startsMax());
    }

    /** Opens a host with the isolation that this machine offers. */
    public static InstanceHost open(HostSettings settings) {
        return open(
                settings,
                Isolation.probe(settings.folder(), settings.users().first()),
                TimeSource.SYSTEM);
    }

    /** Opens a host, and ends instances of a former process. */
    public static InstanceHost open(HostSettings settings, Isolation isolation, TimeSource time) {
        settings.limits().fitting(HostLimits.machineBytes());
        try {
            Path folder = Files.createDirectories(settings.folder()).toRealPath();
            // Instances with other user ids pass it on their way to their temporary folders.
            Files.setPosixFilePermissions(folder, PosixFilePermissions.fromString(PASSABLE));
            FileChannel lock = lock(folder);
            try {
                Path folders = Files.createDirectories(folder.resolve("instances"));
                Files.setPosixFilePermissions(folders, PosixFilePermissions.fromString(PASSABLE));
                String prefix = "petrichor-" + hash(folder) + "-";
                int found = new Leftovers(folders, isolation.groups(), prefix).remove();
                if (found > 0) {
                    LOG.log(
                            System.Logger.Level.INFO,
                            "removed {0} instances of a former process",
                            found);
                }
                isolation.limitations().forEach(each -> LOG.log(System.Logger.Level.INFO, each));
                ExecutorService launcher =
                        Executors.newSingleThreadExecutor(
                                Thread.ofPlatform()
                                        .daemon()
                                        .name("launcher of instances")
                                        .factory());
                return new InstanceHost(
                        settings,
                        new Place.Shared(
                                isolation,
                                existing(settings.hidden()),
                                settings.services(),
                                launcher,
                                time),
                        lock,
                        folders,
                        prefix,
                        launcher);
            } catch (IOException | RuntimeException e) {
                lock.close();
                throw e;
            }
        } catch (IOException e) {
            throw FileProblem.of("cannot open the folder of instances " + settings.folder(), e);
        }
    }

    private static FileChannel lock(Path folder) throws IOException {
        FileChannel file =
                FileChannel.open(
                        folder.resolve("lock"),
                        StandardOpenOption.CREATE,
                        StandardOpenOption.WRITE);
        try {
            if (file.tryLock() != null) {
                return file;
            }
        } catch (OverlappingFileLockException inThisProcess) {
            // The same answer as for another process.
        }
        file.close();
        throw PetrichorException.of(
                ErrorCode.FAILED_PRECONDITION,
                "the folder of instances {folder} is used by another process; stop it, or use"
                        + " another folder",
                "folder",
                folder);
    }

    private static List<Path> existing(List<Path> paths) throws IOException {
        List<Path> real = new ArrayList<>();
        for (Path path : paths) {
            real.add(Files.exists(path) ? path.toRealPath() : path.toAbsolutePath().normalize());
        }
        return real;
    }

    /** Distinguishes the control groups of several hosts on one machine. */
    static String hash(Path folder) {
        try {
            byte[] bytes =
                    MessageDigest.getInstance("SHA-256")
                            .digest(folder.toString().getBytes(StandardCharsets.UTF_8));
            return HexFormat.of().formatHex(bytes, 0, HASH_BYTES);
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every Java platform has SHA-256", e);
        }
    }

    public Isolation isolation() {
        return shared.isolation();
    }

    /** All that have not ended. */
    public synchronized List<Instance> instances() {
        return List.copyOf(instances);
    }

    /**
     * The instance that opened a TCP connection over IPv4 to a server of this machine, by its user
     * id; empty if none did. Instances are known only with {@link IsolationFeature#OWN_USER}.
     *
     * @param client the end of the client
     * @param server the end that accepted the connection
     */
    public Optional<Instance> opener(InetSocketAddress client, InetSocketAddress server)
            throws IOException {
        OptionalInt user = sockets.userOf(client, server);
        return user.isPresent()
                ? Optional.ofNullable(byUser.get(user.getAsInt()))
                : Optional.empty();
    }

    /** Sum of the memory limits of all instances. */
    public synchronized long memoryBytes() {
        return memoryBytes;
    }

    /**
     * Starts an instance, which waits if too many are starting. Returns at once.
     *
     * @param log stays open until the instance has ended
     */
    public StartResult start(InstanceSpec spec, InstanceLog log) {
        Instance instance;
        Supervisor supervisor;
        synchronized (this) {
            HostLimits limits = settings.limits();
            long bytes = spec.limits().memoryBytesMax();
            if (closed) {
                return new StartResult.Refused("the host of instances is closed");
            }
            if (instances.size() >= limits.instancesMax()) {
                return new StartResult.Refused(
                        "this machine runs "
                                + limits.instancesMax()
                                + " instances already, its maximum");
            }
            if (bytes > limits.memoryBytesMax() - memoryBytes) {
                return new StartResult.Refused(
                        "the instance may use %d MB of memory, but only %d of %d MB for instances are free"
                                .formatted(
                                        bytes >> 20,
                                        (limits.memoryBytesMax() - memoryBytes) >> 20,
                                        limits.memoryBytesMax() >> 20));
            }
            OptionalInt port = ports.take(FreePort::isFree);
            if (port.isEmpty()) {
                return new StartResult.Refused("no port for another instance is free");
            }
            instance = new Instance(spec, port.getAsInt(), nothing());
            supervisor = new Supervisor(instance, place(instance), slots, log);
            instances.add(instance);
            memoryBytes += bytes;
        }
        Thread.ofVirtual().name(instance.toString()).start(supervisor);
        return new StartResult.Accepted(instance);
    }

    private static InstanceUsage nothing() {
        return new InstanceUsage(Optional.empty(), Optional.empty(), 0, 0);
    }

    /** Holds the lock. */
    private Place place(Instance instance) {
        OptionalInt user =
                shared.isolation().has(IsolationFeature.OWN_USER)
                        ? users.take(_ -> true)
                        : OptionalInt.empty();
        user.ifPresent(id -> byUser.put(id, instance));
        Path folder;
        do {
            // One that could not be deleted keeps its name.
            folder = folders.resolve(Long.toString(++sequence));
        } while (Files.exists(folder));
        return new Place(
                shared,
                user,
                shared.isolation().groups().group(groupPrefix + sequence),
                new InstanceFolder(folder),
                () -> giveBack(instance, user));
    }

    private synchronized void giveBack(Instance instance, OptionalInt user) {
        instances.remove(instance);
        memoryBytes -= instance.spec().limits().memoryBytesMax();
        ports.release(instance.port());
        user.ifPresent(
                id -> {
                    byUser.remove(id);
                    users.release(id);
                });
    }

    /** Stops all instances at the same time, each within its timeouts, and waits for them. */
    @Override
    public void close() {
        List<Instance> remaining;
        synchronized (this) {
            closed = true;
            remaining = List.copyOf(instances);
        }
        remaining.forEach(each -> each.stop("the platform is stopping"));
        remaining.forEach(each -> each.ended().join());
        launcher.close();
        try {
            lock.close();
        } catch (IOException e) {
            LOG.log(System.Logger.Level.DEBUG, "cannot close the lock of {0}", folders, e);
        }
    }
}

package petrichor.kv.testkit;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermission;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import org.opentest4j.TestAbortedException;
import petrichor.base.ErrorCode;
import petrichor.base.PetrichorException;
import petrichor.deployment.Cluster;
import petrichor.deployment.Node;
import petrichor.deployment.Progress;
import petrichor.deployment.StoreCluster;
import petrichor.deployment.StoreCluster.Layout;
import petrichor.deployment.StoreDeployment;

/**
 * The real servers of a datastore, for tests: on free ports of this machine, in {@code
 * target/stores}, killed with the JVM. {@link #of} starts them once for all tests of the JVM;
 * {@link #start} for one test that stops or damages them. Nodes are numbered from 1.
 *
 * <p>If the servers can be neither found nor fetched, the test ends here: it fails if {@code CI} is
 * set, and otherwise reports that nothing was tested.
 */
public final class RealStore implements AutoCloseable {
    private static final Map<String, RealStore> SHARED = new ConcurrentHashMap<>();
    private static final AtomicInteger STARTED = new AtomicInteger();
    private static final Path FOLDER = reachable(Path.of("target", "stores").toAbsolutePath());

    private final StoreCluster store;

    private RealStore(StoreCluster store) {
        this.store = store;
    }

    /** One node, shared by all tests of this JVM. */
    public static RealStore of(StoreDeployment deployment) {
        return of(deployment, 1);
    }

    /** Shared by all tests of this JVM; a test that stops a node starts it again. */
    public static RealStore of(StoreDeployment deployment, int nodes) {
        return SHARED.computeIfAbsent(
                deployment.getClass().getName() + " " + nodes, _ -> start(deployment, nodes));
    }

    /** Owned by the caller; its data is deleted when it is closed. */
    public static RealStore start(StoreDeployment deployment, int nodes) {
        removeLeftovers();
        Path folder =
                FOLDER.resolve(
                        deployment.store()
                                + "-"
                                + ProcessHandle.current().pid()
                                + "-"
                                + STARTED.incrementAndGet());
        Progress progress = line -> System.err.println(deployment.store() + ": " + line);
        StoreCluster store;
        try {
            store =
                    StoreCluster.create(
                            deployment, folder, Layout.here(nodes).onAnyPorts(), progress);
        } catch (PetrichorException missing) {
            if (missing.code() == ErrorCode.FAILED_PRECONDITION && System.getenv("CI") == null) {
                throw new TestAbortedException(
                        "NOT TESTED: " + deployment.store() + ". " + missing.getMessage(), missing);
            }
            throw missing;
        }
        RealStore started = new RealStore(store);
        Runtime.getRuntime().addShutdownHook(new Thread(started::close));
        store.start(progress);
        return started;
    }

    /** The {@link StoreDeployment#url} of the store. */
    public String url() {
        return store.url();
    }

    public Cluster cluster() {
        return store.cluster();
    }

    /** SIGKILL to a node, and to its children. */
    public void kill(int node) {
        store.kill(node(node));
    }

    /** Stops a node as an operator would. */
    public void stop(int node) {
        store.stop(node(node));
    }

    /** Returns when the node serves again. */
    public void start(int node) {
        store.start(node(node), Progress.SILENT);
    }

    /** SIGSTOP: connections stay open without answers. */
    public void pause(int node) {
        store.pause(node(node));
    }

    public void resume(int node) {
        store.resume(node(node));
    }

    private Node node(int number) {
        return store.cluster().nodes().get(number - 1);
    }

    /** Kills all nodes and deletes their data. Idempotent. */
    @Override
    public void close() {
        synchronized (store) {
            StoreCluster.destroy(store.folder());
        }
    }

    /**
     * Servers that refuse to run as root use another user, who must be able to enter the folder; a
     * checkout in root's home is closed to that user.
     */
    private static Path reachable(Path folder) {
        Path elsewhere = Path.of(System.getProperty("java.io.tmpdir"), "petrichor-stores");
        try {
            for (Path above = folder; above != null; above = above.getParent()) {
                if (Files.exists(above)
                        && System.getProperty("user.name").equals("root")
                        && !Files.getPosixFilePermissions(above)
                                .contains(PosixFilePermission.OTHERS_EXECUTE)) {
                    return elsewhere;
                }
            }
            return folder;
        } catch (IOException unknown) {
            return elsewhere;
        }
    }

    /** Processes and folders of test JVMs that were killed before they could clean up. */
    private static synchronized void removeLeftovers() {
        try {
            Files.createDirectories(FOLDER);
            try (Stream<Path> folders = Files.list(FOLDER)) {
                for (Path folder : folders.toList()) {
                    String[] name = folder.getFileName().toString().split("-", -1);
                    long owner = Long.parseLong(name[name.length - 2]);
                    if (ProcessHandle.of(owner).isEmpty()) {
                        StoreCluster.destroy(folder);
                    }
                }
            }
        } catch (IOException failed) {
            throw new UncheckedIOException(failed);
        }
    }
}

package petrichor.apps.instances;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.Executor;
import java.util.concurrent.locks.LockSupport;
import petrichor.apps.instances.network.NetworkGuard;
import petrichor.base.ErrorCode;
import petrichor.base.FileProblem;
import petrichor.base.PetrichorException;
import petrichor.base.TimeSource;

/** What a host gives to one instance, and takes back at its end. Used by its supervisor. */
final class Place {
    private static final System.Logger LOG = System.getLogger(Place.class.getName());

    /** Names the instance in its environment where nothing else marks its processes. */
    private static final String MARK = "PETRICHOR_INSTANCE";

    /** A group can be removed shortly after its processes have ended. */
    private static final int REMOVALS_MAX = 200;

    private static final long REMOVAL_INTERVAL_NANOS = 5_000_000;

    private static final Duration KILL_TIME_MAX = Duration.ofSeconds(20);

    /**
     * What all instances of a host share.
     *
     * @param services of this machine that instances may use
     * @param launcher a thread that lives as long as the host; see {@link InstanceProcess#start}
     */
    record Shared(
            Isolation isolation,
            List<Path> hidden,
            List<InetSocketAddress> services,
            Executor launcher,
            TimeSource time) {}

    private final Shared shared;
    private final OptionalInt user;
    private final ControlGroup group;
    private final InstanceFolder folder;
    private final Runnable givenBack;

    /**
     * @param user own user id; empty without this feature
     * @param givenBack frees port, user id and memory
     */
    Place(
            Shared shared,
            OptionalInt user,
            ControlGroup group,
            InstanceFolder folder,
            Runnable givenBack) {
        this.shared = shared;
        this.user = user;
        this.group = group;
        this.folder = folder;
        this.givenBack = givenBack;
    }

    OptionalInt user() {
        return user;
    }

    ControlGroup group() {
        return group;
    }

    TimeSource time() {
        return shared.time();
    }

    InstanceProcess launch(Instance instance) throws IOException, InterruptedException {
        InstanceSpec spec = instance.spec();
        Path code = real(spec.files().code());
        List<Path> readable = new ArrayList<>();
        for (Path each : spec.files().readable()) {
            readable.add(real(each));
        }
        readable.add(code);
        checkHidden(readable);
        folder.create(user);
        group.create(spec.limits());
        Isolation isolation = shared.isolation();
        guard(isolation, instance.port());
        boolean ownView = isolation.namespaces() != Isolation.Namespaces.NONE;
        Map<String, String> environment =
                spec.environment(
                        instance.port(),
                        ownView ? ViewPlan.TEMPORARY : folder.temporary().toString());
        String mark = isolation.needsMark() ? UUID.randomUUID().toString() : "";
        if (!mark.isEmpty()) {
            environment.put(MARK, mark);
            mark = MARK + "=" + mark;
        }
        ViewPlan view =
                new ViewPlan(
                        folder, shared.hidden(), readable, spec.limits().memoryBytesMax(), user);
        InstanceProcess process =
                start(
                        Launch.command(spec, code, isolation, user),
                        ownView ? view.prepare() : Map.of(),
                        environment,
                        mark);
        try {
            folder.note(InstanceFolder.noteOf(process.pid(), mark));
        } catch (IOException e) {
            // Without a note, a later start of the platform would not find it.
            process.kill(KILL_TIME_MAX);
            throw e;
        }
        return process;
    }

    /** Before a process joins the group. An instance does not start without it. */
    private void guard(Isolation isolation, int port) throws IOException {
        Optional<NetworkGuard> network = isolation.network();
        Optional<Path> unified = group.unifiedFolder();
        if (network.isPresent() && unified.isPresent()) {
            NetworkGuard guard = network.get();
            guard.attach(unified.get(), guard.policy(port, shared.services()));
        }
    }

    private InstanceProcess start(
            List<String> command,
            Map<String, String> variables,
            Map<String, String> environment,
            String mark)
            throws IOException {
        try {
            return CompletableFuture.supplyAsync(
                            () -> {
                                try {
                                    return InstanceProcess.start(
                                            command,
                                            variables,
                                            environment,
                                            shared.isolation().namespaces(),
                                            group,
                                            mark);
                                } catch (IOException e) {
                                    throw new CompletionException(e);
                                }
                            },
                            shared.launcher())
                    .join();
        } catch (CompletionException e) {
            throw e.getCause() instanceof IOException problem
                    ? problem
                    : new IOException("the process could not be started", e);
        }
    }

    private static Path real(Path path) {
        try {
            Path real = path.toRealPath();
            if (!Files.isDirectory(real) || real.toString().contains("\n")) {
                throw PetrichorException.of(
                        ErrorCode.FAILED_PRECONDITION,
                        "{folder} is not a folder, or its name contains a line feed",
                        "folder",
                        path);
            }
            return real;
        } catch (IOException e) {
            throw FileProblem.of("cannot open the folder " + path, e);
        }
    }

    private void checkHidden(List<Path> readable) {
        for (Path each : readable) {
            for (Path hidden : shared.hidden()) {
                if (hidden.startsWith(each)) {
                    throw PetrichorException.of(
                            ErrorCode.FAILED_PRECONDITION,
                            "the folder {folder} of an instance contains {hidden}, which instances"
                                    + " must not see; use a folder that does not contain it",
                            "folder",
                            each,
                            "hidden",
                            hidden);
                }
            }
        }
    }

    /** After all processes have ended. */
    void release() {
        boolean removed = group.remove();
        for (int i = 0; i < REMOVALS_MAX && !removed; i++) {
            LockSupport.parkNanos(REMOVAL_INTERVAL_NANOS);
            removed = group.remove();
        }
        try {
            if (removed) {
                folder.delete();
            }
        } catch (IOException e) {
            removed = false;
        }
        if (!removed) {
            LOG.log(
                    System.Logger.Level.WARNING,
                    "the folder {0} and the control group {1} of an ended instance could not be"
                            + " removed; the next start of the platform removes them",
                    folder.path(),
                    group.name());
        }
        givenBack.run();
    }
}

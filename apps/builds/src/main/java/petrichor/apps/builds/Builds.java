package petrichor.apps.builds;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.ReentrantLock;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import petrichor.base.Cancellation;
import petrichor.base.ErrorCode;
import petrichor.base.FileProblem;
import petrichor.base.PetrichorException;

/**
 * Builds apps, and keeps what it built. Builds run on the calling thread, which may be virtual; at
 * most {@link BuildLimits#buildsMax} run at once. A failed build changes nothing but the app's
 * downloads and logs. Thread-safe; one process per folder.
 */
public final class Builds {
    private static final System.Logger LOG = System.getLogger(Builds.class.getName());
    private static final String SOURCES = "sources";
    private static final String APPS = "apps";
    private static final String TRASH = "trash";
    private static final String UV = "uv";

    /** Part of every content hash: a change invalidates all builds. */
    private static final String FORMAT = "build-1";

    private static final int LOGS_PER_APP_MAX = 50;
    private static final long PERMIT_WAIT_MILLIS = 100;

    private static final String COMMAND = "command.";
    private static final String VARIABLE = "environment.";

    private final BuildSettings settings;
    private final CommandRunner runner;
    private final Tools tools;
    private final AppFolders apps;
    private final SourceArchive sources;
    private final UvTool uv;
    private final CacheUses uses;
    private final CacheEviction eviction;
    private final Semaphore permits;
    private final Map<String, String> serverEnvironment;
    private final AtomicLong runs = new AtomicLong();

    private Builds(
            BuildSettings settings,
            CommandRunner runner,
            SourceLimits limits,
            Map<String, String> serverEnvironment)
            throws IOException {
        this.settings = settings;
        this.serverEnvironment = serverEnvironment;
        this.runner = runner;
        this.tools = new Tools(settings.toolFolders(), runner);
        this.uses = new CacheUses();
        this.permits = new Semaphore(settings.limits().buildsMax(), true);
        Path folder = settings.folder();
        this.uv = new UvTool(folder.resolve(UV), settings.time());
        Path ofApps = folder.resolve(APPS);
        this.apps = new AppFolders(ofApps, settings.users(), uses, settings.time());
        this.eviction =
                new CacheEviction(
                        folder.resolve(SOURCES), ofApps, folder.resolve(TRASH), uses, settings);
        @Nullable BuildUser cloner = firstUser(settings.users());
        this.sources =
                new SourceArchive(
                        new TreeStore(folder.resolve(SOURCES), uses, settings.time()),
                        limits,
                        new GitClone(runner, tools, passed(), cloner));
    }

    /** Opens the folder, which is created if it does not exist, and removes unfinished builds. */
    public static Builds open(BuildSettings settings, SourceLimits limits) {
        return open(
                settings,
                limits,
                CommandRunner.of(settings.users(), settings.folder()),
                System.getenv());
    }

    static Builds open(
            BuildSettings settings,
            SourceLimits limits,
            CommandRunner runner,
            Map<String, String> serverEnvironment) {
        try {
            Builds builds = new Builds(settings, runner, limits, serverEnvironment);
            builds.prepare();
            return builds;
        } catch (IOException e) {
            throw FileProblem.of("cannot open the folder of builds " + settings.folder(), e);
        }
    }

    private static @Nullable BuildUser firstUser(BuildUsers users) {
        return switch (users) {
            case BuildUsers.ServerUser _ -> null;
            // The id above all apps' ids, for clones, which belong to no app yet.
            case BuildUsers.UserPerApp perApp ->
                    new BuildUser(perApp.firstId() + perApp.ids(), perApp.firstId() + perApp.ids());
        };
    }

    private PassedSettings passed() throws IOException {
        String home = System.getProperty("user.home");
        return PassedSettings.of(serverEnvironment, Path.of(home == null ? "/nonexistent" : home));
    }

    private void prepare() throws IOException {
        Path folder = settings.folder();
        Path _ = FileTrees.folder(folder, FileTrees.ENTER_ONLY, null);
        Path _ = FileTrees.folder(folder.resolve(APPS), FileTrees.ENTER_ONLY, null);
        // Clones are made here by an unprivileged user.
        Path _ = FileTrees.folder(folder.resolve(SOURCES), FileTrees.ENTER_ONLY, null);
        runner.killLeftBehind();
        FileTrees.delete(folder.resolve(TRASH));
        Path _ = FileTrees.folder(folder.resolve(TRASH), FileTrees.OWNER_ONLY, null);
        removeUnfinished(folder.resolve(SOURCES));
        try (Stream<Path> all = Files.list(folder.resolve(APPS))) {
            for (Path app : (Iterable<Path>) all::iterator) {
                FileTrees.delete(app.resolve(AppFolders.AppFolder.WORK));
                removeUnfinished(app.resolve(AppFolders.AppFolder.LAYERS));
                removeUnfinished(app.resolve(AppFolders.AppFolder.BUILDS));
            }
        }
        checkReachable();
    }

    private static void removeUnfinished(Path store) throws IOException {
        if (!Files.isDirectory(store)) {
            return;
        }
        try (Stream<Path> trees = Files.list(store)) {
            for (Path tree : (Iterable<Path>) trees::iterator) {
                if (!Files.exists(tree.resolve(TreeStore.COMPLETE))) {
                    FileTrees.delete(tree);
                }
            }
        }
    }

    /** A build's user must be able to enter the folders above. */
    private void checkReachable() {
        BuildUser user = firstUser(settings.users());
        String folder = settings.folder().resolve(APPS).toString();
        Map<String, String> environment = Map.of("PATH", tools.path());
        if (user != null
                && runner.capture(List.of("test", "-x", folder), environment, user) == null) {
            throw PetrichorException.of(
                    ErrorCode.FAILED_PRECONDITION,
                    "the users of builds cannot enter {folder}, because one of its parent folders"
                            + " is private: move the folder of builds out of it",
                    "folder",
                    folder);
        }
    }

    /** Reads and keeps the sources of apps. */
    public SourceArchive sources() {
        return sources;
    }

    /**
     * As which user and group the app's builds run; empty if as the server's. Its built folders can
     * be read by this group, which the app's processes therefore need.
     */
    public Optional<BuildUser> user(String app) {
        try {
            return Optional.ofNullable(apps.of(app).user());
        } catch (IOException e) {
            throw FileProblem.of("cannot open the folder of builds of " + app, e);
        }
    }

    /** Folders beside its own that the processes of an app read: its dependencies. */
    public List<Path> readable(String app) {
        try {
            return List.of(apps.of(app).folder().resolve(AppFolders.AppFolder.LAYERS));
        } catch (IOException e) {
            throw FileProblem.of("cannot open the folder of builds of " + app, e);
        }
    }

    /** Bytes in the cache, without logs. */
    public long cacheBytes() {
        try {
            return eviction.bytes();
        } catch (IOException e) {
            throw FileProblem.of("cannot read the cache of builds", e);
        }
    }

    /**
     * Removes what is least recently used until the cache is below its limit; also runs after each
     * build.
     */
    public void evict() {
        try {
            eviction.run();
        } catch (IOException e) {
            throw FileProblem.of("cannot remove from the cache of builds", e);
        }
    }

    /** Removes everything of an app, none of whose builds may run or be deployed. */
    public void delete(String app) {
        try {
            FileTrees.delete(apps.forget(app));
        } catch (IOException e) {
            throw FileProblem.of("cannot remove the builds of " + app, e);
        }
    }

    /** Builds an app, or returns the existing build of the same inputs. */
    public BuildResult build(BuildRequest request, Cancellation cancellation) {
        long from = settings.time().monotonicNanos();
        try {
            AppFolders.AppFolder app = apps.of(request.app());
            String id =
                    "%d-%d"
                            .formatted(
                                    settings.time().epochMicros() / 1_000, runs.incrementAndGet());
            removeOldLogs(app.logs());
            try (BuildLog log =
                            new BuildLog(
                                    app.logs().resolve(id + ".log"),
                                    settings.limits().logBytesMax(),
                                    line ->
                                            request.progress()
                                                    .accept(new BuildEvent.Output(line)));
                    BuildRun run =
                            new BuildRun(
                                    request,
                                    app,
                                    app.work().resolve(id),
                                    log,
                                    new BuildRun.Services(
                                            runner,
                                            tools,
                                            settings.limits(),
                                            passed(),
                                            uv,
                                            settings.time()),
                                    cancellation)) {
                try {
                    return build(run, from, cancellation);
                } catch (PetrichorException e) {
                    return failed(run, e.getMessage());
                } catch (IOException e) {
                    return failed(run, "cannot write the build: " + FileProblem.reason(e));
                } finally {
                    FileTrees.delete(app.work().resolve(id));
                }
            }
        } catch (IOException e) {
            throw FileProblem.of("cannot write the folder of builds of " + request.app(), e);
        } finally {
            evictAfterBuild();
        }
    }

    /** The result of the build does not depend on it. */
    private void evictAfterBuild() {
        try {
            eviction.run();
        } catch (IOException | UncheckedIOException e) {
            LOG.log(
                    System.Logger.Level.WARNING,
                    "the cache of builds could not be brought below its limit: {0}",
                    e.getMessage());
        }
    }

    private static BuildResult failed(BuildRun run, @Nullable String reason) {
        String text = reason == null ? "unknown" : reason.lines().findFirst().orElse("");
        run.log().note("failed: " + text);
        return new BuildResult.BuildFailed(run.stage(), text, run.log().file());
    }

    private BuildResult build(BuildRun run, long from, Cancellation cancellation)
            throws IOException {
        acquirePermit(cancellation);
        run.startClock();
        try {
            BuildRequest request = run.request();
            run.keep(sources.use(request.sources()));
            run.keep(uses.of(run.app().downloads()));
            BuildSteps steps = run.stage(BuildStage.PREPARE, () -> BuildSteps.of(run));
            String hash = contentHash(request, steps);
            run.log().note("content hash " + hash + ", " + steps.toolchain());
            run.contentHash(hash);
            TreeStore store = run.app().builds();
            run.keep(store.use(hash));
            ReentrantLock lock = store.lock(hash);
            run.lock(lock);
            try {
                Optional<TreeStore.Tree> stored = find(run, hash);
                TreeStore.Tree tree = stored.isPresent() ? stored.get() : make(run, steps, hash);
                Duration duration = Duration.ofNanos(settings.time().monotonicNanos() - from);
                return built(tree, hash, stored.isPresent(), duration);
            } finally {
                lock.unlock();
            }
        } finally {
            permits.release();
        }
    }

    /** A build in the cache, if its layers are too; they count as used. */
    private static Optional<TreeStore.Tree> find(BuildRun run, String hash) throws IOException {
        Optional<TreeStore.Tree> stored = run.app().builds().find(hash);
        if (stored.isPresent()) {
            String layers = stored.get().properties().getOrDefault(CacheEviction.LAYERS, "");
            for (String key : layers.isEmpty() ? new String[0] : layers.split(" ")) {
                run.keep(run.app().layers().use(key));
                if (run.app().layers().find(key).isEmpty()) {
                    return Optional.empty();
                }
            }
        }
        return stored;
    }

    private TreeStore.Tree make(BuildRun run, BuildSteps steps, String hash) throws IOException {
        run.open();
        BuildSteps.Start start = steps.build(run);
        TreeStore.Tree tree =
                run.stage(
                        BuildStage.PUBLISH,
                        () -> {
                            FileTrees.confineLinks(run.content());
                            FileTrees.seal(run.content(), run.app().user());
                            return run.app()
                                    .builds()
                                    .publish(
                                            hash,
                                            run.content(),
                                            properties(start, run.layers()),
                                            run.app().user());
                        });
        if (run.downloaded()) {
            CacheEviction.measureDownloads(run.app(), settings.time());
        }
        return tree;
    }

    private void acquirePermit(Cancellation cancellation) {
        try {
            while (!permits.tryAcquire(PERMIT_WAIT_MILLIS, TimeUnit.MILLISECONDS)) {
                if (cancellation.reasonToStop() != null) {
                    throw PetrichorException.of(
                            ErrorCode.DEADLINE_EXCEEDED,
                            "the build was cancelled before it started");
                }
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw PetrichorException.of(
                    ErrorCode.DEADLINE_EXCEEDED, e, "the build was interrupted before it started");
        }
    }

    private static String contentHash(BuildRequest request, BuildSteps steps) {
        String entrypoint = request.entrypoint();
        return new ContentHash()
                .add(FORMAT)
                .add(request.sources().hash())
                .add(request.runtime().family().name())
                .add(steps.toolchain())
                .add(entrypoint == null ? "" : entrypoint)
                .add(request.environment())
                .hex();
    }

    private static Map<String, String> properties(BuildSteps.Start start, List<String> layers) {
        Map<String, String> properties = new TreeMap<>();
        for (int i = 0; i < start.command().size(); i++) {
            properties.put(COMMAND + i, start.command().get(i));
        }
        start.environment().forEach((name, value) -> properties.put(VARIABLE + name, value));
        properties.put(CacheEviction.LAYERS, String.join(" ", layers));
        return properties;
    }

    private static BuildResult built(
            TreeStore.Tree tree, String hash, boolean cached, Duration duration) {
        Map<String, String> environment = new TreeMap<>();
        Map<Integer, String> command = new TreeMap<>();
        tree.properties()
                .forEach(
                        (name, value) -> {
                            if (name.startsWith(VARIABLE)) {
                                environment.put(name.substring(VARIABLE.length()), value);
                            } else if (name.startsWith(COMMAND)) {
                                command.put(
                                        Integer.valueOf(name.substring(COMMAND.length())), value);
                            }
                        });
        return new BuildResult.Built(
                tree.content().resolve("app"),
                List.copyOf(command.values()),
                environment,
                hash,
                cached,
                duration);
    }

    private static void removeOldLogs(Path logs) throws IOException {
        try (Stream<Path> all = Files.list(logs)) {
            List<Path> newestLast =
                    all.sorted(Comparator.comparing(log -> log.getFileName().toString())).toList();
            for (Path log :
                    newestLast.subList(0, Math.max(0, newestLast.size() - LOGS_PER_APP_MAX + 1))) {
                boolean _ = Files.deleteIfExists(log);
            }
        }
    }
}

package petrichor.apps.builds;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;
import petrichor.base.Cancellation;
import petrichor.base.ErrorCode;
import petrichor.base.PetrichorException;
import petrichor.base.TimeSource;

/**
 * One build while it runs: its folders, its commands, its log. The folders:
 *
 * <pre>
 *   WORK/content/app    the sources, in which commands run; belongs to the build's user
 *   WORK/content/bin    binaries; likewise
 *   WORK/layer          the layer that is being made, if any; likewise
 *   WORK/home, tmp      HOME and TMPDIR; likewise
 * </pre>
 *
 * Everything above them belongs to the server. Used by one thread.
 */
final class BuildRun implements AutoCloseable {
    /** Beside the folder of the app. */
    static final String BINARIES = "bin";

    private final BuildRequest request;
    private final AppFolders.AppFolder app;
    private final Path work;
    private final BuildLog log;
    private final Services services;
    private final Cancellation cancellation;
    private long deadlineNanos;
    private final List<CacheUses.Use> uses = new ArrayList<>();
    private final List<String> layers = new ArrayList<>();
    private BuildStage stage = BuildStage.PREPARE;
    private boolean downloaded;
    private String contentHash = "";

    /** What all builds share. */
    record Services(
            CommandRunner runner,
            Tools tools,
            BuildLimits limits,
            PassedSettings passed,
            UvTool uv,
            TimeSource time) {}

    BuildRun(
            BuildRequest request,
            AppFolders.AppFolder app,
            Path work,
            BuildLog log,
            Services services,
            Cancellation cancellation) {
        this.request = request;
        this.app = app;
        this.work = work;
        this.log = log;
        this.services = services;
        this.cancellation = cancellation;
        startClock();
    }

    /** The time limit counts from here: waiting for a slot is not part of it. */
    final void startClock() {
        deadlineNanos = System.nanoTime() + services.limits().timeMax().toNanos();
    }

    /** A step of a build that may fail. */
    interface Step<T> {
        T run() throws IOException;
    }

    /** A layer, and whether it was in the cache. */
    record Layer(Path folder, boolean reused) {}

    /** Makes a layer in a folder. */
    interface LayerMaker {
        /**
         * @param folder new and empty
         * @param published where the layer will be found
         */
        void make(Path folder, Path published) throws IOException;
    }

    BuildRequest request() {
        return request;
    }

    AppFolders.AppFolder app() {
        return app;
    }

    Tools tools() {
        return services.tools();
    }

    UvTool uv() {
        return services.uv();
    }

    PassedSettings passed() {
        return services.passed();
    }

    BuildLog log() {
        return log;
    }

    BuildStage stage() {
        return stage;
    }

    List<String> layers() {
        return List.copyOf(layers);
    }

    /** Whether the app's downloads may have grown. */
    boolean downloaded() {
        return downloaded;
    }

    /** Of the inputs, once the tools are known. */
    void contentHash(String hash) {
        contentHash = hash;
    }

    /** Where {@link #content} will be found. */
    Path publishedContent() {
        return app.builds().content(contentHash);
    }

    Path content() {
        return work.resolve("content");
    }

    Path appFolder() {
        return content().resolve("app");
    }

    Path binaries() {
        return content().resolve(BINARIES);
    }

    /** An app's own cache of downloads for one package manager. */
    Path downloads(String of) throws IOException {
        return FileTrees.folder(app.downloads().resolve(of), FileTrees.OWNER_ONLY, app.user());
    }

    /** Whether the sources have this file. */
    boolean has(String file) {
        return Files.isRegularFile(request.sources().folder().resolve(file));
    }

    /** Keeps an entry of the cache until this build ends. */
    void keep(CacheUses.Use use) {
        uses.add(use);
    }

    /** Creates the folders, with a copy of the sources. */
    void open() throws IOException {
        Path _ = Files.createDirectories(work);
        FileTrees.setMode(work, FileTrees.ENTER_ONLY);
        Path _ = FileTrees.folder(content(), FileTrees.ENTER_ONLY | 0044, null);
        Path home = FileTrees.folder(work.resolve("home"), FileTrees.OWNER_ONLY, app.user());
        Path _ = FileTrees.folder(work.resolve("tmp"), FileTrees.OWNER_ONLY, app.user());
        Path _ = FileTrees.folder(binaries(), FileTrees.OWNER_ONLY, app.user());
        Path _ = FileTrees.folder(app.downloads(), FileTrees.OWNER_ONLY, app.user());
        services.passed().writeFiles(home, app.user());
        FileTrees.copy(request.sources().folder(), appFolder(), app.user());
    }

    <T> T stage(BuildStage next, Step<T> step) throws IOException {
        stage = next;
        long from = services.time().monotonicNanos();
        request.progress().accept(new BuildEvent.StageStarted(next));
        log.note("stage " + next);
        T result = step.run();
        Duration took = Duration.ofNanos(services.time().monotonicNanos() - from);
        boolean reused = result instanceof Layer layer && layer.reused();
        log.note("stage %s finished in %d ms".formatted(next, took.toMillis()));
        request.progress().accept(new BuildEvent.StageFinished(next, took, reused));
        return result;
    }

    /**
     * The layer of this key: from the cache, or made now, by one build at a time. It is not evicted
     * while this build runs, and after it as long as a build refers to it.
     */
    Layer layer(String key, LayerMaker maker) throws IOException {
        keep(app.layers().use(key));
        layers.add(key);
        ReentrantLock lock = app.layers().lock(key);
        lock(lock);
        try {
            var stored = app.layers().find(key);
            if (stored.isPresent()) {
                log.note("dependencies are cached as layer " + key);
                return new Layer(stored.get().content(), true);
            }
            downloaded = true;
            Path made = work.resolve("layer");
            FileTrees.delete(made);
            Path _ = FileTrees.folder(made, FileTrees.OWNER_ONLY, app.user());
            maker.make(made, app.layers().content(key));
            FileTrees.seal(made, app.user());
            return new Layer(
                    app.layers().publish(key, made, Map.of(), app.user()).content(), false);
        } finally {
            lock.unlock();
        }
    }

    /** Waits for another build of the same app, unless this one is cancelled or out of time. */
    void lock(ReentrantLock lock) {
        long stepNanos = Duration.ofMillis(100).toNanos();
        try {
            while (!lock.tryLock(stepNanos, TimeUnit.NANOSECONDS)) {
                checkTime();
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw cancelled();
        }
    }

    private void checkTime() {
        if (cancellation.reasonToStop() != null) {
            throw cancelled();
        }
        if (System.nanoTime() - deadlineNanos >= 0) {
            throw timedOut();
        }
    }

    /** Commands with dependencies that this build downloads outside layers. */
    void downloads() {
        downloaded = true;
    }

    /** Variables of every command, then those of the caller. */
    Map<String, String> environment(List<Path> executables, Map<String, String> more) {
        Map<String, String> all = new TreeMap<>(services.passed().variables());
        all.put("LANG", "C.UTF-8");
        all.put("LC_ALL", "C.UTF-8");
        all.putAll(more);
        all.putAll(request.environment());
        all.put("HOME", work.resolve("home").toString());
        all.put("TMPDIR", work.resolve("tmp").toString());
        all.put("PATH", Tools.path(executables));
        return all;
    }

    /** Runs a command that must succeed. */
    void run(
            FailureReason.Source source,
            List<String> line,
            Path folder,
            Map<String, String> environment)
            throws IOException {
        FailureReason reason = new FailureReason(source);
        int code = execute(line, folder, environment, reason);
        if (code != 0) {
            throw PetrichorException.of(
                    ErrorCode.FAILED_PRECONDITION,
                    "{program} failed: {reason}",
                    "program",
                    program(line),
                    "reason",
                    shortened(reason.text()));
        }
    }

    /** Runs a command that may fail. */
    int execute(
            List<String> line,
            Path folder,
            Map<String, String> environment,
            @Nullable FailureReason reason) {
        checkTime();
        log.note("$ " + String.join(" ", line).replace('\n', ' '));
        CommandEnd end =
                services.runner()
                        .run(
                                new Command(
                                        line,
                                        folder,
                                        environment,
                                        app.user(),
                                        deadlineNanos,
                                        new Command.DiskBound(
                                                List.of(work), services.limits().workBytesMax())),
                                text -> {
                                    if (reason != null) {
                                        reason.add(text);
                                    }
                                    return log.line(text);
                                },
                                cancellation);
        return switch (end) {
            case CommandEnd.Exited exited -> {
                log.note("exit code " + exited.code());
                yield exited.code();
            }
            case CommandEnd.TimedOut _ -> throw timedOut();
            case CommandEnd.Cancelled _ -> throw cancelled();
            case CommandEnd.OutputTooLong _ ->
                    throw PetrichorException.of(
                            ErrorCode.RESOURCE_EXHAUSTED,
                            "{program} wrote more than {bytesMax} bytes of output: make it write"
                                    + " less",
                            "program",
                            program(line),
                            "bytesMax",
                            services.limits().logBytesMax());
            case CommandEnd.DiskFull _ ->
                    throw PetrichorException.of(
                            ErrorCode.RESOURCE_EXHAUSTED,
                            "{program} wrote more than {bytesMax} bytes of files: reduce the app's"
                                    + " dependencies",
                            "program",
                            program(line),
                            "bytesMax",
                            services.limits().workBytesMax());
        };
    }

    private PetrichorException timedOut() {
        return PetrichorException.of(
                ErrorCode.DEADLINE_EXCEEDED,
                "the build took longer than {seconds} s and was killed: look for the last command"
                        + " in its log",
                "seconds",
                services.limits().timeMax().toSeconds());
    }

    private static PetrichorException cancelled() {
        return PetrichorException.of(ErrorCode.DEADLINE_EXCEEDED, "the build was cancelled");
    }

    /** "pip" of /usr/bin/python3 -m pip, otherwise the file name and a script's name. */
    private static String program(List<String> line) {
        int module = line.indexOf("-m");
        if (module > 0 && module + 1 < line.size()) {
            return line.get(module + 1);
        }
        String name = Path.of(line.getFirst()).getFileName().toString();
        return line.size() > 1 && line.get(1).matches("[a-z]+") ? name + " " + line.get(1) : name;
    }

    /** Without the name of the temporary folder, which means nothing to a developer. */
    private String shortened(String reason) {
        return BuildLog.withoutCredentials(
                reason.replace(appFolder() + "/", "").replace(work + "/", ""));
    }

    @Override
    public void close() {
        uses.forEach(CacheUses.Use::close);
    }
}

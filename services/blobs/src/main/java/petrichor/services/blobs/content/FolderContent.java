package petrichor.services.blobs.content;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.OptionalLong;
import java.util.concurrent.TimeUnit;
import petrichor.base.ErrorCode;
import petrichor.base.PetrichorException;

/**
 * Content in a folder, a file each: {@code pPROJECT/XX/ID}, where XX are the first two digits of
 * the id. A file is a sequence of blocks, each followed by its CRC32C; see {@link Blocks}.
 * Thread-safe; the folder belongs to one process.
 */
public final class FolderContent implements BlobContent {
    /** No project is called {@code p}…, so that {@code ..} is a name like any other. */
    private static final String PREFIX = "p";

    /** An open file stays readable after its deletion; this is for readers about to open it. */
    private static final Duration KEPT = Duration.ofMinutes(1);

    private static final int ID_DIGITS = 32;
    private static final int FAN_DIGITS = 2;

    private final Path folder;

    private FolderContent(Path folder) {
        this.folder = folder;
    }

    /** Creates the folder if it does not exist. */
    public static FolderContent open(Path folder) {
        try {
            Files.createDirectories(folder);
        } catch (IOException failed) {
            throw failure("create the folder of blobs", folder, failed);
        }
        return new FolderContent(folder);
    }

    private Path projectFolder(String project) {
        return folder.resolve(PREFIX + project);
    }

    private Path folder(ContentId id) {
        return projectFolder(id.project()).resolve(name(id).substring(0, FAN_DIGITS));
    }

    private Path file(ContentId id) {
        return folder(id).resolve(name(id));
    }

    private static String name(ContentId id) {
        return HexFormat.of().formatHex(id.bytes());
    }

    @Override
    public ContentWriter append(ContentId id, long from) {
        if (from % GRANULE_BYTES != 0) {
            throw new IllegalArgumentException("cannot continue at " + from);
        }
        Path file = file(id);
        try {
            if (from == 0) {
                createFolder(id);
            }
            FileChannel channel =
                    from == 0
                            ? FileChannel.open(
                                    file, StandardOpenOption.WRITE, StandardOpenOption.CREATE)
                            : FileChannel.open(file, StandardOpenOption.WRITE);
            return new FileWriter(file, folder(id), channel, from / GRANULE_BYTES);
        } catch (IOException failed) {
            throw failure("write", file, failed);
        }
    }

    /** Makes new folders durable, so that a file in them can be. */
    private void createFolder(ContentId id) throws IOException {
        if (!Files.isDirectory(folder(id))) {
            Files.createDirectories(folder(id));
            sync(folder);
            sync(projectFolder(id.project()));
        }
    }

    static void sync(Path folder) throws IOException {
        try (FileChannel channel = FileChannel.open(folder, StandardOpenOption.READ)) {
            channel.force(true);
        }
    }

    @Override
    public ContentReader read(ContentId id, long from, long to) {
        Path file = file(id);
        try {
            return new FileReader(file, FileChannel.open(file, StandardOpenOption.READ), from, to);
        } catch (IOException failed) {
            throw failure("read", file, failed);
        }
    }

    @Override
    public void delete(ContentId id) {
        Path file = file(id);
        try {
            Files.deleteIfExists(file);
        } catch (IOException failed) {
            throw failure("delete", file, failed);
        }
    }

    @Override
    public Duration keptForReaders() {
        return KEPT;
    }

    @Override
    public List<Stored> list(String project) {
        Path root = projectFolder(project);
        List<Stored> found = new ArrayList<>();
        if (!Files.isDirectory(root)) {
            return found;
        }
        try (DirectoryStream<Path> fans = Files.newDirectoryStream(root)) {
            for (Path fan : fans) {
                addFiles(project, fan, found);
            }
        } catch (IOException failed) {
            throw failure("list", root, failed);
        }
        return found;
    }

    private static void addFiles(String project, Path fan, List<Stored> found) throws IOException {
        try (DirectoryStream<Path> files = Files.newDirectoryStream(fan)) {
            for (Path file : files) {
                String name = file.getFileName().toString();
                if (name.length() == ID_DIGITS) {
                    ContentId id = ContentId.of(project, HexFormat.of().parseHex(name));
                    changedMicros(file).ifPresent(micros -> found.add(new Stored(id, micros)));
                }
            }
        }
    }

    /** Empty if a collection has deleted the file meanwhile. */
    private static OptionalLong changedMicros(Path file) throws IOException {
        try {
            return OptionalLong.of(Files.getLastModifiedTime(file).to(TimeUnit.MICROSECONDS));
        } catch (NoSuchFileException deleted) {
            return OptionalLong.empty();
        }
    }

    static PetrichorException failure(String action, Path file, IOException failed) {
        String reason =
                failed instanceof NoSuchFileException
                        ? "the file is missing"
                        : String.valueOf(failed.getMessage());
        return PetrichorException.of(
                failed instanceof NoSuchFileException ? ErrorCode.INTERNAL : ErrorCode.UNAVAILABLE,
                failed,
                "cannot {action} {file}: {reason}",
                "action",
                action,
                "file",
                file,
                "reason",
                reason);
    }

    @Override
    public void close() {}
}

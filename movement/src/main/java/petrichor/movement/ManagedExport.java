package petrichor.movement;

import com.google.protobuf.CodedInputStream;
import com.google.protobuf.WireFormat;
import java.io.BufferedInputStream;
import java.io.IOException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import petrichor.base.ErrorCode;
import petrichor.base.FileProblem;
import petrichor.base.PetrichorException;

/**
 * Reads the folder of a managed export by Google's Datastore or its emulator. {@code
 * X.overall_export_metadata} refers to a metadata file per kind, which lists its output files. An
 * output file is a {@link LogReader LevelDB log} with one {@link EntityProto} per record.
 *
 * <p>The overall metadata contains the number of entities. If the files contain another number, the
 * export is incomplete, and reading it ends with an error instead of silently losing data; so does
 * a damaged file. A folder without overall metadata (some kinds copied from a larger export) is
 * read by its output files alone. Confined to one thread.
 */
public final class ManagedExport implements EntitySource {
    static final String OVERALL = ".overall_export_metadata";
    static final byte VERSION = 0x33;

    /**
     * Output files are at all_namespaces/kind_X/output-N; deeper files belong to something else.
     */
    private static final int OUTPUT_DEPTH_MAX = 3;

    private final List<Path> files;
    private final long entitiesExpected;
    private final long bytesTotal;
    private int nextFile;
    private long bytesBefore;
    private @Nullable CountingStream counter;
    private @Nullable LogReader log;
    private String file = "";
    private long number;

    private ManagedExport(List<Path> files, long entitiesExpected) throws IOException {
        this.files = files;
        this.entitiesExpected = entitiesExpected;
        long bytes = 0;
        for (Path output : files) {
            bytes += Files.size(output);
        }
        this.bytesTotal = bytes;
    }

    /** Whether {@code path} looks like such an export, or like its metadata file. */
    public static boolean looksLike(Path path) {
        return path.toString().endsWith(OVERALL) || Files.isDirectory(path);
    }

    /** {@code path} is the folder or its {@code .overall_export_metadata} file. */
    public static ManagedExport open(Path path) {
        try {
            Path overall = overallMetadata(path);
            if (overall != null) {
                return described(overall);
            }
            List<Path> outputs = outputs(path);
            if (outputs.isEmpty()) {
                throw PetrichorException.of(
                        ErrorCode.NOT_FOUND,
                        "{folder} contains no managed export: neither a file *"
                                + OVERALL
                                + " nor files named output-N",
                        "folder",
                        path);
            }
            return new ManagedExport(outputs, -1);
        } catch (IOException unreadable) {
            throw broken(path, unreadable);
        }
    }

    private static @Nullable Path overallMetadata(Path path) throws IOException {
        if (!Files.isDirectory(path)) {
            return path;
        }
        try (Stream<Path> inside = Files.walk(path, 2)) {
            List<Path> found =
                    inside.filter(file -> file.toString().endsWith(OVERALL)).sorted().toList();
            if (found.size() > 1) {
                throw PetrichorException.invalid(
                        "{path} contains several exports: name one of {actual}",
                        "path",
                        path,
                        "actual",
                        found);
            }
            return found.isEmpty() ? null : found.getFirst();
        }
    }

    private static ManagedExport described(Path overall) throws IOException {
        List<Path> outputs = new ArrayList<>();
        long entities = 0;
        for (KindPointer kind : kinds(overall)) {
            // Google's emulator writes the path separator of its operating system.
            Path metadata = overall.resolveSibling(kind.path().replace('\\', '/'));
            requireInside(overall, metadata);
            for (String name : outputNames(Files.readAllBytes(metadata))) {
                Path output = metadata.resolveSibling(name);
                requireInside(overall, output);
                outputs.add(output);
            }
            entities += kind.entities();
        }
        return new ManagedExport(outputs, entities);
    }

    /** Refuses names in the metadata that lead out of the folder, because the file is untrusted. */
    private static void requireInside(Path overall, Path named) {
        Path folder = overall.toAbsolutePath().normalize().getParent();
        if (folder == null || !named.toAbsolutePath().normalize().startsWith(folder)) {
            throw PetrichorException.invalid(
                    "{overall} names a file outside of the export: {named}",
                    "overall",
                    overall,
                    "named",
                    named);
        }
    }

    private static List<Path> outputs(Path folder) throws IOException {
        try (Stream<Path> inside = Files.walk(folder, OUTPUT_DEPTH_MAX)) {
            return inside.filter(Files::isRegularFile)
                    .filter(file -> file.getFileName().toString().matches("output-\\d+"))
                    .sorted()
                    .toList();
        }
    }

    /** The location of a kind's metadata and the number of its entities. */
    private record KindPointer(String path, long entities) {}

    private static List<KindPointer> kinds(Path overall) throws IOException {
        try (LogReader records =
                new LogReader(
                        overall.toString(),
                        new BufferedInputStream(Files.newInputStream(overall)))) {
            byte[] version = records.next();
            byte[] metadata = records.next();
            if (version == null || version.length != 1 || version[0] != VERSION) {
                throw PetrichorException.invalid(
                        "{overall} has an unsupported version", "overall", overall);
            }
            List<KindPointer> kinds = new ArrayList<>();
            if (metadata == null) {
                return kinds;
            }
            CodedInputStream in = CodedInputStream.newInstance(metadata);
            for (int tag = in.readTag(); tag != 0; tag = in.readTag()) {
                if (WireFormat.getTagFieldNumber(tag) == 1) {
                    kinds.add(kind(in.readBytes().newCodedInput()));
                } else {
                    in.skipField(tag);
                }
            }
            return kinds;
        }
    }

    private static KindPointer kind(CodedInputStream in) throws IOException {
        String path = "";
        long entities = 0;
        for (int tag = in.readTag(); tag != 0; tag = in.readTag()) {
            switch (WireFormat.getTagFieldNumber(tag)) {
                case 2 -> path = in.readString();
                case 3 -> entities = in.readInt64();
                default -> in.skipField(tag);
            }
        }
        return new KindPointer(path, entities);
    }

    private static List<String> outputNames(byte[] metadata) throws IOException {
        List<String> names = new ArrayList<>();
        CodedInputStream in = CodedInputStream.newInstance(metadata);
        for (int tag = in.readTag(); tag != 0; tag = in.readTag()) {
            if (WireFormat.getTagFieldNumber(tag) != 2) {
                in.skipField(tag);
                continue;
            }
            CodedInputStream file = in.readBytes().newCodedInput();
            for (int inner = file.readTag(); inner != 0; inner = file.readTag()) {
                if (WireFormat.getTagFieldNumber(inner) == 2) {
                    names.add(file.readString());
                } else {
                    file.skipField(inner);
                }
            }
        }
        return names;
    }

    @Override
    public @Nullable Entry next() {
        while (true) {
            if (log == null && !openNext()) {
                requireAllThere();
                return null;
            }
            byte[] bytes = log == null ? null : log.next();
            if (bytes != null) {
                number++;
                return record(new Place(file, number), bytes);
            }
            closeLog();
        }
    }

    private static Entry record(Place place, byte[] bytes) {
        try {
            return new Good(place, EntityProto.parse(bytes), bytes.length);
        } catch (PetrichorException notAnEntity) {
            return new Bad(place, String.valueOf(notAnEntity.getMessage()), "");
        }
    }

    private boolean openNext() {
        if (nextFile == files.size()) {
            return false;
        }
        Path path = files.get(nextFile++);
        try {
            counter = new CountingStream(Files.newInputStream(path));
            log = new LogReader(path.toString(), counter);
            file = path.toString();
            return true;
        } catch (IOException unreadable) {
            throw broken(path, unreadable);
        }
    }

    private void closeLog() {
        if (log != null && counter != null) {
            bytesBefore += counter.count();
            log.close();
        }
        log = null;
        counter = null;
    }

    private void requireAllThere() {
        if (entitiesExpected >= 0 && number != entitiesExpected) {
            throw PetrichorException.invalid(
                    "the export's metadata lists {expected} entities, but its files contain"
                            + " {actual}; these were read, the others are missing: copy the export"
                            + " again",
                    "expected",
                    entitiesExpected,
                    "actual",
                    number);
        }
    }

    /** According to the overall metadata; -1 if unknown. */
    public long entitiesTotal() {
        return entitiesExpected;
    }

    @Override
    public long bytesTotal() {
        return bytesTotal;
    }

    @Override
    public long bytesRead() {
        return bytesBefore + (counter == null ? 0 : counter.count());
    }

    @Override
    public void close() {
        closeLog();
    }

    /** Reports an unreadable file that the export itself names. */
    private static PetrichorException broken(Path path, IOException unreadable) {
        String named = unreadable instanceof FileSystemException precise ? precise.getFile() : null;
        return FileProblem.of("cannot read " + (named == null ? path : named), unreadable);
    }
}

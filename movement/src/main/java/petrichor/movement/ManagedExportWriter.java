package petrichor.movement;

import com.google.datastore.v1.Entity;
import com.google.protobuf.CodedOutputStream;
import java.io.BufferedOutputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.channels.Channels;
import java.nio.channels.FileChannel;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import petrichor.base.FileProblem;

/**
 * Writes a folder in the format of Google's managed exports, which {@link ManagedExport} reads:
 * output files and a metadata file per {@link ExportPart}, and the overall metadata.
 *
 * <p>Files are written to {@code NAME.incomplete} and synced, and {@link #finish} renames the
 * folder, so that a folder without the suffix is complete. {@link #close} without {@code finish}
 * deletes the folder; a crash leaves the incomplete one. Confined to one thread.
 */
public final class ManagedExportWriter implements AutoCloseable {
    /** Size at which an entity starts the next output file. */
    static final long OUTPUT_BYTES_MAX = 256L << 20;

    private static final int BUFFER_BYTES = 1 << 16;

    /** Field numbers of the scope of a part in the overall metadata. */
    private static final int ALL_NAMESPACES = 2;

    private static final int ALL_KINDS = 3;

    private final Path folder;
    private final Path incomplete;
    private final long startMicros;
    private final long outputBytesMax;
    private final List<Pointer> pointers = new ArrayList<>();
    private final List<String> outputs = new ArrayList<>();
    private @Nullable ExportPart part;
    private @Nullable FileChannel file;
    private @Nullable OutputStream buffer;
    private @Nullable LogWriter log;
    private long partEntities;
    private long partBytes;
    private long bytes;
    private boolean finished;

    /** The entry of a part in the overall metadata. */
    private record Pointer(ExportPart part, List<String> outputs, long entities, long bytes) {}

    private ManagedExportWriter(Path folder, long startMicros, long outputBytesMax) {
        this.folder = folder;
        this.incomplete = folder.resolveSibling(folder.getFileName() + ".incomplete");
        this.startMicros = startMicros;
        this.outputBytesMax = outputBytesMax;
    }

    /**
     * @param folder must not exist; missing parent folders are created, for the owner alone
     * @param startMicros start of the export, microseconds since 1970
     */
    public static ManagedExportWriter create(Path folder, long startMicros) {
        return create(folder, startMicros, OUTPUT_BYTES_MAX);
    }

    static ManagedExportWriter create(Path folder, long startMicros, long outputBytesMax) {
        ManagedExportWriter writer = new ManagedExportWriter(folder, startMicros, outputBytesMax);
        try {
            if (Files.exists(folder)) {
                throw new FileAlreadyExistsException(folder.toString());
            }
            PrivateFolders.create(writer.incomplete);
            return writer;
        } catch (IOException failed) {
            throw FileProblem.of("cannot create " + writer.incomplete, failed);
        }
    }

    /** Assigns the following entities to this part. */
    public void begin(ExportPart next) {
        try {
            endPart();
            part = next;
            PrivateFolders.create(incomplete.resolve(next.folder()));
            openOutput(next);
        } catch (IOException failed) {
            throw broken(failed);
        }
    }

    public void write(Entity entity) {
        ExportPart current = part;
        if (current == null || log == null) {
            throw new IllegalStateException("begin a part first");
        }
        try {
            if (log.bytes() >= outputBytesMax) {
                closeOutput();
                openOutput(current);
            }
            log.write(EntityProtoWriter.write(entity));
            partEntities++;
        } catch (IOException failed) {
            throw broken(failed);
        }
    }

    /** Size of the output files so far. */
    public long bytes() {
        return bytes + (log == null ? 0 : log.bytes());
    }

    /**
     * Completes the export and returns its overall metadata file.
     *
     * @param endMicros end of the export, microseconds since 1970
     */
    public Path finish(long endMicros) {
        String name = folder.getFileName().toString();
        try {
            endPart();
            for (Pointer pointer : pointers) {
                write(
                        incomplete.resolve(pointer.part().metadataFile()),
                        metadata(name, endMicros, pointer));
            }
            ByteArrayOutputStream overall = new ByteArrayOutputStream();
            LogWriter records = new LogWriter(overall);
            records.write(new byte[] {ManagedExport.VERSION});
            records.write(overall());
            write(incomplete.resolve(name + ManagedExport.OVERALL), overall.toByteArray());
            Files.move(incomplete, folder, StandardCopyOption.ATOMIC_MOVE);
            finished = true;
            return folder.resolve(name + ManagedExport.OVERALL);
        } catch (IOException failed) {
            throw broken(failed);
        }
    }

    private void openOutput(ExportPart of) throws IOException {
        String name = "output-" + outputs.size();
        FileChannel opened =
                FileChannel.open(
                        incomplete.resolve(of.folder()).resolve(name),
                        StandardOpenOption.CREATE_NEW,
                        StandardOpenOption.WRITE);
        file = opened;
        buffer = new BufferedOutputStream(Channels.newOutputStream(opened), BUFFER_BYTES);
        log = new LogWriter(buffer);
        outputs.add(name);
    }

    private void closeOutput() throws IOException {
        if (file == null || buffer == null || log == null) {
            return;
        }
        try (FileChannel closing = file) {
            buffer.flush();
            closing.force(true);
        }
        partBytes += log.bytes();
        bytes += log.bytes();
        file = null;
        log = null;
    }

    private void endPart() throws IOException {
        closeOutput();
        if (part != null) {
            pointers.add(new Pointer(part, List.copyOf(outputs), partEntities, partBytes));
        }
        part = null;
        outputs.clear();
        partEntities = 0;
        partBytes = 0;
    }

    private byte[] metadata(String name, long endMicros, Pointer pointer) throws IOException {
        return message(
                out -> {
                    out.writeByteArray(
                            1,
                            message(
                                    sub -> {
                                        sub.writeString(1, name);
                                        sub.writeInt64(2, startMicros);
                                        sub.writeInt64(3, endMicros);
                                    }));
                    for (String output : pointer.outputs()) {
                        out.writeByteArray(
                                2,
                                message(
                                        sub -> {
                                            sub.writeString(1, "");
                                            sub.writeString(2, output);
                                        }));
                    }
                });
    }

    private byte[] overall() throws IOException {
        return message(
                out -> {
                    for (Pointer pointer : pointers) {
                        out.writeByteArray(1, message(sub -> pointer(pointer, sub)));
                    }
                });
    }

    private static void pointer(Pointer pointer, CodedOutputStream out) throws IOException {
        out.writeByteArray(
                1,
                message(
                        sub -> {
                            sub.writeInt32(1, ALL_NAMESPACES);
                            sub.writeInt32(3, ALL_KINDS);
                        }));
        out.writeString(2, pointer.part().metadataFile());
        out.writeInt64(3, pointer.entities());
        out.writeInt64(4, pointer.bytes());
    }

    private interface Content {
        void writeTo(CodedOutputStream out) throws IOException;
    }

    private static byte[] message(Content content) throws IOException {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        CodedOutputStream out = CodedOutputStream.newInstance(bytes);
        content.writeTo(out);
        out.flush();
        return bytes.toByteArray();
    }

    private static void write(Path path, byte[] content) throws IOException {
        Files.write(
                path,
                content,
                StandardOpenOption.CREATE_NEW,
                StandardOpenOption.WRITE,
                StandardOpenOption.DSYNC);
    }

    private static RuntimeException broken(IOException failed) {
        return FileProblem.of("cannot write the export", failed);
    }

    @Override
    public void close() {
        if (finished) {
            return;
        }
        try {
            if (file != null) {
                file.close();
            }
            try (Stream<Path> inside = Files.walk(incomplete)) {
                for (Path path : inside.sorted(Comparator.reverseOrder()).toList()) {
                    Files.delete(path);
                }
            }
        } catch (IOException failed) {
            throw FileProblem.of("cannot remove " + incomplete, failed);
        }
    }
}

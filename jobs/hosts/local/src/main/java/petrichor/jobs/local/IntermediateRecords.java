package petrichor.jobs.local;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import petrichor.base.ErrorCode;
import petrichor.base.PetrichorException;
import petrichor.jobs.jobgraph.Sink;
import petrichor.jobs.jobgraph.Source;
import petrichor.jobs.pact.compiler.IntermediateStore;
import petrichor.jobs.records.RecordType;

/**
 * Keeps records between the parts of one program, in a folder of its own: a folder per name, a file
 * per subtask. Belongs to the thread that runs the program; closing removes everything.
 */
final class IntermediateRecords implements IntermediateStore, AutoCloseable {
    private final Path folder;

    private IntermediateRecords(Path folder) {
        this.folder = folder;
    }

    static IntermediateRecords in(Path parent) {
        try {
            return new IntermediateRecords(Files.createTempDirectory(parent, "petrichor-kept-"));
        } catch (IOException e) {
            throw failed("cannot create a folder in " + parent, e);
        }
    }

    @Override
    public Sink sink(String name, RecordType type) {
        return new IntermediateSink(folder.resolve(name).toString(), name);
    }

    @Override
    public Source source(String name, RecordType type) {
        return new IntermediateSource(folder.resolve(name).toString(), name, type);
    }

    /** Replaces the records kept under one name by those kept under another. */
    void replace(String name, String by) {
        try {
            delete(folder.resolve(name));
            Files.move(folder.resolve(by), folder.resolve(name));
        } catch (IOException e) {
            throw failed("cannot keep the results of a round in " + folder, e);
        }
    }

    boolean holdsRecords(String name) {
        try (var files = Files.list(folder.resolve(name))) {
            return files.anyMatch(file -> file.toFile().length() > 0);
        } catch (IOException e) {
            throw failed("cannot read the results of a round in " + folder, e);
        }
    }

    @Override
    public void close() {
        try {
            delete(folder);
        } catch (IOException e) {
            throw failed("the folder " + folder + " cannot be removed; remove it by hand", e);
        }
    }

    static void delete(Path path) throws IOException {
        if (!Files.exists(path)) {
            return;
        }
        try (var below = Files.walk(path)) {
            for (var each : below.sorted(Comparator.reverseOrder()).toList()) {
                Files.delete(each);
            }
        }
    }

    private static PetrichorException failed(String what, IOException why) {
        return PetrichorException.of(
                ErrorCode.UNAVAILABLE,
                why,
                "{problem}: {reason}; check free space and permissions",
                "problem",
                what,
                "reason",
                why.getMessage());
    }
}

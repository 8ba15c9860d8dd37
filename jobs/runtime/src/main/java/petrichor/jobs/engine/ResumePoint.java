package petrichor.jobs.engine;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Comparator;
import java.util.HexFormat;
import java.util.List;
import petrichor.base.ErrorCode;
import petrichor.base.FileProblem;
import petrichor.base.PetrichorException;
import petrichor.jobs.jobgraph.ExecutionGraph;
import petrichor.jobs.jobgraph.JobEdge;
import petrichor.jobs.jobgraph.JobGraph;
import petrichor.jobs.jobgraph.JobVertex;

/**
 * A folder from which a job can be resumed, by this process or another one: the files between its
 * stages, the uncommitted output of its sinks, and the number of stages that have ended. It exists
 * from the job's start until its sinks are committed or it has failed for a reason of its own; so
 * it survives a crash of the process, but not one of the machine, since nothing is synced.
 *
 * <p>The job's inputs must not change meanwhile: completed stages do not read them again. One
 * process at a time may use it.
 */
public final class ResumePoint {
    private static final String STATE = "stages";
    private static final String FILES = "files";
    private static final int WORDS = 4;

    private final Path folder;

    /** Content of the state file. */
    private record State(String graph, int done, int of, boolean showing) {}

    private ResumePoint(Path folder) {
        this.folder = folder.toAbsolutePath().normalize();
    }

    /**
     * @param folder of one job; removed with everything in it
     */
    public static ResumePoint in(Path folder) {
        return new ResumePoint(folder);
    }

    /** Whether there is a job to resume. */
    public boolean isThere() {
        return Files.exists(folder.resolve(STATE));
    }

    public int stagesDone() {
        return state().done();
    }

    public int stages() {
        return state().of();
    }

    /** The folder of the files between stages. */
    Path files() {
        try {
            return Files.createDirectories(folder.resolve(FILES));
        } catch (IOException e) {
            throw FileProblem.of("cannot create a folder for files of a job in " + folder, e);
        }
    }

    /** Fails unless the stopped job has this graph and can be resumed. */
    void check(JobGraph graph) {
        State state = state();
        if (!state.graph().equals(fingerprint(graph))) {
            throw PetrichorException.of(
                    ErrorCode.FAILED_PRECONDITION,
                    "the plan of the job \"{graph}\" has changed since it stopped, so that its"
                            + " files in {folder} cannot be used; discard it and run it again",
                    "graph",
                    graph.name(),
                    "folder",
                    folder);
        }
        if (state.showing()) {
            throw PetrichorException.of(
                    ErrorCode.FAILED_PRECONDITION,
                    "the job \"{graph}\" was killed while it published its results; check which of"
                            + " them exist, discard the job and run it again",
                    "graph",
                    graph.name());
        }
    }

    /** All stages before this one have ended. */
    void reached(JobGraph graph, int stage) {
        write(new State(fingerprint(graph), stage, stagesOf(graph), false));
    }

    /**
     * Marks the start of the commit. From here on the job cannot be resumed: committing twice would
     * duplicate results.
     */
    void showing(JobGraph graph) {
        write(new State(fingerprint(graph), stagesOf(graph), stagesOf(graph), true));
    }

    /** Deletes the folder. */
    public void remove() {
        try {
            Files.deleteIfExists(folder.resolve(STATE));
            if (Files.exists(folder)) {
                try (var all = Files.walk(folder)) {
                    for (Path each : all.sorted(Comparator.reverseOrder()).toList()) {
                        Files.deleteIfExists(each);
                    }
                }
            }
        } catch (IOException e) {
            throw FileProblem.of("cannot remove the files of a job in " + folder, e);
        }
    }

    private State state() {
        try {
            List<String> lines = Files.readAllLines(folder.resolve(STATE));
            if (lines.size() == WORDS) {
                return new State(
                        lines.getFirst(),
                        Integer.parseInt(lines.get(1)),
                        Integer.parseInt(lines.get(2)),
                        Boolean.parseBoolean(lines.get(3)));
            }
            throw PetrichorException.invalid("{file} is invalid", "file", folder.resolve(STATE));
        } catch (NoSuchFileException e) {
            throw PetrichorException.of(
                    ErrorCode.NOT_FOUND, "there is no resumable job in {folder}", "folder", folder);
        } catch (IOException e) {
            throw FileProblem.of("cannot read the progress of a job in " + folder, e);
        }
    }

    private void write(State state) {
        try {
            Path fresh = Files.createTempFile(Files.createDirectories(folder), STATE, ".new");
            Files.write(
                    fresh,
                    List.of(
                            state.graph(),
                            Integer.toString(state.done()),
                            Integer.toString(state.of()),
                            Boolean.toString(state.showing())));
            Files.move(
                    fresh,
                    folder.resolve(STATE),
                    StandardCopyOption.ATOMIC_MOVE,
                    StandardCopyOption.REPLACE_EXISTING);
        } catch (IOException e) {
            throw FileProblem.of("cannot write the progress of a job in " + folder, e);
        }
    }

    private static int stagesOf(JobGraph graph) {
        return ExecutionGraph.of(graph).stages().size();
    }

    /** Covers everything that determines which file holds which data. */
    private static String fingerprint(JobGraph graph) {
        StringBuilder text = new StringBuilder(graph.name());
        for (JobVertex vertex : graph.vertices()) {
            text.append('\n').append(vertex.id()).append(' ').append(vertex.name());
            text.append(' ').append(vertex.parallelism());
        }
        for (JobEdge edge : graph.edges()) {
            text.append('\n').append(edge.from()).append(' ').append(edge.to());
            text.append(' ').append(edge.input()).append(' ').append(edge.channel());
            text.append(' ').append(edge.shipping().getClass().getSimpleName());
        }
        try {
            byte[] all = text.toString().getBytes(StandardCharsets.UTF_8);
            return HexFormat.of().formatHex(MessageDigest.getInstance("SHA-256").digest(all));
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException(e);
        }
    }
}

package petrichor.jobs.engine;

import java.nio.file.Path;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import petrichor.base.PetrichorException;
import petrichor.jobs.engine.memory.MemoryShare;
import petrichor.jobs.jobgraph.Scaling;

/**
 * Resource limits of a job.
 *
 * @param memoryBytes for sorts, hash tables and buffers of one job, together; blocks in channels
 *     come on top (half a megabyte per channel)
 * @param spillFolder holds the files of spilled data
 * @param spillBytesMax limit of spilled data at a time, in all processes of the job; files between
 *     its stages may hold as much again
 * @param profiled whether subtasks and channels are measured; the overhead is too small to turn it
 *     off for anything but measuring it
 * @param scaling creates, for each job graph, the policy that chooses the parallelism of its
 *     stateless tasks while they run (live scaling); null keeps the parallelism of the plan. It
 *     needs the profile, and applies only to a job that runs in this process alone.
 */
public record EngineOptions(
        long memoryBytes,
        Path spillFolder,
        long spillBytesMax,
        boolean profiled,
        @Nullable Supplier<Scaling> scaling) {
    /**
     * System property: limit of the bytes that jobs of this process may spill; unlimited by
     * default.
     */
    public static final String SPILL_PROPERTY = "petrichor.jobs.spill-bytes-max";

    /** Sixty percent of the heap; the rest is for channels and user code. */
    private static final double MEMORY_PART = 0.6;

    public EngineOptions {
        if (memoryBytes < MemoryShare.BYTES_MIN) {
            throw PetrichorException.invalid(
                    "a job needs at least " + MemoryShare.BYTES_MIN + " bytes of memory");
        }
    }

    public EngineOptions(long memoryBytes, Path spillFolder, long spillBytesMax) {
        this(memoryBytes, spillFolder, spillBytesMax, true);
    }

    public EngineOptions(long memoryBytes, Path spillFolder, long spillBytesMax, boolean profiled) {
        this(memoryBytes, spillFolder, spillBytesMax, profiled, null);
    }

    public static EngineOptions ofThisProcess() {
        return new EngineOptions(
                (long) (Runtime.getRuntime().maxMemory() * MEMORY_PART),
                Path.of(System.getProperty("java.io.tmpdir")),
                Long.getLong(SPILL_PROPERTY, Long.MAX_VALUE));
    }

    public EngineOptions withMemoryBytes(long bytes) {
        return new EngineOptions(bytes, spillFolder, spillBytesMax, profiled, scaling);
    }

    public EngineOptions withSpillFolder(Path folder) {
        return new EngineOptions(memoryBytes, folder, spillBytesMax, profiled, scaling);
    }

    public EngineOptions withSpillBytesMax(long bytes) {
        return new EngineOptions(memoryBytes, spillFolder, bytes, profiled, scaling);
    }

    public EngineOptions withoutProfile() {
        return new EngineOptions(memoryBytes, spillFolder, spillBytesMax, false, scaling);
    }

    public EngineOptions withScaling(Supplier<Scaling> perGraph) {
        return new EngineOptions(memoryBytes, spillFolder, spillBytesMax, profiled, perGraph);
    }
}

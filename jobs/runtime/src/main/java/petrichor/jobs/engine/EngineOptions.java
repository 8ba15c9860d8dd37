package petrichor.jobs.engine;

import java.nio.file.Path;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import petrichor.base.PetrichorException;
import petrichor.jobs.engine.memory.MemoryShare;
import petrichor.jobs.jobgraph.Scaling;

/**
 * What a job may take.
 *
 * @param memoryBytes for sorts, hash tables and buffers of one job, together; what is in channels
 *     comes on top (half a megabyte per channel)
 * @param spillFolder where files go that do not fit into memory
 * @param spillBytesMax how much may lie there at a time, in all processes of the job; as much again
 *     in files between its stages
 * @param profiled whether figures are kept of what subtasks and channels do; costs too little to be
 *     turned off for anything but measuring that
 * @param scaling makes for each job graph what says how many subtasks its stateless tasks should
 *     have while they run; null if they keep those of the plan. It rests on the profile, and is
 *     only heard where a job runs in this process alone.
 */
public record EngineOptions(
        long memoryBytes,
        Path spillFolder,
        long spillBytesMax,
        boolean profiled,
        @Nullable Supplier<Scaling> scaling) {
    /** System property: bytes that jobs of this process may spill. Without it there is no limit. */
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

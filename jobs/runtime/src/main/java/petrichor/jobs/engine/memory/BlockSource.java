package petrichor.jobs.engine.memory;

import org.jspecify.annotations.Nullable;
import petrichor.jobs.channels.Block;

/** A source of blocks; the caller owns each block it takes. */
@FunctionalInterface
public interface BlockSource {
    /** The next block, or null at the end. */
    @Nullable Block next();
}

package petrichor.jobs.engine.memory;

import org.jspecify.annotations.Nullable;
import petrichor.jobs.channels.Block;

/** Gives blocks; whoever takes one owns it. */
@FunctionalInterface
public interface BlockSource {
    /** The next block, or null at the end. */
    @Nullable Block next();
}

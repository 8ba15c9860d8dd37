package petrichor.jobs.engine.memory;

import org.jspecify.annotations.Nullable;

/** Gives blocks; whoever takes one owns it. */
@FunctionalInterface
public interface BlockSource {
    /** The next block, or null at the end. */
    @Nullable Block next();
}

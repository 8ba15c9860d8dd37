package petrichor.jobs.engine;

import org.jspecify.annotations.Nullable;

/** Gives blocks; whoever takes one owns it. */
@FunctionalInterface
interface BlockSource {
    /** The next block, or null at the end. */
    @Nullable Block next();
}

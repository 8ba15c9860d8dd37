package petrichor.base;

import java.util.function.LongSupplier;

/** How much projects may store. Thread-safe; does not block. */
@FunctionalInterface
public interface StorageQuota {
    /** Every project may store as much as it likes. */
    StorageQuota NONE = (_, _) -> {};

    /**
     * RESOURCE_EXHAUSTED, as {@link OverQuota}, if a project has no room for this write. Otherwise
     * the bytes count as stored from now on, whether or not the write succeeds.
     *
     * @param bytes of the write; asked only if the project has a quota
     */
    void require(String project, LongSupplier bytes);
}

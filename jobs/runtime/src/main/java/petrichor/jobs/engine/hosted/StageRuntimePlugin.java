package petrichor.jobs.engine.hosted;

import java.nio.file.Path;
import java.util.List;

/**
 * What a module offers that knows another runtime. Found by {@link java.util.ServiceLoader} on the
 * plugin's own class path, which shows it nothing of ours but our own classes.
 */
public interface StageRuntimePlugin {
    /** As people type it: {@code flink}. */
    String name();

    /**
     * Opens the runtime. UNAVAILABLE if nobody answers at the address.
     *
     * @param address host and port of a cluster; empty for one in this process, which ends with it
     * @param jars in which tasks find user code
     */
    StageRuntime open(String address, List<Path> jars);
}

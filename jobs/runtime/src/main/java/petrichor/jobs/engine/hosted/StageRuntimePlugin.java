package petrichor.jobs.engine.hosted;

import java.nio.file.Path;
import java.util.List;

/**
 * Provides a runtime. Found by {@link java.util.ServiceLoader} on the plugin's own class path,
 * where only Petrichor's own classes of the parent are visible, not its libraries.
 */
public interface StageRuntimePlugin {
    /** As typed by users: {@code flink}. */
    String name();

    /**
     * Opens the runtime. UNAVAILABLE if there is no answer from the address.
     *
     * @param address host and port of a cluster; empty for one in this process, which ends with it
     * @param jars with user code, for the tasks
     */
    StageRuntime open(String address, List<Path> jars);
}

package petrichor.jobs.flink;

import java.nio.file.Path;
import java.time.Duration;
import org.apache.flink.configuration.ConfigOption;
import org.apache.flink.configuration.ConfigOptions;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.runtime.entrypoint.EntrypointClusterConfiguration;
import org.apache.flink.runtime.entrypoint.SessionClusterEntrypoint;
import org.apache.flink.runtime.entrypoint.component.DefaultDispatcherResourceManagerComponentFactory;
import org.apache.flink.runtime.entrypoint.component.DispatcherResourceManagerComponentFactory;
import org.apache.flink.runtime.util.JvmShutdownSafeguard;
import petrichor.jobs.leased.ClusterMachines;

/**
 * Entry point of a job manager that leases the machines of its task managers: each is leased when
 * slots are missing, and released when it is idle. {@code --configDir DIR}; in the configuration,
 * {@link #MACHINES} names the file of machine types.
 */
@SuppressWarnings("try") // closed by Flink, declares no exceptions
public final class LeasedCluster extends SessionClusterEntrypoint {
    /** The file that describes the machines; see {@code ClusterMachines}. */
    static final ConfigOption<String> MACHINES =
            ConfigOptions.key("petrichor.machines").stringType().noDefaultValue();

    /** The folder of this configuration, which task managers read, too. */
    static final ConfigOption<String> FOLDER =
            ConfigOptions.key("petrichor.configuration-folder").stringType().noDefaultValue();

    /** Time to release all machines before the process ends; Flink would wait 5 s for that. */
    private static final Duration END_MAX = Duration.ofSeconds(40);

    private LeasedCluster(Configuration configuration) {
        super(configuration);
    }

    @Override
    protected DispatcherResourceManagerComponentFactory
            createDispatcherResourceManagerComponentFactory(Configuration configuration) {
        return DefaultDispatcherResourceManagerComponentFactory.createSessionComponentFactory(
                new LeasedResources());
    }

    public static void main(String[] arguments) throws Exception {
        JvmShutdownSafeguard.installAsShutdownHook(LOG, END_MAX.toMillis());
        EntrypointClusterConfiguration given = parseArguments(arguments);
        Configuration configuration = loadConfiguration(given);
        configuration.set(FOLDER, given.getConfigDir());
        LeasedTypes.announce(
                ClusterMachines.read(Path.of(configuration.get(MACHINES))), configuration);
        runClusterEntrypoint(new LeasedCluster(configuration));
    }
}

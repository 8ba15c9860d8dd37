package petrichor.jobs.flink;

import java.util.List;
import java.util.Optional;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.apache.flink.client.program.ClusterClient;
import org.apache.flink.client.program.rest.RestClusterClient;
import org.apache.flink.configuration.ConfigOption;
import org.apache.flink.configuration.ConfigOptions;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.runtime.rest.messages.ClusterConfigurationInfoHeaders;
import org.apache.flink.runtime.rest.messages.ConfigurationInfo;
import org.apache.flink.runtime.rest.messages.ConfigurationInfoEntry;
import org.apache.flink.runtime.rest.messages.EmptyMessageParameters;
import org.apache.flink.runtime.rest.messages.EmptyRequestBody;
import petrichor.base.ErrorCode;
import petrichor.base.PetrichorException;
import petrichor.cloud.InstanceType;
import petrichor.jobs.leased.ClusterMachines;

/**
 * The machine types that tasks may name on a cluster that leases: its job manager publishes them in
 * its configuration, which Flink shows to clients.
 */
final class LeasedTypes {
    /** Comma-separated names. */
    private static final ConfigOption<String> NAMES =
            ConfigOptions.key("petrichor.machine-types").stringType().noDefaultValue();

    private static final int ANSWER_SECONDS_MAX = 20;

    private LeasedTypes() {}

    /** Publishes the types that are large enough for a task manager. */
    static void announce(ClusterMachines machines, Configuration configuration) {
        List<String> names =
                machines.setting().types().stream()
                        .filter(type -> TaskManagerSize.on(type, configuration).isPresent())
                        .map(InstanceType::name)
                        .toList();
        configuration.set(NAMES, String.join(",", names));
    }

    /** Empty if the cluster does not lease. */
    static Optional<List<String>> of(ClusterClient<?> client) {
        return switch (client) {
            case RestClusterClient<?> remote ->
                    configuration(remote).stream()
                            .filter(entry -> entry.getKey().equals(NAMES.key()))
                            .findFirst()
                            .map(ConfigurationInfoEntry::getValue)
                            .map(
                                    names ->
                                            names.isEmpty()
                                                    ? List.of()
                                                    : List.of(names.split(",", -1)));
            case ClusterClient<?> _ -> Optional.empty();
        };
    }

    private static ConfigurationInfo configuration(RestClusterClient<?> client) {
        try {
            return client.sendRequest(
                            ClusterConfigurationInfoHeaders.getInstance(),
                            EmptyMessageParameters.getInstance(),
                            EmptyRequestBody.getInstance())
                    .get(ANSWER_SECONDS_MAX, TimeUnit.SECONDS);
        } catch (ExecutionException | TimeoutException e) {
            throw PetrichorException.of(
                    ErrorCode.UNAVAILABLE,
                    e,
                    "cannot ask Flink which machines it leases: {reason}",
                    "reason",
                    e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw PetrichorException.of(ErrorCode.ABORTED, "the job was interrupted");
        }
    }
}

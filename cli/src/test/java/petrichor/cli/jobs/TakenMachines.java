package petrichor.cli.jobs;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import petrichor.cloud.LaunchRequest;
import petrichor.cloud.LaunchResult;
import petrichor.cloud.LeaseTag;
import petrichor.cloud.local.LocalCloud;
import petrichor.cloud.local.LocalSetting;
import petrichor.jobs.leased.LeaseSetting;

/**
 * Occupies all machines of a local cloud, and two spare ones, on behalf of another lessee until
 * closed.
 */
record TakenMachines(LocalCloud cloud, List<String> machines) implements AutoCloseable {
    private static final int ALL = 4;

    static TakenMachines in(Path folder) {
        LocalCloud cloud =
                LocalCloud.open(
                        new LocalSetting(
                                folder,
                                List.of(LeaseSetting.type("small:1:320:0.10")),
                                _ -> List.of("sleep", "600"),
                                ALL));
        List<String> machines = new ArrayList<>();
        for (int i = 0; i < ALL; i++) {
            String token = "taken-" + i + "-" + System.nanoTime();
            LaunchResult result =
                    cloud.launch(
                            LaunchRequest.onDemand(
                                    token, "small", new LeaseTag("somebody", "nothing")));
            if (result instanceof LaunchResult.Launched(var machine)) {
                machines.add(machine.id());
            }
        }
        return new TakenMachines(cloud, machines);
    }

    @Override
    public void close() {
        machines.forEach(cloud::terminate);
        cloud.close();
    }
}

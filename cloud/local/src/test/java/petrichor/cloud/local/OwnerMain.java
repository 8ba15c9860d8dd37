package petrichor.cloud.local;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import petrichor.cloud.LaunchRequest;
import petrichor.cloud.LaunchResult;
import petrichor.cloud.LeaseTag;

/** A process that launches a machine, reports it, and is killed by the test. */
final class OwnerMain {
    private OwnerMain() {}

    public static void main(String[] arguments) throws IOException {
        LocalCloud cloud =
                LocalCloud.open(
                        TestMachines.setting(
                                Path.of(arguments[0]), List.of("sh", "-c", arguments[1])));
        LaunchResult result =
                cloud.launch(
                        LaunchRequest.onDemand(
                                "token-of-owner", "local.small", new LeaseTag("owner", "test")));
        System.out.println(
                result instanceof LaunchResult.Launched ? "launched" : result.toString());
        System.in.read();
    }
}

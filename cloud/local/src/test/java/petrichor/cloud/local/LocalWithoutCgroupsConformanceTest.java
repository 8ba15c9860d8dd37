package petrichor.cloud.local;

import java.io.IOException;
import petrichor.cloud.testkit.CloudConformance;
import petrichor.cloud.testkit.CloudUnderTest;

final class LocalWithoutCgroupsConformanceTest implements CloudConformance {
    @Override
    public CloudUnderTest underTest() throws IOException {
        return new TestMachines(new Fence.Rlimits(), "sleep 600");
    }
}

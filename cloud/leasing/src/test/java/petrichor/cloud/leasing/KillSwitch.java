package petrichor.cloud.leasing;

import java.util.List;
import java.util.SplittableRandom;
import petrichor.cloud.Billing;
import petrichor.cloud.Cloud;
import petrichor.cloud.CloudLimits;
import petrichor.cloud.Description;
import petrichor.cloud.InstanceType;
import petrichor.cloud.InterruptionNotice;
import petrichor.cloud.LaunchRequest;
import petrichor.cloud.LaunchResult;
import petrichor.cloud.Listing;
import petrichor.cloud.TerminateResult;

/** Kills the leasing process before or after an external action. */
final class KillSwitch {
    private static final int KILLS_MAX = 10;

    private final SplittableRandom random;
    private final double probability;

    /** Limited, because work that restarts after each kill would never end. */
    private int left;

    KillSwitch(long seed, double probability) {
        this.random = new SplittableRandom(seed);
        this.probability = probability;
        this.left = probability > 0 ? random.nextInt(KILLS_MAX) + 1 : 0;
    }

    void off() {
        left = 0;
    }

    private void perhaps() {
        if (left > 0 && random.nextDouble() < probability) {
            left--;
            throw new Killed();
        }
    }

    LeaseLog log(MemoryLog log) {
        return new LeaseLog() {
            @Override
            public List<LeaseLine> lines() {
                return log.lines();
            }

            @Override
            public void add(LeaseLine line) {
                perhaps();
                log.add(line);
                perhaps();
            }

            @Override
            public void close() {}
        };
    }

    Cloud cloud(Cloud cloud) {
        return new Cloud() {
            @Override
            public String name() {
                return cloud.name();
            }

            @Override
            public CloudLimits limits() {
                return cloud.limits();
            }

            @Override
            public Billing billing() {
                return cloud.billing();
            }

            @Override
            public List<InstanceType> types() {
                return cloud.types();
            }

            @Override
            public LaunchResult launch(LaunchRequest request) {
                perhaps();
                LaunchResult result = cloud.launch(request);
                perhaps();
                return result;
            }

            @Override
            public TerminateResult terminate(String instance) {
                perhaps();
                TerminateResult result = cloud.terminate(instance);
                perhaps();
                return result;
            }

            @Override
            public Listing list(String owner) {
                return cloud.list(owner);
            }

            @Override
            public Description describe(String instance) {
                return cloud.describe(instance);
            }

            @Override
            public List<InterruptionNotice> interruptions() {
                return cloud.interruptions();
            }

            @Override
            public void close() {}
        };
    }
}

package petrichor.coordination.zookeeper;

import java.time.Duration;
import java.util.concurrent.locks.LockSupport;
import petrichor.base.TimeSource;
import petrichor.coordination.Claim;
import petrichor.coordination.Coordination;
import petrichor.coordination.Membership;

/**
 * A process that claims a name and repeatedly prints the last moment at which it knew that it holds
 * it. The times are those of the machine's monotonic clock, which all processes share.
 */
final class Holder {
    private static final long POLL_NANOS = 2_000_000;

    private Holder() {}

    public static void main(String[] arguments) {
        Coordination coordination =
                new Coordination(
                        ZooKeeperLedger.open(arguments[0], "paused", Duration.ofSeconds(60)),
                        TimeSource.SYSTEM);
        Membership membership =
                coordination.join("holder:1", Duration.ofMillis(Long.parseLong(arguments[1])));
        if (membership.claim(arguments[2]) instanceof Claim.Granted) {
            System.out.println("granted");
        }
        while (!membership.lost().isDone()) {
            if (membership.valid()) {
                // taken before the check: at that moment the lease was certainly valid
                System.out.println(System.nanoTime());
            }
            LockSupport.parkNanos(POLL_NANOS);
        }
        System.out.println("lost");
        System.exit(0);
    }
}

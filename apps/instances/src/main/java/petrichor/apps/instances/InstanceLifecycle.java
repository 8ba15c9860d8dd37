package petrichor.apps.instances;

import java.util.Optional;

/** How an instance starts and stops. */
public record InstanceLifecycle(
        StartCheck check, Optional<StopRequest> stopRequest, InstanceTimeouts timeouts) {
    /** Ready when it listens; stopped by SIGTERM. */
    public static final InstanceLifecycle DEFAULT =
            new InstanceLifecycle(
                    new StartCheck.Listening(), Optional.empty(), InstanceTimeouts.DEFAULT);

    public InstanceLifecycle withCheck(StartCheck other) {
        return new InstanceLifecycle(other, stopRequest, timeouts);
    }

    public InstanceLifecycle withStopRequest(StopRequest request) {
        return new InstanceLifecycle(check, Optional.of(request), timeouts);
    }

    public InstanceLifecycle withTimeouts(InstanceTimeouts other) {
        return new InstanceLifecycle(check, stopRequest, other);
    }
}

package petrichor.cloud;

import java.time.Instant;
import java.util.Optional;

/**
 * A machine as reported by the cloud; the report may be as old as {@link CloudLimits#answersStale}.
 *
 * @param id assigned by the cloud, never reused
 * @param token of the launch
 * @param launched when the cloud accepted the launch
 * @param running start of billing; empty before
 * @param address network address, if it has one
 */
public record Instance(
        String id,
        String token,
        String type,
        Purchase purchase,
        LeaseTag tag,
        InstanceState state,
        Instant launched,
        Optional<Instant> running,
        Optional<String> address) {
    public Instance {
        if (state == InstanceState.RUNNING && running.isEmpty()) {
            throw new IllegalArgumentException("invalid start time: " + id);
        }
    }

    public Instance in(InstanceState next) {
        return new Instance(id, token, type, purchase, tag, next, launched, running, address);
    }
}

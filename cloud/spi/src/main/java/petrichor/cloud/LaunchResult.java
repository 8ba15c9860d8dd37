package petrichor.cloud;

import java.time.Duration;

/** Outcome of a launch. */
public sealed interface LaunchResult {
    /** The machine exists, possibly launched by an earlier call with this token. */
    record Launched(Instance instance) implements LaunchResult {}

    /** Permanently refused: unknown type, missing permission, quota exceeded. */
    record Refused(String reason) implements LaunchResult {}

    /** No machine of this type is currently available. */
    record NoCapacity(String reason) implements LaunchResult {}

    /** Too many calls; nothing was launched. */
    record Throttled(Duration retryAfter) implements LaunchResult {}

    /**
     * Unknown outcome: the machine may exist, or may still be launched. Repeating the call with the
     * same token resolves it; so does {@link Cloud#list} after {@link CloudLimits#launchSettles}.
     */
    record Unknown(String reason) implements LaunchResult {}
}

package petrichor.cloud;

import java.time.Duration;

/** What came of a launch. */
public sealed interface LaunchResult {
    /** There is a machine; it may be one that an earlier call with this token launched. */
    record Launched(Instance instance) implements LaunchResult {}

    /** Never, as it was asked: no such type, no permission, a quota. */
    record Refused(String reason) implements LaunchResult {}

    /** The cloud has none of this type now. */
    record NoCapacity(String reason) implements LaunchResult {}

    /** Too many calls; nothing was launched. */
    record Throttled(Duration retryAfter) implements LaunchResult {}

    /**
     * Unknown outcome. The machine may exist, may still appear, or never. Repeating the call with
     * the same token resolves it; so does {@link Cloud#list} after {@link
     * CloudLimits#launchSettles}.
     */
    record Unknown(String reason) implements LaunchResult {}
}

package petrichor.apps.instances;

/** Whether a host accepts another instance. */
public sealed interface StartResult {
    /** The instance is starting. */
    record Accepted(Instance instance) implements StartResult {}

    /**
     * A limit of the host is reached; nothing was started.
     *
     * @param reason names the limit and its value
     */
    record Refused(String reason) implements StartResult {}
}

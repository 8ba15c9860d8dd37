package petrichor.apps.scaling;

/** A rule that determines a number of instances. */
public enum ScalingReason {
    NO_LOAD("no requests in the stable window"),
    STABLE_WINDOW("the load of the stable window"),
    PANIC_WINDOW("a surge: the load of the panic window"),
    PANIC_HOLD("no instance stops while a surge may continue"),
    UP_RATE("the load needs more, which start with the next decisions"),
    DOWN_RATE("the load needs fewer, which stop with the next decisions"),
    DOWN_TOLERANCE("the load is close to the limit at which one more is needed"),
    PENDING_LATENCY("requests waited for longer than max_pending_latency"),
    QUEUE_BACKLOG("tasks of queues wait"),
    MIN_IDLE("min_idle_instances"),
    MAX_IDLE("max_idle_instances"),
    ZERO_GRACE("the last instance waits for requests before it stops"),
    MIN_INSTANCES("min_instances"),
    MAX_INSTANCES("max_instances"),
    PENDING_REQUESTS("requests wait for an instance"),
    BUSY("instances had requests within idle_timeout"),
    IDLE("no instance had requests within idle_timeout"),
    MANUAL("manual_scaling");

    private final String text;

    ScalingReason(String text) {
        this.text = text;
    }

    /** For people. */
    public String text() {
        return text;
    }
}

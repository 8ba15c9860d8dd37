package petrichor.services.queues;

import petrichor.base.PetrichorException;

/**
 * The definition of a queue.
 *
 * @param name 1 to 100 letters, digits and hyphens
 * @param rate of dispatch, of a push queue
 * @param retry of tasks without a policy of their own
 * @param routing where its tasks go
 * @param paused whether nothing is dispatched or leased; tasks can be added
 */
public record Queue(
        String name,
        QueueMode mode,
        DispatchRate rate,
        RetryPolicy retry,
        Routing routing,
        boolean paused) {
    /** The queue that exists in every project. */
    public static final String DEFAULT = "default";

    /** The queue of cron jobs that are due; apps cannot use it. */
    public static final String CRON = "__cron";

    /**
     * Destinations of tasks.
     *
     * @param target the service, or version.service, that receives them; empty for the default
     * @param deadLetters the queue to which tasks move whose retries are exhausted; if empty, they
     *     are dropped
     */
    public record Routing(String target, String deadLetters) {
        public static final Routing DEFAULT = new Routing("", "");
    }

    public Queue {
        if (!name.equals(CRON)) {
            QueueName.requireQueue(name);
        }
        if (!routing.deadLetters().isEmpty()) {
            QueueName.requireQueue(routing.deadLetters());
        }
        if (routing.deadLetters().equals(name)) {
            throw PetrichorException.invalid(
                    "The queue {queue} cannot be its own queue of dead letters; name another one.",
                    "queue",
                    name);
        }
    }

    public static Queue push(String name) {
        return new Queue(
                name,
                QueueMode.PUSH,
                DispatchRate.DEFAULT,
                RetryPolicy.DEFAULT,
                Routing.DEFAULT,
                false);
    }

    public static Queue pull(String name) {
        return new Queue(
                name,
                QueueMode.PULL,
                DispatchRate.DEFAULT,
                RetryPolicy.DEFAULT,
                Routing.DEFAULT,
                false);
    }

    public Queue withRate(DispatchRate other) {
        return new Queue(name, mode, other, retry, routing, paused);
    }

    public Queue withRetry(RetryPolicy other) {
        return new Queue(name, mode, rate, other, routing, paused);
    }

    public Queue withRouting(Routing other) {
        return new Queue(name, mode, rate, retry, other, paused);
    }

    public Queue withPaused(boolean other) {
        return new Queue(name, mode, rate, retry, routing, other);
    }
}

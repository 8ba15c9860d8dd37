package petrichor.services.queues.rabbitmq;

/**
 * The state of the connection to RabbitMQ.
 *
 * @param accepting whether tasks are dispatched now
 * @param waiting deliveries of this process that no server has claimed
 * @param unconfirmed notices that RabbitMQ has not confirmed
 * @param republished notices that were published again, since the start
 * @param delivered tasks of all owners that this process has delivered, since the start
 */
public record RabbitMqCounts(
        boolean accepting, int waiting, int unconfirmed, long republished, long delivered) {
    /** Without RabbitMQ. */
    public static final RabbitMqCounts NONE = new RabbitMqCounts(false, 0, 0, 0, 0);
}
